"""The results of a score sheet and their reasons, in each language (rules 9)."""

from __future__ import annotations

from typing import Final

from scharten.game.basics import Reason, Result
from scharten.words import LANGUAGES, first_text

UNFINISHED: Final = "*"
ARBITERS_RESULTS: Final = (Result.BOTH_LOSE, Result.WHITE_HALF, Result.BLACK_HALF)
"""Results that only an arbiter gives."""
REASONS: Final = tuple(reason.value for reason in Reason)


def result_words(result: str, reason: str, language: str) -> str:
    """Return the comment behind a result, `Wit geeft op`; figurine sheets have English words.

    A draw names no loser: the other side could not have mated (rules 7).
    """
    loser = {"1-0": "black", "0-1": "white"}.get(result)
    side = first_text(language, f"side.{loser or 'white'}")
    keys = (f"reason.{reason}.sheet", f"reason.{reason}")
    return first_text(language, *(keys if loser else (f"reason.{reason}.draw", *keys)), side=side)


def reason_of(words: str, result: str) -> str | None:
    """Return the reason that a comment behind this result names in any language; None for any other comment."""
    for language in LANGUAGES:
        for reason in REASONS:
            if result_words(result, reason, language) == words:
                return reason
    return None


def read_result(text: str) -> str | None:
    """Return the result that this text names, `*` for an unfinished game; None for anything else.

    A nought may be the letter o, as in the source's `1-o`.
    """
    plain = text.replace("1/2", "½").replace("–", "-")
    plain = plain.replace("o", "0") if len(plain) == len("1-o") else plain
    return plain if plain in (*Result, UNFINISHED) else None
