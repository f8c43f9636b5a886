"""Knockout: a defeat (two with double elimination) puts a member out; a drawn game is repeated with colours turned.

The bracket is not fixed: in each round members with equally many defeats meet, the strongest against the weakest.
The first round leaves a power of two, so that later rounds need fewer byes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scharten.tournament.model import MemberKey, Pair, Pairing, Season
from scharten.tournament.record import records_of


def defeats(season: Season) -> Counter[MemberKey]:
    """Count each entrant's defeats; a game without a winner is a defeat of both."""
    lost: Counter[MemberKey] = Counter()
    for _, pairing in season.pairings():
        if pairing.result is None or _undecided(pairing):
            continue
        for key in pairing.players:
            lost[key] += pairing.points_of(key) != 1
    return lost


def _undecided(pairing: Pairing) -> bool:
    return pairing.points_of(pairing.white) == pairing.points_of(pairing.black) != 0


def still_in(season: Season) -> list[MemberKey]:
    """Return the members who may still win, in the order of the entrants."""
    lost, most = defeats(season), 2 if season.options.double_elimination else 1
    return [key for key in season.entrants if lost[key] < most]


def pair(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], list[MemberKey]]:
    """Return the next round and the byes; for an absent member who is still in, the organiser enters a defeat."""
    lost = defeats(season)
    alive = [key for key in still_in(season) if key in set(present)]
    pairs = [(drawn.black, drawn.white) for drawn in _drawn(season) if drawn.players <= set(alive)]
    busy = {key for two in pairs for key in two}
    groups = [[key for key in alive if lost[key] == times and key not in busy] for times in (0, 1)]
    if not pairs and [len(group) for group in groups] == [1, 1]:
        groups = [[*groups[0], *groups[1]], []]  # the final
    byes: list[MemberKey] = []
    for group in groups:
        byes += _pair_group(season, group, pairs, first=not season.rounds)
    return pairs, byes


def _drawn(season: Season) -> list[Pairing]:
    """Return the drawn games of the last round, to be played again."""
    if not season.rounds:
        return []
    return [game for game in season.rounds[-1].pairings if game.result is not None and _undecided(game)]


def _pair_group(season: Season, group: list[MemberKey], pairs: list[Pair], *, first: bool) -> list[MemberKey]:
    """Add the group's pairs, the strongest with the weakest; return the members without a pair."""
    size = 1
    while size < len(group):
        size *= 2
    free = size - len(group) if first else len(group) % 2
    if len(group) < 2:
        return group
    records = records_of(season)
    waiting = sorted(group, key=lambda key: (records[key].byes, season.entrants.index(key)))[:free]
    play = [key for key in group if key not in waiting]
    for place in range(len(play) // 2):
        strong, weak = play[place], play[-1 - place]
        turned = records[strong].balance > records[weak].balance
        pairs.append((weak, strong) if turned else (strong, weak))
    return waiting
