"""What a source tells, as an input of the match, and as a line in the log for whoever looks after the machine."""

from __future__ import annotations

import logging

from scharten.dartboard import lines
from scharten.dartboard.beds import readings
from scharten.dartboard.profile import BoardProfile
from scharten.match.inputs import (
    Button,
    ButtonName,
    ContactStuck,
    Dart,
    Input,
    Knock,
    Reading,
    ReadingsLost,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.board_talk import EventsLost, LineReceived, SourceEvent, SourceState, SourceStatus

BOARD = "board"
_BUTTONS = {0: ButtonName.MISS, 1: ButtonName.READY, 2: ButtonName.UNDO}
_STATES = {
    SourceState.MISSING: SensorState.LOST,
    SourceState.BUSY: SensorState.LOST,
    SourceState.UP: SensorState.FOUND,
    SourceState.SILENT: SensorState.SILENT,
    SourceState.BABBLING: SensorState.SILENT,
    SourceState.REFUSED: SensorState.WRONG_PROTOCOL,
}


def as_input(event: SourceEvent, profile: BoardProfile, now: int) -> Input | None:
    """The input that a board's event is, or None for what only health cares about."""
    match event:
        case LineReceived():
            return _line(event, profile)
        case EventsLost():
            return SensorNews(now, BOARD, ReadingsLost(event.count, event.told))
        case SourceStatus() if event.state in _STATES:
            detail = ". ".join(filter(None, (event.words, event.cure)))
            return SensorNews(now, BOARD, SensorChanged(_STATES[event.state], detail))
        case _:
            return None


def _line(event: LineReceived, profile: BoardProfile) -> Input:
    t_ms, at_ms, said = event.arrived_ms, event.happened_ms, event.line
    receipt = Receipt(event.session, said.seq)
    match said:
        case lines.Hit():
            bed = profile.bed(said.contact)
            beds = readings(bed) if bed else ()
            dart = Dart(tuple((each, 1 / len(beds)) for each in beds), contact=said.contact)
            return Reading(t_ms, at_ms, BOARD, dart, receipt)
        case lines.Knock():
            return Reading(t_ms, at_ms, BOARD, Knock(said.peak), receipt)
        case lines.Button():
            button = Button(_BUTTONS.get(said.button, ButtonName.OTHER))
            return Reading(t_ms, at_ms, BOARD, button, receipt)
        case lines.Stuck():
            stuck = ContactStuck(said.contact, profile.bed(said.contact), said.stuck)
            return SensorNews(t_ms, BOARD, stuck, receipt)


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
