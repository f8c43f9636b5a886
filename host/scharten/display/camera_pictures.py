"""What a display server asks of who has the cameras' pictures; light to load, unlike the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

NamedPictures = Callable[[], Mapping[str, bytes]]
"""Each camera's last pictures by name (`camera 1`, `camera 1 overlay`), as JPEG or PNG."""


class ThrowPictures(Protocol):
    """Who has the pictures (`sensors.shown_throws.ShownThrows`); it may take its time."""

    def list(self, match: str) -> list[dict[str, Any]]:
        """The throws of a game, the newest first."""
        ...

    def about(self, at_ms: int) -> dict[str, Any] | None:
        """What was made of the throw at this time."""
        ...

    def picture(self, at_ms: int, camera: int) -> bytes | None:
        """The board's plane by one camera, as JPEG."""
        ...

    def packed(self, at_ms: int) -> bytes | None:
        """Everything of a throw as one ZIP file."""
        ...
