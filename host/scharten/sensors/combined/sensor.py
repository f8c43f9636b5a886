"""A contact board and cameras as one sensor: threads, time and a file around the pure automaton.

A lock orders what both report. The match's events only wait in a queue: the holder of the lock may be waiting for the
referee, so the referee's thread never takes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from scharten.dartboard.beds import ALL_BEDS, parse_bed
from scharten.dartboard.lines import HitNotice, Lamp
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.match.events import Event, HitReport
from scharten.match.inputs import Input, Receipt, SensorChanged, SensorNews
from scharten.sensors.camera import CameraSensor
from scharten.sensors.combined.automaton import (
    on_board,
    on_cameras,
    on_hit_notice,
    on_time,
    on_tracking,
    on_truth,
)
from scharten.sensors.combined.evidence import TIMINGS_KEPT, ContactTable, Timing
from scharten.sensors.combined.state import BothSensors, take_output
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import CAMERA, Sensor, SensorSetup
from scharten.sensors.settings import CameraSection
from scharten.sensors.truths import TruthListener
from scharten.system.secrets import write_private
from scharten.system.worker import Worker

FILE = "contacts.json"
_VERSION = 1
_TICK_S = 0.1
_SAVE_S = 10.0


class CombinedSensor:
    """The board that `make_board` makes and the cameras of the setup; each reports under its own name."""

    def __init__(
        self, setup: SensorSetup, make_board: Callable[[SensorSetup], Sensor], cameras: CameraSection
    ) -> None:
        profile = load_profile(setup.profile, setup.folder)
        learnt = load_learnt(setup.folder, profile)
        self._folder, self._emit, self._now_ms = setup.folder, setup.emit, setup.now_ms
        self._warning = learnt.warning
        self._state = BothSensors(learnt.table, learnt.timing)
        self._saved = learnt.table, learnt.timing
        self._lock = threading.Lock()
        self._board = make_board(replace(setup, emit=self._on_board, on_hit_notice=self._on_hit_notice))
        self._cameras = CameraSensor(replace(setup, emit=self._on_cameras), cameras, self._on_tracking)
        self._truths: queue.SimpleQueue[tuple[HitReport, str | None]] = queue.SimpleQueue()
        self._listener = TruthListener(lambda dart, bed: self._truths.put((dart, bed)), self._on_dismissed)
        self._stopping = threading.Event()
        self._worker = Worker("both-sensors", self._run)

    @property
    def workers(self) -> tuple[Worker, ...]:
        """The threads of both, and the one for time and the file."""
        return (*self._board.workers, *self._cameras.workers, self._worker)

    def start(self) -> None:
        """Begin to watch with both."""
        self._board.start()
        self._cameras.start()
        self._worker.start()

    def acknowledge(self, receipt: Receipt) -> None:
        """Only the board waits for it."""
        self._board.acknowledge(receipt)

    def show(self, lamp: Lamp) -> None:
        """Only the board has a lamp."""
        self._board.show(lamp)

    def look_after(self) -> None:
        """Look after both."""
        self._board.look_after()
        self._cameras.look_after()

    def stop(self, *, for_good: bool) -> None:
        """End both, and save what was learnt."""
        self._stopping.set()
        self._board.stop(for_good=for_good)
        self._cameras.stop(for_good=for_good)
        self._worker.join(5)
        self._save()

    def on_event(self, event: Event) -> None:
        """Learn what people report of a dart. Never waits."""
        self._listener.on_event(event)

    def _on_dismissed(self, dart: HitReport) -> None:
        """Nobody gave the dart a bed: if the cameras saw no dart, none came."""
        if any(opinion.sensor == CAMERA and opinion.bed is None for opinion in dart.opinions):
            self._truths.put((dart, None))

    def _on_board(self, given: Input) -> None:
        self._step(lambda state, now: on_board(state, given, now))

    def _on_hit_notice(self, receipt: Receipt, notice: HitNotice) -> None:
        self._step(lambda state, _: on_hit_notice(state, receipt, notice))

    def _on_cameras(self, given: Input) -> None:
        if self._warning and isinstance(given, SensorNews) and isinstance(given.news, SensorChanged):
            detail = " ".join(filter(None, (given.news.detail, self._warning)))  # pages show it
            given = replace(given, news=replace(given.news, detail=detail))
        self._step(lambda state, now: on_cameras(state, given, now))

    def _on_tracking(self, tracking: str, looked_ms: int, looking_ms: int) -> None:
        self._step(lambda state, _: on_tracking(state, tracking, looked_ms, looking_ms))

    def _step(self, change: Callable[[BothSensors, int], BothSensors]) -> None:
        with self._lock:
            self._state, inputs = take_output(change(self._state, self._now_ms()))
            for given in inputs:
                self._emit(given)

    def _run(self) -> None:
        until_saved = _SAVE_S
        while not self._stopping.wait(_TICK_S):
            self._worker.rounds += 1
            with contextlib.suppress(queue.Empty):
                while True:
                    self._learn(*self._truths.get_nowait())
            self._step(on_time)
            until_saved -= _TICK_S
            if until_saved <= 0:
                until_saved = _SAVE_S
                self._worker.blocked = True
                self._save()
                self._worker.blocked = False

    def _learn(self, dart: HitReport, bed: str | None) -> None:
        contact = None if dart.drive is None or dart.sense is None else Contact(dart.drive, dart.sense)
        known = None if bed is None else parse_bed(bed)
        self._step(lambda state, _: on_truth(state, contact, known))

    def _save(self) -> None:
        """Save what was learnt; a full disk does not stop play."""
        now = self._state.table, self._state.timing
        if now != self._saved:
            with contextlib.suppress(OSError):
                save_learnt(self._folder, *now)
                self._saved = now


# --- the file of what was learnt ---


@dataclass(frozen=True)
class Learnt:
    """Learnt statistics of a board's contacts and the cameras' timing. `warning`: why an earlier file is not used."""

    table: ContactTable
    timing: Timing
    warning: str = ""


def encode_learnt(table: ContactTable, timing: Timing) -> str:
    """The file's text; `decode_learnt` reads it."""
    counts = {
        str(bed): {_contact_name(contact): count for contact, count in row.items()}
        for bed, row in table.counts.items()
    }
    body = {
        "v": _VERSION,
        "profile": _profile_key(table.profile),
        "counts": counts,
        "ghosts": {_contact_name(contact): count for contact, count in table.ghosts.items()},
        "apart_ms": list(timing.apart),
        "word_ms": list(timing.word),
    }
    return json.dumps({**body, "digest": _digest(body)}, indent=1, sort_keys=True) + "\n"


def decode_learnt(text: str, profile: BoardProfile) -> Learnt | str:
    """Decode the file of `encode_learnt` for this board, or report the damage. A file of another board is not used."""
    try:
        raw = json.loads(text)
        digest = raw.pop("digest")
        if digest != _digest(raw):
            return "its digest does not fit"
        if raw["v"] != _VERSION:
            return f"its version is {raw['v']!r}"
        if raw["profile"] != _profile_key(profile):
            fresh = "contacts.json is of another board profile: the contacts are learnt again."
            return Learnt(ContactTable(profile), Timing(), fresh)
        timing = Timing(_milliseconds(raw["apart_ms"]), _milliseconds(raw["word_ms"]))
        if len(timing.apart) != len(timing.word):
            return "its lists of milliseconds differ in length"
        return Learnt(_decode_table(raw, profile), timing)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return f"it cannot be read: {error}"


def _decode_table(
    raw: Mapping[str, Mapping[str, Mapping[str, object]]], profile: BoardProfile
) -> ContactTable:
    beds = {str(bed): bed for bed in ALL_BEDS}
    lines = product(range(profile.drives), range(profile.senses))
    contacts: dict[str, Contact] = {str(Contact(*line)): Contact(*line) for line in lines}
    rows = {
        beds[bed]: {None if name == "none" else contacts[name]: _count(value) for name, value in row.items()}
        for bed, row in raw["counts"].items()
    }
    return ContactTable(
        profile, rows, {contacts[name]: _count(value) for name, value in raw["ghosts"].items()}
    )


def _contact_name(contact: Contact | None) -> str:
    return "none" if contact is None else str(contact)


def _count(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6:
        raise ValueError(f"{value!r} is not a count")
    return float(value)


def _milliseconds(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > TIMINGS_KEPT:
        raise ValueError(f"expected a list of at most {TIMINGS_KEPT} numbers")
    if any(isinstance(ms, bool) or not isinstance(ms, int) or abs(ms) > 60_000 for ms in value):
        raise ValueError("these are not milliseconds")
    return tuple(value)


def load_learnt(folder: Path, profile: BoardProfile) -> Learnt:
    """Read the data folder's file; a damaged file is refused whole and set aside, and the tables start fresh."""
    path, fresh = folder / FILE, Learnt(ContactTable(profile), Timing())
    try:
        found = decode_learnt(path.read_text(encoding="utf-8"), profile)
    except FileNotFoundError:
        return fresh
    except (OSError, UnicodeDecodeError) as error:
        found = str(error)
    if isinstance(found, Learnt):
        return found
    aside = path.with_name(f"{FILE}.damaged")
    try:
        path.replace(aside)
        where = f"it is kept as {aside.name}"
    except OSError as error:
        where = f"it cannot be set aside: {error.strerror}"
    warning = f"{path} is damaged and not used ({found}); {where}, and the contacts are learnt again."
    return replace(fresh, warning=warning)


def save_learnt(folder: Path, table: ContactTable, timing: Timing) -> None:
    """Replace the file at once, so that a crash leaves the old file or the new one; OSError on a full disk."""
    write_private(folder / FILE, encode_learnt(table, timing))


def _profile_key(profile: BoardProfile) -> dict[str, object]:
    """Fingerprint of a board's contacts and their beds: statistics of another board do not apply."""
    return {"name": profile.name, "beds": {str(contact): str(bed) for contact, bed in profile.beds.items()}}


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
