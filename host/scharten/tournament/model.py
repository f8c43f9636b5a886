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
"""Who plays whom, White first."""
RESULTS: Mapping[str, tuple[Fraction, Fraction]] = MappingProxyType(
    {
        "1-0": (Fraction(1), Fraction(0)),
        "0-1": (Fraction(0), Fraction(1)),
        "½-½": (Fraction(1, 2), Fraction(1, 2)),
        "0-0": (Fraction(0), Fraction(0)),
        "½-0": (Fraction(1, 2), Fraction(0)),
        "0-½": (Fraction(0), Fraction(1, 2)),
    }
)
"""White's and Black's points of each result of the contract."""


class Colour(StrEnum):
    """The side that a member plays."""

    WHITE = "white"
    BLACK = "black"


class Presence(StrEnum):
    """What a member said of an evening; only who is `here` is paired."""

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


@dataclass(frozen=True, slots=True)
class Member:
    """One player: what they are called, how strong they seemed at first, their own foul limit if they have one."""

    key: MemberKey
    name: str
    rating: int = 0
    foul_limit: int | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two who play each other, where, and how it ended.

    `match` and `seq` are of the game on the board whose result this is; `by_hand`: a person entered it, and no board
    changes it. `calls` counts how often it was called to a board, so that each call's command has an id of its own;
    `left` is a board that was called and died before the game began.
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

    def colour_of(self, key: MemberKey) -> Colour:
        """The side of one of the two."""
        return Colour.WHITE if key == self.white else Colour.BLACK

    def opponent_of(self, key: MemberKey) -> MemberKey:
        """The other one."""
        return self.black if key == self.white else self.white

    def points_of(self, key: MemberKey) -> Fraction | None:
        """What the game gave one of the two; None while it is not over."""
        if self.result is None:
            return None
        return RESULTS[self.result][0 if key == self.white else 1]

    @property
    def players(self) -> frozenset[MemberKey]:
        """Both."""
        return frozenset((self.white, self.black))


def settled(one: Pairing) -> bool:
    """Whether a pairing plays or has played, so that no new draw may change it."""
    return one.result is not None or one.match is not None


@dataclass(frozen=True, slots=True)
class Round:
    """A published draw: its pairings in the order of the tables, and who has none and why."""

    number: int
    evening: int
    drawn_ms: int
    pairings: tuple[Pairing, ...]
    unpaired: Mapping[MemberKey, Unpaired] = field(default_factory=dict)
    started: bool = False

    @property
    def over(self) -> bool:
        """Whether every game has a result."""
        return all(one.result is not None for one in self.pairings)

    def pairing_of(self, key: MemberKey) -> Pairing | None:
        """A member's pairing, if any."""
        return next((one for one in self.pairings if key in (one.white, one.black)), None)


@dataclass(frozen=True, slots=True)
class Season:
    """A season: its entrants in the order of their first strength, evenings by date, rounds.

    `joined` is the number of the first round that an entrant could play.
    """

    name: str
    options: SeasonOptions
    entrants: tuple[MemberKey, ...] = ()
    joined: Mapping[MemberKey, int] = field(default_factory=dict)
    evenings: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()

    @property
    def next_round(self) -> int:
        """The number that the next draw has."""
        return len(self.rounds) + 1

    def pairings(self) -> Iterator[tuple[Round, Pairing]]:
        """Every pairing with its round, the oldest first."""
        return ((drawn, one) for drawn in self.rounds for one in drawn.pairings)


@dataclass(frozen=True, slots=True)
class Club:
    """Everything: members, the season that is on, those before it, and this evening's presence."""

    members: Mapping[MemberKey, Member] = field(default_factory=dict)
    season: Season | None = None
    past: tuple[Season, ...] = ()
    presence: Mapping[MemberKey, Presence] = field(default_factory=dict)
    open_evening: bool = False
    next_start_ms: int | None = None

    @property
    def here(self) -> tuple[MemberKey, ...]:
        """Who can be paired, in the order of ticking."""
        return tuple(key for key, said in self.presence.items() if said is Presence.HERE)

    def name_of(self, key: MemberKey) -> str:
        """A member's name; one who was deleted is `?`."""
        found = self.members.get(key)
        return found.name if found else "?"
