"""The players: their figures for every page, and the register for pages that may command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from scharten.display.answers import RefusedError, SlowSource, json_answer, text_answer
from scharten.display.context import Context
from scharten.display.feature import Feature, Handler, Payload, Welcome
from scharten.display.page import Page
from scharten.display.qr import qr_svg
from scharten.errors import Problem
from scharten.game.basics import MutableJson
from scharten.players.book import PlayerBook

SEATS = ("seat1", "seat2")
EDITORS = ("table", "arbiter", *SEATS)
DELETERS = ("table", "arbiter")
MOST_OPTIONS = 2000
_MISSING = Problem("no_such_player", "There is no such player.")


class PlayersFeature(Feature):
    """Answers from the register, and notes which player sits at which seat for the next game."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._players = SlowSource(context.daemon.players) if context.daemon.players else None
        self._to_choose = SlowSource(context.daemon.players) if context.daemon.players else None
        self._seated: dict[str, str | None] = dict.fromkeys(SEATS)

    def welcome(self, role: str) -> Welcome:
        return Welcome({"players": self._players is not None}, {"seated": self._seats()})

    def pages(self) -> Iterable[str]:
        return ("players",) if self._players else ()

    def topics(self) -> Mapping[str, Handler]:
        return {"players": self._on_request}

    def routes(self) -> Iterable[web.RouteDef]:
        if self._players is None:
            return ()
        player = "/player/{player:[a-z0-9]{1,16}}"
        return (
            web.get("/players.json", self._list),
            web.get("/players/names.json", self._names),
            web.get("/players/stand-ins.json", self._stand_ins),
            web.get("/players/all.json", self._all),
            web.get("/players/all.csv", self._csv),
            web.get("/players/handicap.json", self._handicap),
            web.get(f"{player}.json", self._player),
            web.get(f"{player}.csv", self._csv),
            web.get(f"{player}.svg", self._card),
            web.get(player, _page_of_player),
        )

    @property
    def _book(self) -> SlowSource[PlayerBook]:
        assert self._players is not None
        return self._players

    async def _list(self, _request: web.Request) -> web.Response:
        return json_answer({"v": 1, "players": await self._book.ask(lambda players: players.overview())})

    async def _names(self, _request: web.Request) -> web.Response:
        """The players to choose from, never behind a query of figures."""
        return json_answer({"v": 1, "players": await self._names_now()})

    async def _stand_ins(self, _request: web.Request) -> web.Response:
        """The players as whom the computer may play, by their own agreement."""
        found = await self._book.ask(lambda players: players.stand_ins())
        return json_answer({"v": 1, "players": found})

    async def _names_now(self) -> list[MutableJson]:
        assert self._to_choose is not None
        return await self._to_choose.ask(lambda players: players.to_choose())

    async def _all(self, _request: web.Request) -> web.Response:
        return json_answer({"v": 1, **await self._book.ask(lambda players: players.all())})

    async def _found(self, player: str) -> Payload:
        return await self._book.find(lambda players: players.player(player), _MISSING)

    async def _player(self, request: web.Request) -> web.Response:
        return json_answer({"v": 1, **await self._found(request.match_info["player"])})

    async def _card(self, request: web.Request) -> web.Response:
        """The QR code on a player's card: a person who scans it at a board sits down as that player."""
        player = request.match_info["player"]
        await self._found(player)
        return web.Response(text=qr_svg(f"{self.bus.url}/?card={player}"), content_type="image/svg+xml")

    async def _csv(self, request: web.Request) -> web.Response:
        player = request.match_info.get("player")
        if player is not None:
            await self._found(player)
        text = await self._book.ask(lambda players: players.csv(player))
        name = f'attachment; filename="scharten-{player or "all"}.csv"'
        return text_answer(text, {"Content-Disposition": name}, "text/csv")

    async def _handicap(self, request: web.Request) -> web.Response:
        query = request.query
        try:
            options = json.loads(query.get("options", "{}"))
        except (ValueError, RecursionError):
            options = None
        if not isinstance(options, dict) or len(query.get("options", "")) > MOST_OPTIONS:
            raise RefusedError(400, Problem("malformed", "options is a small JSON object."))
        pair, game = (query.get("white", ""), query.get("black", "")), query.get("game", "")
        found = await self._book.ask(
            lambda players: players.handicap(pair, game, options, self.context.white_sits_at)
        )
        if isinstance(found, Problem):
            raise RefusedError(400, found)
        return json_answer({"v": 1, **found})

    # --- requests of pages ---

    async def _on_request(self, page: Page, request: Payload) -> None:
        """Save, delete or seat a player, and answer the page."""
        try:
            result = await self._result(page, request)
        except RefusedError as refused:
            result = refused.problem()
        if isinstance(result, Problem) or result is None:
            page.send_answer(request.get("id"), result)
        else:
            page.send_answer(request.get("id"), player=result)

    async def _result(self, page: Page, request: Payload) -> dict[str, Any] | Problem | None:
        """Return the saved player, None when there is nothing to return, or why it cannot be done."""
        kind, player = request.get("type"), request.get("player")
        if self._players is None or page.role not in EDITORS:
            return Problem("not_allowed", "this page keeps no players")
        if player is not None and not isinstance(player, str):
            return Problem("malformed", "player is an id")
        if kind == "keep":
            saved = await self._book.ask(lambda players: players.save(request.get("profile"), player))
            return saved if isinstance(saved, Problem) else saved.as_json()
        if kind == "delete":
            return await self._delete(page, player or "")
        if kind == "sit":
            return await self._sit(page, request.get("seat"), player)
        return Problem("malformed", "players are kept, deleted or seated")

    async def _delete(self, page: Page, player: str) -> Problem | None:
        if page.role not in DELETERS:
            return Problem("not_allowed", "a seat deletes nobody")
        if not await self._book.ask(lambda players: players.delete(player)):
            return Problem("no_such_player", "there is no such player")
        for seat, seated in self._seated.items():
            if seated == player:
                self._take_seat(seat, None)
        return None

    async def _sit(self, page: Page, seat: object, player: str | None) -> Problem | None:
        if seat not in SEATS or page.role not in (seat, *DELETERS):
            return Problem("not_allowed", "one sits down at one's own seat")
        known = [row["id"] for row in await self._names_now()]
        if player is not None and player not in known:
            return Problem("no_such_player", "there is no such player")
        self._take_seat(str(seat), player)
        return None

    def _take_seat(self, seat: str, player: str | None) -> None:
        """Seat a player, who leaves another seat, or free the seat."""
        for other, seated in self._seated.items():
            if player is not None and seated == player:
                self._seated[other] = None
        self._seated[seat] = player
        self.bus.broadcast("seated", self._seats(), newest=True)

    def _seats(self) -> Payload:
        return {"v": 1, **self._seated}


async def _page_of_player(request: web.Request) -> web.Response:
    """Redirect the short address of a player's page; relative, so that it works below a proxy's path too."""
    query = {**request.query, "player": request.match_info["player"]}
    raise web.HTTPFound(f"../players?{urlencode(query)}")


feature = PlayersFeature
