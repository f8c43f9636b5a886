"""Names that people type: one line of letters and signs, since they go into terminals, score sheets and lamps."""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that reverse the direction of the rest of a line, including text that is not the player's."""


def is_plain(text: str) -> bool:
    """Whether a text has no control letter, line's end or turn of direction."""
    return all(_fits(letter) for letter in text)


def plain(text: str) -> str:
    """A text with single blanks for what separates words, and without what cannot be seen."""
    return " ".join("".join(filter(_fits, " ".join(text.split()))).split())


def _fits(letter: str) -> bool:
    return letter not in _TURNS and unicodedata.category(letter) not in _UNSEEN
