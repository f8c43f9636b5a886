"""The pair that plays next on each board, published for the board's displays."""

from __future__ import annotations

from collections.abc import Mapping

from scharten.club.boards import BoardView, next_pairs
from scharten.contract.models import VERSION
from scharten.contract.topics import Topic
from scharten.display.board_topics import BoardTopics
from scharten.game.basics import MutableJson
from scharten.tournament.model import Club, Pairing, Round


class NextPairs:
    """Retains `next` for each board that has a state; publishes only changes."""

    def __init__(self, bridge: BoardTopics) -> None:
        self._bridge = bridge
        self._published: dict[str, MutableJson | None] = {}

    def publish(self, club: Club, boards: Mapping[str, BoardView]) -> None:
        """Publish the next pair of each board, null on a board without one."""
        found = next_pairs(club, boards)
        for name, view in boards.items():
            if view.state:
                self._retain(name, _pair(club, *found[name]) if name in found else None)

    def clear(self) -> None:
        """Publish null on every board that has a pair: nobody calls it while the service is away."""
        for name in self._published:
            self._retain(name, None)

    def _retain(self, name: str, pair: MutableJson | None) -> None:
        if name not in self._published or self._published[name] != pair:
            self._published[name] = pair
            self._bridge.keep(f"{name}/{Topic.NEXT}", {"v": VERSION, "pair": pair})


def _pair(club: Club, drawn: Round, pairing: Pairing) -> MutableJson:
    names = {"white": club.name_of(pairing.white), "black": club.name_of(pairing.black)}
    return {"round": drawn.number, "table": pairing.table, "names": names}
