"""The chess engines of this machine: those of the configuration, and those in the usual places."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scharten.errors import Problem
from scharten.game.basics import Json
from scharten.game.protocol import AnyGame
from scharten.games import GAMES
from scharten.match.codes import RefusalCode, WhyRefused
from scharten.match.orders import AnyOrder, NewGame, SetComputer
from scharten.opponent.settings import EngineSettings, OpponentSection

if TYPE_CHECKING:
    from scharten.opponent.uci import EngineProblem, UciEngine

KNOWN: Final = ("stockfish", "fairy-stockfish")
"""Engines that are offered where they are installed; another needs a line in the configuration."""
PLACES: Final = ("/usr/games", "/usr/local/bin")
"""Folders besides PATH: a service's PATH lacks the games of Debian."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """An engine's full name, the keys of the games it plays, and its range of strength (`kind` is elo or skill)."""

    title: str
    games: tuple[str, ...]
    strength: tuple[str, int, int] | None

    def as_json(self, name: str) -> Json:
        """Return the entry of a page's list."""
        strength = self.strength and dict(zip(("kind", "least", "most"), self.strength, strict=True))
        return {"name": name, "title": self.title, "games": list(self.games), "strength": strength}


def offered(settings: OpponentSection) -> dict[str, EngineSettings]:
    """Return the engines that may be started, by name; the configuration's come first."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *PLACES))
    found = {name: shutil.which(name, path=path) for name in KNOWN if name not in settings.engines}
    installed = {name: EngineSettings(command=(file,)) for name, file in found.items() if file is not None}
    return {**settings.engines, **installed}


def unknown_engine(order: AnyOrder, settings: OpponentSection) -> Problem | None:
    """Refuse an order that seats an engine which this machine does not have."""
    if isinstance(order, NewGame):
        seated = (order.engines.seat1, order.engines.seat2)
    else:
        seated = (order.engine if isinstance(order, SetComputer) else None, None)
    names = [engine.name for engine in seated if engine is not None]
    known = offered(settings) if names else {}
    missing = next((name for name in names if name not in known), None)
    if missing is None:
        return None
    listed = ", ".join(known) or "\N{EN DASH}"
    words = f"there is no engine {missing}; the engines of this board: {listed}"
    args = {"why": WhyRefused.NO_SUCH_ENGINE, "engine": missing, "known": listed}
    return Problem(RefusalCode.MALFORMED, words, args)


def plays(engine: UciEngine, game: AnyGame) -> bool:
    """Return whether an engine knows the rules of a game."""
    if game.uci_variant is None or game.uci_variant not in engine.variants:
        return False
    return engine.any_castling or not getattr(game, "random", False)


def examine(settings: EngineSettings) -> EngineFacts | EngineProblem:
    """Start an engine and return what it reports; an `EngineProblem` where it does not answer."""
    from scharten.opponent.uci import EngineProblem, UciEngine

    try:
        with UciEngine(settings) as engine:
            games = tuple(game.key for game in GAMES if plays(engine, game))
            return EngineFacts(engine.title, games, engine.strength)
    except EngineProblem as error:
        return error


class EngineList:
    """The facts that this machine's engines report; each is asked once, on the first request."""

    def __init__(self, settings: OpponentSection) -> None:
        self._settings = settings
        self._known: Mapping[str, EngineFacts | EngineProblem] | None = None
        self._lock = threading.Lock()

    def read(self) -> Mapping[str, EngineFacts | EngineProblem]:
        """Return the facts of each engine by name; takes seconds the first time."""
        with self._lock:
            if self._known is None:
                self._known = {name: examine(engine) for name, engine in offered(self._settings).items()}
            return self._known

    def as_json(self) -> list[Json]:
        """Return the engines that play, for a page."""
        found = self.read().items()
        return [facts.as_json(name) for name, facts in found if isinstance(facts, EngineFacts)]
