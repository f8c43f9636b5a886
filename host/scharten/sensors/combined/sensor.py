"""A contact board and cameras as one sensor: threads, time and a file around `watch`, which is pure.

One lock orders what both say. The match's events only wait in a queue: whoever holds the lock may be waiting for the
referee, so the referee's thread never takes it.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import replace

from scharten.dartboard.beds import parse_bed
from scharten.dartboard.lines import HitNotice, Lamp
from scharten.dartboard.profile import Contact
from scharten.match.events import Event, HitReport
from scharten.match.inputs import Input, Receipt, SensorChanged, SensorNews
from scharten.sensors.camera import CameraSensor
from scharten.sensors.combined import kept
from scharten.sensors.combined.beside import hit_noticed
from scharten.sensors.combined.state import Watched, taken
from scharten.sensors.combined.watch import (
    elapsed,
    from_board,
    from_cameras,
    told_by_person,
    tracked,
)
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import CAMERA, Sensor, SensorSetup
from scharten.sensors.truths import TruthListener

_TICK_S = 0.1
_SAVE_S = 10.0


class CombinedSensor:
    """The board that `make_board` makes and the cameras of the setup; both are told of, each under its own name."""

    def __init__(self, setup: SensorSetup, make_board: Callable[[SensorSetup], Sensor]) -> None:
        profile = load_profile(setup.profile, setup.folder)
        learnt = kept.load(setup.folder, profile)
        self._folder, self._emit, self._now_ms = setup.folder, setup.emit, setup.now_ms
        self._refused = learnt.words
        self._watched = Watched(learnt.table, learnt.moments)
        self._saved = learnt.table, learnt.moments
        self._lock = threading.Lock()
        self._board = make_board(replace(setup, emit=self._board_said, on_hit_notice=self._hit_noticed))
        self._cameras = CameraSensor(replace(setup, emit=self._cameras_said), self._tracked)
        self._truths: queue.SimpleQueue[tuple[HitReport, str | None]] = queue.SimpleQueue()
        self._listener = TruthListener(lambda dart, bed: self._truths.put((dart, bed)), self._dismissed)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="both-sensors", daemon=True)

    def start(self) -> None:
        """Begin to watch with both."""
        self._board.start()
        self._cameras.start()
        self._thread.start()

    def acknowledge(self, receipt: Receipt) -> None:
        """Only the board asks for it."""
        self._board.acknowledge(receipt)

    def show(self, lamp: Lamp) -> None:
        """Only the board has a lamp."""
        self._board.show(lamp)

    def look_after(self) -> None:
        """Report of both."""
        self._board.look_after()
        self._cameras.look_after()

    def stop(self, *, for_good: bool) -> None:
        """End both, and keep what was learnt."""
        self._stopping.set()
        self._board.stop(for_good=for_good)
        self._cameras.stop(for_good=for_good)
        if self._thread.ident is not None:
            self._thread.join(5)
        self._save()

    def hear(self, event: Event) -> None:
        """An event of the match: what people say of a dart is learnt. Never waits."""
        self._listener.hear(event)

    def _dismissed(self, dart: HitReport) -> None:
        """Nobody gives the dart a bed: if the cameras saw none, there was none."""
        if any(opinion.sensor == CAMERA and opinion.bed is None for opinion in dart.opinions):
            self._truths.put((dart, None))

    def _board_said(self, given: Input) -> None:
        self._step(lambda watched, now: from_board(watched, given, now))

    def _hit_noticed(self, receipt: Receipt, notice: HitNotice) -> None:
        self._step(lambda watched, _: hit_noticed(watched, receipt, notice))

    def _cameras_said(self, given: Input) -> None:
        told = self._with_refusal(given)
        self._step(lambda watched, now: from_cameras(watched, told, now))

    def _with_refusal(self, given: Input) -> Input:
        """The cameras' state, and why an earlier table is not used: pages show it with them."""
        if (
            not self._refused
            or not isinstance(given, SensorNews)
            or not isinstance(given.news, SensorChanged)
        ):
            return given
        words = " ".join(filter(None, (given.news.detail, self._refused)))
        return replace(given, news=replace(given.news, detail=words))

    def _tracked(self, state: str, looked_ms: int, looking_ms: int) -> None:
        self._step(lambda watched, now: tracked(watched, state, looked_ms, looking_ms))

    def _step(self, change: Callable[[Watched, int], Watched]) -> None:
        with self._lock:
            self._watched, told = taken(change(self._watched, self._now_ms()))
            for given in told:
                self._emit(given)

    def _run(self) -> None:
        until_saved = _SAVE_S
        while not self._stopping.wait(_TICK_S):
            self._learn()
            self._step(elapsed)
            until_saved -= _TICK_S
            if until_saved <= 0:
                until_saved = _SAVE_S
                self._save()

    def _learn(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._learn_of(*self._truths.get_nowait())

    def _learn_of(self, dart: HitReport, bed: str | None) -> None:
        contact = None if dart.drive is None or dart.sense is None else Contact(dart.drive, dart.sense)
        known = None if bed is None else parse_bed(bed)
        self._step(lambda watched, _: told_by_person(watched, contact, known))

    def _save(self) -> None:
        """A disk that is full keeps nobody from playing."""
        now = self._watched.table, self._watched.moments
        if now != self._saved:
            with contextlib.suppress(OSError):
                kept.save(self._folder, *now)
                self._saved = now
