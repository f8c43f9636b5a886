"""Random play for property tests: wishes drawn by hypothesis, turned into inputs as the match then stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from scharten.dartboard.beds import ALL_BEDS, SHARED_BEDS, Bed, readings
from scharten.dartboard.profile import Contact
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import FIELDS, bed_of, field_name, parse_field
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
    ContactStuck,
    Dart,
    Input,
    Knock,
    Lifted,
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
class Wish:
    """What someone wants, before it is known how the match stands: a kind, and draws to choose by."""

    kind: str
    fields: dict[str, Any]
    role: str
    side: str | None
    pick: int
    after: int
    ago: int
    right: bool
    again: bool


def _fields(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    if kind == "new_game":
        wished = {"options": GAMES, "kind": st.sampled_from(["loud", "silent"]), "abandon": st.booleans()}
        clock, game = st.sampled_from([None, CLOCK]), st.sampled_from(["scharten", *GAMES_BY_KEY])
        return st.fixed_dictionaries(wished, optional={"clock": clock, "game": game})
    drawn = {
        name: each if isinstance(each, st.SearchStrategy) else st.just(each)
        for name, each in _PLAIN.get(kind, {}).items()
    }
    return st.fixed_dictionaries(drawn)


_PLAY = ["move", "move", "move", "good_dart", "good_dart", "good_dart", "dart", "announce_throw"]
_DEVICES = [
    "shared",
    "seen",
    "knock",
    "button",
    "empty",
    "lifted",
    "stuck",
    "dropped",
    "source",
    "tick",
    "restart",
]
_OTHERS = ["new_game", "set_position", "explain", "bad_move", *_PLAIN]
KINDS = st.sampled_from(_PLAY * 4 + _DEVICES + _OTHERS)


@st.composite
def wishes(draw: st.DrawFn) -> Wish:
    """One wish; most are sensible, so that games get somewhere."""
    kind = draw(KINDS)
    return Wish(
        kind=kind,
        fields=draw(_fields(kind)),
        role=draw(st.sampled_from(["table", "table", "arbiter", "seat1", "seat2"])),
        side=draw(st.sampled_from([None, None, "white", "black"])),
        pick=draw(st.integers(0, 400)),
        after=draw(st.sampled_from([1, 500, 2000, 8000, 40_000, -3000, -60_000])),
        ago=draw(st.sampled_from([0, 0, 0, 30, 5000, -100])),
        right=draw(st.integers(0, 9)) > 0,
        again=draw(st.integers(0, 19)) == 0,
    )


def realised(wish: Wish, match: Match, t: int, n: int) -> Input:
    """The input that a wish is, now that the match stands so."""
    at, receipt = t - wish.ago, Receipt(7, n % 65536)
    match wish.kind:
        case "good_dart" if match.situation.drops:
            field = parse_field(match.situation.drops[wish.pick % len(match.situation.drops)])
            assert field is not None
            return Reading(
                t, at, "board", _contact(bed_of(field, match.start.settings.white_sits_at)), receipt
            )
        case "dart" | "good_dart":
            return Reading(t, at, "board", _contact(ALL_BEDS[wish.pick % len(ALL_BEDS)]), receipt)
        case "shared":
            return Reading(t, at, "board", _contact((*SHARED_BEDS, None)[wish.pick % 21]), receipt)
        case "seen":
            first = (wish.pick % 100) / 100
            beds = tuple(
                (ALL_BEDS[(wish.pick + step) % len(ALL_BEDS)], (1 - first) / 2 if step else first)
                for step in range(wish.pick % 3)
            )
            where = (float(wish.pick), None) if wish.right else (1.5, -2.5)
            return Reading(t, at, "camera", Dart(beds, *where, bounced=wish.again))
        case _:
            return _device(wish, t, at, receipt) or _command(wish, match, t, n)


def _contact(bed: Bed | None) -> Dart:
    """The dart that a contact reports: a shared single may be either bed, an unknown contact none."""
    beds = readings(bed) if bed else ()
    return Dart(tuple((each, 1 / len(beds)) for each in beds), contact=Contact(1, 2))


def _device(wish: Wish, t: int, at: int, receipt: Receipt) -> Input | None:
    match wish.kind:
        case "knock":
            return Reading(t, at, "board", Knock(wish.pick), receipt)
        case "button":
            return Reading(t, at, "board", Button(list(ButtonName)[wish.pick % 3]), receipt)
        case "empty":
            return Reading(t, at, "camera", Cleared())
        case "lifted":
            return Reading(t, at, "camera", Lifted())
        case "stuck":
            stuck = ContactStuck(Contact(1, 2), ALL_BEDS[wish.pick % 83], wish.right)
            return SensorNews(t, "board", stuck, receipt)
        case "dropped":
            return SensorNews(t, "board", ReadingsLost(wish.pick))
        case "source":
            return SensorNews(t, "board", SensorChanged(list(SensorState)[wish.pick % 4], "said"))
        case "tick":
            return Tick(t)
        case "restart":
            return Restarted(t)
        case _:
            return None


def _command(wish: Wish, match: Match, t: int, n: int) -> Command:
    fields = dict(wish.fields)
    kind = wish.kind
    if kind in ("move", "bad_move", "explain"):
        legal = match.situation.moves
        good = legal[wish.pick % len(legal)] if legal and kind == "move" else f"e{wish.pick % 8 + 1}d5"
        fields["move"], kind = good, "move" if kind == "bad_move" else kind
    if kind == "claim_draw" and wish.again and match.situation.moves:
        fields["move"] = match.situation.moves[0]
    if kind == "new_game" and fields.get("game", "scharten") != "scharten" and wish.right:
        own = GAMES_BY_KEY[fields["game"]].options_model.model_fields
        fields["options"] = {name: value for name, value in fields["options"].items() if name in own}
    if kind == "set_position":
        fields["position"] = match.situation.text if wish.right else "5K 9k w"
    if wish.side:
        fields["side"] = wish.side
    body = {
        "v": 1,
        "id": f"c{n - 1 if wish.again else n}",
        "match": match.id if wish.right else "other",
        "seq": match.seq if wish.right else match.seq + wish.pick - 200 if wish.pick > 200 else 0,
        "type": kind,
        **fields,
    }
    order = ORDERS.validate_json(json.dumps(body))
    return Command(t, Role(wish.role), order, seed=wish.pick)
