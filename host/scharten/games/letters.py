"""The letters of pieces on score sheets, by language (rules 9, games 7); the program itself uses English letters."""

from __future__ import annotations

import re
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.words import ENGLISH, LANGUAGES, texts

FIGURINE: Final = "figurine"
SHEET_LANGUAGES: Final = (*LANGUAGES, FIGURINE)
"""The ways in which a sheet may name the pieces."""
SOURCES_LANGUAGE: Final = "nl"
"""The language of a sheet without the header Language: that of the rules' sources."""
_FIGURINES: Final = {
    Side.WHITE: dict(zip("KQRBN", "♔♕♖♗♘", strict=True)),
    Side.BLACK: dict(zip("KQRBN", "♚♛♜♝♞", strict=True)),
}
_COMMENT: Final = re.compile(r"\{[^}]*\}")


def letter(english: str, side: Side, language: str) -> str:
    """Return a piece's letter or figurine; a piece without a figurine keeps its English letter."""
    if language == FIGURINE:
        return _FIGURINES[side].get(english, english)
    return texts(language).get(f"letter.{english}", english)


def language_name(language: str) -> str:
    """Return the English name of a sheet's language."""
    return "figurines" if language == FIGURINE else texts(language).get("language.in_english", language)


def names_of_language(language: str) -> dict[str, str]:
    """Return the name of a sheet's language by language: in English, elsewhere its own name."""
    own = texts(language).get("language.name", language)
    return dict.fromkeys(LANGUAGES, own) | {ENGLISH: language_name(language)}


def english_letters(letters: str, language: str) -> dict[str, str]:
    """Return the English letter for each letter of a language; figurines of both colours are equal."""
    return {letter(english, side, language): english for side in Side for english in letters}


def localised(text: str, side: Side, letters: str, language: str) -> str:
    """Translate a turn from English notation, except for text in braces."""
    if language == ENGLISH:
        return text
    pattern = rf"{_COMMENT.pattern}|[{letters}]"
    return re.sub(pattern, lambda found: letter(found[0], side, language), text)


def in_english(text: str, letters: str, language: str) -> str | Problem:
    """Translate a turn to English notation; refuse a letter of another language or of no piece."""
    text = text.replace("\ufe0e", "")
    if language == ENGLISH:
        return text
    table = english_letters(letters, language)
    foreign = next((sign for sign in text if _is_letter(sign) and sign not in table), None)
    if foreign is None:
        return "".join(table.get(sign, sign) for sign in text)
    others = [other for other in SHEET_LANGUAGES if foreign in english_letters(letters, other)]
    if not others:
        known = " ".join(dict.fromkeys(table))
        return Problem.reasoned("malformed", "not_a_turn", text=text, letters=known)
    return other_language(text, others[0], language)


def other_language(text: str, written: str, sheet: str) -> Problem:
    """Refuse a turn in the letters of another language than the sheet's."""
    names = {"written": names_of_language(written), "sheet": names_of_language(sheet)}
    return Problem.reasoned("malformed", "other_language", text=text, language=written, **names)


def _is_letter(sign: str) -> bool:
    """Return whether a sign stands for a piece; castling is `O-O` in every language."""
    return (sign.isupper() and sign != "O") or sign in "♔♕♖♗♘♚♛♜♝♞"
