"""The players over HTTP and the WebSocket: figures for whoever may look, the register for those who may command."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection
from typing import Any, Protocol
from urllib.parse import urlencode

from aiohttp import web

from scharten.display import links
from scharten.display.answers import json_answer, text_answer
from scharten.display.page import Page
from scharten.errors import Problem, SchartenError

SEATS = ("seat1", "seat2")
KEEPERS = ("table", "arbiter", *SEATS)
DELETERS = ("table", "arbiter")
MOST_OPTIONS = 2000


class KeptPlayer(Protocol):
    """Somebody in the register."""

    def told(self) -> dict[str, object]:
        """The player as JSON."""
        ...


class PlayerSource(Protocol):
    """Who knows the players (`players.book.PlayerBook`); it may take its time."""

    def overview(self) -> list[dict[str, Any]]:
        """Everybody, with games, darts and scatter."""
        ...

    def all(self) -> dict[str, Any]:
        """The figures of all darts."""
        ...

    def player(self, player: str) -> dict[str, Any] | None:
        """The figures of one."""
        ...

    def csv(self, player: str | None = None) -> str:
        """Every dart."""
        ...

    def keep(self, profile: object, player: str | None = None) -> KeptPlayer | Problem:
        """Keep somebody new, or change who is there."""
        ...

    def delete(self, player: str) -> bool:
        """Forget somebody."""
        ...

    def handicap(
        self, players: tuple[str, str], game: str, options: dict[str, Any], white_sits_at: int
    ) -> dict[str, Any] | Problem:
        """The foul limits that even out two players."""
        ...


class PlayerRoutes:
    """Answers from the register, one question at a time and beside the loop; without one there are no such pages."""

    def __init__(
        self,
        players: PlayerSource | None,
        pages: Collection[Page],
        white_sits_at: int,
        url: Callable[[], str],
    ) -> None:
        self._players, self._pages, self._white_sits_at, self._url = players, pages, white_sits_at, url
        self._one = asyncio.Semaphore(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._seated: dict[str, str | None] = dict.fromkeys(SEATS)

    @property
    def there(self) -> bool:
        """Whether this server has a register."""
        return self._players is not None

    @property
    def seated(self) -> dict[str, object]:
        """Who sat down at which seat for the next game."""
        return {"v": 1, **self._seated}

    def routes(self) -> list[web.RouteDef]:
        """What the server adds to its own."""
        if self._players is None:
            return []
        one = "/player/{player:[a-z0-9]{1,16}}"
        return [
            web.get("/players.json", self._list),
            web.get("/players/all.json", self._all),
            web.get("/players/all.csv", self._csv),
            web.get("/players/handicap.json", self._handicap),
            web.get(f"{one}.json", self._one_player),
            web.get(f"{one}.csv", self._csv),
            web.get(f"{one}.svg", self._card),
            web.get(one, _shown),
        ]

    async def _asked(self, ask: Callable[[PlayerSource], Any]) -> Any:
        assert self._players is not None
        try:
            async with self._one:
                return await asyncio.get_running_loop().run_in_executor(None, ask, self._players)
        except SchartenError as error:
            raise web.HTTPServiceUnavailable(text=f"{error}\n") from error

    async def _list(self, _request: web.Request) -> web.Response:
        return json_answer({"v": 1, "players": await self._asked(lambda players: players.overview())})

    async def _all(self, _request: web.Request) -> web.Response:
        return json_answer({"v": 1, **await self._asked(lambda players: players.all())})

    async def _one_player(self, request: web.Request) -> web.Response:
        found = await self._asked(lambda players: players.player(request.match_info["player"]))
        if found is None:
            raise web.HTTPNotFound(text="There is no such player.\n")
        return json_answer({"v": 1, **found})

    async def _card(self, request: web.Request) -> web.Response:
        """The code on a player's own card: whoever scans it at a board sits down as that player."""
        player = request.match_info["player"]
        if await self._asked(lambda players: players.player(player)) is None:
            raise web.HTTPNotFound(text="There is no such player.\n")
        return web.Response(text=links.code(f"{self._url()}/?card={player}"), content_type="image/svg+xml")

    async def _csv(self, request: web.Request) -> web.Response:
        player = request.match_info.get("player")
        if player is not None and await self._asked(lambda players: players.player(player)) is None:
            raise web.HTTPNotFound(text="There is no such player.\n")
        text = await self._asked(lambda players: players.csv(player))
        name = f'attachment; filename="scharten-{player or "all"}.csv"'
        return text_answer(str(text), {"Content-Disposition": name}, "text/csv")

    async def _handicap(self, request: web.Request) -> web.Response:
        asked, sits = request.query, self._white_sits_at
        try:
            options = json.loads(asked.get("options", "{}"))
        except (ValueError, RecursionError):
            options = None
        if not isinstance(options, dict) or len(asked.get("options", "")) > MOST_OPTIONS:
            raise web.HTTPBadRequest(text="options is a small JSON object.\n")
        pair = (asked.get("white", ""), asked.get("black", ""))
        found = await self._asked(
            lambda players: players.handicap(pair, asked.get("game", ""), options, sits)
        )
        if isinstance(found, Problem):
            raise web.HTTPBadRequest(text=f"{found}\n")
        return json_answer({"v": 1, **found})

    # --- from the pages ---

    def hear(self, page: Page, wish: dict[str, Any]) -> None:
        """A page wishes to keep, change or delete somebody, or to sit down; answered when it is done."""
        task = asyncio.create_task(self._do(page, wish))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _do(self, page: Page, wish: dict[str, Any]) -> None:
        kind, player = wish.get("type"), wish.get("player")
        try:
            if self._players is None or page.role not in KEEPERS:
                told: object = Problem("not_allowed", "this page keeps no players")
            elif player is not None and not isinstance(player, str):
                told = Problem("malformed", "player is an id")
            elif kind == "keep":
                told = await self._asked(lambda players: players.keep(wish.get("profile"), player))
            elif kind == "delete":
                told = await self._delete(page, player or "")
            elif kind == "sit":
                told = await self._sit(page, wish.get("seat"), player)
            else:
                told = Problem("malformed", "players are kept, deleted or seated")
        except web.HTTPServiceUnavailable as error:
            told = Problem("not_stored", str(error.text))
        answer: dict[str, object] = {"v": 1, "id": wish.get("id"), "accepted": not isinstance(told, Problem)}
        if isinstance(told, Problem):
            answer |= {"code": told.code, "words": str(told)}
        elif told is not None:
            answer["player"] = told.told()  # type: ignore[attr-defined]
        page.send_value("answer", answer)

    async def _delete(self, page: Page, player: str) -> Problem | None:
        if page.role not in DELETERS:
            return Problem("not_allowed", "a seat deletes nobody")
        if not await self._asked(lambda players: players.delete(player)):
            return Problem("no_such_player", "there is no such player")
        for seat, there in self._seated.items():
            if there == player:
                self._take_seat(seat, None)
        return None

    async def _sit(self, page: Page, seat: object, player: str | None) -> Problem | None:
        if seat not in SEATS or page.role not in (seat, *DELETERS):
            return Problem("not_allowed", "one sits down at one's own seat")
        known = [one["id"] for one in await self._asked(lambda players: players.overview())]
        if player is not None and player not in known:
            return Problem("no_such_player", "there is no such player")
        self._take_seat(str(seat), player)
        return None

    def _take_seat(self, seat: str, player: str | None) -> None:
        if player is not None:
            self._seated = {one: None if there == player else there for one, there in self._seated.items()}
        self._seated[seat] = player
        for page in self._pages:
            page.send_value("seated", self.seated)


async def _shown(request: web.Request) -> web.Response:
    """The short address of a player's page; relative, so that it holds beneath a proxy's path too."""
    asked = {**request.query, "player": request.match_info["player"]}
    raise web.HTTPFound(f"../players?{urlencode(asked)}")
