"""The compiled firmware's lines about throws, from its simulator, contact by contact, in simulated time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware.driver import Board
from lab.both.throws import Throw
from scharten.dartboard.lines import HitLine, HitNotice, KnockLine, Notice, StuckLine, ack
from scharten.dartboard.profile import BoardProfile, Contact

PIEZO_MS, SLOT_MS = 118, 300
"""The times after which a throw's lines are acknowledged, and its simulation ends: notices come 250 ms apart."""
STUCK_MS = 2600
_ARRIVES_MS = 5.0


@dataclass(frozen=True)
class TimedLine:
    """A line of the board, with the times of its event and of its last byte, in ms after the point's arrival.

    A report about a contact stuck since an earlier throw comes first.
    """

    line: HitLine | KnockLine | StuckLine | Notice
    at_ms: int
    came_ms: float


def reported(throws: list[Throw], profile: BoardProfile, chip: str) -> Iterator[tuple[TimedLine, ...]]:
    """Yield the board's lines about each throw; `chip` is that of `firmware.driver.Board`."""
    board = Board(chip, profile.drives, profile.senses)
    try:
        for key, value in profile.settings.items():
            board.set(key, value)
        board.settle()
        stuck: Contact | None = None
        for throw in throws:
            news: tuple[TimedLine, ...] = ()
            if throw.stuck != stuck:
                news = _stick(board, stuck, throw.stuck)
                stuck = throw.stuck
            yield (*news, *_throw(board, throw))
    finally:
        board.close()


def _stick(board: Board, was: Contact | None, now: Contact | None) -> tuple[TimedLine, ...]:
    if was is not None:
        board.contact(was.drive, was.sense, False)
    if now is not None:
        board.contact(now.drive, now.sense, True)
    board.run(STUCK_MS)
    # The dart of the throw before closed it and stays; the board reports it before the next throw.
    return tuple(sent for sent in _lines(board, board.now_us) if isinstance(sent.line, StuckLine))


def _throw(board: Board, throw: Throw) -> tuple[TimedLine, ...]:
    start = board.now_us + _ARRIVES_MS * 1000
    for number, closure in enumerate(throw.closures):
        later = _ARRIVES_MS + closure.after_ms
        board.press(closure.contact.drive, closure.contact.sense, later, closure.closed_ms, 0.4, 1 + number)
    if throw.seen is not None and (throw.closures or throw.knock):
        board.knock(_ARRIVES_MS, 1.5)
    sent: list[TimedLine] = []
    for part in (PIEZO_MS, SLOT_MS - PIEZO_MS):
        board.run(part)
        sent += _lines(board, start)
    return tuple(sent)


def _lines(board: Board, start_us: float) -> Iterator[TimedLine]:
    """Yield the board's lines, and acknowledge them as a host does."""
    last = 0
    for sent in board.take():
        line = sent.line
        if isinstance(line, HitLine | KnockLine | StuckLine):
            last = max(last, line.seq)
            yield TimedLine(line, round(line.t_ms - start_us / 1000), (sent.until_us - start_us) / 1000)
        elif isinstance(line, Notice) and line.key in tuple(HitNotice):
            came_ms = (sent.until_us - start_us) / 1000
            yield TimedLine(line, round(came_ms), came_ms)
    if last:
        board.send(ack(last))
