"""Pairing of everybody at the least cost, by the matching of networkx."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from networkx import Graph, max_weight_matching

from scharten.tournament.model import MemberKey, Pair


def cheapest_pairs(
    order: Sequence[MemberKey], cost: Callable[[int, int], int], window: int | None = None
) -> list[Pair]:
    """Pair all members of `order`, an even number, at the least total cost: (higher, lower) from the top.

    `cost` gets two places in `order`, the higher one first. No pair is further apart than `window` places.
    """
    graph = Graph()
    for higher, lower in combinations(range(len(order)), 2):
        if window is None or lower - higher <= window:
            graph.add_edge(higher, lower, weight=-cost(higher, lower))
    found = sorted(sorted(pair) for pair in max_weight_matching(graph, maxcardinality=True))
    return [(order[higher], order[lower]) for higher, lower in found]
