"""Swiss and round robin, both by `caissify-pairings`, whose Swiss is the FIDE Dutch system; and free play.

Where the library leaves more than one player without an opponent, because everybody has met everybody, the fewest
possible games are repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from caissify_pairings import generate_pairings
from networkx import Graph, max_weight_matching

from scharten.tournament.model import MemberKey, Pair, Season
from scharten.tournament.options import System
from scharten.tournament.record import EntrantRecord, records_of

_FAR = 10_000


def swiss(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """The next round of the Dutch system among those present: (White, Black) by table, and who has the bye."""
    records = records_of(season)
    number = {key: place for place, key in enumerate(season.entrants, 1)}
    met = {tuple(sorted(number[key] for key in one.players)) for _, one in season.pairings()}
    players = [_player(season, records, key, number[key]) for key in season.entrants if key in set(present)]
    rows = generate_pairings(
        "dutch",
        players,
        met,
        season.next_round,
        max(season.options.rounds, season.next_round),
        bye_value=season.options.points.bye,
    )
    pairs, byes = _read(season, rows)
    if len(byes) > 1:
        return _fewest_rematches(season, records, present)
    return pairs, byes[0] if byes else None


def round_robin(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """The next round of the Berger tables while the same members play; else whoever has met least is paired."""
    order = [key for key in season.entrants if key in set(present)]
    cycle = len(order) - 1 + len(order) % 2
    played = season.rounds
    same = all(
        {key for one in drawn.pairings for key in one.players}
        | {key for key, why in drawn.unpaired.items() if why == "bye"}
        == set(order)
        for drawn in played
    )
    if same and season.next_round <= cycle * season.options.cycles:
        players = [
            {"id": season.entrants.index(key) + 1, "starting_number": place}
            for place, key in enumerate(order, 1)
        ]
        rows = generate_pairings(
            "round_robin",
            players,
            set(),
            season.next_round,
            cycle * season.options.cycles,
            cycles=season.options.cycles,
        )
        pairs, byes = _read(season, rows)
        return pairs, byes[0] if byes else None
    return _fewest_rematches(season, records_of(season), present)


def free(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Free play: who has met least and stands nearest; who waits longest does not wait again."""
    return _fewest_rematches(season, records_of(season), present)


def _read(season: Season, rows: Iterable[dict[str, Any]]) -> tuple[list[Pair], list[MemberKey]]:
    pairs, byes = [], []
    for row in rows:
        white = season.entrants[row["white_id"] - 1]
        if row["black_id"] is None:
            byes.append(white)
        else:
            pairs.append((white, season.entrants[row["black_id"] - 1]))
    return pairs, byes


def _player(
    season: Season, records: dict[MemberKey, EntrantRecord], key: MemberKey, number: int
) -> dict[str, object]:
    """What the Dutch engine is told of one player: after each round also who floated (C.04.A)."""
    mine, floats = records[key], []
    for place, one in enumerate(mine.rounds):
        if one.opponent is None:
            floats.append("down" if one.why == "bye" else "none")
            continue
        own, other = (_points(records[who], place) for who in (key, one.opponent))
        floats.append("none" if own == other else "down" if own > other else "up")
    return {
        "id": number,
        "name": key,
        "score": float(mine.points),
        "rating": len(season.entrants) - number + 1,
        "starting_number": number,
        "color_hist": [one.colour.value if one.colour else "none" for one in mine.rounds],
        "float_history": floats,
        "bye_count": mine.byes,
    }


def _points(record: EntrantRecord, before: int) -> Fraction:
    return sum((one.points for one in record.rounds[:before] if one.points is not None), Fraction(0))


def _fewest_rematches(
    season: Season, records: dict[MemberKey, EntrantRecord], present: Sequence[MemberKey]
) -> tuple[list[Pair], MemberKey | None]:
    """The pairing that repeats the fewest games, least of all the last one, and keeps equal points together."""
    order = sorted(
        (key for key in season.entrants if key in set(present)),
        key=lambda key: (-records[key].points, season.entrants.index(key)),
    )
    bye = None
    if len(order) % 2:
        bye = min(reversed(order), key=lambda key: records[key].byes)
        order.remove(bye)
    met = Counter(one.players for _, one in season.pairings())
    last = {one.players for one in season.rounds[-1].pairings} if season.rounds else set()
    graph = Graph()
    graph.add_nodes_from(order)
    for place, one in enumerate(order):
        for apart, other in enumerate(order[place + 1 :]):
            two = frozenset((one, other))
            graph.add_edge(one, other, weight=-_FAR * (2 * met[two] + (two in last)) - apart * apart)
    found = [sorted(two, key=order.index) for two in max_weight_matching(graph, maxcardinality=True)]
    return [_turned(records, *two) for two in sorted(found, key=lambda two: order.index(two[0]))], bye


def _turned(records: dict[MemberKey, EntrantRecord], one: MemberKey, other: MemberKey) -> Pair:
    """White to whom it is due: less White so far, or Black last."""
    mine, yours = records[one], records[other]
    if mine.balance != yours.balance:
        return (one, other) if mine.balance < yours.balance else (other, one)
    return (other, one) if mine.colours[-1:] == ("white",) else (one, other)


ENGINES = {System.SWISS: swiss, System.ROUND_ROBIN: round_robin, System.FREE: free}
