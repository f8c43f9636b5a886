"""The names under which people open a page that this machine serves."""

from __future__ import annotations

import re
import socket

EVERYWHERE = frozenset({"0.0.0.0", "::", ""})
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?", re.ASCII)


def own_address() -> str | None:
    """Return the address at which other devices reach this machine; no packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the route is looked up
        except OSError:
            return None
        return str(probe.getsockname()[0])


def names_of(host: str) -> tuple[str, ...]:
    """Return the names for links, certificates and allowed hosts, the best for a link first.

    For a server on all addresses: the address that other devices reach, and the machine's name in the network.
    """
    if host not in EVERYWHERE:
        return (host,)
    name = socket.gethostname().lower()
    named = (name,) if "." in name else (name, f"{name}.local")
    return (own_address() or "127.0.0.1", *filter(_NAME.fullmatch, named))
