"""The tables of tables.py on the portable core and on the compiled programs."""

from __future__ import annotations

import pytest

from firmware.conftest import KINDS
from firmware.driver import FULL, Board, brief, events, hellos
from firmware.tables import BUTTONS, DEBOUNCE, GHOSTS, KNOCK, STUCK, VOTE, Case

CASES = [*DEBOUNCE, *VOTE, *STUCK, *GHOSTS, *KNOCK, *BUTTONS]
SLACK_MS = (
    3  # stamps are whole milliseconds of the clock in a hello line, a pass or two after the contact closed
)
SLOW = {case.name for case in (*STUCK, *KNOCK, *BUTTONS)}
ON_PICO = (DEBOUNCE[0], DEBOUNCE[4], VOTE[0], VOTE[6], GHOSTS[0], KNOCK[0], KNOCK[3], BUTTONS[0])
"""The core is the same: the chips differ in pins, interrupts, the piezo and the line. A second on a chip
costs five."""
STORIES = [
    pytest.param(*kind.values, case, id=f"{kind.id}: {case.name}", marks=kind.marks)
    for kind in KINDS
    for case in CASES
    if (kind.id != "uno" or case not in BUTTONS)  # the board has no pin left for a piezo
    and (
        FULL
        or kind.id in ("core", "mega2560")
        or (kind.id == "uno" and case.name not in SLOW)
        or (kind.id == "pico" and case in ON_PICO)
    )
]


def _contact(word: str) -> tuple[int, int]:
    drive, sense = word.split(",")
    return int(drive), int(sense)


def _plan(board: Board, at_ms: float, step: str) -> None:
    match step.split():
        case ["close" | "open" as what, contact]:
            board.contact(*_contact(contact), what == "close", at_ms)
        case ["press", contact, closed_ms, "bounce", bounce_ms]:
            board.press(*_contact(contact), at_ms, float(closed_ms), float(bounce_ms))
        case ["button", number, way]:
            board.button(int(number), way == "down", at_ms)
        case ["knock", volts]:
            board.knock(at_ms, float(volts))
        case ["power"]:
            board.run(0.1)  # contacts closed at 0 are closed before the power comes
            board.power(2)
        case _:
            raise AssertionError(f"no such step: {step}")


def _clock_ms(board: Board) -> float:
    """Return the board's clock at the start of the next millisecond."""
    board.send(b"?")
    board.run(20)
    (said,) = [said for said in board.take() if said.text.startswith("$I")]
    (hello,) = hellos([said])
    return hello.t_ms + (board.now_us - said.from_us) / 1000


@pytest.mark.parametrize(("running", "case"), STORIES, indirect=["running"])
def test_table(board: Board, case: Case) -> None:
    """Each change of the electronics gives exactly the expected events, in order, with the right times."""
    for key, value in case.settings:
        board.set(key, value)
    start = _clock_ms(board)
    for at_ms, step in case.steps:
        _plan(board, at_ms, step)
    board.run(case.until)
    found = events(board.take())
    assert [brief(event) for event in found] == [what for _, what in case.expected]
    for event, (at_ms, what) in zip(found, case.expected, strict=True):
        assert at_ms is None or abs(event.t_ms - start - at_ms) <= SLACK_MS, (what, event.t_ms - start, at_ms)
