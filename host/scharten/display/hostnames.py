"""Under which names a page is opened that is served at an address, or at all of this machine's."""

from __future__ import annotations

import re
import socket

EVERYWHERE = frozenset({"0.0.0.0", "::", ""})
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?", re.ASCII)


def own_address() -> str | None:
    """The address at which other devices of the network reach this machine; no packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the route is looked up
        except OSError:
            return None
        return str(probe.getsockname()[0])


def names_of(host: str) -> tuple[str, ...]:
    """The names for links, certificates and the lists of who may ask, the best for a link first.

    For all addresses these are the one that others reach, and the machine's own name, as the network's names have it.
    """
    if host not in EVERYWHERE:
        return (host,)
    name = socket.gethostname().lower()
    named = (name,) if "." in name else (name, f"{name}.local")
    return (own_address() or "127.0.0.1", *(one for one in named if _NAME.fullmatch(one)))
