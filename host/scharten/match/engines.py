"""The chess engine that chooses the moves of a seat that the computer plays."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from scharten.game.options import Closed

EngineName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
"""The name of an engine in the configuration; never a path or a command."""


class Engine(Closed):
    """An engine by its name; `strength` as the engine counts it, null: as strong as it can."""

    name: EngineName
    strength: Annotated[int, Field(ge=-100, le=4000)] | None = None


BySeat = tuple[Engine | None, Engine | None]
