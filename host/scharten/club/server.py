"""The club's pages: `/evening` (organiser), `/join` (members' phones), `/club` (TV), and files to download."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from scharten import __version__
from scharten.club.links import MEMBER, ORGANISER, club_link
from scharten.club.match.entries import MATCH_ENTRIES, MATCH_TYPES
from scharten.club.match.view import match_invitation, match_view
from scharten.club.published import PublishedPage
from scharten.club.register import NEW, save_member
from scharten.club.service import ClubService
from scharten.club.skills import NO_SKILLS, MemberSkills, Skills
from scharten.club.store import ClubStore
from scharten.club.view import against, evening
from scharten.contract.topics import Topics
from scharten.display.access import AccessControl, Limits
from scharten.display.answers import RefusedError, json_answer
from scharten.display.club_view import ClubView
from scharten.display.context import Roles
from scharten.display.page import Page, PageMessage
from scharten.display.qr import qr_data_uri
from scharten.display.web_server import Serving, WebServer
from scharten.errors import Problem
from scharten.game.basics import MutableJson
from scharten.mqtt.address import BrokerAddress
from scharten.players.book import PlayerBook
from scharten.tournament import export
from scharten.tournament.entries import (
    ENTRIES,
    CloseEvening,
    EnterMember,
    FixPair,
    RemoveMember,
    WithdrawRound,
)
from scharten.tournament.model import MemberKey
from scharten.tournament.trf import trf

BY_HAND = frozenset(
    (
        *("season", "evening", "close_evening", "presence", "call", "result", "start_round", "next_start"),
        *("member", "remove_member", "withdraw_round", "release", "start_list", "bye", "forbid", "fix"),
    )
)
"""Entries that the organiser's page may send as they are."""
BY_MEMBERS = frozenset(("presence", "bye"))
"""Entries that members' phones may send."""
E = TypeVar("E")
SEND_EVERY_S = 0.2
LIMITS = Limits(pages=384, pages_per_role=128)
"""The phones of a whole club share one member's link."""


class ClubServer:
    """Serve one club's evening; `at` is its broker and topics, `secrets` are those of organiser and member.

    The roles `tls_only` are refused to other machines without TLS. `published` follows every change. With `skills` the
    table shows members' hand and head.
    """

    def __init__(
        self,
        store: ClubStore,
        book: PlayerBook,
        at: tuple[BrokerAddress, Topics],
        serving: Serving,
        secrets: Mapping[str, str],
        tls_only: Collection[str] = (),
        published: PublishedPage | None = None,
        skills: MemberSkills | None = None,
    ) -> None:
        self._limits, self._secrets, self._book = serving.limits, secrets, book
        access = AccessControl(Roles(secrets, tls_only=tls_only), serving.limits)
        self._web = WebServer(serving, access, self._serve, lambda code: None)
        keep = skills.collected.keep if skills is not None else lambda record: None
        self.service = ClubService(store, *at, self._changed, players=book, keep_game=keep)
        self._boards = ClubView(*at)
        self._pages: set[Page] = set()
        self._news, self._published = asyncio.Event(), published
        self._skills = skills
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def url(self) -> str:
        """The address of the pages; known once started."""
        return self._web.url

    @property
    def port(self) -> int:
        """The port of the pages; known once started."""
        return self._web.port

    def link(self, role: str) -> str:
        """The address that a role opens."""
        return club_link(self.url, role, self._secrets)

    async def start(self) -> None:
        """Listen and connect."""
        await self._web.start(
            [
                web.get("/evening.json", self._evening),
                web.get(
                    "/evening/{name:(table|results|evening|start).csv|season.trf|season.json|against.json}",
                    self._file,
                ),
            ]
        )
        self.service.start()
        self._news.set()  # the published page is as old as the last run of the service
        self._tasks = [asyncio.create_task(self._send_news())]
        if self._skills is not None:
            self._tasks.append(asyncio.create_task(self._skills.follow(self._revision, self._changed)))

    async def stop(self) -> None:
        """Say goodbye to the pages, leave the broker, close the journal."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.service.stop()
        await self._boards.stop()
        for page in (*self._pages, *self._boards.pages):
            await page.socket.close(code=1001, message=b"going away")
        await self._web.stop()

    # --- to the pages ---

    def _changed(self) -> None:
        self._news.set()

    async def _send_news(self) -> None:
        """Send changes at most five times a second: a draw gives many changes at once."""
        while True:
            await self._news.wait()
            self._news.clear()
            message = PageMessage.from_value("evening", self._view(), newest=True)
            for page in (*self._pages, *self._boards.pages):
                page.send(message)
            invitation = self._invitation()
            for page in self._pages:
                if page.role == ORGANISER:
                    page.send(invitation)
            if self._published is not None:
                await asyncio.to_thread(self._published.write, self.service.club, self._figures)
            await asyncio.sleep(SEND_EVERY_S)

    @property
    def _figures(self) -> Skills:
        return self._skills.figures if self._skills is not None else NO_SKILLS

    def _revision(self) -> tuple[int, int]:
        """Return a value that changes with the register, and with each result: games are read from the journals."""
        season = self.service.club.season
        results = sum(pairing.result is not None for _, pairing in season.pairings()) if season else 0
        return self._book.revision(), results

    def _view(self) -> MutableJson:
        service = self.service
        state = evening(service.club, service.boards, service.changes, self._figures)
        link = {"broker": service.bridge.connected, "full": service.bridge.refusal}
        return {**state, **link, "file": service.store.trouble, "match": match_view(service.match.match)}

    def _invitation(self) -> PageMessage:
        """Return what only the organiser may know of the match: the text that invites the visitors."""
        return PageMessage.from_value("match", match_invitation(self.service.match.match), newest=True)

    async def _serve(self, socket: web.WebSocketResponse, hello: MutableJson) -> None:
        page = Page(socket, str(hello["role"]), self._limits)
        page.send_value(
            "welcome",
            {"v": 1, "role": page.role, "board": "", "version": __version__, "now_ms": self.service.now_ms()},
            newest=True,
        )
        page.send_value("evening", self._view(), newest=True)
        if hello.get("club") is True:
            await self._boards.show(page)
            return
        if page.role == ORGANISER:
            page.send_value("links", self._links(), newest=True)
            page.send(self._invitation())
        self._pages.add(page)
        try:
            await self._web.converse(page, self._from_page)
        finally:
            self._pages.discard(page)

    def _links(self) -> MutableJson:
        address = self.link(MEMBER)
        return {"v": 1, "join": {"url": address, "qr": qr_data_uri(address)}, "club": f"{self.url}/club"}

    # --- from the pages ---

    def _from_page(self, page: Page, message: MutableJson) -> None:
        payload = message.get("payload")
        command: MutableJson = payload if isinstance(payload, dict) else {}
        page.send_answer(command.get("id"), self._carry_out(page.role, command))

    def _carry_out(self, role: str, command: MutableJson) -> Problem | None:
        """Carry out a page's command; return the reason if it is refused."""
        fields = {name: value for name, value in command.items() if name not in ("v", "id")}
        kind = fields.get("type")
        if role != ORGANISER and not (role == MEMBER and kind in BY_MEMBERS):
            return Problem("not_allowed", "this page only looks")
        if kind == "pair":
            return self._pair(fields)
        if kind == "pair_again":
            return self.service.pair_again()
        if kind in MATCH_TYPES:
            asked = _read(MATCH_ENTRIES, fields)
            return asked if isinstance(asked, Problem) else self.service.enter_match(asked)
        if kind not in BY_HAND or (kind == "result" and fields.get("match") is not None):
            return Problem("malformed", "there is no such entry")
        given = frozenset(fields)
        if kind == "member":
            fields = self._with_known(fields)
        entry = _read(ENTRIES, fields)
        return entry if isinstance(entry, Problem) else self._enter(entry, given)

    def _with_known(self, fields: MutableJson) -> MutableJson:
        """Return a member's fields, with what the page left out as it is."""
        known = self.service.club.members.get(MemberKey(str(fields.get("key"))))
        if known is None:
            return {**fields, "key": fields.get("key") or NEW}
        kept = {"name": known.name, "rating": known.rating, "foul_limit": known.foul_limit}
        return {**kept, "language": known.language, **fields}

    def _pair(self, fields: MutableJson) -> Problem | None:
        number, despite = fields.get("number"), fields.get("despite_games", False)
        if not isinstance(number, int) or not isinstance(despite, bool):
            return Problem(
                "malformed", "pair names the `number` of the round", cure="Send the next round's number."
            )
        return self.service.pair(number, despite_games=despite)

    def _enter(self, entry: Any, given: frozenset[str]) -> Problem | None:
        """Store an entry; members go to the register first, because it is the only place for names."""
        if isinstance(entry, EnterMember):
            saved = save_member(self._book, entry, given)
            return saved if isinstance(saved, Problem) else self.service.enter_member(saved)
        if isinstance(entry, FixPair):
            return self.service.fix_pair(entry)
        if isinstance(entry, CloseEvening):
            return self.service.close_evening(entry)
        if isinstance(entry, WithdrawRound):
            return self.service.withdraw_round(entry)
        problem = self.service.enter(entry)
        if problem is None and isinstance(entry, RemoveMember):
            self._book.delete(entry.key)
        return problem

    # --- files ---

    async def _evening(self, _request: web.Request) -> web.Response:
        return json_answer(self._view())

    async def _file(self, request: web.Request) -> web.Response:
        club, name = self.service.club, request.match_info["name"]
        season = club.season
        if season is None:
            raise RefusedError(404, Problem("no_season", "No season has begun."))
        if name == "against.json":
            return json_answer(against(club, season))
        last = max(0, len(season.evenings) - 1)
        make: dict[str, Callable[[], str]] = {
            "table.csv": lambda: export.table_csv(club, season),
            "evening.csv": lambda: export.table_csv(club, season, last),
            "start.csv": lambda: export.start_csv(club, season),
            "results.csv": lambda: export.results_csv(club, season),
            "season.trf": lambda: trf(club, season),
            "season.json": lambda: export.season_json(club, season),
        }
        kind = {"csv": "text/csv", "json": "application/json"}.get(name.rpartition(".")[2], "text/plain")
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return web.Response(text=make[name](), content_type=kind, charset="utf-8", headers=headers)


def _read(model: TypeAdapter[E], fields: MutableJson) -> E | Problem:
    """Read a page's entry; the refusal names the first wrong field."""
    try:
        return model.validate_json(json.dumps(fields))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        return Problem("malformed", f"{place}: {first['msg']}"[:300])
