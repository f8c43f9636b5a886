"""Links for other devices, with their QR codes: what the table and the arbiter may hand out from the page."""

from __future__ import annotations

import io
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
    local = _is_local(urlsplit(url).hostname or "")
    given: list[dict[str, str]] = []
    for other in () if local else GIVERS.get(role, ()):
        secret = secrets.get(other)
        if other != "display" and not secret and other not in open_roles:
            continue
        fragment = f"#{secret}" if secret and other != "display" else ""
        given.append(_link(other, f"{url}/?role={other}{fragment}"))
    return {"v": 1, "local": local, "links": given}


def code(address: str) -> str:
    """An address as a QR code, in SVG."""
    drawn = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        drawn, kind="svg", border=2, omitsize=True, xmldecl=False
    )
    return drawn.getvalue().decode()


def _link(role: str, address: str) -> dict[str, str]:
    qr = segno.make(address, error="m", micro=False).svg_data_uri(border=2, omitsize=True)
    return {"role": role, "url": address, "qr": qr}


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
