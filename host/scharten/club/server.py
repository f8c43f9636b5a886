"""The club's pages: `/evening` for who runs it, `/join` for members' phones, `/club` for the TV; files to take home."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import segno
from aiohttp import WSMsgType, web
from pydantic import ValidationError

from scharten import __version__
from scharten.club.register import Register
from scharten.club.service import ClubService
from scharten.club.store import ClubStore
from scharten.club.view import against, evening
from scharten.contract.topics import Topics
from scharten.display.access import AccessControl
from scharten.display.club import ClubView
from scharten.display.page import Page, PageMessage
from scharten.display.web_server import Serving, WebServer, json_object
from scharten.errors import Problem
from scharten.game.basics import MutableJson
from scharten.mqtt.address import BrokerAddress
from scharten.tournament import export
from scharten.tournament.entries import ENTRIES, EnterMember, RemoveMember

ORGANISER, MEMBER = "organiser", "member"
BY_HAND = frozenset(
    (
        *("season", "evening", "close_evening", "presence", "call", "result", "start_round", "next_start"),
        *("member", "remove_member"),
    )
)
"""Entries that the organiser's page may send as they are."""
TOLD_EVERY_S = 0.2


class ClubServer:
    """Serves one club's evening; `at` is its broker there, `secrets` are those of organiser and member."""

    def __init__(
        self,
        store: ClubStore,
        register: Register,
        at: tuple[BrokerAddress, Topics],
        serving: Serving,
        secrets: Mapping[str, str],
    ) -> None:
        self._limits, self._secrets, self._register = serving.limits, secrets, register
        access = AccessControl(secrets, (), (), serving.limits)
        self._web = WebServer(serving, access, self._serve, lambda code: None)
        self.service = ClubService(store, *at, self._changed, players=register)
        self._boards = ClubView(*at)
        self._pages: set[Page] = set()
        self._news = asyncio.Event()
        self._teller: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """The address of the pages; known once started."""
        return self._web.url

    def link(self, role: str) -> str:
        """The address that a role opens."""
        path = {ORGANISER: "evening", MEMBER: "join"}[role]
        return f"{self.url}/{path}?role={role}#{self._secrets[role]}"

    async def start(self) -> None:
        """Listen, take in the register's players, connect."""
        await self._web.start(
            [
                web.get("/evening.json", self._evening),
                web.get(
                    "/evening/{name:(table|results|evening).csv|season.trf|season.json|against.json}",
                    self._file,
                ),
            ]
        )
        for entry in self._register.members():
            known = self.service.club.members.get(entry.key)  # type: ignore[call-overload]
            if known is None or known.name != entry.name:
                self.service.store.take(entry, 0)
        self.service.start()
        self._teller = asyncio.get_running_loop().create_task(self._tell())

    async def stop(self) -> None:
        """Say goodbye to the pages, leave the broker, close the journal."""
        if self._teller is not None:
            self._teller.cancel()
        await self.service.stop()
        await self._boards.stop()
        for page in (*self._pages, *self._boards.pages):
            await page.socket.close(code=1001, message=b"going away")
        await self._web.stop()

    # --- to the pages ---

    def _changed(self) -> None:
        self._news.set()

    async def _tell(self) -> None:
        """What changed goes out at most five times a second: a draw gives many changes at once."""
        while True:
            await self._news.wait()
            self._news.clear()
            message = PageMessage.of("evening", self._view())
            for page in (*self._pages, *self._boards.pages):
                page.tell(message)
            await asyncio.sleep(TOLD_EVERY_S)

    def _view(self) -> MutableJson:
        service = self.service
        told = evening(service.club, service.boards, service.changes)
        return {**told, "broker": service.bridge.connected, "full": service.bridge.refusal}

    async def _serve(self, socket: web.WebSocketResponse, hello: MutableJson) -> None:
        page = Page(socket, str(hello["role"]), self._limits)
        page.send_value(
            "welcome",
            {"v": 1, "role": page.role, "board": "", "version": __version__, "now_ms": self.service.now_ms()},
        )
        page.send_value("evening", self._view())
        if hello.get("club") is True:
            await self._boards.show(page)
            return
        if page.role == ORGANISER:
            page.send_value("links", self._links())
        self._pages.add(page)
        writer = asyncio.create_task(page.write())
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
                if not page.in_measure():
                    await self._web.refuse(socket, "too_many_messages")
                    break
                self._from_page(page, json_object(message.data) or {})
        finally:
            writer.cancel()
            self._pages.discard(page)

    def _links(self) -> MutableJson:
        address = self.link(MEMBER)
        code = segno.make(address, error="m", micro=False).svg_data_uri(border=2, omitsize=True)
        return {"v": 1, "join": {"url": address, "qr": code}, "club": f"{self.url}/club"}

    # --- from the pages ---

    def _from_page(self, page: Page, message: MutableJson) -> None:
        payload = message.get("payload")
        told: MutableJson = payload if isinstance(payload, dict) else {}
        problem = self._ordered(page.role, told)
        answer: MutableJson = {"v": 1, "id": told.get("id"), "accepted": problem is None, "code": None}
        if problem is not None:
            answer |= {"code": problem.code, "args": dict(problem.args), "words": str(problem)}
        page.send_value("answer", answer)

    def _ordered(self, role: str, told: MutableJson) -> Problem | None:
        """Do what a page asks; the reason if not."""
        fields = {name: value for name, value in told.items() if name not in ("v", "id")}
        kind = fields.get("type")
        if role != ORGANISER and not (role == MEMBER and kind == "presence"):
            return Problem("not_allowed", "this page only looks")
        if kind in ("pair", "pair_again"):
            return self.service.pair() if kind == "pair" else self.service.pair_again()
        if kind not in BY_HAND or fields.get("match") is not None:
            return Problem("malformed", "there is no such entry")
        if kind == "member" and not fields.get("key"):
            fields["key"] = "new"
        try:
            entry = ENTRIES.validate_json(json.dumps(fields))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"][1:])
            return Problem("malformed", f"{place}: {first['msg']}"[:300])
        return self._enter(entry)

    def _enter(self, entry: Any) -> Problem | None:
        """Members are the register's players: it is told first."""
        if isinstance(entry, EnterMember):
            kept = self._register.keep(entry)
            return kept if isinstance(kept, Problem) else self.service.enter(kept)
        problem = self.service.enter(entry)
        if problem is None and isinstance(entry, RemoveMember):
            self._register.delete(entry.key)
        return problem

    # --- files ---

    async def _evening(self, _request: web.Request) -> web.Response:
        return _json(self._view())

    async def _file(self, request: web.Request) -> web.Response:
        club, name = self.service.club, request.match_info["name"]
        season = club.season
        if season is None:
            raise web.HTTPNotFound(text="No season has begun.\n")
        if name == "against.json":
            return _json(against(club, season))
        last = max(0, len(season.evenings) - 1)
        make: dict[str, Callable[[], str]] = {
            "table.csv": lambda: export.table_csv(club, season),
            "evening.csv": lambda: export.table_csv(club, season, last),
            "results.csv": lambda: export.results_csv(club, season),
            "season.trf": lambda: export.trf(club, season),
            "season.json": lambda: export.season_json(club, season),
        }
        kind = {"csv": "text/csv", "json": "application/json"}.get(name.rpartition(".")[2], "text/plain")
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return web.Response(text=make[name](), content_type=kind, charset="utf-8", headers=headers)


def _json(body: MutableJson) -> web.Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return web.json_response(text=text, headers={"Cache-Control": "no-store"})
