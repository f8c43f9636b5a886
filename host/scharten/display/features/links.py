"""Links to this board for other devices, which the table and the arbiter may hand out with their QR codes."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from scharten.display.context import Roles
from scharten.display.feature import Feature, Payload, Welcome
from scharten.display.qr import qr_data_uri

GIVERS: Mapping[str, tuple[str, ...]] = {
    "table": ("seat1", "seat2", "display"),
    "arbiter": ("seat1", "seat2", "table", "display"),
    "display": ("display",),
}
"""The roles whose links a page may show: never a role with more rights than its own."""


class LinksFeature(Feature):
    """Sends each new page the links of its role."""

    def welcome(self, role: str) -> Welcome:
        return Welcome(messages={"links": links(role, self.bus.url, self.context.roles)})


def links(role: str, url: str, roles: Roles) -> Payload:
    """Return the links that this role hands out; none, and `local`, where only this machine reaches the server."""
    local = _is_local(urlsplit(url).hostname or "")
    given: list[dict[str, str]] = []
    for other in () if local else GIVERS.get(role, ()):
        secret = roles.secrets.get(other)
        if other != "display" and not secret and other not in roles.open:
            continue
        address = f"{url}/?role={other}" + (f"#{secret}" if secret and other != "display" else "")
        given.append({"role": other, "url": address, "qr": qr_data_uri(address)})
    return {"v": 1, "local": local, "links": given}


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


feature = LinksFeature
