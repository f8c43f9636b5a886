"""The values of a club: members, rounds with their pairings, seasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import NewType

from scharten.tournament.options import SeasonOptions

MemberKey = NewType("MemberKey", str)
"""A player's key in the player register, and here."""
Pair = tuple[MemberKey, MemberKey]
"""Two players of a game, White first."""
Players = frozenset[MemberKey]
"""Two members, in no order."""
RESULTS: Mapping[str, tuple[Fraction, Fraction]] = MappingProxyType(
    {
        "1-0": (Fraction(1), Fraction(0)),
        "0-1": (Fraction(0), Fraction(1)),
        "½-½": (Fraction(1, 2), Fraction(1, 2)),
        "0-0": (Fraction(0), Fraction(0)),
        "½-0": (Fraction(1, 2), Fraction(0)),
        "0-½": (Fraction(0), Fraction(1, 2)),
        "+/-": (Fraction(1), Fraction(0)),
        "-/+": (Fraction(0), Fraction(1)),
        "-/-": (Fraction(0), Fraction(0)),
    }
)
"""White's and Black's points of each result of the contract, and of forfeits."""
FORFEITS = ("+/-", "-/+", "-/-")
"""Results without a game: one of the two, or both, did not play."""


class Colour(StrEnum):
    """The side that a member plays."""

    WHITE = "white"
    BLACK = "black"


class Presence(StrEnum):
    """A member's presence on an evening; only those who are `here` get opponents."""

    HERE = "here"
    ABSENT = "absent"
    EXCUSED = "excused"
    CLUB = "club"


class Unpaired(StrEnum):
    """Why a member has no opponent in a round."""

    BYE = "bye"
    ABSENT = "absent"
    EXCUSED = "excused"
    CLUB = "club"
    OUT = "out"
    WAITS = "waits"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Member:
    """One player: name, first strength, and their own foul limit if they have one."""

    key: MemberKey
    name: str
    rating: int = 0
    foul_limit: int | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two members who play each other, where, and the result.

    `match` and `seq` name the game on the board that gave the result; with `by_hand` a person entered it, and no board
    changes it. `calls` counts the calls to a board, so that each call's command has its own id;
    `left` is a board that was called and died before the game began. An `adjourned` pairing of an earlier evening is
    called when both are present.
    """

    table: int
    white: MemberKey
    black: MemberKey
    board: str | None = None
    match: str | None = None
    seq: int = 0
    result: str | None = None
    reason: str | None = None
    by_hand: bool = False
    calls: int = 0
    left: str | None = None
    adjourned: bool = False

    def colour_of(self, key: MemberKey) -> Colour:
        """Return the side of one of the two."""
        return Colour.WHITE if key == self.white else Colour.BLACK

    def opponent_of(self, key: MemberKey) -> MemberKey:
        """Return the other member."""
        return self.black if key == self.white else self.white

    def points_of(self, key: MemberKey) -> Fraction | None:
        """Return the points of one of the two; None while the game goes on."""
        if self.result is None:
            return None
        return RESULTS[self.result][0 if key == self.white else 1]

    @property
    def played(self) -> bool:
        """Whether the two play or played; after a forfeit they have neither met nor had a colour."""
        return self.result not in FORFEITS

    @property
    def players(self) -> Players:
        """Both members."""
        return frozenset((self.white, self.black))


def settled(pairing: Pairing) -> bool:
    """Whether the game has begun or ended, so that no new draw may change the pairing."""
    return pairing.result is not None or pairing.match is not None


@dataclass(frozen=True, slots=True)
class Round:
    """A published draw: pairings in the order of the tables, and why the other members have none."""

    number: int
    evening: int
    drawn_ms: int
    pairings: tuple[Pairing, ...]
    unpaired: Mapping[MemberKey, Unpaired] = field(default_factory=dict)
    started: bool = False

    @property
    def over(self) -> bool:
        """Whether every game has a result."""
        return all(pairing.result is not None for pairing in self.pairings)

    def pairing_of(self, key: MemberKey) -> Pairing | None:
        """Return a member's pairing, if any."""
        return next((pairing for pairing in self.pairings if key in pairing.players), None)


@dataclass(frozen=True, slots=True)
class Season:
    """A season: its entrants in the order of their first strength, evenings by date, rounds.

    `joined` is the number of the first round that an entrant could play. `asked` names by round who asked for a bye,
    `fixed` the pairs that the organiser made by hand; the two members of a `forbidden` pair never meet.
    """

    name: str
    options: SeasonOptions
    entrants: tuple[MemberKey, ...] = ()
    joined: Mapping[MemberKey, int] = field(default_factory=dict)
    evenings: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()
    asked: Mapping[int, frozenset[MemberKey]] = field(default_factory=dict)
    fixed: Mapping[int, tuple[Pair, ...]] = field(default_factory=dict)
    forbidden: frozenset[Players] = frozenset()

    @property
    def next_round(self) -> int:
        """The number of the next round."""
        return len(self.rounds) + 1

    def pairings(self) -> Iterator[tuple[Round, Pairing]]:
        """Return every pairing with its round, the oldest first."""
        return ((drawn, pairing) for drawn in self.rounds for pairing in drawn.pairings)

    def meetings(self) -> Iterator[tuple[Round, Pairing]]:
        """Return every pairing but forfeits with its round, the oldest first."""
        return ((drawn, pairing) for drawn, pairing in self.pairings() if pairing.played)


@dataclass(frozen=True, slots=True)
class Club:
    """A club: members, the present season, past seasons, and this evening's presence.

    `released` names by board the game that the organiser ended: the board may begin another.
    """

    members: Mapping[MemberKey, Member] = field(default_factory=dict)
    season: Season | None = None
    past: tuple[Season, ...] = ()
    presence: Mapping[MemberKey, Presence] = field(default_factory=dict)
    open_evening: bool = False
    next_start_ms: int | None = None
    released: Mapping[str, str] = field(default_factory=dict)

    @property
    def present(self) -> tuple[MemberKey, ...]:
        """The members who are present, in the order of ticking."""
        return tuple(key for key, presence in self.presence.items() if presence is Presence.HERE)

    def open_tonight(self) -> tuple[tuple[Round, Pairing], ...]:
        """Return this evening's pairings without a result, with their rounds."""
        season = self.season
        if season is None or not self.open_evening:
            return ()
        last = len(season.evenings) - 1
        return tuple(
            (drawn, pairing)
            for drawn, pairing in season.pairings()
            if drawn.evening == last and pairing.result is None
        )

    def name_of(self, key: MemberKey) -> str:
        """Return a member's name, `?` for a deleted member."""
        found = self.members.get(key)
        return found.name if found else "?"

    def rating_of(self, key: MemberKey) -> int:
        """Return a member's first strength, 0 if it is unknown."""
        found = self.members.get(key)
        return found.rating if found else 0
