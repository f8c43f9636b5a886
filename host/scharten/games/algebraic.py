"""The notation of moves on boards of squares: a letter, the origin if necessary, `x`, the goal, `+` and `#` (games 7).

Letters are English; readers accept a move without the marks that the sources leave out at times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Move, move_from_text
from scharten.game.protocol import Involved

PAWN: Final = "P"
LOST: Final = "@-"
PASS: Final = "--"


NOTHING: Final = Involved()


@dataclass(frozen=True, slots=True)
class Facts:
    """A legal move: the letter of the man, the other men it touches, its promotion, or a word of its own."""

    letter: str
    involved: Involved = NOTHING
    becomes: str = ""
    word: str = ""


Legal = Mapping[str, Facts]
"""Every legal move by its coordinates."""


def spell(legal: Legal, text: str) -> str:
    """Write a legal move without the marks for check and mate."""
    facts = legal[text]
    if facts.word:
        return facts.word
    origin, to = text[:2], text[2:4]
    takes = "x" if facts.involved.captured else ""
    gone = f"*{facts.involved.gone}" if facts.involved.gone else ""
    if facts.letter == PAWN:
        return f"{origin[0] if takes else ''}{takes}{to}{facts.becomes}"
    rivals = {
        other[:2]
        for other, them in legal.items()
        if them.letter == facts.letter and not them.word and other[2:4] == to and other[:2] != origin
    }
    return f"{facts.letter}{_apart(origin, rivals)}{takes}{to}{gone}"


def _apart(origin: str, rivals: set[str]) -> str:
    """Return what distinguishes the man from its rivals: the line, else the row, else the whole field."""
    if not rivals:
        return ""
    if all(other[0] != origin[0] for other in rivals):
        return origin[0]
    return origin[1] if all(other[1] != origin[1] for other in rivals) else origin


OFFER: Final = re.compile(r"\(\s*=\s*\)")
_MARKS: Final = re.compile(r"\s*e\.?p\.?|[+#†‡!?\s]", re.ASCII)
_CASTLING: Final = re.compile(r"[Oo0]-[Oo0](-[Oo0])?")
_MOVE: Final = re.compile(
    r"([A-Z]?)([a-h]?)([1-8]?)([x:]?)([a-h][1-8])=?\(?([A-Z]?)\)?(?:\*([a-h][1-8]))?", re.ASCII
)


def find(legal: Legal, text: str) -> Move | Problem:
    """Return the legal move that a piece of notation names."""
    bare = _MARKS.sub("", text)
    castling = _CASTLING.fullmatch(bare)
    if castling:
        word = "O-O-O" if castling[1] else "O-O"
        fitting = [name for name, facts in legal.items() if facts.word == word]
    elif bare.startswith("K<>"):
        fitting = [name for name, facts in legal.items() if facts.word == bare]
    else:
        shape = _MOVE.fullmatch(bare)
        if shape is None:
            return Problem.reasoned("malformed", "no_notation", text=text)
        fitting = [name for name, facts in legal.items() if _fits(shape, name, facts)]
    if not fitting:
        return Problem.reasoned("not_a_move", "no_legal_move", text=text)
    if len(fitting) > 1:
        found = Problem.reasoned("ambiguous", "ambiguous", text=text, known=" / ".join(sorted(fitting)))
        return replace(found, args={**found.args, "moves": sorted(fitting)})
    return move_from_text(fitting[0])


def _fits(shape: re.Match[str], name: str, facts: Facts) -> bool:
    letter, file, row, takes, to, becomes, gone = shape.groups()
    touched = facts.involved
    return (
        not facts.word
        and (letter or PAWN) == facts.letter
        and name[0].startswith(file)
        and name[1].startswith(row)
        and (not takes or touched.captured is not None)
        and name[2:4] == to
        and (becomes or (facts.becomes if len(name) == 4 else "")) == facts.becomes
        and (gone or None) == touched.gone
    )
