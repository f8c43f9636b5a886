"""The letters of pieces on score sheets, by language (rules 9, games 7); inside everything is written in English."""

from __future__ import annotations

import re
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Language, Side

NAMES: Final = {
    Language.DUTCH: "Dutch",
    Language.ENGLISH: "English",
    Language.GERMAN: "German",
    Language.FIGURINE: "figurines",
}
_WRITTEN: Final = {
    Language.DUTCH: {"Q": "D", "R": "T", "B": "L", "N": "P", "E": "O"},
    Language.ENGLISH: {},
    Language.GERMAN: {"Q": "D", "R": "T", "B": "L", "N": "S"},
}
_FIGURINES: Final = {
    Side.WHITE: dict(zip("KQRBN", "♔♕♖♗♘", strict=True)),
    Side.BLACK: dict(zip("KQRBN", "♚♛♜♝♞", strict=True)),
}
_COMMENT: Final = re.compile(r"\{[^}]*\}")


def letter(english: str, side: Side, language: Language) -> str:
    """A piece's letter or figurine; one without a figurine keeps its English letter."""
    table = _FIGURINES[side] if language is Language.FIGURINE else _WRITTEN[language]
    return table.get(english, english)


def english_letters(letters: str, language: Language) -> dict[str, str]:
    """What each letter of a language means; figurines of either colour are read alike."""
    return {letter(each, side, language): each for side in Side for each in letters}


def localised(text: str, side: Side, letters: str, language: Language) -> str:
    """A turn in English notation with the letters of a language; what stands in braces is left alone."""
    if language is Language.ENGLISH:
        return text
    pattern = rf"{_COMMENT.pattern}|[{letters}]"
    return re.sub(pattern, lambda found: letter(found[0], side, language), text)


def in_english(text: str, letters: str, language: Language) -> str | Problem:
    """A turn in a language's letters in English; refused where a letter is of another language or of no piece."""
    text = text.replace("\ufe0e", "")
    if language is Language.ENGLISH:
        return text
    table = english_letters(letters, language)
    foreign = next((sign for sign in text if _is_letter(sign) and sign not in table), None)
    if foreign is None:
        return "".join(table.get(sign, sign) for sign in text)
    words = f"'{text}' is not a turn; pieces are {' '.join(dict.fromkeys(table))}"
    others = [each for each in Language if foreign in english_letters(letters, each)]
    if others:
        words = f"'{text}' is written in {NAMES[others[0]]}, this sheet in {NAMES[language]}"
    return Problem("malformed", words, {"text": text})


def _is_letter(sign: str) -> bool:
    """Whether a sign stands for a piece; castling is written `O-O` in every language."""
    return (sign.isupper() and sign != "O") or sign in "♔♕♖♗♘♚♛♜♝♞"
