"""`[opponent]` of the configuration: the chess engines that may play, by name, and the endgame tables."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, field_validator

from scharten.match.orders import EngineName

MANAGED: Final = ("multipv", "ponder", "uci_chess960", "uci_limitstrength", "uci_variant")
"""Options that the game and its chosen strength decide, in small letters."""
MOST: Final = 16
Line = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f]+$")]
"""A text without a line break, which would end a command of the protocol."""


class EngineSettings(BaseModel):
    """An engine's program with its arguments (no shell reads them), its options, and the most memory it may take."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: Annotated[tuple[Line, ...], Field(min_length=1, max_length=32)]
    options: dict[Line, StrictBool | StrictInt | Line] = Field(default_factory=dict)
    memory_mb: int = Field(1024, ge=64)

    @field_validator("options")
    @classmethod
    def _ours(cls, options: dict[str, bool | int | str]) -> dict[str, bool | int | str]:
        for name in options:
            if name.lower() in MANAGED:
                raise ValueError(f"{name} follows from the game and the chosen strength: leave it out")
        return options


class OpponentSection(BaseModel):
    """The chess engines beside those that are found, which of them reviews, and whether endgame tables are built."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tables: StrictBool = True
    review: EngineName | Literal[""] = ""
    engines: dict[EngineName, EngineSettings] = Field(default_factory=dict, max_length=MOST)
