"""Where darts come from: the configured source, wired to the desk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from scharten.config import Config
from scharten.dartboard.link import LinkState
from scharten.dartboard.profile import BoardProfile
from scharten.health import Health
from scharten.match.inputs import Input
from scharten.referee_loop import Desk
from scharten.room import Acknowledger, SimulatedBoard, now_ms
from scharten.sensors.board_talk import SourceEvent
from scharten.sensors.granboard import GranBoardSource
from scharten.sensors.intake import as_input
from scharten.sensors.profiles import load_profile
from scharten.sensors.serial import SerialSource


class Supply:
    """One source of darts: `start` brings it up, `rounds` look after it, `stop` takes it down.

    `pictures` are the cameras' last ones by name, where there are cameras.
    """

    def __init__(self, config: Config, folder: Path, desk: Desk, health: Health, board: Acknowledger) -> None:
        self._config, self._folder = config, folder
        self._desk, self._health, self._board = desk, health, board
        self._stopping = threading.Event()
        self._down: list[Callable[[], object]] = []
        self._simulated: SimulatedBoard | None = None
        self.rounds: list[Callable[[], object]] = []
        self.pictures: Callable[[], Mapping[str, bytes]] = dict

    def start(self, resume: LinkState | None, endpoint: Mapping[str, object]) -> None:
        """Begin; `resume` is the last line that the journal holds, `endpoint` where a simulated board hears throws."""
        source = self._config.source
        if source.kind == "camera":
            self._cameras()
            return
        profile = load_profile(self._config.board.profile, self._folder)
        if source.kind == "granboard":
            gran = GranBoardSource(source.granboard, lambda event: self._emit(event, profile), now_ms)
            self._board.board = gran
            gran.start()
            self._down.append(gran.stop)
            return
        port: str | Callable[[], str | None] = source.serial.port
        if source.kind == "simulated":
            port = self._simulator(endpoint).where
        self._line(port, profile, resume)

    def stop(self, for_good: bool) -> None:
        """Take it down; a simulated board waits for the next daemon unless the evening is over."""
        self._stopping.set()
        while self._down:
            self._down.pop()()
        if self._simulated is not None:
            self._simulated.release(for_good=for_good)

    def _simulator(self, endpoint: Mapping[str, object]) -> SimulatedBoard:
        simulated = self._simulated = SimulatedBoard(self._folder, self._config.board.profile)
        simulated.tell_broker(endpoint)
        simulated.ensure()
        self.rounds.append(simulated.ensure)
        return simulated

    def _line(
        self, port: str | Callable[[], str | None], profile: BoardProfile, resume: LinkState | None
    ) -> None:
        baud = self._config.source.serial.baud
        serial = SerialSource(
            port, baud, profile, lambda event: self._emit(event, profile), now_ms, resume=resume
        )
        self._board.board = serial
        serial.start()
        self._down.append(serial.stop)
        self.rounds.append(lambda: self._health.set_part("line", asdict(serial.counts)))

    def _emit(self, event: SourceEvent, profile: BoardProfile) -> None:
        given = as_input(event, profile, now_ms())
        if given is not None:
            self._take(given)

    def _take(self, given: Input) -> None:
        """Hand an input to the desk; the source waits as long as the desk is full."""
        while not self._desk.take(given, wait_s=1.0) and not self._stopping.is_set():
            pass

    def _cameras(self) -> None:
        from scharten.sensors.camera import CameraSource  # noqa: PLC0415 - only cameras need OpenCV
        from scharten.sensors.camera_pictures import LastPictures  # noqa: PLC0415 - the same
        from scharten.sensors.camera_process import Wish  # noqa: PLC0415 - the same

        section = self._config.source.camera
        wish = Wish(
            section.devices,
            section.calibration,
            str(self._folder),
            section.fps,
            section.replays,
            section.replays_mb,
        )
        cameras = CameraSource(wish, self._take, lambda told: self._health.set_part("cameras", told), now_ms)
        self._desk.heard = cameras.hear
        self.pictures = LastPictures(wish)
        cameras.start()
        self._down.append(cameras.stop)
