"""Find tracks on two layers of a grid: the shortest way from pad to pad, with clearance to everything else.

A net that finds no way is routed first in the next attempt. Deterministic: the same parts give the same tracks.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field

from shapes import STEP, Pad

Node = tuple[int, int, int]  # layer (0 upper, 1 lower), column, row
CLEARANCE = 200
SIGNAL, POWER = 300, 400
VIA, VIA_DRILL = 800, 400
VIA_COST, CROSS_GRAIN, ATTEMPTS = 8, 2, 40
EDGE = 1000
SLACK = 20


class NoWayError(Exception):
    """Some nets could not be routed; the message names them."""


@dataclass
class Tracks:
    """The tracks in µm: segments (net, layer, x1, y1, x2, y2) and vias (net, x, y)."""

    segments: list[tuple[str, int, int, int, int, int]] = field(default_factory=list)
    vias: list[tuple[str, int, int]] = field(default_factory=list)


def width_of(net: str) -> int:
    """Return the width of a net's tracks in µm."""
    return POWER if net.startswith("+") or net == "GND" else SIGNAL


class Router:
    """One attempt on an empty board."""

    def __init__(self, pads: list[Pad], width: int, height: int) -> None:
        self._pads, self._columns, self._rows = pads, width // STEP, height // STEP
        self._near: dict[Node, set[str]] = defaultdict(set)
        self._no_via: set[tuple[int, int]] = set()
        self._taken: dict[Node, str] = {}
        self._beside_via: dict[tuple[int, int], set[str]] = defaultdict(set)
        self.tracks = Tracks()
        self._edge = EDGE // STEP + 1
        self._holes: dict[str, set[tuple[int, int]]] = {}
        for number, pad in enumerate(pads):
            self._keep_off(pad, pad.net or f"#{number}")

    def _keep_off(self, pad: Pad, owner: str) -> None:
        """Note the nodes too near to the pad for foreign tracks, and those too near for any via."""
        reach = (max(pad.width, pad.height) // 2 + CLEARANCE + VIA) // STEP + 1
        column, row = round(pad.x / STEP), round(pad.y / STEP)
        for x in range(column - reach, column + reach + 1):
            for y in range(row - reach, row + reach + 1):
                gap = pad.distance(x * STEP, y * STEP)
                if gap < CLEARANCE + POWER / 2 + SLACK:
                    for layer in (0, 1) if pad.drill else (0,):
                        self._near[layer, x, y].add(owner)
                if gap < CLEARANCE + VIA / 2 + SLACK:
                    self._no_via.add((x, y))

    def _free(self, node: Node, net: str) -> bool:
        _, x, y = node
        if not (self._edge <= x <= self._columns - self._edge and self._edge <= y <= self._rows - self._edge):
            return False
        return (
            self._near.get(node, {net}) <= {net}
            and self._taken.get(node, net) == net
            and self._beside_via.get((x, y), {net}) <= {net}
        )

    def _via_fits(self, x: int, y: int, net: str) -> bool:
        if (x, y) in self._no_via:
            return False
        cross = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
        return all(self._free((layer, x + dx, y + dy), net) for layer in (0, 1) for dx, dy in cross)

    def _next(self, node: Node, net: str) -> list[tuple[int, Node]]:
        layer, x, y = node
        near = []
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            with_grain = (dy == 0) == (layer == 0)
            near.append((1 if with_grain else CROSS_GRAIN, (layer, x + dx, y + dy)))
        found = [(cost, other) for cost, other in near if self._free(other, net)]
        other = (1 - layer, x, y)
        if self._through(x, y, net) or self._via_fits(x, y, net):
            found.append((VIA_COST, other))
        return found

    def _through(self, x: int, y: int, net: str) -> bool:
        return (x, y) in self._holes.get(net, set())

    def net(self, net: str) -> bool:
        """Join all pads of a net; return whether all were reached."""
        pads = [pad for pad in self._pads if pad.net == net]
        self._holes = {
            net: {(round(pad.x / STEP), round(pad.y / STEP)) for pad in pads if pad.drill}
            | self._vias_of(net)
        }
        tree, rest = set(self._nodes(pads[0])), pads[1:]
        self._stub(pads[0])
        complete = True
        while rest:
            pad = min(
                rest,
                key=lambda other: min(
                    abs(round(other.x / STEP) - n[1]) + abs(round(other.y / STEP) - n[2]) for n in tree
                ),
            )
            rest.remove(pad)
            self._stub(pad)
            path = self._way(tree, set(self._nodes(pad)), net)
            if path is None:
                complete = False
                continue
            self._lay(path, net)
            tree.update(path, self._nodes(pad))
        return complete

    def _vias_of(self, net: str) -> set[tuple[int, int]]:
        return {(x // STEP, y // STEP) for other, x, y in self.tracks.vias if other == net}

    def _nodes(self, pad: Pad) -> list[Node]:
        x, y = round(pad.x / STEP), self._row(pad)
        return [(layer, x, y) for layer in ((0, 1) if pad.drill else (0,))]

    def _row(self, pad: Pad) -> int:
        """Return the row in which tracks meet the pad; a clamp's pad between two rows is met on its outer side."""
        row, rest = divmod(pad.y, STEP)
        if not rest:
            return row
        partner = next(
            p for p in self._pads if p.x == pad.x and not p.drill and abs(abs(p.y - pad.y) - 3 * STEP) < 5
        )
        return row if pad.y < partner.y else row + 1

    def _stub(self, pad: Pad) -> None:
        y = self._row(pad) * STEP
        if y != pad.y:
            self.tracks.segments.append((pad.net, 0, pad.x, pad.y, round(pad.x / STEP) * STEP, y))

    def _way(self, tree: set[Node], goal: set[Node], net: str) -> list[Node] | None:
        """Return the cheapest way from the tree to the goal."""
        gx, gy = next((x, y) for _, x, y in goal)
        queue = [(abs(x - gx) + abs(y - gy), 0, (layer, x, y)) for layer, x, y in sorted(tree)]
        heapq.heapify(queue)
        cost, back = dict.fromkeys(tree, 0), {}
        while queue:
            _, spent, node = heapq.heappop(queue)
            if node in goal:
                path = [node]
                while node in back:
                    node = back[node]
                    path.append(node)
                return path
            if spent > cost[node]:
                continue
            for price, other in self._next(node, net):
                total = spent + price
                if total < cost.get(other, 1 << 30):
                    cost[other], back[other] = total, node
                    heapq.heappush(queue, (total + abs(other[1] - gx) + abs(other[2] - gy), total, other))
        return None

    def _lay(self, path: list[Node], net: str) -> None:
        """Store the way: straight runs become one segment, a change of layer becomes a via unless it is at a pad."""
        for node in path:
            self._taken[node] = net
        start = path[0]
        for i in range(1, len(path)):
            first, second = path[i - 1], path[i]
            if first[0] != second[0]:
                self._segment(start, first, net)
                start = second
                if not self._through(second[1], second[2], net):
                    self._via(second[1], second[2], net)
            elif i + 1 == len(path) or not _straight(first, second, path[i + 1]):
                self._segment(start, second, net)
                start = second

    def _segment(self, first: Node, second: Node, net: str) -> None:
        if first != second:
            ends = (first[1] * STEP, first[2] * STEP, second[1] * STEP, second[2] * STEP)
            self.tracks.segments.append((net, first[0], *ends))

    def _via(self, x: int, y: int, net: str) -> None:
        self.tracks.vias.append((net, x * STEP, y * STEP))
        self._holes[net].add((x, y))
        for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            self._beside_via[x + dx, y + dy].add(net)
        for dx in (-1, 0, 1):
            self._no_via.update((x + dx, y + dy) for dy in (-1, 0, 1) if (dx, dy) != (0, 0))


def _straight(first: Node, second: Node, third: Node) -> bool:
    return second[0] == third[0] and (second[1] - first[1], second[2] - first[2]) == (
        third[1] - second[1],
        third[2] - second[2],
    )


def _length(pads: list[Pad]) -> int:
    xs, ys = [pad.x for pad in pads], [pad.y for pad in pads]
    return max(xs) - min(xs) + max(ys) - min(ys)


def route(pads: list[Pad], width: int, height: int) -> Tracks:
    """Return tracks that join all pads of every net, else NoWayError. Ground is last: its pour joins the rest."""
    nets: dict[str, list[Pad]] = defaultdict(list)
    for pad in pads:
        if pad.net:
            nets[pad.net].append(pad)
    order = sorted(
        (net for net in nets if net != "GND" and len(nets[net]) > 1),
        key=lambda net: (_length(nets[net]), net),
    )
    for _ in range(ATTEMPTS):
        router = Router(pads, width, height)
        failed = [net for net in order if not router.net(net)]
        if not failed:
            router.net("GND")
            return router.tracks
        order = failed + [net for net in order if net not in failed]
    raise NoWayError(", ".join(failed))
