"""A Mosquitto for the duration of a benchmark."""

from __future__ import annotations

import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from lab.daemon_process import wait_for
from lab.ports import free_port
from lab.programs import program


@contextmanager
def mosquitto(*settings: str) -> Iterator[int]:
    """Start one on a free port of localhost, open to all, with these lines of configuration; yield the port."""
    with mosquitto_process(*settings) as (port, _):
        yield port


@contextmanager
def mosquitto_process(*settings: str) -> Iterator[tuple[int, int]]:
    """Do the same; yield the port and the process id."""
    command = program("mosquitto")
    port = free_port()
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        conf.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        conf.writelines(f"{line}\n" for line in settings)
        conf.flush()
        process = subprocess.Popen([command, "-c", conf.name], stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: answers(port), 40, "Mosquitto")
            yield port, process.pid
        finally:
            process.terminate()
            process.wait()


def answers(port: int) -> bool:
    """Return whether a program listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
