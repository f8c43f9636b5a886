"""The record of each entrant in each round of a season, for pairings and tables: opponent, colour, points."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from scharten.tournament.model import Colour, MemberKey, Round, Season, Unpaired
from scharten.tournament.options import RoundPoints


@dataclass(frozen=True, slots=True)
class RoundPlayed:
    """One round of one entrant: `opponent` and `colour` of a game, else `why` there was none.

    `why` is also None for a round before the entrant joined; `points` is None while the game goes on.
    A `forfeit` has an opponent and points, but no colour.
    """

    number: int
    opponent: MemberKey | None
    colour: Colour | None
    points: Fraction | None
    why: Unpaired | None = None
    forfeit: bool = False

    @property
    def is_game(self) -> bool:
        """Whether the two play or played."""
        return self.opponent is not None and not self.forfeit


@dataclass(frozen=True, slots=True)
class EntrantRecord:
    """All rounds of one entrant."""

    key: MemberKey
    rounds: tuple[RoundPlayed, ...]

    @property
    def points(self) -> Fraction:
        """The sum so far."""
        return sum((played.points for played in self.rounds if played.points is not None), Fraction(0))

    def points_before(self, place: int) -> Fraction:
        """Return the points of the first `place` rounds."""
        return sum(
            (played.points for played in self.rounds[:place] if played.points is not None), Fraction(0)
        )

    @property
    def games(self) -> tuple[RoundPlayed, ...]:
        """The rounds with a finished game."""
        return tuple(played for played in self.rounds if played.is_game and played.points is not None)

    @property
    def colours(self) -> tuple[Colour, ...]:
        """The colours so far, those of unfinished games too."""
        return tuple(played.colour for played in self.rounds if played.colour is not None)

    @property
    def balance(self) -> int:
        """The games with White minus those with Black."""
        return sum(1 if colour == Colour.WHITE else -1 for colour in self.colours)

    @property
    def byes(self) -> int:
        """The number of rounds in which the draw left the entrant without an opponent."""
        return sum(played.why in (Unpaired.BYE, Unpaired.WAITS) for played in self.rounds)


def records_of(season: Season, evening: int | None = None) -> dict[MemberKey, EntrantRecord]:
    """Return everybody's record of the season, or of one evening (an index) alone."""
    rounds = [drawn for drawn in season.rounds if evening is None or drawn.evening == evening]
    return {
        key: EntrantRecord(key, tuple(played for drawn in rounds for played in _played(season, drawn, key)))
        for key in season.entrants
    }


def _played(season: Season, drawn: Round, key: MemberKey) -> tuple[RoundPlayed, ...]:
    """Return a member's games of one round; free play may pair the same two several times."""
    if pairings := [pairing for pairing in drawn.pairings if key in pairing.players]:
        return tuple(
            RoundPlayed(
                drawn.number,
                pairing.opponent_of(key),
                pairing.colour_of(key) if pairing.played else None,
                pairing.points_of(key),
                forfeit=not pairing.played,
            )
            for pairing in pairings
        )
    why = drawn.unpaired.get(key)
    return (RoundPlayed(drawn.number, None, None, points_without_game(why, season.options.points), why),)


def points_without_game(why: Unpaired | None, points: RoundPoints) -> Fraction:
    """Return the points of a round without a game."""
    table = {
        Unpaired.BYE: points.bye,
        Unpaired.EXCUSED: points.excused,
        Unpaired.CLUB: points.club,
        Unpaired.ABSENT: points.absent,
        None: points.late,
    }
    return Fraction(table.get(why, 0)).limit_denominator(1000)
