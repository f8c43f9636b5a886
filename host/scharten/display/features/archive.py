"""The board's archive of games, and the score sheet of the current game for spectators."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Iterable
from typing import Any

from aiohttp import web

from scharten.contract.score_sheet import sheet_text, until
from scharten.display.answers import RefusedError, text_answer
from scharten.display.archive_routes import MISSING, ArchiveRoutes
from scharten.display.context import Context
from scharten.display.feature import Feature, Welcome
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.games.letters import SHEET_LANGUAGES
from scharten.journal.archive import Archive

MOST_DELAY_MIN = 24 * 60


class ArchiveFeature(Feature):
    """Serves `/archive/...` from the journal, and `/sheet` from the journal or the retained topic."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        journal, players = context.daemon.journal, context.daemon.players
        gone = players.deleted if players else tuple
        self._archive = (
            ArchiveRoutes(Archive(journal, GAMES_BY_KEY, gone), lambda: self.bus.url) if journal else None
        )

    def welcome(self, role: str) -> Welcome:
        return Welcome({"archive": self._archive is not None})

    def pages(self) -> Iterable[str]:
        return ("games",) if self._archive else ()

    def routes(self) -> Iterable[web.RouteDef]:
        own = self._archive.routes() if self._archive else ()
        return (web.get("/sheet", self._sheet), *own)

    async def _sheet(self, request: web.Request) -> web.Response:
        """The sheet of the current game, as it stood `delay` minutes ago."""
        try:
            delay = float(request.query.get("delay", "0"))
        except ValueError:
            delay = -1
        if not 0 <= delay <= MOST_DELAY_MIN:
            raise RefusedError(
                400, Problem("malformed", f"delay is a number of minutes, 0 to {MOST_DELAY_MIN}.")
            )
        language, until_ms = request.query.get("lang", "en"), int((time.time() - delay * 60) * 1000)
        match = json.loads(self.bus.last.get("state", "{}")).get("match")
        if not match:
            raise RefusedError(404, Problem("no_game", "No game is on."))
        if language not in SHEET_LANGUAGES:
            raise RefusedError(404, Problem("malformed", f"lang is one of {', '.join(SHEET_LANGUAGES)}."))
        if self._archive is None:
            text = self._retained_sheet(language, until_ms)
        else:
            late = until_ms if delay else None
            text = await self._archive.games.find(lambda games: games.sheet(match, language, late), MISSING)
        saved = {"Content-Disposition": f'attachment; filename="scharten-{match}.txt"'}
        return text_answer(text, saved if "keep" in request.query else {"Refresh": "30"})

    def _retained_sheet(self, language: str, until_ms: int) -> str:
        sheet: dict[str, Any] = json.loads(self.bus.last.get("sheet", "{}"))
        if "headers" not in sheet:
            raise RefusedError(404, Problem("no_sheet", "The program has published no score sheet."))
        started = datetime.datetime.fromtimestamp(sheet["started_ms"] / 1000).astimezone()
        return sheet_text(until(sheet, until_ms), language, f"{started:%Y.%m.%d %H:%M}")


feature = ArchiveFeature
