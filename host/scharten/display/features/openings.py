"""The page of openings: figures of finished games; a process at idle priority reads the games that the table lacks."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aiohttp import web

from scharten.contract.snapshot import layout_json
from scharten.display.answers import RefusedError, SlowSource, json_answer
from scharten.display.context import Context
from scharten.display.feature import Feature
from scharten.errors import Problem
from scharten.game.basics import MutableJson
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES_BY_KEY
from scharten.match.settings import find_game, read_options
from scharten.openings.people import names_and_scatters
from scharten.openings.query import OpeningsQuery, openings, variants
from scharten.openings.table import OpeningsTable, with_table
from scharten.players.book import PlayerBook

log = logging.getLogger(__name__)

MOST_TEXT: Final = 200
FIRST: Final = ("scharten", "loud")
"""The game and kind that the page shows before any game was played."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A page's question; empty texts stand for the most frequent game, its start, and everybody."""

    game: str = ""
    kind: str = ""
    position: str = ""
    player: str = ""
    scatter: tuple[float, float] | None = None


class OpeningsBook:
    """Answers from the table beside a journal; every method may wait for the disk."""

    def __init__(self, journal: Path, players: PlayerBook | None, white_sits_at: int) -> None:
        self._journal, self._players, self._sits = journal, players, white_sits_at

    def answer(self, asked: Asked) -> MutableJson | Problem:
        """Return the figures as `scharten openings --json`, and what a page needs to draw the position.

        `variants` are the games that were played, `waiting` is the number of games that are still to be read. Where
        the question cannot be answered, `problem` says why.
        """
        return with_table(self._journal, GAMES_BY_KEY, lambda table: self._from(table, asked))

    def _from(self, table: OpeningsTable, asked: Asked) -> MutableJson | Problem:
        played = variants(table)
        most = (played[0]["game"], played[0]["kind"]) if played else FIRST
        key, kind = (asked.game, asked.kind) if asked.game else most
        game = find_game(GAMES_BY_KEY, key)
        options = game if isinstance(game, Problem) else read_options(game, {"kind": kind or "silent"})
        if isinstance(game, Problem) or isinstance(options, Problem):
            return Problem.reasoned("unreadable", "no_game", game=f"{key[:20]} {kind[:20]}".strip())
        names, scatters = names_and_scatters(self._players, scatter=asked.scatter is not None)
        query = OpeningsQuery(game, options, asked.position or None, asked.player, asked.scatter)
        found = openings(table, query, names, scatters)
        answer: MutableJson = {
            "v": 1,
            "game": key,
            "kind": str(options.kind),
            "variants": played,
            "waiting": table.waiting(),
        }
        if isinstance(found, Problem):
            return {**answer, "problem": {"code": found.code, "args": dict(found.args)}}
        return {**answer, **found, **self._drawn(game, options, found["position"])}

    def _drawn(self, game: AnyGame, options: GameOptions, text: str) -> MutableJson:
        """Return the fields by which a page draws the position."""
        position: Any = game.read(text, options, finished=True)
        situation = game.situation(position, options)
        return {
            "layout": layout_json(game.layout, options.kind),
            "white_sits_at": self._sits,
            "side": situation.side.word,
            "check": list(situation.check),
        }


class OpeningsFeature(Feature):
    """Serves `/openings/turns.json`; a request never waits for the games that are still to be read."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        daemon = context.daemon
        self._journal = daemon.journal
        self._book = (
            SlowSource(OpeningsBook(daemon.journal, daemon.players, context.white_sits_at))
            if daemon.journal
            else None
        )
        self._reading: asyncio.Task[None] | None = None
        self._failed = ""

    def pages(self) -> Iterable[str]:
        return ("openings",) if self._book else ()

    def routes(self) -> Iterable[web.RouteDef]:
        return (web.get("/openings/turns.json", self._turns),) if self._book else ()

    async def stop(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _turns(self, request: web.Request) -> web.Response:
        assert self._book is not None
        asked = _read_question(request)
        answer = await self._book.ask(lambda book: book.answer(asked))
        if isinstance(answer, Problem):
            raise RefusedError(400, answer)
        if answer["waiting"]:
            if self._failed:
                failed, self._failed = self._failed, ""
                raise RefusedError(503, Problem("openings_unread", failed))
            if self._reading is None or self._reading.done():
                self._reading = asyncio.create_task(self._read())
        return json_answer(answer)

    async def _read(self) -> None:
        """Read the games that the table lacks, while the board plays on."""
        assert self._journal is not None
        command = ("-m", "scharten", "openings", "--data", str(self._journal.parent), "--idle")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, errors = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode:
            self._failed = errors.decode(errors="replace").strip()[-500:]
            log.warning("finished games were not read: %s", self._failed)


def _read_question(request: web.Request) -> Asked:
    """Return the question of a request; `RefusedError` for one that cannot be read."""
    texts = {name: request.query.get(name, "") for name in ("game", "kind", "position", "player")}
    try:
        low, _, high = request.query.get("scatter", "").partition("-")
        band = (float(low), float(high)) if low else None
    except ValueError:
        raise RefusedError(
            400, Problem("malformed", "scatter is two figures in mm, such as 20-35.")
        ) from None
    if any(len(value) > MOST_TEXT for value in texts.values()):
        raise RefusedError(400, Problem("malformed", f"A field has at most {MOST_TEXT} letters."))
    return Asked(texts["game"], texts["kind"], texts["position"], texts["player"], band)


feature = OpeningsFeature
