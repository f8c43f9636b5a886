"""Moments of a game, for screenshots and for the tests that look at all of them."""

from __future__ import annotations

import re
from typing import Any

from browser.fakes import SILENT, snapshot

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
CLOCK = {"white_ms": 632000, "black_ms": 587000, "running": "white", "since_ms": 1795190400000, "stage": 1}
ENTRIES = [
    {"n": 1 + n // 2, "side": "white" if n % 2 == 0 else "black", "text": text, "bed": bed, "position": MIDDLE}
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
    "bed": "F4",
    "x_mm": 110.0,
    "y_mm": 77.0,
    "foul": None,
    "from": None,
    "to": "b7",
}
MESSAGE = {"code": "placed", "args": {"side": "black", "field": "b7", "piece": "R", "bed": "F4"}}


def scenes() -> dict[str, dict[str, Any]]:
    """Snapshots by name."""
    middle = snapshot(
        seq=41, position=MIDDLE, last=LAST, message=MESSAGE, clock=CLOCK, fouls={"white": 1, "black": 2},
        next={"white": "B", "black": "R"}, to_throw={"white": 3, "black": 4},
        moves=["e2e3", "f2h4", "e1e2", "e1d2", "g3e4", "g3f1", "g3h5"], sheet=[e["text"] for e in ENTRIES],
    )  # fmt: skip
    return {
        "start": snapshot(),
        "silent": snapshot(position=SILENT, kind="silent", moves=["e2e3", "e2e4"], to_throw={"white": 0, "black": 0}),
        "turn": middle,
        "throwing": {**middle, "phase": "throwing", "message": {"code": "announced", "args": {"side": "white"}}},
        "settling_lost": {
            **middle, "phase": "settling", "side": "black", "fouls": {"white": 2, "black": 2},
            "last": {"by": "white", "text": "@-", "bed": "T20", "x_mm": 3.0, "y_mm": 103.0, "foul": "outside_zone"},
        },
        "check": {**middle, "check": True, "checkers": [{"field": "f6", "supporters": ["g5"]}]},
        "question": {
            **middle, "phase": "throwing",
            "question": {"code": "which_bed", "side": "white", "choices": [
                {"bed": "F7", "effect": "placed", "field": "c2"}, {"bed": "T7", "effect": "occupied", "field": "c3"}]},
        },
        "fogling": {
            **middle, "phase": "finished", "result": "0-1", "reason": "fogling", "fouls": {"white": 3, "black": 2},
            "clock": {**CLOCK, "running": None},
            "last": {"by": "white", "text": "@-", "bed": "MISS", "x_mm": None, "y_mm": None, "foul": "off_board"},
        },
        "deciding": snapshot(phase="deciding", message={"code": "deciding", "args": {"seat": "seat1"}}),
    }  # fmt: skip
