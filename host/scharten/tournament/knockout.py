"""Knockout: who has lost once (twice with double elimination) is out; a drawn game is played again, colours turned.

Nobody is drawn by place in a fixed bracket: in each round those without a defeat meet each other, and those with one,
the strongest against the weakest. So that fewer byes are needed later, a first round leaves a power of two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scharten.tournament.model import MemberKey, Pair, Pairing, Season
from scharten.tournament.record import records_of


def defeats(season: Season) -> Counter[MemberKey]:
    """How often each entrant lost; a game that nobody won counts for both."""
    lost: Counter[MemberKey] = Counter()
    for _, one in season.pairings():
        if one.result is None or _undecided(one):
            continue
        for key in (one.white, one.black):
            lost[key] += one.points_of(key) != 1
    return lost


def _undecided(one: Pairing) -> bool:
    return one.points_of(one.white) == one.points_of(one.black) != 0


def still_in(season: Season) -> list[MemberKey]:
    """Who may still win, in the order of the entrants."""
    lost, most = defeats(season), 2 if season.options.double_elimination else 1
    return [key for key in season.entrants if lost[key] < most]


def pair(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], list[MemberKey]]:
    """The next round and who goes on without a game; somebody who is in and not there loses by the organiser's hand."""
    lost, there = defeats(season), set(present)
    alive = [key for key in still_in(season) if key in there]
    pairs = [_again(one) for one in _drawn(season) if one.players <= set(alive)]
    busy = {key for two in pairs for key in two}
    groups = [[key for key in alive if lost[key] == times and key not in busy] for times in (0, 1)]
    if not pairs and [len(group) for group in groups] == [1, 1]:
        groups = [[*groups[0], *groups[1]], []]  # the final
    byes: list[MemberKey] = []
    for group in groups:
        byes += _pair_group(season, group, pairs, first=not season.rounds)
    return pairs, byes


def _drawn(season: Season) -> list[Pairing]:
    """The games of the last round that must be played again."""
    if not season.rounds:
        return []
    return [one for one in season.rounds[-1].pairings if one.result is not None and _undecided(one)]


def _again(one: Pairing) -> Pair:
    return one.black, one.white


def _pair_group(season: Season, group: list[MemberKey], pairs: list[Pair], *, first: bool) -> list[MemberKey]:
    """Adds the group's pairs, the strongest with the weakest; gives who has none."""
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
