"""Glicko-2 ratings per game and kind, an evening as the rating period (`glicko2`, Glickman's published method)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from glicko2 import Player

from scharten.tournament.model import MemberKey, Season


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating with its deviation, and the number of games behind it."""

    rating: float
    deviation: float
    games: int


def ratings(seasons: Iterable[Season]) -> dict[tuple[str, str], dict[MemberKey, Rating]]:
    """Return everybody's rating by (game, kind) after all evenings of these seasons, given oldest first."""
    players: dict[tuple[str, str], dict[MemberKey, Player]] = defaultdict(dict)
    games: dict[tuple[str, str], dict[MemberKey, int]] = defaultdict(lambda: defaultdict(int))
    for season in seasons:
        what = season.options.game, season.options.kind.value
        for evening in range(len(season.evenings)):
            played = _games(season, evening)
            _period(players[what], played)
            for key, opponents in played.items():
                games[what][key] += len(opponents)
    return {
        what: {
            key: Rating(round(player.rating, 1), round(player.rd, 1), games[what][key])
            for key, player in found.items()
        }
        for what, found in players.items()
        if found
    }


def _games(season: Season, evening: int) -> dict[MemberKey, list[tuple[MemberKey, float]]]:
    found: dict[MemberKey, list[tuple[MemberKey, float]]] = defaultdict(list)
    for drawn, pairing in season.meetings():
        if drawn.evening != evening:
            continue
        for key in (pairing.white, pairing.black):
            if (points := pairing.points_of(key)) is not None:
                found[key].append((pairing.opponent_of(key), float(points)))
    return found


def _period(players: dict[MemberKey, Player], played: dict[MemberKey, list[tuple[MemberKey, float]]]) -> None:
    """Rate one period: all games count against the ratings from before it."""
    for key in played:
        players.setdefault(key, Player())
    before = {key: (player.rating, player.rd) for key, player in players.items()}
    for key, player in players.items():
        if key not in played:
            player.did_not_compete()
            continue
        theirs = [before[other] for other, _ in played[key]]
        player.update_player(
            [rating for rating, _ in theirs], [rd for _, rd in theirs], [points for _, points in played[key]]
        )
