"""The simulated board as a sensor: its line, and its process, which outlives the daemon."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from scharten.data_folder import read_small
from scharten.sensors.sensor import SensorSetup
from scharten.sensors.serial import SerialSensor
from scharten.sensors.settings import SerialSection
from scharten.system.secrets import write_private

LINGER_S = 600
"""How long a simulated board waits for a daemon to come back."""
COMES_S = 60.0
"""How long a started board may take until its port exists; a busy machine reads its programs slowly."""


class SimulatedSensor(SerialSensor):
    """A serial board that is always available."""

    def __init__(self, setup: SensorSetup) -> None:
        self._process = SimulatorProcess(setup.folder, setup.profile, setup.endpoint or {})
        self._process.write_endpoint()
        super().__init__(setup, SerialSection(), self._process.where)

    def start(self) -> None:
        """Start the process, unless it runs already, and read its line."""
        self._process.ensure()
        super().start()

    def look_after(self) -> None:
        """Restart the process if it ended."""
        self._process.ensure()
        super().look_after()

    def stop(self, *, for_good: bool) -> None:
        """Leave the process to the next daemon unless the evening is over."""
        self._process.give_up()
        super().stop(for_good=for_good)
        self._process.release(for_good=for_good)


class SimulatorProcess:
    """`scharten simulate` in a session of its own, found by the process number in a file."""

    def __init__(self, folder: Path, profile: str, endpoint: Mapping[str, object]) -> None:
        self._folder, self._profile, self._settings = folder, profile, endpoint
        self.port = folder / "simulated-board"
        self._endpoint = folder / "simulator.json"
        self._pid = folder / "simulator.pid"
        self._started_s = 0.0
        self._starting: subprocess.Popen[bytes] | None = None
        self._given_up = threading.Event()

    def write_endpoint(self) -> None:
        """Write where the board subscribes to the pages' throws; it reads the file again while it runs."""
        write_private(self._endpoint, json.dumps(self._settings))

    def ensure(self) -> None:
        """Start it unless it runs already, in a session of its own that Ctrl-C does not reach."""
        if self._alive():
            return
        if not self._endpoint.exists():  # the folder was renamed or cleared in play
            self.write_endpoint()
        self.port.unlink(missing_ok=True)  # of a killed board: its pty may be another terminal by now
        arguments = ["--data", str(self._folder), "--profile", self._profile, "--link", str(self.port)]
        arguments += ["--endpoint", str(self._endpoint), "--linger", str(LINGER_S)]
        log = self._folder / "simulator.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "scharten", "simulate", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=out,
                start_new_session=True,
            )
        try:
            write_private(self._pid, str(process.pid))
        except OSError:
            process.kill()  # no later daemon could find it
            raise
        self._started_s, self._starting = time.monotonic(), process

    def where(self) -> str | None:
        """The port while the board runs, waited for while it starts; the link alone may lead to another pty."""
        while self._starts():
            self._given_up.wait(0.02)
        return str(self.port) if self._alive() else None

    def give_up(self) -> None:
        """Wait no longer for a board that starts."""
        self._given_up.set()

    def _starts(self) -> bool:
        """Whether the board that this daemon started has no port yet, though its process runs."""
        if self._starting is None or self._given_up.is_set() or (self._alive() and self.port.exists()):
            return False
        return self._starting.poll() is None and time.monotonic() - self._started_s < COMES_S

    def release(self, *, for_good: bool) -> None:
        """Leave it to the next daemon, or end it when the evening is over."""
        if for_good and (pid := self._alive()):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)

    def _alive(self) -> int | None:
        try:
            pid = int(read_small(self._pid))
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if b"simulate" in command and str(self.port).encode() in command else None
