"""Addresses beside the pages: `/healthz` for all; figures, the cameras' pictures and diagnostics for the arbiter."""

from __future__ import annotations

import asyncio
import json
import platform
import sys
from collections.abc import Iterable

from aiohttp import web

from scharten import __version__
from scharten.display.answers import NO_STORE, RefusedError, file_answer, text_answer
from scharten.display.context import Context
from scharten.display.feature import Feature, Payload
from scharten.display.metrics import Metrics, list_in
from scharten.display.redaction import redacted
from scharten.errors import Problem

PNG = b"\x89PNG"
ONLINE = '"online"'


class StatusFeature(Feature):
    """Answers machines, such as a monitor, and the arbiter."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._secrets = frozenset(secret for secret in context.roles.secrets.values() if secret)
        self._pictures, self._settings = context.daemon.pictures, context.daemon.settings

    def routes(self) -> Iterable[web.RouteDef]:
        return (
            web.get("/healthz", self._healthz),
            web.get("/metrics", self._figures),
            web.get("/status/pictures", self._picture_names),
            web.get("/status/picture/{name}", self._picture),
            web.get("/status/diagnostics", self._download),
        )

    def _reasons(self) -> list[str]:
        """Return why play is not possible; empty when it is."""
        link, last, health = self.bus.link, self.bus.last, self._health()
        if not link.connected:
            return [f"broker: {link.refusal or 'not connected'}"]
        found = []
        if last.get("availability") != ONLINE:
            found.append("host: offline")
        elif "state" not in last:
            found.append("host: no state yet")
        if health.get("playable") is False:
            found.append(f"host: {health.get('reason') or 'play is not possible'}")
        return found

    def _troubles(self) -> list[str]:
        """Return faults with which play is possible: without its board a game continues by hand (`add_dart`)."""
        health = self._health()
        sources = [source for source in list_in(health, "sources") if isinstance(source, dict)]
        found = [
            f"{source.get('name')}: {source.get('detail') or source.get('state')}"
            for source in sources
            if source.get("state") != "found"
        ]
        stuck = [str(contact.get("bed")) for contact in list_in(health, "stuck") if isinstance(contact, dict)]
        found += [f"stuck: {', '.join(stuck)}"] if stuck else []
        return [*found, *map(str, list_in(health, "warnings"))]

    def _health(self) -> Payload:
        health = json.loads(self.bus.last.get("health", "{}"))
        return health if isinstance(health, dict) else {}

    async def _healthz(self, _request: web.Request) -> web.Response:
        """200 when play is possible, with the troubles; else 503 and the reasons. It holds no secret."""
        reasons = self._reasons()
        body = {"ok": not reasons, "reasons": reasons, "troubles": self._troubles(), "version": __version__}
        return web.json_response(body, status=503 if reasons else 200, headers=NO_STORE)

    async def _figures(self, request: web.Request) -> web.Response:
        """Prometheus figures, for the arbiter: `Authorization: Bearer <the arbiter's secret>`."""
        self.bus.admit(request)
        metrics, link = self.bus.metrics, self.bus.link
        metrics.broker.set(link.connected)
        metrics.dropped.set(link.dropped)
        metrics.host(self.bus.last.get("availability") == ONLINE, self._health())
        return web.Response(body=metrics.text(), headers={"Content-Type": Metrics.CONTENT_TYPE})

    async def _picture_names(self, request: web.Request) -> web.Response:
        self.bus.admit(request)
        return web.json_response({"names": sorted(await asyncio.to_thread(self._pictures))}, headers=NO_STORE)

    async def _picture(self, request: web.Request) -> web.Response:
        self.bus.admit(request)
        picture = (await asyncio.to_thread(self._pictures)).get(request.match_info["name"])
        if picture is None:
            raise RefusedError(404, Problem("no_such_picture", "There is no such picture."))
        return file_answer(picture, "image/png" if picture.startswith(PNG) else "image/jpeg")

    async def _download(self, request: web.Request) -> web.Response:
        self.bus.admit(request)
        text = json.dumps(redacted(self._report(), self._secrets), ensure_ascii=False, indent=2, default=str)
        name = {"Content-Disposition": 'attachment; filename="scharten-diagnostics.json"'}
        return text_answer(text, name, "application/json")

    def _report(self) -> Payload:
        link = self.bus.link
        topics = {name: json.loads(text) for name, text in self.bus.last.items()}
        return {
            "versions": {"scharten": __version__, "python": sys.version, "system": platform.platform()},
            "display": {
                "broker_connected": link.connected,
                "broker_refusal": link.refusal,
                "dropped": link.dropped,
            },
            **{name: topics.get(name) for name in ("availability", "health", "state", "sheet")},
            **self._settings(),
        }


feature = StatusFeature
