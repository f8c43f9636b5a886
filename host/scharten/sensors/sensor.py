"""The protocol of sensors: each kind sends readings of the board to the referee, and knows nothing of the game.

`sensors.kinds` is the table of kinds.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from scharten.dartboard.beds import readings
from scharten.dartboard.lines import HitNotice, Lamp
from scharten.dartboard.link import LinkState
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.match.dart import Dart
from scharten.match.events import Event
from scharten.match.inputs import (
    ContactStuck,
    Input,
    ReadingsLost,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.system.worker import Worker

BOARD, GRANBOARD, CAMERA = "board", "granboard", "camera"
"""The names of sensors in readings."""


class Sensor(Protocol):
    """A source of inputs, with threads of its own, which the supervisor watches."""

    @property
    def workers(self) -> Sequence[Worker]:
        """The threads, each with a round at least every second while it is not blocked."""

    def start(self) -> None:
        """Begin to watch the board; missing hardware is reported and waited for."""

    def acknowledge(self, receipt: Receipt) -> None:
        """The reading is durably stored. Thread-safe; never blocks, never raises."""

    def show(self, lamp: Lamp) -> None:
        """Set the board's lamp. Thread-safe; never blocks, never raises."""

    def look_after(self) -> None:
        """Report health and restart what ended; called every few seconds."""

    def stop(self, *, for_good: bool) -> None:
        """End; `for_good`: the evening is over, not only this process."""


@runtime_checkable
class LearnsFromMatch(Protocol):
    """A sensor that learns from people's decisions on its darts."""

    def on_event(self, event: Event) -> None:
        """Handle an event of the match; must not wait, as the referee's thread calls it."""


class KeepsNothing:
    """Base of sensors without receipts, lamp and anything to look after."""

    def acknowledge(self, receipt: Receipt) -> None:
        """Nothing: it keeps no readings."""

    def show(self, lamp: Lamp) -> None:
        """Nothing: it has no lamp."""

    def look_after(self) -> None:
        """Nothing: it reports by itself."""


LightListener = Callable[[str, int, bool], None]
"""Gets who changes the light on the board, for how many ms from now, and whether it is a page; must not wait."""


def no_light(_listener: LightListener) -> None:
    """Nothing announces other light."""


def ignore_notice(_receipt: Receipt, _notice: HitNotice) -> None:
    """Ignore a board's notice."""


@dataclass(frozen=True)
class SensorSetup:
    """Constructor arguments of every kind of sensor.

    `emit` takes an input and may block; `report` sets a key of `health`. `stored` is the journal's last line of the
    board, `endpoint` the broker of a simulated board's throws. `on_light` registers a listener for other light;
    `on_hit_notice` gets the board's notices of hits.
    """

    folder: Path
    profile: str
    emit: Callable[[Input], object]
    report: Callable[[str, object], None]
    now_ms: Callable[[], int]
    stored: LinkState | None = None
    endpoint: Mapping[str, object] | None = None
    on_light: Callable[[LightListener], object] = no_light
    on_hit_notice: Callable[[Receipt, HitNotice], object] = ignore_notice


def dart_of_contact(contact: Contact, profile: BoardProfile) -> Dart:
    """The dart that closed a contact: a shared single has two possible beds, an unknown contact none."""
    bed = profile.bed(contact)
    beds = readings(bed) if bed else ()
    return Dart(tuple((bed_read, 1 / len(beds)) for bed_read in beds), contact=contact)


def log_line(given: Input) -> tuple[int, str] | None:
    """Level and message for the log when an input concerns the machine, not the game; else None."""
    if not isinstance(given, SensorNews):
        return None
    match given.news:
        case SensorChanged(SensorState.FOUND, detail):
            return logging.INFO, f"{given.sensor}: {detail or 'found'}"
        case SensorChanged(state, detail):
            return logging.WARNING, f"{given.sensor}: {detail or state.value}"
        case ContactStuck(bed=bed, stuck=True):
            return logging.WARNING, f"{bed or 'a contact'} is stuck: pull the dart or its tip out"
        case ContactStuck(bed=bed):
            return logging.INFO, f"{bed or 'a contact'} is free again"
        case ReadingsLost(count):
            return logging.WARNING, f"{given.sensor} lost {count} darts: its memory was full"
