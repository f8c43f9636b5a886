"""Ratings of players and problems, and streaks of days, from the record of everybody's attempts (Glicko-2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from glicko2 import Player

from scharten.problems.line import Puzzle

EASIEST, STEP = 1100, 200
"""A problem's rating before anybody tried it: that of difficulty 1, and the step to the next."""
PROBLEM_DEVIATION = 150


@dataclass(frozen=True, slots=True)
class Attempt:
    """A first attempt, or the later solution, of a problem by a player; `by` is `press`, `type` or `dart`."""

    player: str
    puzzle: str
    day: int
    at_ms: int
    right: bool
    by: str
    of_the_day: bool


@dataclass(slots=True)
class Solver:
    """The figures of one player."""

    rated: Player = field(default_factory=Player)
    first: dict[str, bool] = field(default_factory=dict)
    solved: set[str] = field(default_factory=set)
    days: set[int] = field(default_factory=set)
    darts: int = 0

    def streak(self, today: int) -> int:
        """Return how many days in a row, up to today or yesterday, the day's problem was solved."""
        last = today if today in self.days else today - 1
        count = 0
        while last - count in self.days:
            count += 1
        return count

    @property
    def best_streak(self) -> int:
        """The longest run of days."""
        best = run = 0
        for day in sorted(self.days):
            run = run + 1 if day - 1 in self.days else 1
            best = max(best, run)
        return best


@dataclass(frozen=True, slots=True)
class Table:
    """Everybody's figures and every tried problem's rating, after all attempts."""

    players: Mapping[str, Solver]
    puzzles: Mapping[str, Player]

    def rating_of(self, puzzle: Puzzle) -> int:
        """Return a problem's rating, by its difficulty while nobody has tried it."""
        rating: float = (self.puzzles.get(puzzle.id) or fresh(puzzle)).rating
        return round(rating)


def fresh(puzzle: Puzzle) -> Player:
    """Return the rating of a problem that nobody has tried."""
    return Player(rating=EASIEST + STEP * (puzzle.difficulty - 1), rd=PROBLEM_DEVIATION)


def rate(attempts: Iterable[Attempt], puzzles: Iterable[Puzzle]) -> Table:
    """Rate every first attempt as a game of the player against the problem, the oldest first.

    Attempts at problems that no longer ship count for streaks and records, not for ratings.
    """
    known = {puzzle.id: puzzle for puzzle in puzzles}
    players: dict[str, Solver] = {}
    rated: dict[str, Player] = {}
    for attempt in attempts:
        own = players.setdefault(attempt.player, Solver())
        if attempt.puzzle not in own.first:
            own.first[attempt.puzzle] = attempt.right
            if attempt.puzzle in known:
                other = rated.setdefault(attempt.puzzle, fresh(known[attempt.puzzle]))
                _game(own.rated, other, attempt.right)
        if attempt.right:
            own.darts += attempt.by == "dart" and attempt.puzzle not in own.solved
            own.solved.add(attempt.puzzle)
            if attempt.of_the_day:
                own.days.add(attempt.day)
    return Table(players, rated)


def _game(player: Player, puzzle: Player, right: bool) -> None:
    mine, theirs = (player.rating, player.rd), (puzzle.rating, puzzle.rd)
    player.update_player([theirs[0]], [theirs[1]], [int(right)])
    puzzle.update_player([mine[0]], [mine[1]], [int(not right)])
