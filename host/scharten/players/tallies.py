"""Running tallies of all players: only a game that changed is counted again."""

from __future__ import annotations

from dataclasses import dataclass, field

from scharten.game.basics import MutableJson
from scharten.play.scatter import Hand
from scharten.players.darts import PlayedGame
from scharten.players.scatter import Tally
from scharten.players.statistics import observation
from scharten.players.store import PlayerStore


@dataclass(frozen=True, slots=True)
class CountedGame:
    """A game with the tally of each player's darts, as it was stored under `seal`."""

    seal: str
    game: PlayedGame
    tallies: dict[str, Tally] = field(default_factory=dict)


class Tallies:
    """The number of games, the last game and the scatter of each player, from the tables."""

    def __init__(self, store: PlayerStore) -> None:
        self._store = store
        self._games: dict[str, CountedGame] = {}
        self._scatters: dict[str, MutableJson] = {}

    def update(self) -> None:
        """Count the games that are new or changed, and forget those that are gone; `DamagedError` as in the store."""
        seals = self._store.seals()
        for match, counted in list(self._games.items()):
            if seals.get(match) != counted.seal:
                del self._games[match]
                self._forget_scatters(counted)
        for match, seal in seals.items():
            if match in self._games:
                continue
            game, darts = self._store.game(match)
            tallies: dict[str, Tally] = {}
            for player in {dart.player for dart in darts}:
                tallies[player] = Tally()
                tallies[player].add_all(observation(dart) for dart in darts if dart.player == player)
            self._games[match] = CountedGame(seal, game, tallies)
            self._forget_scatters(self._games[match])

    def figures_of(self, player: str) -> MutableJson:
        """Return a player's number of games, the start of the last one, and the scatter."""
        own = [counted for counted in self._games.values() if player in counted.game.players]
        return {
            "games": len(own),
            "last_ms": max((counted.game.started_ms for counted in own), default=None),
            "scatter": self._scatter(player),
        }

    def hand_of(self, player: str) -> Hand | None:
        """Return how a player's darts land, None with too few darts at a known aim."""
        return self._tally(player).hand()

    def _forget_scatters(self, changed: CountedGame) -> None:
        for player in changed.tallies:
            self._scatters.pop(player, None)

    def _scatter(self, player: str) -> MutableJson:
        """Return the scatter of a player, estimated once for the same darts."""
        if player not in self._scatters:
            self._scatters[player] = self._tally(player).estimate().as_json()
        return dict(self._scatters[player])

    def _tally(self, player: str) -> Tally:
        whole = Tally()
        for counted in self._games.values():
            if player in counted.tallies:
                whole.add_tally(counted.tallies[player])
        return whole
