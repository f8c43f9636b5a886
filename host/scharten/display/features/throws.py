"""Throws that the cameras saw: the analysis of a throw and its pictures, which every page can show again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import web

from scharten.contract.roles import writes
from scharten.dartboard.beds import parse_bed
from scharten.display.answers import RefusedError, SlowSource, file_answer, json_answer
from scharten.display.context import Context, ThrowPictures
from scharten.display.feature import Bus, Feature, Handler, Payload, Welcome
from scharten.display.page import Page
from scharten.errors import Problem

T = TypeVar("T")
_MISSING = Problem("no_such_throw", "The pictures of that throw are not saved.")
_LICENCE = "CC0-1.0"
_THROW = r"/throw/{at_ms:\d{1,15}}"


@dataclass(frozen=True)
class _Throws:
    """The throws of several sources; the first that has a throw answers."""

    sources: Sequence[ThrowPictures]

    def list(self, match: str) -> list[dict[str, Any]]:
        found = {throw["at_ms"]: throw for source in reversed(self.sources) for throw in source.list(match)}
        return [found[at_ms] for at_ms in sorted(found, reverse=True)]

    def first(self, question: Callable[[ThrowPictures], T | None]) -> T | None:
        return next((answer for source in self.sources if (answer := question(source)) is not None), None)


class ThrowsFeature(Feature):
    """Serves the pictures of throws; only the arbiter may download a throw as a file."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        own, remote = context.daemon.throws, context.daemon.remote
        # First those of games between two boards: the own cameras know nothing of such a game.
        sources = (remote.throws if remote is not None else None, own)
        self._has_cameras = own is not None
        self._throws = SlowSource(_Throws([source for source in sources if source])) if any(sources) else None
        # By the cameras' time: the newest dart, and the newest dart that was asked about.
        self._last: Payload | None = None
        self._asked: Payload | None = None
        self._match: object = None
        self._shown_ms: int | None = None  # the throw that pages show again

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        bus.subscribe("hits", self._on_hit)
        bus.subscribe("state", self._on_state)

    def welcome(self, role: str) -> Welcome:
        shown = None if self._shown_ms is None else {"v": 1, "at_ms": self._shown_ms}
        fields = {"throws": self._has_cameras, "throw": self._last, "asked": self._asked}
        return Welcome(fields, {"look": shown})

    def topics(self) -> Mapping[str, Handler]:
        return {"look": self._look}

    def _on_state(self, state: Payload) -> None:
        """Throws of an earlier game are no longer shown."""
        if state.get("match") != self._match:
            self._match, self._shown_ms = state.get("match"), None

    def _on_hit(self, hit: Payload) -> None:
        """Every new dart ends the look at an earlier one."""
        self._shown_ms = None
        seen_ms = hit.get("seen_ms") or (hit.get("at_ms") if hit.get("source") == "camera" else None)
        throw = {"at_ms": seen_ms, "match": hit.get("match")}
        if seen_ms is not None:
            self._last = throw
        if hit.get("why") == "in_doubt":
            self._asked = throw

    def _look(self, page: Page, payload: Payload) -> str | None:
        """Show a throw again on every page of this board, or with `at_ms` null stop showing it."""
        at_ms = payload.get("at_ms")
        if self._throws is None or not writes(page.role, f"command/{page.role}"):
            return "not_allowed"
        if at_ms is not None and (isinstance(at_ms, bool) or not isinstance(at_ms, int)):
            return "malformed"
        self._shown_ms = at_ms
        self.bus.broadcast("look", {"v": 1, "at_ms": at_ms})
        return None

    def routes(self) -> Iterable[web.RouteDef]:
        if self._throws is None:
            return ()
        return (
            web.get("/throws/{match:[0-9A-Za-z-]{1,64}}.json", self._list),
            web.get(f"{_THROW}.json", self._about),
            web.get(_THROW + r"/{camera:\d}.jpg", self._picture),
            web.get(f"{_THROW}.zip", self._packed),
            web.get(f"{_THROW}/gift.zip", self._gift),
        )

    async def _list(self, request: web.Request) -> web.Response:
        assert self._throws is not None
        match = request.match_info["match"]
        return json_answer({"v": 1, "throws": await self._throws.ask(lambda throws: throws.list(match))})

    async def _find(self, question: Callable[[ThrowPictures], T | None]) -> T:
        assert self._throws is not None
        return await self._throws.find(lambda throws: throws.first(question), _MISSING)

    async def _about(self, request: web.Request) -> web.Response:
        at_ms = int(request.match_info["at_ms"])
        return json_answer({"v": 1, "throw": await self._find(lambda source: source.about(at_ms))})

    async def _picture(self, request: web.Request) -> web.Response:
        at_ms, camera = int(request.match_info["at_ms"]), int(request.match_info["camera"])
        found = await self._find(lambda source: source.picture(at_ms, camera))
        return file_answer(found, "image/jpeg")

    async def _packed(self, request: web.Request) -> web.Response:
        self.bus.admit(request)
        at_ms = int(request.match_info["at_ms"])
        found = await self._find(lambda source: source.packed(at_ms))
        return file_answer(found, "application/zip", f"throw-{at_ms}.zip")

    async def _gift(self, request: web.Request) -> web.Response:
        """Answer with the throw as a gift, where its licence was accepted; nothing is sent anywhere else."""
        self.bus.admit(request)
        at_ms, bed = int(request.match_info["at_ms"]), parse_bed(request.query.get("bed", ""))
        if bed is None or request.query.get("licence") != _LICENCE:
            raise RefusedError(400, Problem("malformed", f"A gift needs bed=T20 and licence={_LICENCE}."))
        found = await self._find(lambda source: source.gift(at_ms, bed))
        return file_answer(found, "application/zip", "scharten-gift.zip")


feature = ThrowsFeature
