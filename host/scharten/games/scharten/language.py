"""The three ways to write pieces: Dutch and English letters, and figurines (rules 9, §15)."""

from __future__ import annotations

from enum import Enum
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.board import Kind


class Language(Enum):
    """How a score sheet names the pieces; Dutch is the source's own and the default."""

    DUTCH = "nl"
    ENGLISH = "en"
    FIGURINE = "figurine"


_DUTCH: Final = {
    Kind.KING: "K",
    Kind.QUEEN: "D",
    Kind.ROOK: "T",
    Kind.BISHOP: "L",
    Kind.KNIGHT: "P",
    Kind.PAWN: "",
}
_ENGLISH: Final = {kind: "" if kind is Kind.PAWN else kind.value for kind in Kind}
_FIGURINES: Final = {
    Side.WHITE: {**dict(zip(Kind, "♔♕♖♗♘", strict=False)), Kind.PAWN: ""},
    Side.BLACK: {**dict(zip(Kind, "♚♛♜♝♞", strict=False)), Kind.PAWN: ""},
}


def letter(kind: Kind, side: Side, language: Language) -> str:
    """The letter or figurine of a piece; empty for a pawn (§15)."""
    if language is Language.FIGURINE:
        return _FIGURINES[side][kind]
    return (_DUTCH if language is Language.DUTCH else _ENGLISH)[kind]


def _kinds(language: Language) -> dict[str, Kind]:
    return {letter(kind, side, language): kind for side in Side for kind in Kind if kind is not Kind.PAWN}


KINDS: Final = {language: _kinds(language) for language in Language}
"""Per language what each letter means; figurines of either colour are read alike."""
