"""The snapshot, the sheet, their schemas, and the codes for which pages must have texts."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from games.scharten.boards import LOUD, board
from match.driver import Table
from scharten import __version__
from scharten.contract.asyncapi import document
from scharten.contract.schema import schema, schemas
from scharten.contract.score_sheet import sheet
from scharten.contract.snapshot import snapshot
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.games.scharten.board import FIELDS, NAMES, Piece, PieceKind
from scharten.games.scharten.options import rules_of
from scharten.games.scharten.position import Position, place_pieces
from scharten.games.scharten.position_text import parse_position, position_text
from scharten.match.codes import Message, QuestionCode, WhyNotCounted

STATE = jsonschema.Draft202012Validator(schema("state"))
SHEET = jsonschema.Draft202012Validator(schema("sheet"))
# The Re2 and the Qd2 both attack the Ke1 on the double ring, where each requires the other's support.
CHECKED = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . q r . . . .
    1  . . . . . K . . . .
""", options=LOUD, placed="0/16")  # fmt: skip


def state(table: Table) -> dict[str, Any]:
    body = json.loads(json.dumps(snapshot(table.match, table.t)))
    STATE.validate(body)
    SHEET.validate(json.loads(json.dumps(sheet(table.match))))
    return dict(body)


def test_a_snapshot_fits_the_schema_in_every_phase() -> None:
    """Before, during and after a game; the schema is closed, so that no key is missing or unknown."""
    tables = [Table(begin=False), Table(), Table(white_by="dart")]
    tables[1].throw("F3")
    assert [state(table)["phase"] for table in tables] == ["setup", "turn", "deciding"]
    tables[1].ok("resign", side="white")
    assert state(tables[1])["result"] == "0-1"


def test_a_snapshot_equals_the_example() -> None:
    """After White's pawn on a2: next pieces, fouls, placements, notation and coordinates in the contract's terms."""
    table = Table(begin=False)
    table.ok("new_game", clock={"stages": [{"moves": None, "minutes": 10}]}, names={"white": "Ann <b>"})
    table.throw("F8")
    table.throw("MISS")
    said = state(table)
    assert said["position"] == table.text
    assert (said["phase"], said["side"], said["kind"]) == ("turn", "white", "loud")
    assert said["seats"] == {"seat1": "white", "seat2": "black"}
    assert said["names"] == {"white": "Ann <b>", "black": ""}
    assert said["game"]["key"] == "scharten" and said["game"]["layout"] == {"form": "schartbord"}
    assert said["game"]["claim_rules"] == ["repetition", "fifty_moves"]
    assert said["game"]["options"]["foul_limit"] == {"white": 3, "black": 3}
    shown = said["shown"]
    assert shown["fouls"] == {"white": 0, "black": 1}
    assert shown["next"] == {"white": "P", "black": "P"}
    assert shown["to_throw"] == {"white": 16, "black": 17}
    assert said["sheet"] == ["@a2", "@- {MISS}"]
    assert said["last"]["foul"] == "off_board"
    assert "e1d1" in said["moves"]
    assert "a2" in shown["zone"]
    assert "a2" not in said["drops"]
    assert shown["protected"] == ["a2"]
    assert shown["unmoved"] == ["e1", "e8", "a2"]
    assert (said["clock"]["running"], said["clock"]["since_ms"]) == ("white", table.t)
    assert said["message"]["code"] == "lost"


def test_check_names_the_checkers_and_the_supporters_they_need() -> None:
    """Each of the two pieces that give check together is the other's supporter."""
    table = Table()
    table.set_up(CHECKED)
    said = state(table)
    assert said["check"] == ["e1"]
    assert {checker["field"]: checker["supporters"] for checker in said["shown"]["checkers"]} == {
        "d2": ["e2"],
        "e2": ["d2"],
    }


def test_the_clock_is_true_at_its_since_ms() -> None:
    """A later snapshot shows less time at a later `since_ms`, from which pages count down."""
    table = Table(begin=False)
    table.ok("new_game", clock={"stages": [{"moves": 40, "minutes": 10}, {"moves": None, "minutes": 5}]})
    first = snapshot(table.match, table.t)["clock"]
    later = snapshot(table.match, table.t + 7_000)["clock"]
    assert first["white_ms"] - later["white_ms"] == later["since_ms"] - first["since_ms"] == 7_000
    assert first["stage"] == 1
    assert state(table)["game"]["options"]["clock"]["stages"][0] == {"moves": 40, "minutes": 10}


def test_an_open_question_shows_its_choices_and_what_they_would_do() -> None:
    """The question lists the beds with their fields and effects, so that a page can draw them."""
    table = Table()
    table.ok("announce_throw")
    table.seen("F3", "F20", confidence=0.7)
    question = state(table)["question"]
    assert (question["code"], question["side"], question["confidence"]) == ("which_bed", "white", 0.7)
    assert question["probabilities"] == [0.7, 0.3]
    assert question["choices"] == [
        {"bed": "F3", "effect": "placed", "field": "e2"},
        {"bed": "F20", "effect": "outside_zone", "field": "e7"},
    ]


def test_the_marks_are_in_the_snapshot_and_on_the_sheet() -> None:
    """Origin and target of a move, the field of a placed piece, the field of a lost dart, nothing for a miss."""
    table = Table()
    marked = []
    for play in (
        lambda: table.throw("F8"),
        lambda: table.throw("F8"),
        lambda: table.move("e1d1"),
        lambda: table.throw("MISS"),
    ):
        play()
        marked.append(state(table)["last"]["fields"])
    assert marked == [["a2"], ["a2"], ["e1", "d1"], []]
    assert [entry["fields"] for entry in sheet(table.match)["entries"]] == marked


def test_requests_show_their_content_and_deadline() -> None:
    """As in the contract's example: id, by, type, args, until_ms."""
    table = Table()
    table.throw("F3")
    asked = table.ok("take_back", "seat1", turns=1)
    assert state(table)["requests"] == [
        {
            "id": asked["id"],
            "by": "seat1",
            "type": "take_back",
            "args": {"turns": 1},
            "until_ms": table.t + 30_000,
        }
    ]


def crowded() -> Position:
    """Return a position with as many white queens as possible without check: far more moves than in any game."""
    held: list[Piece | None] = [None] * len(FIELDS)
    held[NAMES.index("e1")] = Piece(Side.WHITE, PieceKind.KING, moved=False)
    held[NAMES.index("e8")] = Piece(Side.BLACK, PieceKind.KING, moved=False)
    for field in FIELDS[::3]:
        before = held[field]
        held[field] = before or Piece(Side.WHITE, PieceKind.QUEEN, moved=False)
        if not isinstance(parse_position(position_text(_with(held)), _with(held).rules), Position):
            held[field] = before
    return _with(held)


def _with(held: list[Piece | None]) -> Position:
    return place_pieces(
        rules_of(LOUD), tuple(held), Side.WHITE, fouls=(2, 2), clocks=(99999, 149), move_number=99999
    )


def test_the_largest_snapshot_stays_under_32_kb() -> None:
    """The worst case: a board full of queens, the longest names and zones, and two long requests for a game."""
    long = {"zones": {"white": ["a1"] * 80, "black": ["a8"] * 80}}
    names = dict.fromkeys(("white", "black", "seat1", "seat2"), "♔" * 40)
    table = Table(begin=False)
    table.ok("new_game", names=names, options=long)
    table.set_up(crowded())
    for seat in ("seat1", "seat2"):
        table.ok("new_game", seat, options=long, names=names, abandon=True)
    said = state(table)
    assert len(said["moves"]) > 150
    assert len(json.dumps(said).encode()) <= 32 * 1024


def test_the_snapshot_holds_twenty_entries_and_the_sheet_all() -> None:
    """Each sheet entry has the position after it, so that pages step back without rules."""
    table = Table(arming="auto", settle_ms=0)
    table.move(*("e1d1", "e8d8", "d1c1", "d8c8", "c1b1", "c8b8", "b1a1", "b8a8") * 1)
    table.move(*("a1b1", "a8b8", "b1c1", "b8c8", "c1d1", "c8d8", "d1e1", "d8e8") * 1)
    table.move("e1f1", "e8f8", "f1g1", "f8g8", "g1h1", "g8h8")
    said, whole = state(table), sheet(table.match)
    assert (len(said["sheet"]), said["sheet_first"], said["turns"]) == (20, 3, 22)
    entries = whole["entries"]
    assert len(entries) == 22
    assert [entry["text"] for entry in entries][2:] == said["sheet"]
    assert entries[-1]["position"] == said["position"]
    assert (entries[0]["n"], entries[1]["n"], entries[2]["n"]) == (1, 1, 2)
    for entry in entries:
        assert not isinstance(table.match.game.read(entry["position"], table.match.options), Problem)


def test_a_valid_claim_is_shown() -> None:
    """`can` lists the buttons that a page offers, so that the page needs no rules."""
    table = Table(kind="silent")
    shuttle = ("b1a3", "b8a6", "a3b1", "a6b8")
    table.move(*shuttle, *shuttle)
    can = state(table)["can"]
    assert can == {"throw": False, "claim": ["repetition"], "take_back": 8}
    assert state(Table())["can"]["throw"] is True


def test_a_dart_that_does_not_count_has_a_message_too() -> None:
    """A reading's `why` is the code of its message, except for a dart in doubt, which opens a question."""
    assert {*WhyNotCounted} - {"in_doubt"} <= set(Message)
    assert {"which_bed", *(f"ask_{code}" for code in QuestionCode if code != "which_bed")} <= set(Message)


def test_the_asyncapi_document_holds_together() -> None:
    """Every reference points somewhere, every payload is a valid schema, rights are those of the brokers."""
    whole = document(__version__)
    assert whole["asyncapi"] == "3.0.0"

    def referred(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [ref for item in part.values() for ref in referred(item)]
        return [ref for item in part for ref in referred(item)] if isinstance(part, list) else []

    references = referred(whole)
    assert len(references) > 50
    for reference in references:
        at: Any = whole
        for key in reference.removeprefix("#/").split("/"):
            at = at[key]
    for message in whole["components"]["messages"].values():
        jsonschema.Draft202012Validator.check_schema(message["payload"]["schema"])
    channels = whole["channels"]
    assert channels["command"]["address"] == "{prefix}/{club}/{board}/command/{role}"
    assert channels["command"]["x-read-by"] == ["host"]
    assert "seat1" in channels["command"]["x-written-by"]
    assert "display" not in channels["answer"]["x-read-by"]
    assert whole["operations"]["state"]["bindings"]["mqtt"]["retain"] is True
    assert whole["operations"]["command"]["action"] == "receive"
    jsonschema.Draft202012Validator.check_schema(schemas()["command"])
