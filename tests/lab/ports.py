"""Ports for the servers of tests, outside the range that the system gives to connections: many tests run side by
side."""

import random
import socket
from contextlib import ExitStack

_LEAST, _MOST = 10_000, 32_000
_CHANCE = (
    random.SystemRandom()
)  # two processes that search at the same time find different ports, whatever seeds tests set


def free_ports(count: int) -> list[int]:
    """Return ports that are free at this moment, and whose next ports are free too, for the boards."""
    found: list[int] = []
    while len(found) < count:
        port = _CHANCE.randrange(_LEAST, _MOST, 2)
        if port not in found and _free(port):
            found.append(port)
    return found


def free_port() -> int:
    """Return a free port."""
    return free_ports(1)[0]


def _free(port: int) -> bool:
    with ExitStack() as stack:
        try:
            for item in (port, port + 1):
                stack.enter_context(socket.create_server(("127.0.0.1", item)))
        except OSError:
            return False
        return True
