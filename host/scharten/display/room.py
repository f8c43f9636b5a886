"""The machine room's own addresses, for the arbiter alone: the cameras' pictures and the diagnostics to hand on."""

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
from scharten.display.bridge import Bridge
from scharten.display.guard import Doorkeeper

Pictures = Callable[[], Mapping[str, bytes]]
Told = Callable[[], Mapping[str, object]]
HIDDEN = "(hidden)"
SECRETIVE = ("secret", "password", "token", "credential")
USERINFO = re.compile(r"//[^/@\s]+@")
PNG = b"\x89PNG"


class MachineRoom:
    """`/status/pictures`, `/status/picture/<name>`, `/status/diagnostics`, each with the arbiter's secret.

    `pictures` gives each camera's last pictures by name (`camera 1`, `camera 1 overlay`) as JPEG or PNG; it is
    called beside the loop. `more` is what the daemon adds to the diagnostics, such as its configuration.
    """

    def __init__(
        self,
        bridge: Bridge,
        door: Doorkeeper,
        last: Mapping[str, str],
        secrets: Collection[str],
        *,
        pictures: Pictures = dict,
        more: Told = dict,
    ) -> None:
        self._bridge, self._door, self._last, self._secrets = bridge, door, last, frozenset(secrets)
        self._pictures, self._more = pictures, more

    def routes(self) -> list[web.RouteDef]:
        """What the server adds to its own."""
        return [
            web.get("/status/pictures", self._names),
            web.get("/status/picture/{name}", self._picture),
            web.get("/status/diagnostics", self._diagnostics),
        ]

    def _admit(self, request: web.Request) -> None:
        secret = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._door.refusal("arbiter", secret, request.remote or "?", request.secure) is not None:
            raise web.HTTPUnauthorized(
                text="The machine room is for the arbiter: open the arbiter's link.\n",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def _names(self, request: web.Request) -> web.Response:
        self._admit(request)
        names = sorted(await asyncio.to_thread(self._pictures))
        return web.json_response({"names": names}, headers={"Cache-Control": "no-store"})

    async def _picture(self, request: web.Request) -> web.Response:
        self._admit(request)
        picture = (await asyncio.to_thread(self._pictures)).get(request.match_info["name"])
        if picture is None:
            raise web.HTTPNotFound(text="There is no such picture.\n")
        mime = "image/png" if picture.startswith(PNG) else "image/jpeg"
        return web.Response(body=picture, content_type=mime, headers={"Cache-Control": "no-store"})

    async def _diagnostics(self, request: web.Request) -> web.Response:
        self._admit(request)
        text = json.dumps(redacted(self._told(), self._secrets), ensure_ascii=False, indent=2, default=str)
        return web.Response(
            text=text,
            content_type="application/json",
            headers={
                "Content-Disposition": 'attachment; filename="scharten-diagnostics.json"',
                "Cache-Control": "no-store",
            },
        )

    def _told(self) -> dict[str, Any]:
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
