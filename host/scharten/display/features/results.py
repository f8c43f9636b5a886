"""The games that ended since the display was started: the page's list of results."""

from __future__ import annotations

from collections import OrderedDict

from scharten.display.context import Context
from scharten.display.feature import Bus, Feature, Payload, Welcome

MAX_GAMES = 60
SHOWN = ("match", "kind", "names", "side", "game", "result", "reason")


class ResultsFeature(Feature):
    """Learns from snapshots; a result that is taken back leaves the list again."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._games: OrderedDict[str, Payload] = OrderedDict()

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        bus.subscribe("state", self._on_state)

    def welcome(self, role: str) -> Welcome:
        return Welcome(messages={"results": self._as_json()})

    def _on_state(self, state: Payload) -> None:
        if self._changed_by(state):
            self.bus.broadcast("results", self._as_json(), newest=True)

    def _changed_by(self, state: Payload) -> bool:
        """Take in a snapshot; True when the list has changed."""
        match, result = state.get("match"), state.get("result")
        if not isinstance(match, str) or not match:
            return False
        before = self._games.get(match)
        if result is None:
            return self._games.pop(match, None) is not None
        shown = {name: state.get(name) for name in SHOWN}
        if before is not None and {**before, **shown} == before:
            return False
        self._games[match] = {**shown, "ended_ms": before["ended_ms"] if before else self.context.now_ms()}
        while len(self._games) > MAX_GAMES:
            self._games.popitem(last=False)
        return True

    def _as_json(self) -> Payload:
        return {"v": 1, "games": list(self._games.values())}


feature = ResultsFeature
