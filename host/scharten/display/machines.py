"""What machines ask a display server: is play possible, and how much happens here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from scharten import __version__
from scharten.display.bridge import Bridge
from scharten.display.guard import Doorkeeper
from scharten.display.metrics import Metrics


class Machines:
    """`/healthz` for all, `/metrics` for the arbiter; `last` holds the newest retained payloads as JSON text."""

    def __init__(self, bridge: Bridge, door: Doorkeeper, metrics: Metrics, last: Mapping[str, str]) -> None:
        self._bridge, self._door, self._metrics, self._last = bridge, door, metrics, last

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

    async def healthz(self, request: web.Request) -> web.Response:
        """200 when play is possible, and what is wrong all the same; else 503 and the reasons. Nothing secret in it."""
        reasons = self.reasons()
        body = {"ok": not reasons, "reasons": reasons, "troubles": self.troubles(), "version": __version__}
        return web.json_response(body, status=503 if reasons else 200, headers={"Cache-Control": "no-store"})

    async def figures(self, request: web.Request) -> web.Response:
        """Prometheus figures, for the arbiter: `Authorization: Bearer <the arbiter's secret>`."""
        secret = request.headers.get("Authorization", "").removeprefix("Bearer ")
        code = self._door.refusal("arbiter", secret, request.remote or "?", request.secure)
        if code is not None:
            raise web.HTTPUnauthorized(
                text="The figures are for the arbiter: send Authorization: Bearer <the arbiter's secret>.\n",
                headers={"WWW-Authenticate": "Bearer"},
            )
        self._metrics.broker.set(self._bridge.connected)
        self._metrics.dropped.set(self._bridge.dropped)
        self._metrics.host(self._last.get("availability") == '"online"', self._health())
        return web.Response(body=self._metrics.text(), headers={"Content-Type": Metrics.CONTENT_TYPE})


def _list(health: Mapping[str, Any], name: str) -> list[Any]:
    part = health.get(name)
    return part if isinstance(part, list) else []
