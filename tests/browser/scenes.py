"""Moments of a game, for screenshots and for the tests that look at all of them."""

from __future__ import annotations

import re
from typing import Any

from browser.fakes import LOUD, snapshot
from scharten.errors import Problem
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options

LINES = "oabcdefghi"


def position(pieces: str, rest: str) -> str:
    """A position string from words such as `Ke1 Pe2* kd8`: letter, field, `*` where unmoved."""
    fields = {}
    for word in pieces.split():
        row = int(word[2])
        s = LINES.index(word[1]) + (0 if row < 5 else 10)
        fields[(row - 1 if row < 5 else 8 - row) * 20 + s] = word[0] + word[3:]
    rings = []
    for depth in range(4):
        ring = " ".join(fields.get(depth * 20 + s, ".") for s in range(20))
        rings.append(re.sub(r"[. ]+", lambda m: str(m[0].count(".") or ""), f" {ring} ").strip())
    return "/".join(rings) + " " + rest


MIDDLE = position(
    "Ke1 Pe2* Pb2* Pc3* Pf4 Pd3* Pg2* Pa3* Ph4* Pi2* Ng3* Nc4 Bf2* Bb3*"
    " kd8 pd7* pg6* ph7* pc7 pa6* pb5* pi7* pf6* pe5 ne6* ng5 bc6* bh6* rb7*",
    "w - 14/14 1/2 3/1 24",
)
CHECK = position(
    "Ke1 Pe2* Pb2* Pc3* Pf4 Pd3* Pg2* Pa3* Ph4* Pi2* Ng3* Nc4 Bf3* Bb3*"
    " kd8 pd7* pg6* ph7* pc7 pa6* pb5* pi7* pf6* pe5 ne6* rh1 bc6* bh6* rb1 ng5",
    "w - 14/15 1/2 3/1 24",
)
CLOCK = {
    "white_ms": 632000, "black_ms": 587000, "running": "white", "since_ms": 1795190400000, "stage": 1,
    "stages": {"white": 1, "black": 1}, "flags": {},
}  # fmt: skip
ENTRIES = [
    {"n": 1 + n // 2, "side": "white" if n % 2 == 0 else "black", "text": text, "fields": [],
     "bed": bed, "at_ms": 0, "position": MIDDLE}
    for n, (text, bed) in enumerate(
        [
            ("@e2", "F3"), ("@d7", "F1"), ("@c3", "T7"), ("@-", "D20"), ("@f4", "L17"), ("@g6", "T12"), ("Kd1", None),
            ("@h7", "F9"), ("N@g3", "T2"), ("Qxe5", None), ("@b2", "F16"), ("@-", "BULL"), ("B@f2", "F17"),
            ("R@b7", "F4"),
        ]
    )
]  # fmt: skip
LAST = {
    "by": "black",
    "text": "R@b7",
    "move": "@b7",
    "fields": ["b7"],
    "bed": "F4",
    "x_mm": 110.0,
    "y_mm": 77.0,
    "foul": None,
    "dart": True,
}
MESSAGE = {"code": "placed", "args": {"side": "black", "field": "b7", "piece": "R", "bed": "F4"}}
OPTIONS = Options()


def judged(text: str) -> dict[str, Any]:
    """Return a position of a loud game, judged by the rules, with the fields of a snapshot."""
    found = SCHARTEN.read(text, OPTIONS)
    assert not isinstance(found, Problem), found
    now = SCHARTEN.situation(found, OPTIONS)
    return {
        "position": text,
        "side": now.side.word,
        "check": list(now.check),
        "moves": list(now.moves),
        "drops": list(now.drops),
        "shown": SCHARTEN.shown(found, OPTIONS),
    }


NO_DART = {"throw": False, "claim": [], "take_back": 0}


def scenes() -> dict[str, dict[str, Any]]:
    """Return the snapshots by name."""
    middle = snapshot(
        seq=41, last=LAST, message=MESSAGE, clock=CLOCK, sheet=[e["text"] for e in ENTRIES], turns=14
    )
    middle |= judged(MIDDLE)
    lost = LAST | {"by": "white", "text": "@-", "move": "@-", "fields": ["e7"], "foul": "outside_zone"}
    choice = {
        "code": "which_bed",
        "side": "white",
        "beds": ["F7", "T7"],
        "confidence": 1.0,
        "x_mm": None,
        "y_mm": None,
    }
    fields = [
        {"bed": "F7", "effect": "placed", "field": "c2"},
        {"bed": "T7", "effect": "occupied", "field": "c3"},
    ]
    asked = {"id": "r1", "by": "seat1", "type": "take_back", "args": {"turns": 1}, "until_ms": 2**42}
    return {
        "setup": snapshot(phase="setup", match="", names={"white": "", "black": ""}, can=NO_DART),
        "start": snapshot() | judged(LOUD),
        "asked": middle | {"draw_offer": "white", "requests": [asked]},
        "mate": middle
        | judged(CHECK)
        | {"phase": "finished", "result": "0-1", "reason": "checkmate", "clock": CLOCK | {"running": None}},
        "turn": middle,
        "throwing": middle
        | {"phase": "throwing", "message": {"code": "announced", "args": {"side": "white"}}},
        "settling_lost": middle
        | judged(MIDDLE.replace(" w ", " b ").replace("1/2", "2/2"))
        | {"phase": "settling", "last": lost | {"bed": "T20", "x_mm": 3.0, "y_mm": 103.0}},
        "check": middle | judged(CHECK),
        "question": middle
        | {"phase": "throwing", "question": {**choice, "source": "board", "choices": fields}},
        "fogling": middle
        | {"phase": "finished", "result": "0-1", "reason": "fogling"}
        | {"shown": middle["shown"] | {"fouls": {"white": 3, "black": 2}}}
        | {
            "clock": CLOCK | {"running": None},
            "last": lost | {"bed": "MISS", "fields": [], "x_mm": None, "y_mm": None},
        },
        "deciding": snapshot(
            phase="deciding", message={"code": "deciding", "args": {"seat": "seat1"}}, to_toss="seat1"
        ),
        "paused": middle
        | {"phase": "paused", "paused_from": "turn", "message": {"code": "restarted", "args": {}}},
    }
