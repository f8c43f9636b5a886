"""Build the simulated board from the command line's options."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scharten.errors import Problem, SchartenError
from scharten.sensors.profiles import load_profile
from scharten.sensors.simulator.port import PtyPort
from scharten.sensors.simulator.process import Habits, Simulator
from scharten.sensors.simulator.script import Deed, Plain, ScriptLine, parse_script

LINK_NAME = "simulated-board"
"""The port's lasting name within the data folder."""

_SIGNALS = {
    int(signal.SIGUSR1): Plain.UNPLUG,
    int(signal.SIGUSR2): Plain.REPLUG,
    int(signal.SIGTERM): Plain.END,
    int(signal.SIGINT): Plain.END,
}


@dataclass(frozen=True)
class StartOptions:
    """The data folder, the port's lasting name, and for how many seconds it waits for somebody to open it."""

    data: Path | None = None
    link: Path | None = None
    linger_s: float | None = None


@dataclass(frozen=True)
class Character:
    """The board's name, the script it plays, and the scatter of its throws."""

    profile: str = "simulated"
    script: str | None = None
    scatter_mm: float = 0.0
    seed: int | None = None


def run(
    place: StartOptions,
    character: Character,
    say: Callable[[str], None],
    listen: Callable[[Callable[[Deed], None]], None] | None = None,
) -> None:
    """Run the simulated board until it ends. A second one with the same name reports that and leaves the first alone.

    `listen`, called once the port is there, makes throws arrive from elsewhere: it gets the function to throw with.
    """
    logging.basicConfig(format="%(levelname)s %(message)s")
    link = place.link or (place.data / LINK_NAME if place.data else None)
    if link is not None and link.exists() and not link.is_symlink():
        raise SchartenError.coded("link_taken", path=link)
    steps = _steps(character.script)
    profile = load_profile(character.profile, place.data)
    lock = _lock(link)
    if link is not None and lock is None:
        say(f"a simulated board is already there: {os.path.realpath(link)}")
        return
    habits = Habits(character.scatter_mm, character.seed, place.linger_s)
    port = PtyPort(link)
    simulator = Simulator(profile, port, habits, steps=steps, typed=character.script == "-", say=say)
    say(port.name)
    for number in _SIGNALS:
        signal.signal(number, lambda got, _frame: simulator.throw(_SIGNALS[got]))
    if listen is not None:
        listen(simulator.throw)
    simulator.run()


def _steps(script: str | None) -> tuple[ScriptLine, ...]:
    if script is None or script == "-":
        return ()
    try:
        text = Path(script).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("unreadable", path=script, why=error) from error
    steps = parse_script(text)
    if isinstance(steps, Problem):
        raise SchartenError.coded("script_wrong", path=script, why=steps)
    return steps


def _lock(link: Path | None) -> IO[str] | None:
    """Holds the lasting name for this process; None when another one has it."""
    if link is None:
        return None
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        lock = link.with_name(f".{link.name}.lock").open("a", encoding="utf-8")
    except OSError as error:
        raise SchartenError.coded("link_unwritable", folder=link.parent, why=error.strerror) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock
