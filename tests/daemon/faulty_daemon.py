"""`scharten` with a door for faults: the file `fault` in the data folder names what fails next, once.

Nothing in the program knows of it: the daemon is replaced by one whose parts this script breaks from outside.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

from scharten.cli import main
from scharten.daemon import app, referee_loop
from scharten.match.inputs import Reading
from scharten.opponent.processes import ComputerPlayers
from scharten.sensors.serial import SerialLine


def once(owner: Any, name: str, instead: Callable[..., object]) -> None:
    """Replace a function for one call."""
    right = getattr(owner, name)

    def failing(*arguments: Any) -> object:
        setattr(owner, name, right)
        return instead(*arguments)

    setattr(owner, name, failing)


def raises(*_arguments: object) -> NoReturn:
    raise RuntimeError("broken by a test")


def ends(*_arguments: object) -> NoReturn:
    """End the thread past every `except Exception`."""
    raise SystemExit


def hangs(*_arguments: object) -> NoReturn:
    while True:
        time.sleep(60)


def loops(*_arguments: object) -> NoReturn:
    while True:
        pass


def listener_raises(daemon: app.Daemon) -> None:
    """Add a listener that raises for one event. A second fault would hide the announcer's next one in `health`."""

    def failing(_event: object) -> NoReturn:
        daemon.announcer.listeners = [known for known in daemon.announcer.listeners if known is not failing]
        raises()

    daemon.announcer.listeners = [failing, *daemon.announcer.listeners]


def step_raises(_daemon: app.Daemon) -> None:
    right = referee_loop.step

    def failing(match: Any, given: Any) -> Any:
        if not isinstance(given, Reading):
            return right(match, given)
        referee_loop.step = right
        raises()

    referee_loop.step = failing


def part(daemon: app.Daemon, name: str) -> Any:
    """Return a part as the supervisor watches it."""
    return next(item for item in daemon.supervisor._parts if item.name == name).watched()


def owner(daemon: app.Daemon, name: str) -> Any:
    """Return the object whose thread this part is."""
    return part(daemon, name)._run.__self__


def in_loop(thread: Any, call: Callable[[], object]) -> None:
    thread._listening.result().call_soon_threadsafe(call)


def close_broker(daemon: app.Daemon) -> None:
    thread = part(daemon, "broker")
    in_loop(thread, lambda: [item._sock.close() for item in thread.server._server.sockets])


def close_page(daemon: app.Daemon) -> None:
    thread = part(daemon, "page")
    in_loop(thread, lambda: [item.close() for item in thread.server._web._listener._sockets])


FAULTS: dict[str, Callable[[app.Daemon], object]] = {
    "referee raises": lambda daemon: once(daemon.referee, "_next", raises),
    "referee hangs": lambda daemon: once(daemon.referee, "_next", hangs),
    "rules raise": step_raises,
    "listener raises": listener_raises,
    "listener hangs": lambda daemon: daemon.announcer.listeners.insert(0, hangs),
    "announcer raises": lambda daemon: once(daemon.announcer, "_publish", raises),
    "publisher ends": lambda daemon: once(daemon.client, "_pumped", ends),
    "publisher hangs": lambda daemon: once(daemon.client, "_pumped", hangs),
    "publisher's socket": lambda daemon: daemon.client._client.socket().shutdown(socket.SHUT_RDWR),  # type: ignore[union-attr]
    "broker hangs": lambda daemon: in_loop(part(daemon, "broker"), hangs),
    "broker's socket": close_broker,
    "page hangs": lambda daemon: in_loop(part(daemon, "page"), hangs),
    "page's socket": close_page,
    "sensor raises": lambda _daemon: once(SerialLine, "_take", raises),
    "computers raise": lambda _daemon: once(ComputerPlayers, "_look_after", raises),
    "sensor ends": lambda _daemon: once(SerialLine, "_take", ends),
    "sensor hangs": lambda _daemon: once(SerialLine, "_take", loops),
    "adviser raises": lambda daemon: once(owner(daemon, "adviser")._wake, "wait", raises),
    "finished raises": lambda daemon: once(owner(daemon, "finished")._wanted, "get", raises),
    "rounds raise": lambda daemon: once(daemon.rounds, "_try", raises),
    "journal raises": lambda daemon: once(daemon.referee._journal, "append", raises),
}


class FaultyDaemon(app.Daemon):
    """A daemon that fails on request."""

    def start(self) -> None:
        super().start()
        threading.Thread(target=self._wait, name="faults", daemon=True).start()

    def _wait(self) -> None:
        file = self.options.folder / "fault"
        while True:
            if file.exists() and (name := file.read_text().strip()):
                FAULTS[name](self)
                file.unlink()
            time.sleep(0.02)


if __name__ == "__main__":
    app.Daemon = FaultyDaemon  # type: ignore[misc]
    main()
