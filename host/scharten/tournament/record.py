"""What each entrant did in each round of a season: opponent, colour, points; what pairing and tables ask for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from scharten.tournament.model import Colour, MemberKey, Pairing, Round, Season, Unpaired
from scharten.tournament.options import RoundPoints


@dataclass(frozen=True, slots=True)
class RoundPlayed:
    """One round of one entrant: `opponent` and `colour` of a game, else `why` there was none (None: not yet there).

    `points` is None while the game goes on.
    """

    number: int
    opponent: MemberKey | None
    colour: Colour | None
    points: Fraction | None
    why: Unpaired | None = None


@dataclass(frozen=True, slots=True)
class EntrantRecord:
    """All rounds of one entrant."""

    key: MemberKey
    rounds: tuple[RoundPlayed, ...]

    @property
    def points(self) -> Fraction:
        """The sum so far."""
        return sum((one.points for one in self.rounds if one.points is not None), Fraction(0))

    @property
    def games(self) -> tuple[RoundPlayed, ...]:
        """The rounds with a game that is over."""
        return tuple(one for one in self.rounds if one.opponent is not None and one.points is not None)

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours so far, also of a game that goes on."""
        return tuple(one.colour.value for one in self.rounds if one.colour is not None)

    @property
    def balance(self) -> int:
        """How many games more with White than with Black."""
        return sum(1 if one == Colour.WHITE else -1 for one in self.colours)

    @property
    def byes(self) -> int:
        """How many rounds the draw left without an opponent."""
        return sum(one.why in (Unpaired.BYE, Unpaired.WAITS) for one in self.rounds)


def records_of(season: Season, evening: int | None = None) -> dict[MemberKey, EntrantRecord]:
    """Everybody's record; with `evening` (an index) that of its rounds alone."""
    rounds = [one for one in season.rounds if evening is None or one.evening == evening]
    return {
        key: EntrantRecord(key, tuple(happened for one in rounds for happened in _happened(season, one, key)))
        for key in season.entrants
    }


def _happened(season: Season, drawn: Round, key: MemberKey) -> tuple[RoundPlayed, ...]:
    """One round; a round of free play may hold several games of the same two."""
    played: list[Pairing] = [one for one in drawn.pairings if key in one.players]
    if played:
        return tuple(
            RoundPlayed(drawn.number, one.opponent_of(key), one.colour_of(key), one.points_of(key))
            for one in played
        )
    why = drawn.unpaired.get(key)
    return (RoundPlayed(drawn.number, None, None, given(why, season.options.points), why),)


def given(why: Unpaired | None, points: RoundPoints) -> Fraction:
    """What a round without a game gives."""
    table = {
        Unpaired.BYE: points.bye,
        Unpaired.EXCUSED: points.excused,
        Unpaired.CLUB: points.club,
        Unpaired.ABSENT: points.absent,
        None: points.late,
    }
    return Fraction(table.get(why, 0)).limit_denominator(1000)
