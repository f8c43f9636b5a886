"""What a check of this machine found, in the language of whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scharten.setup.finding_words import WORDS


class Cure(StrEnum):
    """What this program can do itself when it is told to."""

    BACK_UP = "back_up"
    CLOSE_SECRETS = "close_secrets"
    DROP_PICTURES = "drop_pictures"
    NEW_CERTIFICATE = "new_certificate"
    ASK_FOR_SECRETS = "ask_for_secrets"


class Weight(StrEnum):
    """Whether play can go on with it."""

    GOOD = "good"
    WARNS = "warns"
    BAD = "bad"

    @property
    def mark(self) -> str:
        """✓ in order, ! not wise, ✗ keeps a game from being played."""
        return {"good": "✓", "warns": "!", "bad": "✗"}[self]


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `code` and `args` name its words and those of its cure, `cure` is what a button does."""

    weight: Weight
    code: str
    args: Mapping[str, object] = field(default_factory=dict)
    cure: Cure | None = None

    def words(self, language: str = "en") -> tuple[str, str]:
        """What was found, and what to do about it ("" where nothing is to be done)."""
        found, todo = WORDS[self.code][language]
        return found.format_map(self.args), "" if self.weight is Weight.GOOD else todo.format_map(self.args)

    def told(self, language: str) -> dict[str, Any]:
        """For a page."""
        found, todo = self.words(language)
        return {"weight": self.weight, "code": self.code, "words": found, "todo": todo, "cure": self.cure}


def good(code: str, cure: Cure | None = None, /, **args: object) -> Finding:
    """In order; with a cure, something useful can be done all the same."""
    return Finding(Weight.GOOD, code, args, cure)


def warns(code: str, cure: Cure | None = None, /, **args: object) -> Finding:
    """Not wise."""
    return Finding(Weight.WARNS, code, args, cure)


def bad(code: str, cure: Cure | None = None, /, **args: object) -> Finding:
    """Keeps a game from being played."""
    return Finding(Weight.BAD, code, args, cure)
