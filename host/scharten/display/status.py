"""Addresses beside the pages: `/healthz` for all; figures, the cameras' pictures and diagnostics for the arbiter."""

from __future__ import annotations

import asyncio
import json
import platform
import re
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from aiohttp import web

from scharten import __version__
from scharten.display.access import AccessControl
from scharten.display.board_topics import BoardTopics
from scharten.display.camera_pictures import NamedPictures
from scharten.display.metrics import Metrics

Diagnostics = Callable[[], Mapping[str, object]]
HIDDEN = "(hidden)"
SECRETIVE = ("secret", "password", "token", "credential")
USERINFO = re.compile(r"//[^/@\s]+@")
PNG = b"\x89PNG"


class StatusRoutes:
    """What machines and the arbiter ask a display server; `last` holds the newest retained payloads as JSON text.

    `pictures` gives each camera's last pictures by name (`camera 1`, `camera 1 overlay`) as JPEG or PNG; it is
    called beside the loop. `more` is what the daemon adds to the diagnostics, such as its configuration.
    """

    def __init__(
        self,
        bridge: BoardTopics,
        access: AccessControl,
        metrics: Metrics,
        last: Mapping[str, str],
        secrets: Collection[str],
        *,
        pictures: NamedPictures = dict,
        diagnostics: Diagnostics = dict,
    ) -> None:
        self._bridge, self._access, self._metrics, self._last = bridge, access, metrics, last
        self._secrets = frozenset(secrets)
        self._pictures, self._more = pictures, diagnostics

    def routes(self) -> list[web.RouteDef]:
        """What the server adds to its own."""
        return [
            web.get("/healthz", self._healthz),
            web.get("/metrics", self._figures),
            web.get("/status/pictures", self._picture_names),
            web.get("/status/picture/{name}", self._picture),
            web.get("/status/diagnostics", self._download),
        ]

    def reasons(self) -> list[str]:
        """Why play is not possible; empty when it is."""
        if not self._bridge.connected:
            return [f"broker: {self._bridge.refusal or 'not connected'}"]
        found = []
        if self._last.get("availability") != '"online"':
            found.append("host: offline")
        elif "state" not in self._last:
            found.append("host: no state yet")
        health = self._health()
        if health.get("playable") is False:
            found.append(f"host: {health.get('reason') or 'play is not possible'}")
        return found

    def troubles(self) -> list[str]:
        """What is wrong although play is possible: without its board a game goes on by hand (`add_dart`)."""
        health = self._health()
        sources = [one for one in _list(health, "sources") if isinstance(one, dict)]
        found = [
            f"{one.get('name')}: {one.get('detail') or one.get('state')}"
            for one in sources
            if one.get("state") != "found"
        ]
        stuck = [str(one.get("bed")) for one in _list(health, "stuck") if isinstance(one, dict)]
        found += [f"stuck: {', '.join(stuck)}"] if stuck else []
        return [*found, *(str(one) for one in _list(health, "warnings"))]

    def _health(self) -> dict[str, Any]:
        told = json.loads(self._last.get("health", "{}"))
        return told if isinstance(told, dict) else {}

    async def _healthz(self, request: web.Request) -> web.Response:
        """200 when play is possible, and what is wrong all the same; else 503 and the reasons. Nothing secret in it."""
        reasons = self.reasons()
        body = {"ok": not reasons, "reasons": reasons, "troubles": self.troubles(), "version": __version__}
        return web.json_response(body, status=503 if reasons else 200, headers={"Cache-Control": "no-store"})

    async def _figures(self, request: web.Request) -> web.Response:
        """Prometheus figures, for the arbiter: `Authorization: Bearer <the arbiter's secret>`."""
        self.admit(request)
        self._metrics.broker.set(self._bridge.connected)
        self._metrics.dropped.set(self._bridge.dropped)
        self._metrics.host(self._last.get("availability") == '"online"', self._health())
        return web.Response(body=self._metrics.text(), headers={"Content-Type": Metrics.CONTENT_TYPE})

    def admit(self, request: web.Request) -> None:
        """Refuse who does not send the arbiter's secret."""
        secret = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._access.refusal("arbiter", secret, request.remote or "?", request.secure) is not None:
            raise web.HTTPUnauthorized(
                text="This is for the arbiter: send Authorization: Bearer <the arbiter's secret>.\n",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def _picture_names(self, request: web.Request) -> web.Response:
        self.admit(request)
        names = sorted(await asyncio.to_thread(self._pictures))
        return web.json_response({"names": names}, headers={"Cache-Control": "no-store"})

    async def _picture(self, request: web.Request) -> web.Response:
        self.admit(request)
        picture = (await asyncio.to_thread(self._pictures)).get(request.match_info["name"])
        if picture is None:
            raise web.HTTPNotFound(text="There is no such picture.\n")
        mime = "image/png" if picture.startswith(PNG) else "image/jpeg"
        return web.Response(body=picture, content_type=mime, headers={"Cache-Control": "no-store"})

    async def _download(self, request: web.Request) -> web.Response:
        self.admit(request)
        text = json.dumps(redacted(self._report(), self._secrets), ensure_ascii=False, indent=2, default=str)
        return web.Response(
            text=text,
            content_type="application/json",
            headers={
                "Content-Disposition": 'attachment; filename="scharten-diagnostics.json"',
                "Cache-Control": "no-store",
            },
        )

    def _report(self) -> dict[str, Any]:
        topics = {name: json.loads(text) for name, text in self._last.items()}
        return {
            "versions": {"scharten": __version__, "python": sys.version, "system": platform.platform()},
            "display": {
                "broker_connected": self._bridge.connected,
                "broker_refusal": self._bridge.refusal,
                "dropped": self._bridge.dropped,
            },
            **{name: topics.get(name) for name in ("availability", "health", "state", "sheet")},
            **self._more(),
        }


def redacted(value: Any, secrets: Collection[str], name: str = "") -> Any:
    """A copy without what is named like a secret, without these secrets in any text, without accounts in URLs."""
    if value and any(word in name.lower() for word in SECRETIVE) and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, Mapping):
        return {str(key): redacted(each, secrets, str(key)) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(each, secrets, name) for each in value]
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN) if secret else value
        return USERINFO.sub(f"//{HIDDEN}@", value)
    return value


def _list(health: Mapping[str, Any], name: str) -> list[Any]:
    part = health.get(name)
    return part if isinstance(part, list) else []
