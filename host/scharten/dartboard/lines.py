"""The lines of the board protocol, both ways: values to bytes and bytes to values (docs/protocol.md).

A line is `$BODY*CCCC` and a line feed, at most 96 bytes; CCCC is the CRC-16 of BODY. The reader drops anything else
and continues at the next `$`. Nothing here knows a port or a clock.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeVar

from scharten.dartboard.profile import Contact

PROTOCOL = 1
"""The version of the protocol that this host speaks."""
MAX_LINE = 96
"""The longest line in bytes, with its `$` and its line feed."""
SEQUENCE = 1 << 16
"""Sequence numbers are 16 bits and wrap from 65535 to 0."""


class Lamp(IntEnum):
    """States of the board's lamp."""

    OFF = 0
    THROW = 1
    COUNTED = 2
    LOST = 3
    FAULT = 4


BUTTON_MISS, BUTTON_READY, BUTTON_UNDO = range(3)
"""The numbers of the buttons."""
NOTICES = {
    "ghosts": (
        "contacts closed that may have been ghosts of jammed ones, and did not count",
        "If a dart is in the board, put it right by hand; free jammed segments.",
    ),
    "piezo_rests": (
        "the piezo rests above its threshold, so misses are not heard",
        "Check its 1 MΩ and its wires, or find the threshold again with `scharten-calibrate piezo`.",
    ),
    "memory_lost": (
        "the board's memory was damaged and thrown away: darts of before may be lost",
        "Compare the pieces with the page; if it happens again, the board's power is bad.",
    ),
    "line_errors": (
        "bytes from the host reach the board damaged",
        "Use a shorter or better USB cable, and keep it away from supplies and motors.",
    ),
    "restarts": (
        "the board's program went astray and was restarted by its watchdog",
        "Nothing stored was lost. If it happens again, look for noise on the board's supply.",
    ),
}
"""Notices of a board (`Notice.key`): a text for the person in the room, and the cure."""


class HitNotice(StrEnum):
    """Notices about a hit: keys of notices whose count is the hit's number."""

    ALONE = "alone"  # no other contact closed
    CLEAR = "clear"  # another contact closed, at most half as often
    UNHEARD = "unheard"  # the piezo was on and measured no knock


@dataclass(frozen=True)
class Hello:
    """The board's identity and its stored events: the answer to `?`, also sent at power-up."""

    firmware: str
    board: str
    drives: int
    senses: int
    session: int
    first_seq: int
    next_seq: int
    dropped: int
    t_ms: int
    protocol: int = PROTOCOL


@dataclass(frozen=True)
class ForeignHello:
    """A hello in another version of the protocol: none of its other fields can be trusted."""

    protocol: int

    @property
    def words(self) -> str:
        """Name both versions, for the person who has to flash one or install the other."""
        return f"the board speaks protocol {self.protocol} and this program speaks protocol {PROTOCOL}"


@dataclass(frozen=True)
class HitLine:
    """A dart closed a contact."""

    seq: int
    contact: Contact
    t_ms: int


@dataclass(frozen=True)
class KnockLine:
    """A knock without a contact: possibly a miss or a bounce-out. `peak` is the ADC's reading, 0 to 1023."""

    seq: int
    peak: int
    t_ms: int


@dataclass(frozen=True)
class ButtonLine:
    """A button went down: 0 miss, 1 ready, 2 undo; a number beyond these is passed on as it is."""

    seq: int
    button: int
    t_ms: int


@dataclass(frozen=True)
class StuckLine:
    """A contact is stuck (`stuck`) and gives no hits, or it is free again."""

    seq: int
    contact: Contact
    stuck: bool
    t_ms: int


@dataclass(frozen=True)
class Heartbeat:
    """The board is alive; its clock."""

    t_ms: int


@dataclass(frozen=True)
class Setting:
    """A setting as the board has it now (`$V`), or as the host wants it (`$C`)."""

    key: str
    value: int


@dataclass(frozen=True)
class Notice:
    """An event on the board besides the game, `count` times since it started; the keys are `NOTICES`; those of
    `HitNotice` give a hit's number instead."""

    key: str
    count: int


@dataclass(frozen=True)
class Ack:
    """The host has stored all events up to and including `seq`."""

    seq: int


@dataclass(frozen=True)
class Query:
    """`?`: send hello and settings, and repeat unacknowledged events."""


Sequenced = HitLine | KnockLine | ButtonLine | StuckLine
BoardLine = Hello | ForeignHello | Sequenced | Heartbeat | Setting | Notice
HostLine = Ack | Query | Setting

_FRAME = re.compile(rb"\$([ -#%-)+-~]*)\*([0-9A-Fa-f]{4})")
_NUMBER = re.compile(r"[0-9]{1,10}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,16}")
_FIRMWARE = re.compile(r"[A-Za-z0-9._+-]{1,24}")
_KEY = re.compile(r"[a-z_]{1,24}")
_MAX_T = (1 << 32) - 1


def crc(body: bytes) -> int:
    """CRC-16 of a body: polynomial 0x1021, start 0xFFFF."""
    return binascii.crc_hqx(body, 0xFFFF)


def frame(body: str) -> bytes:
    """The whole line of a body, ready for the wire."""
    raw = body.encode("ascii")
    return b"$%s*%04X\n" % (raw, crc(raw))


def unframe(line: bytes) -> str | None:
    """The body of a line without its line feed, or None when it is damaged."""
    match = _FRAME.fullmatch(line)
    if match is None or len(line) >= MAX_LINE or int(match[2], 16) != crc(match[1]):
        return None
    return match[1].decode("ascii")


class _OddFieldError(Exception):
    """A field of the wrong form; caught in this module."""


def _number(text: str, most: int) -> int:
    if _NUMBER.fullmatch(text) is None or int(text) > most:
        raise _OddFieldError
    return int(text)


def _text(text: str, shape: re.Pattern[str]) -> str:
    if shape.fullmatch(text) is None:
        raise _OddFieldError
    return text


def _seq(text: str) -> int:
    return _number(text, SEQUENCE - 1)


def _contact(drive: str, sense: str) -> Contact:
    return Contact(_number(drive, 255), _number(sense, 255))


def _hello(fields: list[str]) -> Hello | ForeignHello:
    protocol = _number(fields[0] if fields else "", _MAX_T)
    if protocol != PROTOCOL:
        return ForeignHello(protocol)
    _, firmware, board, drives, senses, session, first, following, dropped, t_ms = fields
    return Hello(
        _text(firmware, _FIRMWARE),
        _text(board, _NAME),
        _number(drives, 255),
        _number(senses, 255),
        _number(session, _MAX_T),
        _seq(first),
        _seq(following),
        _number(dropped, _MAX_T),
        _number(t_ms, _MAX_T),
    )


def _hit(fields: list[str]) -> HitLine:
    seq, drive, sense, t_ms = fields
    return HitLine(_seq(seq), _contact(drive, sense), _number(t_ms, _MAX_T))


def _knock(fields: list[str]) -> KnockLine:
    seq, peak, t_ms = fields
    return KnockLine(_seq(seq), _number(peak, 65535), _number(t_ms, _MAX_T))


def _button(fields: list[str]) -> ButtonLine:
    seq, button, t_ms = fields
    return ButtonLine(_seq(seq), _number(button, 255), _number(t_ms, _MAX_T))


def _stuck(fields: list[str]) -> StuckLine:
    seq, drive, sense, stuck, t_ms = fields
    return StuckLine(_seq(seq), _contact(drive, sense), _number(stuck, 1) == 1, _number(t_ms, _MAX_T))


def _heartbeat(fields: list[str]) -> Heartbeat:
    (t_ms,) = fields
    return Heartbeat(_number(t_ms, _MAX_T))


def _setting(fields: list[str]) -> Setting:
    key, value = fields
    return Setting(_text(key, _KEY), _number(value, _MAX_T))


def _notice(fields: list[str]) -> Notice:
    key, count = fields
    return Notice(_text(key, _KEY), _number(count, SEQUENCE - 1))


def _ack(fields: list[str]) -> Ack:
    (seq,) = fields
    return Ack(_seq(seq))


_BOARD: dict[str, Callable[[list[str]], BoardLine]] = {
    "I": _hello,
    "H": _hit,
    "K": _knock,
    "B": _button,
    "S": _stuck,
    "P": _heartbeat,
    "V": _setting,
    "N": _notice,
}
_HOST: dict[str, Callable[[list[str]], HostLine]] = {"A": _ack, "C": _setting}


def parse_board_line(line: bytes) -> BoardLine | None:
    """Parse one line of the board (without its line feed); None if it is damaged or unknown."""
    return _parse(line, _BOARD)


def parse_host_line(line: bytes) -> HostLine | None:
    """Parse one line of the host (without its line feed), or None; `?` is not a line."""
    return _parse(line, _HOST)


_Parsed = TypeVar("_Parsed")


def _parse(line: bytes, letters: dict[str, Callable[[list[str]], _Parsed]]) -> _Parsed | None:
    body = unframe(line)
    if body is None:
        return None
    letter, *fields = body.split(",")
    if letter not in letters:
        return None
    try:
        return letters[letter](fields)
    except (_OddFieldError, ValueError):  # ValueError: too many or too few fields
        return None


def board_line(line: BoardLine) -> bytes:
    """A line as the board sends it; the inverse of `parse_board_line`."""
    match line:
        case Hello():
            fields = (line.firmware, line.board, line.drives, line.senses, line.session, line.first_seq)
            rest = (line.next_seq, line.dropped, line.t_ms)
            return frame(",".join(map(str, ("I", line.protocol, *fields, *rest))))
        case ForeignHello():
            return frame(f"I,{line.protocol}")
        case HitLine():
            return frame(f"H,{line.seq},{line.contact},{line.t_ms}")
        case KnockLine():
            return frame(f"K,{line.seq},{line.peak},{line.t_ms}")
        case ButtonLine():
            return frame(f"B,{line.seq},{line.button},{line.t_ms}")
        case StuckLine():
            return frame(f"S,{line.seq},{line.contact},{int(line.stuck)},{line.t_ms}")
        case Heartbeat():
            return frame(f"P,{line.t_ms}")
        case Setting():
            return frame(f"V,{line.key},{line.value}")
        case Notice():
            return frame(f"N,{line.key},{line.count}")


def ack(seq: int) -> bytes:
    """`$A`: everything up to and including `seq` is durably stored."""
    return frame(f"A,{seq}")


def query() -> bytes:
    """`?`: request hello, settings, and all unacknowledged events."""
    return b"?\n"


def setting(key: str, value: int) -> bytes:
    """`$C`: set `knock_threshold`, `knock_window_ms`, `vote_window_ms` or `lamp`."""
    return frame(f"C,{key},{value}")
