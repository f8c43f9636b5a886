"""The result of a check of this machine, in the language of its reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scharten.errors import SchartenError
from scharten.words import source_text, text, texts


class Cure(StrEnum):
    """A cure that this program can apply itself when a person asks for it."""

    BACK_UP = "back_up"
    CLOSE_SECRETS = "close_secrets"
    DROP_PICTURES = "drop_pictures"
    NEW_CERTIFICATE = "new_certificate"
    ASK_FOR_SECRETS = "ask_for_secrets"


class Weight(StrEnum):
    """The importance of a finding for play."""

    GOOD = "good"
    WARNS = "warns"
    BAD = "bad"

    @property
    def mark(self) -> str:
        """✓ in order, ! not wise, ✗ prevents play."""
        return {"good": "✓", "warns": "!", "bad": "✗"}[self]


@dataclass(frozen=True)
class Finding:
    """The result of one check; `code` and `args` name its texts, and a button applies `cure`.

    An argument may be a text by language (`errors.detail`).
    """

    weight: Weight
    code: str
    args: Mapping[str, object] = field(default_factory=dict)
    cure: Cure | None = None

    def words(self, language: str = "en") -> tuple[str, str]:
        """Return the result and the cure, "" without a cure."""
        todo = f"finding.{self.code}.todo"
        needed = self.weight is not Weight.GOOD and todo in texts(language)
        args = {
            name: value[language] if isinstance(value, Mapping) else value
            for name, value in self.args.items()
        }
        if isinstance(error := args.get("error"), SchartenError):
            args["words"], args["cure"] = error.words(language)
        if kinds := args.get("kind"):
            args["kind"] = " + ".join(
                text(language, f"status.source.{kind}") for kind in str(kinds).split(" + ")
            )
        notice = f"notice.{args.get('notice')}"
        if notice in texts(language):
            args["reason"] = args["words"] = text(language, notice)
            args["cure"] = text(language, f"{notice}.todo")
        if "source" in args:
            args["detail"] = source_text(language, {"detail": args["detail"], "reason": args["source"]})
        found = text(language, f"finding.{self.code}", **args).removesuffix(": ")
        return found, text(language, todo, **args) if needed else ""

    def as_json(self, language: str) -> dict[str, Any]:
        """Return the finding for a page."""
        found, todo = self.words(language)
        return {"weight": self.weight, "code": self.code, "words": found, "todo": todo, "cure": self.cure}


def good(code: str, cure: Cure | None = None, /, **args: object) -> Finding:
    """Make a finding that is in order; its cure is something useful all the same."""
    return Finding(Weight.GOOD, code, args, cure)


def warns(code: str, cure: Cure | None = None, /, **args: object) -> Finding:
    """Make a finding that is not wise."""
    return Finding(Weight.WARNS, code, args, cure)


def bad(code: str, cure: Cure | None = None, /, **args: object) -> Finding:
    """Make a finding that prevents play."""
    return Finding(Weight.BAD, code, args, cure)
