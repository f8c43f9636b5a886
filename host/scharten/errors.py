"""Errors: `Problem`, a value that the core returns, and `SchartenError`, the only exception that a person sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something is refused: a `code` for machines, an English message (`words`), JSON `args`, and the cure."""

    code: str
    words: str
    args: Mapping[str, object] = field(default_factory=dict)
    cure: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.cure}".strip()


class SchartenError(Exception):
    """An error message and its cure; the command line prints both and exits with 1."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message}\n{self.cure}" if self.cure else self.message
