"""Knockout: a defeat (two with double elimination) puts a member out; a drawn game is repeated with colours turned.

The draw is fixed at the first round: who was paired or had a bye then plays, and nobody else. With one defeat the first
round fixes the whole tree. With two, members with equally many defeats meet, the strongest against the weakest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from scharten.tournament.model import MemberKey, Pair, Pairing, Season, Unpaired
from scharten.tournament.record import records_of

Slot = MemberKey | None
"""A place in the tree; None for a bye."""


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


def field(season: Season) -> list[MemberKey]:
    """Return the members of the first round, in the order of the entrants; before it, all entrants."""
    if not season.rounds:
        return list(season.entrants)
    first = season.rounds[0]
    drawn = {key for pairing in first.pairings for key in pairing.players}
    drawn |= {key for key, why in first.unpaired.items() if why in (Unpaired.BYE, Unpaired.VOID)}
    return [key for key in season.entrants if key in drawn]


def still_in(season: Season) -> list[MemberKey]:
    """Return the members who may still win, in the order of the entrants."""
    lost, most = defeats(season), 2 if season.options.double_elimination else 1
    return [key for key in field(season) if lost[key] < most]


def pair(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], dict[MemberKey, Unpaired]]:
    """Return the next round, and why members who are still in have no opponent.

    After the first round a pair with one absent member is drawn too: the organiser waits, or enters a forfeit.
    """
    here = set(present)
    if season.options.double_elimination:
        return _pair_groups(season, here)
    entrants = field(season) if season.rounds else [key for key in season.entrants if key in here]
    pairs: list[Pair] = []
    waiting: dict[MemberKey, Unpaired] = {}
    open_pairs = {pairing.players for _, pairing in season.pairings() if pairing.result is None}
    level = _first_level(season, entrants)
    records = records_of(season)
    while len(level) > 1:
        following: list[Slot | Unpaired] = []
        for first, second in zip(level[::2], level[1::2], strict=True):
            winner = _winner(season, first, second)
            following.append(winner)
            if winner is not Unpaired.WAITS:
                continue
            names = [slot for slot in (first, second) if slot is not None and not isinstance(slot, Unpaired)]
            if len(names) == 2 and here & set(names) and frozenset(names) not in open_pairs:
                pairs.append(
                    _turned(season, names[0], names[1], records[names[0]].balance, records[names[1]].balance)
                )
            else:
                waiting |= dict.fromkeys(names, Unpaired.WAITS)
        if not season.rounds:
            byes = [slot for slot in following if slot is not None and not isinstance(slot, Unpaired)]
            return pairs, dict.fromkeys(byes, Unpaired.BYE)
        level = following
    return pairs, waiting


def _first_level(season: Season, entrants: Sequence[MemberKey]) -> list[Slot | Unpaired]:
    """Return the slots of the first round; a round that was drawn again around games keeps its pairs in their order."""
    level = _tree(entrants)
    if not season.rounds:
        return level
    drawn = [(pairing.white, pairing.black) for pairing in season.rounds[0].pairings]
    if {frozenset(two) for two in drawn} <= {
        frozenset(two) for two in zip(level[::2], level[1::2], strict=True)
    }:
        return level
    paired = {key for two in drawn for key in two}
    units: list[tuple[Slot, Slot]] = [*drawn, *((key, None) for key in entrants if key not in paired)]
    size = 1
    while size < len(units):
        size *= 2
    units += [(None, None)] * (size - len(units))
    return [slot for unit in units for slot in unit]


def _tree(entrants: Sequence[MemberKey]) -> list[Slot | Unpaired]:
    """Return the slots of the first round, the strongest far apart; None is a bye."""
    places = [0]
    while len(places) < len(entrants):
        size = 2 * len(places)
        places = [place for above in places for place in (above, size - 1 - above)]
    return [entrants[place] if place < len(entrants) else None for place in places]


def _winner(season: Season, first: Slot | Unpaired, second: Slot | Unpaired) -> Slot | Unpaired:
    """Return who goes on: WAITS while that is open, None when both are out."""
    if first is None or second is None:
        return first if second is None else second
    if isinstance(first, Unpaired) or isinstance(second, Unpaired):
        return Unpaired.WAITS
    for _, pairing in season.pairings():
        if pairing.players == {first, second} and pairing.result is not None and not _undecided(pairing):
            return next((key for key in (first, second) if pairing.points_of(key) == 1), None)
    return Unpaired.WAITS


def _turned(season: Season, first: MemberKey, second: MemberKey, balance: int, other: int) -> Pair:
    """Turn the colours of a drawn game; else give White to the member who had it less."""
    for _, pairing in reversed(list(season.pairings())):
        if pairing.players == {first, second} and pairing.result is not None:
            return pairing.black, pairing.white
    return (second, first) if balance > other else (first, second)


def _pair_groups(season: Season, here: Collection[MemberKey]) -> tuple[list[Pair], dict[MemberKey, Unpaired]]:
    lost = defeats(season)
    alive = [key for key in still_in(season) if key in here]
    pairs = [(drawn.black, drawn.white) for drawn in _drawn(season) if drawn.players <= set(alive)]
    busy = {key for two in pairs for key in two}
    groups = [[key for key in alive if lost[key] == times and key not in busy] for times in (0, 1)]
    if not pairs and [len(group) for group in groups] == [1, 1]:
        groups = [[*groups[0], *groups[1]], []]  # the final
    byes: list[MemberKey] = []
    for group in groups:
        byes += _pair_group(season, group, pairs, first=not season.rounds)
    return pairs, dict.fromkeys(byes, Unpaired.BYE)


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
