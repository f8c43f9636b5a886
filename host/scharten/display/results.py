"""The games that ended since the display was started: the page's list of results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

MAX_GAMES = 60
TOLD = ("match", "kind", "names", "side", "game", "result", "reason")


class Results:
    """Learns from snapshots; a result that is taken back leaves the list again."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._games: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def see(self, state: dict[str, Any]) -> bool:
        """Take in a snapshot; True when the list has changed."""
        match, result = state.get("match"), state.get("result")
        if not isinstance(match, str) or not match:
            return False
        before = self._games.get(match)
        if result is None:
            return self._games.pop(match, None) is not None
        told = {name: state.get(name) for name in TOLD}
        if before is not None and {**before, **told} == before:
            return False
        self._games[match] = {**told, "ended_ms": before["ended_ms"] if before else self._now_ms()}
        while len(self._games) > MAX_GAMES:
            self._games.popitem(last=False)
        return True

    def told(self) -> dict[str, Any]:
        """The list for the page, in the order in which the games ended."""
        return {"v": 1, "games": list(self._games.values())}
