"""The draw of Fischer Random's opening, by lot, dice, or darts with a sealed envelope (games 3).

A draw is a list of choices, counted from the a-line over the free fields: the bishop on a dark field, the bishop on
a light field, the queen, a knight, the other knight. The king takes the middle of the last three fields.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Final, Literal

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.game.basics import FieldName

CLASSICAL: Final = 518
"""Scharnagl's number of the position that the source excludes."""
OPENINGS: Final = 960
MEN: Final = "bbqnn"
"""The man that each step places."""
CHOICES: Final = (4, 4, 6, 5, 4)
"""The number of free fields of each step."""
FILES: Final = "abcdefgh"
_KNIGHTS: Final = tuple((a, b) for a in range(5) for b in range(a + 1, 5))

By = Literal["lot", "dice", "darts"]


def digest_of(match: str, seed: str) -> str:
    """Return the digest of a sealed envelope, which the host shows."""
    return hashlib.sha256(f"{match}:{seed}".encode()).hexdigest()


def offset(seed: str, round_number: int, step: int) -> int:
    """Return the sealed offset of a step, from 1 to 5, in a round, from 1."""
    return _hashed(f"{seed}:{round_number}:{step}") % CHOICES[step - 1]


def lot(seed: str) -> int:
    """Return one of the 959 numbers, with equal chances."""
    number = _hashed(f"{seed}:lot") % (OPENINGS - 1)
    return number + (number >= CLASSICAL)


def _hashed(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def row_of(choices: tuple[int, ...]) -> list[str]:
    """Return the first row, a to h, after these choices: small letters, empty for free fields."""
    row = [""] * 8
    for step, choice in enumerate(choices):
        row[_free(row, step)[choice]] = MEN[step]
    if len(choices) == len(CHOICES):
        for at, letter in zip(_free(row, len(CHOICES)), "rkr", strict=True):
            row[at] = letter
    return row


def _free(row: list[str], step: int) -> list[int]:
    """Return the free fields of a step, from 0: those of the bishop's colour, or all."""
    return [at for at in range(8) if not row[at] and (step > 1 or at % 2 == step)]


def number_of(choices: tuple[int, ...]) -> int:
    """Return Scharnagl's number of a finished draw."""
    row = row_of(choices)
    rest = [letter for letter in row if letter != "b"]
    queen = rest.index("q")
    rest.pop(queen)
    first, second = (at for at, letter in enumerate(rest) if letter == "n")
    light = next(at for at in range(1, 8, 2) if row[at] == "b") // 2
    dark = next(at for at in range(0, 8, 2) if row[at] == "b") // 2
    return 96 * _KNIGHTS.index((first, second)) + 16 * queen + 4 * dark + light


@dataclass(frozen=True, slots=True)
class DrawThrow:
    """One die or dart of a draw, with its choice (from 0) and field; None for a throw that is repeated."""

    shown: str
    choice: int | None = None
    field: FieldName | None = None
    round: int = 1


@dataclass(frozen=True, slots=True)
class OpeningDraw:
    """A draw in progress or finished. `seed` seals the offsets of darts; `offsets` from a sheet replace them."""

    by: By
    seed: str = ""
    throws: tuple[DrawThrow, ...] = ()
    round: int = 1
    offsets: tuple[tuple[int, ...], ...] = ()
    match: str = ""

    @property
    def choices(self) -> tuple[int, ...]:
        """The choices of the present round."""
        return self.of_round(self.round)

    def of_round(self, number: int) -> tuple[int, ...]:
        """Return the choices of a round."""
        return tuple(
            throw.choice for throw in self.throws if throw.round == number and throw.choice is not None
        )

    @property
    def number(self) -> int | None:
        """The number after the last step, or of a lot; else None."""
        if self.by == "lot":
            return lot(self.seed)
        return number_of(self.choices) if len(self.choices) == len(CHOICES) else None

    @property
    def counted(self) -> int:
        """The number of counted dice or darts of all rounds; the seats throw in turn, seat 1 first."""
        return sum(throw.choice is not None for throw in self.throws)

    def offset(self) -> int:
        """Return the envelope's offset for the next dart."""
        step = len(self.choices)
        if self.offsets:
            return self.offsets[self.round - 1][step]
        return offset(self.seed, self.round, step + 1)

    def next_round(self) -> OpeningDraw:
        """Begin the next round, after a classical position or when a dart is taken back."""
        return replace(self, round=self.round + 1)

    def corrected(self, bed: Bed) -> OpeningDraw | Problem:
        """Correct the bed of the last dart, which keeps its offset."""
        last = self.throws[-1] if self.throws else None
        if last is None or self.number is not None:
            words = "the envelope is open: only a new game draws again" if last else "no dart was thrown yet"
            return Problem("not_allowed", words, {"why": "drawn" if last else "no_dart"})
        before = replace(self, throws=self.throws[:-1], round=last.round)
        if self.round > last.round and len(self.of_round(last.round)) < len(CHOICES):
            return Problem(
                "not_allowed", "that dart was taken back: a new round has begun", {"why": "no_dart"}
            )
        return before.dart(bed)

    def die(self, value: int) -> OpeningDraw | Problem:
        """Count a die, 1 to 6; one above the number of choices is repeated."""
        if self.by != "dice":
            return Problem("not_allowed", "this opening is not drawn with dice", {"why": "no_dice"})
        if not 1 <= value <= 6:
            return Problem("malformed", f"a die shows 1 to 6, not {value}", {"value": value})
        if self.number is not None:
            return Problem("not_allowed", "the opening is drawn", {"why": "drawn"})
        choice = value - 1 if value <= CHOICES[len(self.choices)] else None
        return self._thrown(str(value), choice)

    def dart(self, bed: Bed) -> OpeningDraw | Problem:
        """Count a dart in any ring of a number; another dart is repeated."""
        if self.by != "darts":
            return Problem("not_allowed", "this opening is not drawn with darts", {"why": "no_darts"})
        if self.number is not None:
            return Problem("not_allowed", "the opening is drawn", {"why": "drawn"})
        if bed.number is None:
            return self._thrown(str(bed), None)
        return self._thrown(str(bed), (bed.number - 1 + self.offset()) % CHOICES[len(self.choices)])

    def _thrown(self, shown: str, choice: int | None) -> OpeningDraw:
        field = None
        if choice is not None:
            file = _free(row_of(self.choices), len(self.choices))[choice]
            field = FieldName(f"{FILES[file]}1")
        done = replace(self, throws=(*self.throws, DrawThrow(shown, choice, field, self.round)))
        return done.next_round() if done.number == CLASSICAL else done
