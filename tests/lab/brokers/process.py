"""A broker's processes: each leads its own process group, so that a kill ends everything it started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lab.brokers.accounts import DOCTOR, login
from lab.mosquitto import answers
from scharten.mqtt.address import BrokerAddress


@dataclass
class Node:
    """One node of a broker: its MQTT port and its process."""

    port: int
    process: subprocess.Popen[bytes]

    def listens(self) -> bool:
        """Return whether the node listens. Raises `AssertionError` if it has ended."""
        assert self.process.poll() is None, "it has ended"
        return answers(self.port)

    def kill(self) -> None:
        """Send SIGKILL, which is as sudden as a power cut."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@dataclass
class Running:
    """A broker that listens."""

    nodes: list[Node] = field(default_factory=list)
    helpers: list[Node] = field(default_factory=list)

    def address(self, place: int, account: str = DOCTOR) -> BrokerAddress:
        """Return the address of a node, with an account."""
        return BrokerAddress("127.0.0.1", self.nodes[place].port).for_account(login(account))

    def end(self) -> None:
        """Kill all processes."""
        for node in (*self.nodes, *self.helpers):
            node.kill()


def started(
    folder: Path, port: int, command: Sequence[str], environment: dict[str, str] | None = None
) -> Node:
    """Start a process that will listen at a port; its output is in the folder's `log`."""
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
    return Node(port, process)
