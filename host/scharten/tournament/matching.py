"""Pairing of everybody at the least cost, by the matching of networkx."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations

from networkx import Graph, max_weight_matching

from scharten.tournament.model import MemberKey, Pair, Players

TRIES = 8
"""Number of members to try for the bye, where forbidden pairs leave others without an opponent."""


def cheapest_pairs(
    order: Sequence[MemberKey],
    cost: Callable[[int, int], int],
    window: int | None = None,
    forbidden: Collection[Players] = (),
) -> list[Pair]:
    """Pair all members of `order`, an even number, at the least total cost: (higher, lower) from the top.

    `cost` gets two places in `order`, the higher one first. No pair is further apart than `window` places, or
    `forbidden`; where these leave no opponent, a member is in no pair.
    """
    graph = Graph()
    for higher, lower in combinations(range(len(order)), 2):
        if window is not None and lower - higher > window:
            continue
        if not forbidden or frozenset((order[higher], order[lower])) not in forbidden:
            graph.add_edge(higher, lower, weight=-cost(higher, lower))
    found = sorted(sorted(pair) for pair in max_weight_matching(graph, maxcardinality=True))
    return [(order[higher], order[lower]) for higher, lower in found]


def with_bye(
    order: Sequence[MemberKey],
    may_wait: Sequence[MemberKey],
    pairs_of: Callable[[Sequence[MemberKey]], list[Pair]],
) -> tuple[list[Pair], MemberKey | None]:
    """Return the pairs of `order`, and who has the bye if it is odd: the first of `may_wait` who leaves nobody over."""
    if len(order) % 2 == 0:
        return pairs_of(order), None
    found: list[tuple[list[Pair], MemberKey]] = []
    for key in may_wait[:TRIES]:
        pairs = pairs_of([other for other in order if other != key])
        found.append((pairs, key))
        if 2 * len(pairs) == len(order) - 1:
            break
    return max(found, key=lambda tried: len(tried[0]))
