"""The endgames: what the tables know of each, and a trainer against the perfect defender."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from aiohttp import web

from scharten.contract.snapshot import layout_json
from scharten.display.answers import RefusedError, SlowSource, json_answer
from scharten.display.context import Context
from scharten.display.feature import Feature
from scharten.endgames.known import known, table_file
from scharten.errors import Problem
from scharten.game.basics import MutableJson

log = logging.getLogger(__name__)

MOST_POSITION, MOST_TURN = 200, 6
"""Upper bounds on the letters of a position and a turn."""
_NO_TABLES = Problem("no_tables", "No table of endings is built here.")
_NO_ENDING = Problem("no_ending", "There is no table of this ending, or no win in it.")
MOST_TABLES = 8
"""Tables in memory: those that an ending leads to, and the ending's own."""


class Trainer:
    """Positions and judged turns as JSON, from the tables of a folder; a method may take a second."""

    def __init__(self, folder: Path) -> None:
        # The rules' arrays are slow to load: only a page that trains needs them.
        from scharten.endgames import trainer  # noqa: PLC0415
        from scharten.games.scharten.game import SCHARTEN  # noqa: PLC0415
        from scharten.opponent.table_files import TableFiles  # noqa: PLC0415
        from scharten.play.tables import men_named  # noqa: PLC0415

        self._pure, self._men_named, self._random = trainer, men_named, Random()
        self._game = SCHARTEN
        self._tables = TableFiles(folder, log.warning, MOST_TABLES)

    def start(self, name: str) -> MutableJson | None:
        """Return a won position of these men, None without a table."""
        men = self._men_named(name)
        table = None if men is None else self._tables(men)
        if men is None or table is None:
            return None
        position = self._pure.start(men, table, self._random.randrange)
        return None if position is None else self._described(position)

    def judge(self, position: str, turn: str) -> MutableJson | Problem:
        """Judge a turn and answer it; with no turn, play the best."""
        if not turn:
            found = self._pure.best(position, self._tables)
            if isinstance(found, Problem):
                return found
            turn = found
        judged = self._pure.judge(position, turn, self._tables)
        if isinstance(judged, Problem):
            return judged
        return {
            "turn": turn,
            "left_before": judged.left_before,
            "left_after": judged.left_after,
            "answer": judged.answer,
            "mated": judged.mated,
            **self._described(judged.position),
        }

    def _described(self, position: Any) -> MutableJson:
        game, options = self._game, self._pure.OPTIONS
        situation = game.situation(position, options)
        return {
            "layout": layout_json(game.layout, options.kind),
            "position": situation.text,
            "side": situation.side.word,
            "moves": list(situation.moves) if situation.end is None else [],
            "drops": [],
            "needs_dart": [],
            "next": None,
            "check": list(situation.check),
            "left": self._pure.turns_left(position, self._tables),
        }


class EndgamesFeature(Feature):
    """Serves the figures of all endings, and positions to train those whose table is built."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        journal = context.daemon.journal
        self._folder = None if journal is None else journal.parent / "tables"
        self._trainer: SlowSource[Callable[[], Trainer]] | None = None
        if self._folder is not None:
            self._trainer = SlowSource(_once(self._folder))

    def pages(self) -> Iterable[str]:
        return ("endgames",)

    def routes(self) -> Iterable[web.RouteDef]:
        return (
            web.get("/endgames/known.json", self._known),
            web.get("/endgames/turn.json", self._turn),
            web.get("/endgames/{men:[PNBRQ]{1,2}}.json", self._start),
        )

    async def _known(self, _request: web.Request) -> web.Response:
        endings = [
            {
                "men": ending.men,
                "positions": ending.positions,
                "won": ending.won,
                "longest": ending.longest,
                "ready": self._folder is not None and table_file(self._folder, ending.men).is_file(),
            }
            for ending in known()
        ]
        return json_answer({"v": 1, "builds": self._folder is not None, "endings": endings})

    async def _start(self, request: web.Request) -> web.Response:
        men = request.match_info["men"]
        if self._trainer is None:
            raise RefusedError(404, _NO_TABLES)
        found = await self._trainer.find(lambda trainer: trainer().start(men), _NO_ENDING)
        return json_answer({"v": 1, "men": men, **found})

    async def _turn(self, request: web.Request) -> web.Response:
        position, turn = request.query.get("position", ""), request.query.get("turn", "")
        if len(position) > MOST_POSITION or len(turn) > MOST_TURN:
            raise RefusedError(400, Problem("malformed", "The position or the turn is too long."))
        if self._trainer is None:
            raise RefusedError(404, _NO_TABLES)
        found = await self._trainer.ask(lambda trainer: trainer().judge(position, turn))
        if isinstance(found, Problem):
            raise RefusedError(400, found)
        return json_answer({"v": 1, **found})


def _once(folder: Path) -> Callable[[], Trainer]:
    """Return a function that makes the trainer when it is first called."""
    made: list[Trainer] = []

    def trainer() -> Trainer:
        if not made:
            made.append(Trainer(folder))
        return made[0]

    return trainer


feature = EndgamesFeature
