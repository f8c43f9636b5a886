"""What goes wrong, in words: a value in the core, and the one exception that reaches a person.

Exception
└── SchartenError       a sentence for the person in the room, and what to do about it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something is refused: a `code` for machines, English `words`, `args` that fit into JSON, and the cure."""

    code: str
    words: str
    args: Mapping[str, object] = field(default_factory=dict)
    cure: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.cure}".strip()


class SchartenError(Exception):
    """What went wrong and the cure, both in words; the command line prints them and exits with 1."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message}\n{self.cure}" if self.cure else self.message
