"""The compiled firmware's lines about throws: the program in its simulator, contact by contact, in simulated time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware.driver import Board
from lab.both.throws import Throw
from scharten.dartboard.lines import HitLine, HitNotice, KnockLine, Notice, StuckLine, ack
from scharten.dartboard.profile import BoardProfile, Contact

PIEZO_MS, SLOT_MS = 118, 300
"""A throw's lines are acknowledged after so long, and so much time is simulated for it: notices come 250 ms apart."""
STUCK_MS = 2600
_ARRIVES_MS = 5.0


@dataclass(frozen=True)
class Said:
    """A line of the board: when it happened and when its last byte came, in ms after the point's arrival.

    Before it what was reported of a contact that is stuck since a throw before.
    """

    line: HitLine | KnockLine | StuckLine | Notice
    at_ms: int
    came_ms: float


def reported(throws: list[Throw], profile: BoardProfile, chip: str) -> Iterator[tuple[Said, ...]]:
    """The board's lines about each throw; `chip` as `firmware.driver.Board` has it."""
    board = Board(chip, profile.drives, profile.senses)
    try:
        for key, value in profile.settings.items():
            board.set(key, value)
        board.settle()
        stuck: Contact | None = None
        for throw in throws:
            news: tuple[Said, ...] = ()
            if throw.stuck != stuck:
                news = _stick(board, stuck, throw.stuck)
                stuck = throw.stuck
            yield (*news, *_throw(board, throw))
    finally:
        board.close()


def _stick(board: Board, was: Contact | None, now: Contact | None) -> tuple[Said, ...]:
    if was is not None:
        board.contact(was.drive, was.sense, False)
    if now is not None:
        board.contact(now.drive, now.sense, True)
    board.run(STUCK_MS)
    # Its first closure is the dart that stays in it, a throw before; the board says so before the next one comes.
    return tuple(said for said in _lines(board, board.now_us) if isinstance(said.line, StuckLine))


def _throw(board: Board, throw: Throw) -> tuple[Said, ...]:
    start = board.now_us + _ARRIVES_MS * 1000
    for number, closure in enumerate(throw.closures):
        later = _ARRIVES_MS + closure.after_ms
        board.press(closure.contact.drive, closure.contact.sense, later, closure.closed_ms, 0.4, 1 + number)
    if throw.seen is not None and (throw.closures or throw.knock):
        board.knock(_ARRIVES_MS, 1.5)
    said: list[Said] = []
    for part in (PIEZO_MS, SLOT_MS - PIEZO_MS):
        board.run(part)
        said += _lines(board, start)
    return tuple(said)


def _lines(board: Board, start_us: float) -> Iterator[Said]:
    """The reported lines, acknowledged as a host does."""
    last = 0
    for said in board.take():
        line = said.line
        if isinstance(line, HitLine | KnockLine | StuckLine):
            last = max(last, line.seq)
            yield Said(line, round(line.t_ms - start_us / 1000), (said.until_us - start_us) / 1000)
        elif isinstance(line, Notice) and line.key in tuple(HitNotice):
            came_ms = (said.until_us - start_us) / 1000
            yield Said(line, round(came_ms), came_ms)
    if last:
        board.send(ack(last))
