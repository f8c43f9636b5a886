"""Random play for property tests: intents drawn by hypothesis become inputs that fit the present match."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from scharten.dartboard.beds import ALL_BEDS, SHARED_BEDS, Bed, readings
from scharten.dartboard.profile import Contact
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import FIELDS, bed_of, field_name, parse_field
from scharten.match.dart import Dart
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
    ContactStuck,
    Input,
    Knock,
    Reading,
    ReadingsLost,
    Receipt,
    Restarted,
    Role,
    SensorChanged,
    SensorNews,
    SensorState,
    Tick,
)
from scharten.match.orders import ORDERS
from scharten.match.state import Match

BEDS = st.sampled_from(ALL_BEDS)
REAL = BEDS.map(str)
FIELD = st.sampled_from([field_name(field) for field in FIELDS])
CLOCK = {"stages": [{"moves": 2, "seconds": 20}, {"moves": None, "seconds": 5}], "increment_s": 1}

_PLAIN: dict[str, dict[str, Any]] = {
    "announce_throw": {},
    "cancel_throw": {},
    "ready": {},
    "miss": {},
    "correct": {"bed": REAL},
    "delete_dart": {},
    "add_dart": {"bed": REAL},
    "choose_bed": {"bed": REAL | st.none()},
    "take_back": {"turns": st.integers(1, 4)},
    "confirm": {"request": st.sampled_from([f"c{n}" for n in range(60)])},
    "resign": {},
    "offer_draw": {},
    "answer_draw": {"accept": st.booleans()},
    "claim_draw": {"rule": st.sampled_from(["repetition", "fifty_moves"])},
    "claim_flag": {},
    "touch": {"fields": st.lists(FIELD, min_size=1, max_size=3)},
    "let_go": {"origin": FIELD, "to": FIELD},
    "adoube": {},
    "pause": {},
    "resume": {},
    "set_clock": {"white_ms": st.integers(0, 10**7), "black_ms": st.integers(0, 2**53 - 1)},
    "set_result": {"result": st.sampled_from(["1-0", "1/2-1/2", "0-½", None])},
    "decide_white": {
        "by": st.sampled_from(["lot", "dart", "agreed"]),
        "white": st.sampled_from(["seat1", "seat2"]),
    },
}
GAMES = st.fixed_dictionaries(
    {},
    optional={
        "white_by": st.sampled_from(["lot", "dart", "agreed"]),
        "arming": st.sampled_from(["announce", "auto", "auto"]),
        "settle_ms": st.sampled_from([0, 1500]),
        "zones": st.sampled_from(["half", "home", {"white": ["e1", "e2", "f4"], "black": ["d5", "b8"]}]),
        "touch_move": st.sampled_from(["off", "off", "on"]),
        "support": st.sampled_from(["field_value", "count"]),
        "bounce_counts": st.booleans(),
    },
)


@dataclass(frozen=True)
class Intent:
    """A person's intent before the match is known: a kind, and random numbers to choose with."""

    kind: str
    fields: dict[str, Any]
    role: str
    side: str | None
    pick: int
    elapsed_ms: int
    ago: int
    right: bool
    repeat: bool


def _fields(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    if kind == "new_game":
        chosen = {"options": GAMES, "kind": st.sampled_from(["loud", "silent"]), "abandon": st.booleans()}
        clock, game = st.sampled_from([None, CLOCK]), st.sampled_from(["scharten", *GAMES_BY_KEY])
        return st.fixed_dictionaries(chosen, optional={"clock": clock, "game": game})
    drawn = {
        name: value if isinstance(value, st.SearchStrategy) else st.just(value)
        for name, value in _PLAIN.get(kind, {}).items()
    }
    return st.fixed_dictionaries(drawn)


_PLAY = ["move", "move", "move", "good_dart", "good_dart", "good_dart", "dart", "announce_throw"]
_DEVICES = ["shared", "seen", "knock", "button", "empty", "stuck", "dropped", "source", "tick", "restart"]
_OTHERS = ["new_game", "set_position", "explain", "bad_move", *_PLAIN]
KINDS = st.sampled_from(_PLAY * 4 + _DEVICES + _OTHERS)


@st.composite
def intents(draw: st.DrawFn) -> Intent:
    """Draw an intent; most are sensible, so that games make progress."""
    kind = draw(KINDS)
    return Intent(
        kind=kind,
        fields=draw(_fields(kind)),
        role=draw(st.sampled_from(["table", "table", "arbiter", "seat1", "seat2"])),
        side=draw(st.sampled_from([None, None, "white", "black"])),
        pick=draw(st.integers(0, 400)),
        elapsed_ms=draw(st.sampled_from([1, 500, 2000, 8000, 40_000, -3000, -60_000])),
        ago=draw(st.sampled_from([0, 0, 0, 30, 5000, -100])),
        right=draw(st.integers(0, 9)) > 0,
        repeat=draw(st.integers(0, 19)) == 0,
    )


def as_input(intent: Intent, match: Match, t: int, n: int) -> Input:
    """Turn an intent into an input for the present match."""
    at, receipt = t - intent.ago, Receipt(7, n % 65536)
    match intent.kind:
        case "good_dart" if match.situation.drops:
            field = parse_field(match.situation.drops[intent.pick % len(match.situation.drops)])
            assert field is not None
            return Reading(
                t, at, "board", _contact(bed_of(field, match.start.settings.white_sits_at)), receipt
            )
        case "dart" | "good_dart":
            return Reading(t, at, "board", _contact(ALL_BEDS[intent.pick % len(ALL_BEDS)]), receipt)
        case "shared":
            return Reading(t, at, "board", _contact((*SHARED_BEDS, None)[intent.pick % 21]), receipt)
        case "seen":
            first = (intent.pick % 100) / 100
            beds = tuple(
                (ALL_BEDS[(intent.pick + step) % len(ALL_BEDS)], (1 - first) / 2 if step else first)
                for step in range(intent.pick % 3)
            )
            where = (float(intent.pick), None) if intent.right else (1.5, -2.5)
            return Reading(t, at, "camera", Dart(beds, *where, bounced=intent.repeat))
        case _:
            return _device(intent, t, at, receipt) or _command(intent, match, t, n)


def _contact(bed: Bed | None) -> Dart:
    """Return the dart of a contact. A shared single may be in either bed, an unknown contact has no bed."""
    beds = readings(bed) if bed else ()
    return Dart(tuple((bed, 1 / len(beds)) for bed in beds), contact=Contact(1, 2))


def _device(intent: Intent, t: int, at: int, receipt: Receipt) -> Input | None:
    match intent.kind:
        case "knock":
            return Reading(t, at, "board", Knock(intent.pick), receipt)
        case "button":
            return Reading(t, at, "board", Button(list(ButtonName)[intent.pick % 3]), receipt)
        case "empty":
            return Reading(t, at, "camera", Cleared())
        case "stuck":
            stuck = ContactStuck(Contact(1, 2), ALL_BEDS[intent.pick % 83], intent.right)
            return SensorNews(t, "board", stuck, receipt)
        case "dropped":
            return SensorNews(t, "board", ReadingsLost(intent.pick))
        case "source":
            return SensorNews(t, "board", SensorChanged(list(SensorState)[intent.pick % 4], "said"))
        case "tick":
            return Tick(t)
        case "restart":
            return Restarted(t)
        case _:
            return None


def _command(intent: Intent, match: Match, t: int, n: int) -> Command:
    fields = dict(intent.fields)
    kind = intent.kind
    if kind in ("move", "bad_move", "explain"):
        legal = match.situation.moves
        good = legal[intent.pick % len(legal)] if legal and kind == "move" else f"e{intent.pick % 8 + 1}d5"
        fields["move"], kind = good, "move" if kind == "bad_move" else kind
    if kind == "claim_draw" and intent.repeat and match.situation.moves:
        fields["move"] = match.situation.moves[0]
    if kind == "new_game" and fields.get("game", "scharten") != "scharten" and intent.right:
        own = GAMES_BY_KEY[fields["game"]].options_model.model_fields
        fields["options"] = {name: value for name, value in fields["options"].items() if name in own}
    if kind == "set_position":
        fields["position"] = match.situation.text if intent.right else "5K 9k w"
    if intent.side:
        fields["side"] = intent.side
    body = {
        "v": 1,
        "id": f"c{n - 1 if intent.repeat else n}",
        "match": match.id if intent.right else "other",
        "seq": match.seq if intent.right else match.seq + intent.pick - 200 if intent.pick > 200 else 0,
        "type": kind,
        **fields,
    }
    order = ORDERS.validate_json(json.dumps(body))
    return Command(t, Role(intent.role), order, seed=intent.pick)
