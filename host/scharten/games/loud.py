"""Loud forms on squares: what a move takes or removes must be hit, by a dart in the colour of its field (games 6)."""

from __future__ import annotations

import re
from typing import Final, Generic, Literal, Protocol, TypeVar

from scharten.dartboard.beds import ALL_BEDS, BULL, MISS, NUMBERS, OUTER_BULL, Bed
from scharten.errors import Problem
from scharten.game.basics import FieldName, Foul, Kind, LostDart, Move, PerSide, Side
from scharten.game.options import Closed, FoulLimit, GameOptions
from scharten.game.protocol import Aim, Effect, Involved
from scharten.games.squares import wrong

Aiming = Literal["colour", "any"]
NO_FOULS: Final[PerSide] = (0, 0)
HIT: Final = "hit"
DARK_NUMBERS: Final = frozenset(NUMBERS[::2])
"""The numbers alternate: every second one from the 20 on is dark."""


class Aims(Closed):
    """The target of a side's dart: the colour of the field, or any bed (for children and handicaps)."""

    white: Aiming = "colour"
    black: Aiming = "colour"


class SquareOptions(GameOptions):
    """The options of every game on squares."""

    aim: Aims = Aims()
    check_miss: Literal["again", "loses"] = "again"

    @property
    def loud(self) -> bool:
        """Whether moves may need a dart."""
        return self.kind is Kind.LOUD


class Position(Protocol):
    """The common part of positions on squares; `fouls` stay 0 in a silent game."""

    @property
    def side(self) -> Side:
        """The side to move."""
        ...

    @property
    def fouls(self) -> PerSide:
        """Lost darts in a row."""
        ...

    @property
    def number(self) -> int:
        """The move number."""
        ...


P = TypeVar("P", bound=Position)
LoudPosition_contra = TypeVar("LoudPosition_contra", bound=Position, contravariant=True)


class Takes(Protocol[LoudPosition_contra]):
    """A game that knows what its moves touch."""

    def involved(self, position: LoudPosition_contra, move: Move, options: GameOptions) -> Involved:
        """Return what a legal move touches."""
        ...


def is_dark(field: FieldName) -> bool:
    """Return whether a field is dark, like a1."""
    return (ord(field[0]) - ord("a") + int(field[1])) % 2 == 1


def meets(bed: Bed, field: FieldName, aiming: Aiming) -> bool:
    """Return whether a dart in this bed hits the field: both bulls always hit, a miss never."""
    if bed == MISS:
        return False
    if aiming == "any" or bed in (BULL, OUTER_BULL):
        return True
    return (bed.number in DARK_NUMBERS) is is_dark(field)


def needed_field(involved: Involved, move: Move) -> FieldName | None:
    """Return the field that a dart must hit: a vanishing tile, or the goal of a capture; None without a dart."""
    if involved.gone is not None:
        return involved.gone
    return None if involved.captured is None else move.to


class ColourThrows(Generic[P]):
    """The darts of games on squares: one dart for an entered move hits or is lost."""

    def __init__(self, game: Takes[P]) -> None:
        self._game = game

    def targets(self, options: GameOptions, side: Side) -> list[list[Bed]]:
        """Return the beds that hit a dark field, and those that hit a light field."""
        aiming = _aiming(options, side)
        return [[bed for bed in ALL_BEDS if meets(bed, FieldName(field), aiming)] for field in ("a1", "b1")]

    def refusal(self, position: P, options: GameOptions, aim: Move | None = None) -> Problem | None:
        """Refuse a dart without an entered move that captures or removes something."""
        if options.kind is Kind.SILENT:
            return Problem("silent_game", "nothing is thrown in a silent game")
        if aim is None:
            cure = "Enter the move that takes something; then throw for it."
            return Problem("no_move_named", "no move was named for this dart", cure=cure)
        if needed_field(self._game.involved(position, aim, options), aim) is None:
            return Problem("no_dart_needed", f"{aim.text} needs no dart", {"move": aim.text})
        return None

    def effect(
        self,
        position: P,
        options: GameOptions,
        bed: Bed,
        white_sits_at: int,
        *,
        aim: Move | None = None,
        side: Side | None = None,
    ) -> Effect:
        """Return the aimed move or a lost dart; White's seat does not matter, since numbers have the colours."""
        field = None if aim is None else needed_field(self._game.involved(position, aim, options), aim)
        if (
            aim is not None
            and field is not None
            and meets(bed, field, _aiming(options, side or position.side))
        ):
            return Effect(bed, HIT, field, aim)
        foul = Foul.OFF_BOARD if bed == MISS else Foul.WRONG_COLOUR
        return Effect(bed, foul.value, field, LostDart(foul, aim, str(bed)))

    def aim(self, position: P, options: GameOptions, move: Move) -> Aim | None:
        """Return the field, its colour and every bed that hits it."""
        field = needed_field(self._game.involved(position, move, options), move)
        if field is None or options.kind is Kind.SILENT:
            return None
        aiming = _aiming(options, position.side)
        colour = "any" if aiming == "any" else "dark" if is_dark(field) else "light"
        return Aim(move.text, field, colour, tuple(str(bed) for bed in ALL_BEDS if meets(bed, field, aiming)))


def _aiming(options: GameOptions, side: Side) -> Aiming:
    aims = options.aim if isinstance(options, SquareOptions) else Aims()
    return aims.white if side is Side.WHITE else aims.black


_FOULS: Final = re.compile(r"(0|[1-9]\d?)/(0|[1-9]\d?)", re.ASCII)
_NUMBER: Final = re.compile(r"0|[1-9]\d{0,5}", re.ASCII)


def parts_of(text: str, names: str, options: SquareOptions) -> dict[str, str] | Problem:
    """Return the parts of a position text by name; a loud game has FOULS at the end."""
    wanted_names = [*names.split(), *(["FOULS"] if options.loud else [])]
    parts = text[:401].split()
    if len(text) > 400 or len(parts) != len(wanted_names):
        expected = f"{len(wanted_names)} parts, {' '.join(wanted_names)}"
        loud = "loud" if options.loud else "silent"
        has = f"this has {len(parts)}" if len(text) <= 400 else "this is longer than any"
        return wrong("parts", f"a position of this {loud} game has {expected}; {has}", " ".join(wanted_names))
    found = dict(zip(wanted_names, parts, strict=True))
    if found["SIDE"] not in ("w", "b"):
        return wrong("side", f"the side to move is 'w' or 'b', not '{found['SIDE']}'", "SIDE")
    if not _NUMBER.fullmatch(found["MOVE"]) or found["MOVE"] == "0":
        return wrong("move_number", f"the move number is 1 to 999999, not '{found['MOVE']}'", "MOVE")
    if not _NUMBER.fullmatch(found.get("CLOCK", "0")):
        return wrong("clock", f"CLOCK is a number of half-moves, not '{found['CLOCK']}'", "CLOCK")
    return found


def read_fouls(text: str | None, limit: FoulLimit, finished: bool = False) -> PerSide | Problem:
    """Read FOULS, which reach the limit only in a `finished` game; without the part they are 0/0."""
    if text is None:
        return NO_FOULS
    match = _FOULS.fullmatch(text)
    if match is None:
        return wrong("fouls", f"FOULS is two numbers such as 0/0, not '{text}'", "FOULS")
    fouls = (int(match[1]), int(match[2]))
    for side, most in zip(Side, (limit.white, limit.black), strict=True):
        if fouls[side.index] >= most + finished:
            words = f"{side.word} has {fouls[side.index]} lost darts in a row: this game is over"
            return wrong("fouls", words, "FOULS")
    return fouls


def fouls_text(fouls: PerSide, options: SquareOptions) -> str:
    """Return the last part of a loud game's text, with the blank before it."""
    return f" {fouls[0]}/{fouls[1]}" if options.loud else ""


def counted(fouls: PerSide, side: Side, *, lost: bool) -> PerSide:
    """Return FOULS after a lost dart or a completed move of this side."""
    now = fouls[side.index] + 1 if lost else 0
    return (now, fouls[1]) if side is Side.WHITE else (fouls[0], now)
