"""The letters of Scharten's pieces in each language (rules 9, §15)."""

from __future__ import annotations

from typing import Final

from scharten.game.basics import Language, Side
from scharten.games import letters
from scharten.games.scharten.board import PieceKind

LETTERS: Final = "".join(kind.value for kind in PieceKind if kind is not PieceKind.PAWN)


def letter(kind: PieceKind, side: Side, language: Language) -> str:
    """The letter or figurine of a piece; empty for a pawn (§15)."""
    return "" if kind is PieceKind.PAWN else letters.letter(kind.value, side, language)


KINDS_BY_LETTER: Final = {
    language: {
        sign: PieceKind(english) for sign, english in letters.english_letters(LETTERS, language).items()
    }
    for language in Language
}
"""Per language what each letter means; figurines of either colour are read alike."""
