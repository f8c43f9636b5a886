"""Heads: the points that a player's choices gave away, from the reviews beside the journal. Hands are the scatter."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from scharten.game.basics import MutableJson, Side
from scharten.players.darts import PlayedGame
from scharten.players.statistics import month_of
from scharten.review.review import VERSION

TURNS: Final = 100
"""Figures are points given away in this many turns."""
NORMAL: Final = 1.645
"""An interval of nine tenths, as that of the scatter."""


class Tally(NamedTuple):
    """Turns of reviewed games, and the sum and the sum of squares of what they gave away."""

    games: int = 0
    turns: int = 0
    lost: float = 0.0
    squares: float = 0.0

    def with_tally(self, other: Tally) -> Tally:
        """Return both together."""
        return Tally(
            self.games + other.games,
            self.turns + other.turns,
            self.lost + other.lost,
            self.squares + other.squares,
        )

    def as_json(self) -> MutableJson:
        """Return the points given away in a hundred turns with their interval."""
        mean = self.lost / self.turns
        spread = max(0.0, self.squares - self.turns * mean**2) / max(1, self.turns - 1)
        reach = NORMAL * (spread / self.turns) ** 0.5
        figures = {"points": mean, "low": max(0.0, mean - reach), "high": mean + reach}
        return {
            "games": self.games,
            "turns": self.turns,
            **{name: round(TURNS * value, 2) for name, value in figures.items()},
        }


class Heads:
    """The reviews of a folder; each file is read once for as long as it does not change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "reviews"
        self._read: dict[str, tuple[int, tuple[Tally, Tally] | None]] = {}

    def figures_of(self, player: str, games: Iterable[PlayedGame]) -> MutableJson | None:
        """Return a player's head in all reviewed games and by month, the oldest first; None without a review.

        Reviews by another version of the figures are left out until they are made again.
        """
        months: dict[str, Tally] = {}
        for game in games:
            tallies = self._tallies_of(game.match) if player in game.players else None
            if tallies is not None and tallies[game.players.index(player)].turns:
                month = month_of(game.started_ms)
                own = tallies[game.players.index(player)]
                months[month] = months.get(month, Tally()).with_tally(own)
        if not months:
            return None
        whole = Tally()
        for tally in months.values():
            whole = whole.with_tally(tally)
        listed = [{"month": month, **tally.as_json()} for month, tally in sorted(months.items())]
        return {**whole.as_json(), "months": listed}

    def _tallies_of(self, match: str) -> tuple[Tally, Tally] | None:
        """Return White's and Black's tallies of a game; None without a review of this version."""
        file = self._folder / f"{match}.json"
        try:
            changed = file.stat().st_mtime_ns
            if self._read.get(match, (-1, None))[0] != changed:
                self._read[match] = changed, _tallies(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            return None  # a damaged review is made again when somebody opens it
        return self._read[match][1]


def _tallies(stored: MutableJson) -> tuple[Tally, Tally] | None:
    if stored["made_of"]["version"] != VERSION:
        return None
    found = []
    for side in Side:
        lost = [
            max(0.0, -float(turn["head"])) for turn in stored["review"]["turns"] if turn["side"] == side.word
        ]
        found.append(Tally(1, len(lost), sum(lost), sum(value**2 for value in lost)))
    return found[0], found[1]
