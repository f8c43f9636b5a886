"""Scripts for the simulated board: timed throws as text, one per line.

    # seconds   what happens                              a number sign starts a comment
    0           T20                                       a dart in the middle of a bed
    +1.5        12.5,-103                                 a dart at x,y in mm; + counts from the line before
    3           miss                                      beside the board: the electronics notice nothing
    3.2         bounce_out                                a knock without a contact
    4           button ready                              or miss, or undo
    5           stuck T20                                 a contact closes and stays closed ...
    8           free T20                                  ... and opens again
    9           unplug                                    the cable is pulled: the port goes, the memory too
    10          replug                                    another port comes
    +0          wait host                                 until a host has asked who the board is
    +0          wait stored                               until the host has stored every event
    +0          press 3,7                                 a contact of the matrix, by drive and sense
    +0          knock 200                                 a knock of that strength
    +0          reset                                     as when DTR pulls the reset line
    +1          end                                       the process ends; without it the board stays plugged in

`stuck`, `free` and `press` take a bed or a contact. After a `wait`, and from one line typed by hand to the next,
the time counts from when the wait was over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from scharten.dartboard.beds import Bed, parse_bed
from scharten.dartboard.lines import BUTTON_MISS, BUTTON_READY, BUTTON_UNDO
from scharten.dartboard.profile import Contact
from scharten.errors import Problem, detail


@dataclass(frozen=True)
class AtPoint:
    """A dart arrives at this point, in mm."""

    x_mm: float
    y_mm: float


@dataclass(frozen=True)
class InBed:
    """A dart arrives in the middle of this bed."""

    bed: Bed


class Plain(Enum):
    """Actions without an argument."""

    MISS = "miss"
    BOUNCE_OUT = "bounce_out"
    UNPLUG = "unplug"
    REPLUG = "replug"
    RESET = "reset"
    END = "end"


class Wait(Enum):
    """Conditions that a script can wait for."""

    HOST = "host"
    STORED = "stored"


@dataclass(frozen=True)
class Push:
    """A button goes down."""

    button: int


@dataclass(frozen=True)
class Tap:
    """The piezo feels a knock of this strength."""

    peak: int


class ContactAction(Enum):
    """Actions on a contact."""

    PRESS = "press"
    HOLD = "stuck"
    FREE = "free"


@dataclass(frozen=True)
class TouchedContact:
    """Something is done to the contact of a bed, or to one named by its lines."""

    touch: ContactAction
    at: Contact | Bed


Reason = dict[str, str]
"""Why a line is refused, by language."""
Deed = AtPoint | InBed | Plain | Wait | Push | Tap | TouchedContact


@dataclass(frozen=True)
class ScriptLine:
    """One line: `seconds` from the script's start (or last wait), or from the line before if `relative`."""

    seconds: float
    relative: bool
    deed: Deed


_BUTTONS = {"miss": BUTTON_MISS, "ready": BUTTON_READY, "undo": BUTTON_UNDO}
_TIME = re.compile(r"(\+?)([0-9]{1,6}(?:\.[0-9]{1,6})?)")
_NUMBER = r"(-?[0-9]{1,4}(?:\.[0-9]{1,6})?)"
_POINT = re.compile(rf"{_NUMBER},{_NUMBER}")
_CONTACT = re.compile(r"([0-9]{1,2}),([0-9]{1,2})")


def parse_script(text: str) -> tuple[ScriptLine, ...] | Problem:
    """The steps of a whole script, or its first error; nothing is played before all of it is understood."""
    steps: list[ScriptLine] = []
    last = 0.0
    for number, line in enumerate(text.splitlines(), 1):
        step = parse_line(line, number)
        if isinstance(step, Problem):
            return step
        if step is None:
            continue
        if not step.relative and step.seconds < last:
            return _wrong(number, detail("script_order", seconds=f"{step.seconds:g}"))
        waits = isinstance(step.deed, Wait)
        last = 0.0 if waits else last + step.seconds if step.relative else step.seconds
        steps.append(step)
    return tuple(steps)


def parse_line(line: str, number: int) -> ScriptLine | Problem | None:
    """One line's step; None for an empty line or a comment."""
    words = line.partition("#")[0].split()
    if not words:
        return None
    time = _TIME.fullmatch(words[0])
    if time is None or len(words) == 1:
        return _wrong(number, detail("script_time", line=line.strip()))
    deed = _deed(words[1], words[2:])
    if isinstance(deed, dict):
        return _wrong(number, deed)
    return ScriptLine(float(time[2]), time[1] == "+", deed)


def _wrong(number: int, what: Reason) -> Problem:
    return Problem.reasoned("wrong_line", "at_line", line=number, what=what)


def _deed(word: str, rest: list[str]) -> Deed | Reason:
    if word in _WITH_ARGUMENT:
        if len(rest) != 1:
            return detail("script_word", word=word)
        return _WITH_ARGUMENT[word](word, rest[0])
    if rest:
        return detail("script_rest", word=word, given=rest[0])
    if word in {plain.value for plain in Plain}:
        return Plain(word)
    bed = parse_bed(word)
    if bed is not None:
        return InBed(bed)
    point = _POINT.fullmatch(word)
    if point is not None:
        return AtPoint(float(point[1]), float(point[2]))
    known = ", ".join([*(plain.value for plain in Plain), *_WITH_ARGUMENT])
    return detail("script_deed", word=word, known=known)


def _push(word: str, name: str) -> Deed | Reason:
    if name not in _BUTTONS:
        return detail("script_button", given=name, known=", ".join(_BUTTONS))
    return Push(_BUTTONS[name])


def _wait(word: str, name: str) -> Deed | Reason:
    known = {wait.value for wait in Wait}
    if name not in known:
        return detail("script_wait", given=name, known=", ".join(sorted(known)))
    return Wait(name)


def _tap(word: str, peak: str) -> Deed | Reason:
    return Tap(int(peak)) if peak.isdecimal() and len(peak) < 6 else detail("script_knock", given=peak)


def _touch(word: str, at: str) -> Deed | Reason:
    contact = _CONTACT.fullmatch(at)
    if contact is not None:
        return TouchedContact(ContactAction(word), Contact(int(contact[1]), int(contact[2])))
    bed = parse_bed(at)
    return TouchedContact(ContactAction(word), bed) if bed is not None else detail("script_contact", given=at)


_WITH_ARGUMENT: dict[str, Callable[[str, str], Deed | Reason]] = {
    "button": _push,
    "wait": _wait,
    "knock": _tap,
    **{touch.value: _touch for touch in ContactAction},
}
