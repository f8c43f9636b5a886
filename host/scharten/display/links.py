"""Links for other devices, with their QR codes: what the table and the arbiter may hand out from the page."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

import segno

GIVERS: Mapping[str, tuple[str, ...]] = {
    "table": ("seat1", "seat2", "display"),
    "arbiter": ("seat1", "seat2", "table", "display"),
}
"""Which links a page of a role may show: never one that may do more than itself."""


def links(
    role: str, url: str, secrets: Mapping[str, str | None], open_roles: Collection[str]
) -> dict[str, Any]:
    """The links that this role hands out; none, and `local`, where the server is heard on this machine only."""
    if role not in GIVERS:
        return {"v": 1, "local": False, "links": []}
    if _is_local(urlsplit(url).hostname or ""):
        return {"v": 1, "local": True, "links": []}
    given = []
    for other in GIVERS[role]:
        secret = secrets.get(other)
        if other != "display" and not secret and other not in open_roles:
            continue
        fragment = f"#{secret}" if secret and other != "display" else ""
        given.append(_link(other, f"{url}/?role={other}{fragment}"))
    return {"v": 1, "local": False, "links": given}


def _link(role: str, address: str) -> dict[str, str]:
    code = segno.make(address, error="m", micro=False)
    return {"role": role, "url": address, "qr": code.svg_data_uri(border=2, omitsize=True)}


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
