"""What reads the board, whatever its kind: readings go to the referee, and nothing of the game decides about them.

Each kind is one `Sensor`; `sensors.kinds` has the table of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from scharten.dartboard.beds import readings
from scharten.dartboard.lines import HitNotice, Lamp
from scharten.dartboard.link import LinkState
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.match.events import Event
from scharten.match.inputs import (
    ContactStuck,
    Dart,
    Input,
    ReadingsLost,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)

BOARD, GRANBOARD, CAMERA = "board", "granboard", "camera"
"""What sensors call themselves in readings."""


class Sensor(Protocol):
    """Hands inputs in, from a thread of its own."""

    def start(self) -> None:
        """Begin to watch the board; what is missing is told as news and waited for."""

    def acknowledge(self, receipt: Receipt) -> None:
        """This reading is durably stored. From any thread; never blocks, never raises."""

    def show(self, lamp: Lamp) -> None:
        """Set the board's lamp. From any thread; never blocks, never raises."""

    def look_after(self) -> None:
        """Called every few seconds: report how it goes, start again what ended."""

    def stop(self, *, for_good: bool) -> None:
        """End; `for_good` when the evening is over and not only this process."""


@runtime_checkable
class LearnsFromMatch(Protocol):
    """A sensor that learns from what people say of its darts."""

    def hear(self, event: Event) -> None:
        """An event of the match; from the referee's thread, so that it must not wait."""


class KeepsNothing:
    """What a sensor does that has no receipts, no lamp and nothing to look after."""

    def acknowledge(self, receipt: Receipt) -> None:
        """Nothing: it keeps no readings."""

    def show(self, lamp: Lamp) -> None:
        """Nothing: it has no lamp."""

    def look_after(self) -> None:
        """Nothing: it reports by itself."""


@dataclass(frozen=True)
class CameraSettings:
    """The section [source.camera], with the data folder."""

    devices: tuple[str, ...]
    calibration: str
    data: str
    fps: int
    replays: str
    replays_mb: int


LightListener = Callable[[str, int], None]
"""Told what changes the light on the board, and for how many ms from now; must not wait."""


def no_light(_listener: LightListener) -> None:
    """Nobody tells of other light."""


def not_heard(_receipt: Receipt, _notice: HitNotice) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class SensorSetup:
    """What a sensor is made from.

    `emit` takes an input and may block; `report` puts something in `health`. `stored` is the last line that the
    journal holds, `endpoint` where a simulated board hears throws, `on_light` takes who wants to know of other light,
    `on_hit_notice` hears what the board notices of a hit.
    """

    folder: Path
    profile: str
    port: str
    baud: int
    granboard: str
    cameras: CameraSettings
    emit: Callable[[Input], object]
    report: Callable[[str, object], None]
    now_ms: Callable[[], int]
    stored: LinkState | None = None
    endpoint: Mapping[str, object] | None = None
    on_light: Callable[[LightListener], object] = no_light
    on_hit_notice: Callable[[Receipt, HitNotice], object] = not_heard


def dart_of_contact(contact: Contact, profile: BoardProfile) -> Dart:
    """The dart that closed a contact: a shared single may be either bed, an unknown contact is not a bed at all."""
    bed = profile.bed(contact)
    beds = readings(bed) if bed else ()
    return Dart(tuple((each, 1 / len(beds)) for each in beds), contact=contact)


def log_line(given: Input) -> tuple[int, str] | None:
    """Level and words for the log when an input concerns whoever looks after the machine, not the game."""
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
