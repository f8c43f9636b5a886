"""Tables of (time, contacts, expected lines): changes of the electronics, and the lines that the board must send.

Times in milliseconds from the start of the case. A step is `close D,S`, `open D,S`, `press D,S MS [bounce MS]`,
`button N down|up`, `knock VOLTS`, `set KEY VALUE` (before the start) or `power` (off and on again, at the start).
Expected lines carry the time that their stamp must show, or None where it does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A case: the changes with their times, and the expected events in order."""

    name: str
    steps: tuple[tuple[float, str], ...]
    expected: tuple[tuple[float | None, str], ...]
    until: float
    settings: tuple[tuple[str, int], ...] = ()


def closed(contact: str, start: float, end: float) -> tuple[tuple[float, str], ...]:
    """A clean closure."""
    return ((start, f"close {contact}"), (end, f"open {contact}"))


DEBOUNCE = (
    Case("a clean closure is one hit", closed("3,7", 5, 7), ((5, "H 3,7"),), 60),
    Case("the shortest closure that counts is 1.0 ms", closed("3,7", 5, 6), ((5, "H 3,7"),), 60),
    Case("a spike of 0.1 ms is noise", closed("3,7", 5, 5.1), (), 60),
    Case("two spikes of two contacts are noise", (*closed("3,7", 5, 5.1), *closed("2,6", 7, 7.1)), (), 60),
    Case("bounce on both sides is one hit", ((5, "press 0,0 2 bounce 0.8"),), ((5, "H 0,0"),), 60),
    Case("a closure of 100 ms is one hit", closed("7,7", 5, 105), ((5, "H 7,7"),), 200),
    Case(
        "a contact that chatters for 40 ms is one hit",
        tuple(step for i in range(8) for step in closed("1,2", 5 + 5 * i, 8 + 5 * i)),
        ((5, "H 1,2"),),
        150,
    ),
    Case(
        "two darts 110 ms apart in one contact are two hits",
        (*closed("4,4", 5, 8), *closed("4,4", 115, 118)),
        ((5, "H 4,4"), (115, "H 4,4")),
        180,
    ),
    Case(
        "two darts 110 ms apart in two contacts are two hits",
        (*closed("4,4", 5, 8), *closed("5,1", 115, 118)),
        ((5, "H 4,4"), (115, "H 5,1")),
        180,
    ),
)

VOTE = (
    Case(
        "a dart on a wire: the contact with most closures wins",
        (*closed("2,2", 5, 6.5), *closed("2,3", 5.5, 9)),
        ((5.5, "H 2,3"),),
        100,
    ),
    Case(
        "the loser gives no hit of its own, however long it stays closed",
        (*closed("2,2", 5, 30), *closed("2,3", 7, 90)),
        ((5, "H 2,2"),),
        200,
    ),
    # 4.08 ms are 17 passes to the microsecond, however they fall
    Case(
        "of equals the first to close wins",
        (*closed("6,1", 5, 9.08), *closed("6,4", 5.5, 9.58)),
        ((5, "H 6,1"),),
        100,
    ),
    Case(
        "a spike on another contact does not win",
        (*closed("1,1", 5, 5.1), *closed("1,6", 6, 9)),
        ((6, "H 1,6"),),
        100,
    ),
    Case(
        "what closes in the 100 ms after a hit is the same dart",
        (*closed("2,2", 5, 8), *closed("2,3", 14, 17), *closed("6,6", 60, 63), *closed("2,2", 95, 98)),
        ((5, "H 2,2"),),
        150,
    ),
    Case(
        "what closed in those 100 ms gives no hit until it has been open again",
        (*closed("2,2", 5, 8), *closed("2,3", 14, 200), *closed("2,3", 300, 303)),
        ((5, "H 2,2"), (300, "H 2,3")),
        400,
    ),
    Case(
        "without a window the first contact is the hit",
        (*closed("2,2", 5, 8), *closed("2,3", 6, 9)),
        ((5, "H 2,2"),),
        100,
        (("vote_window_ms", 0),),
    ),
    Case(
        "without a window a bouncing contact is still one hit",
        ((5, "press 2,2 2 bounce 0.8"),),
        ((5, "H 2,2"),),
        100,
        (("vote_window_ms", 0),),
    ),
    Case("without a window a spike is noise", closed("2,2", 5, 5.1), (), 60, (("vote_window_ms", 0),)),
    Case(
        "a hand on six contacts of one line is one hit",
        tuple(step for s in range(6) for step in closed(f"5,{s}", 5, 300)),
        ((5, "H 5,0"),),
        400,
    ),
)

STUCK = (
    Case(
        "held for over 2 s: a hit, then stuck, then free, then a hit again",
        (*closed("4,4", 5, 2500), *closed("4,4", 3400, 3402)),
        ((5, "H 4,4"), (None, "S 4,4 stuck"), (None, "S 4,4 free"), (3400, "H 4,4")),
        3500,
    ),
    Case("held for 1.9 s is not stuck", closed("4,4", 5, 1905), ((5, "H 4,4"),), 2600),
    Case(
        "a stuck contact does not deafen its neighbours",
        (
            (5, "close 2,2"),
            *closed("2,5", 2500, 2502),
            *closed("6,2", 2650, 2652),
            *closed("5,5", 2800, 2802),
            *closed("2,3", 2950, 2952),
        ),
        (
            (5, "H 2,2"), (None, "S 2,2 stuck"),
            (2500, "H 2,5"), (2650, "H 6,2"), (2800, "H 5,5"), (2950, "H 2,3"),
        ),
        3050,
    ),
    Case(
        "closed at power-up is stuck, not hit, and hits once it has been free",
        ((0, "close 3,3"), (0, "power"), (400, "open 3,3"), *closed("3,3", 1400, 1402)),
        ((None, "S 3,3 stuck"), (None, "S 3,3 free"), (None, "H 3,3")),
        1500,
    ),
    Case(
        "a contact that flickers while it is stuck gives no hits",
        ((0, "close 3,3"), (0, "power"), (300, "open 3,3"), (400, "close 3,3")),
        ((None, "S 3,3 stuck"),),
        900,
    ),
)  # fmt: skip

GHOSTS = (
    Case(
        "the fourth corner is no hit, and neither is the third: nobody can tell them apart",
        ((5, "close 1,1"), (150, "close 1,4"), (300, "close 5,1")),
        ((5, "H 1,1"), (150, "H 1,4")),
        500,
    ),
    Case(
        "of two contacts on a wire beside a held one, the one that closed first is certain",
        ((5, "close 1,1"), *closed("1,4", 150, 154), *closed("5,1", 152, 156)),
        ((5, "H 1,1"), (150, "H 1,4")),
        300,
    ),
    Case(
        "a contact in doubt counts when the doubt is over",
        ((5, "close 1,1"), *closed("1,4", 150, 152), *closed("5,1", 150, 158)),
        ((5, "H 1,1"), (None, "H 5,1")),
        300,
    ),
    Case(
        "four contacts pressed at once in a rectangle give no hit",
        tuple(step for c in ("2,2", "2,6", "7,2", "7,6") for step in closed(c, 5, 25)),
        (),
        150,
    ),
    Case(
        "one held contact makes no ghost",
        ((5, "close 1,1"), *closed("5,4", 150, 153), *closed("1,4", 300, 303), *closed("5,1", 450, 453)),
        ((5, "H 1,1"), (150, "H 5,4"), (300, "H 1,4"), (450, "H 5,1")),
        550,
    ),
)

LISTENING = (("knock_threshold", 80),)
KNOCK = (
    Case("a knock alone is reported after the window", ((5, "knock 4"),), ((5, "K"),), 200, LISTENING),
    Case("a faint knock is not heard", ((5, "knock 0.2"),), (), 200, LISTENING),
    Case("with a threshold of 0 no knock is reported", ((5, "knock 4"),), (), 200),
    Case("a dart that hits knocks too", ((5, "knock 4"), *closed("3,3", 8, 11)), ((8, "H 3,3"),), 200, LISTENING),
    Case("the contact may come first", (*closed("3,3", 5, 8), (9, "knock 4")), ((5, "H 3,3"),), 200, LISTENING),
    Case(
        "a contact after the window is another dart",
        ((5, "knock 4"), *closed("3,3", 105, 108)),
        ((5, "K"), (105, "H 3,3")),
        250,
        LISTENING,
    ),
    Case(
        "the window is the host's to set",
        ((5, "knock 4"), *closed("3,3", 105, 108)),
        ((105, "H 3,3"),),
        300,
        (*LISTENING, ("knock_window_ms", 150)),
    ),
    Case("two blows are two knocks", ((5, "knock 4"), (205, "knock 3")), ((5, "K"), (205, "K")), 400, LISTENING),
    Case("a contact in doubt is no miss", (
        *(step for c in ("2,2", "2,6", "7,2", "7,6") for step in closed(c, 5, 8)), (6, "knock 4")),
        (), 200, LISTENING),
)  # fmt: skip

BUTTONS = (
    Case(
        "a button counts when it goes down, once",
        ((5, "button 1 down"), (105, "button 1 up")),
        ((15, "B 1"),),
        200,
    ),
    Case("a touch of 5 ms is bounce", ((5, "button 0 down"), (10, "button 0 up")), (), 100),
    Case(
        "held at power-up it must be let go first",
        ((0, "button 2 down"), (0, "power"), (300, "button 2 up"), (400, "button 2 down")),
        ((None, "B 2"),),
        500,
    ),
)
