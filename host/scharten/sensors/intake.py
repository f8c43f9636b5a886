"""What a source tells, as an input of the match, and as a line in the log for whoever looks after the machine."""

from __future__ import annotations

import logging

from scharten.dartboard.lines import Button as ButtonLine
from scharten.dartboard.lines import Hit, Knock, Stuck
from scharten.dartboard.profile import BoardProfile
from scharten.match.inputs import (
    BoardHit,
    Button,
    ButtonPressed,
    ContactStuck,
    HitsDropped,
    Input,
    KnockHeard,
    Line,
    SourceChanged,
    SourceState,
)
from scharten.sensors.board_talk import EventsLost, LineReceived, SourceEvent, SourceStatus
from scharten.sensors.board_talk import SourceState as PortState

BOARD = "board"
_BUTTONS = {0: Button.MISS, 1: Button.READY, 2: Button.UNDO}
_STATES = {
    PortState.MISSING: SourceState.LOST,
    PortState.BUSY: SourceState.LOST,
    PortState.UP: SourceState.FOUND,
    PortState.SILENT: SourceState.SILENT,
    PortState.BABBLING: SourceState.SILENT,
    PortState.REFUSED: SourceState.WRONG_PROTOCOL,
}


def as_input(event: SourceEvent, profile: BoardProfile, now: int) -> Input | None:
    """The input that a board's event is, or None for what only health cares about."""
    match event:
        case LineReceived():
            return _line(event, profile)
        case EventsLost():
            return HitsDropped(now, BOARD, event.count, event.told)
        case SourceStatus() if event.state in _STATES:
            return SourceChanged(
                now, BOARD, _STATES[event.state], ". ".join(filter(None, (event.words, event.cure)))
            )
        case _:
            return None


def _line(event: LineReceived, profile: BoardProfile) -> Input:
    t_ms, at_ms, said = event.arrived_ms, event.happened_ms, event.line
    line = Line(event.session, said.seq)
    match said:
        case Hit():
            bed = profile.bed(said.contact)
            return BoardHit(t_ms, at_ms, BOARD, bed, said.contact.drive, said.contact.sense, line)
        case Knock():
            return KnockHeard(t_ms, at_ms, BOARD, said.peak, line)
        case ButtonLine():
            return ButtonPressed(t_ms, at_ms, BOARD, _BUTTONS.get(said.button, Button.OTHER), line)
        case Stuck():
            bed = profile.bed(said.contact)
            return ContactStuck(t_ms, BOARD, bed, said.contact.drive, said.contact.sense, said.stuck, line)


def log_line(given: Input) -> tuple[int, str] | None:
    """Level and words for the log when an input concerns whoever looks after the machine, not the game."""
    match given:
        case SourceChanged(state=SourceState.FOUND):
            return logging.INFO, f"{given.source}: {given.detail or 'found'}"
        case SourceChanged():
            return logging.WARNING, f"{given.source}: {given.detail or given.state.value}"
        case ContactStuck(stuck=True):
            return logging.WARNING, f"{given.bed or 'a contact'} is stuck: pull the dart or its tip out"
        case ContactStuck():
            return logging.INFO, f"{given.bed or 'a contact'} is free again"
        case HitsDropped():
            return logging.WARNING, f"{given.source} lost {given.count} darts: its memory was full"
        case _:
            return None
