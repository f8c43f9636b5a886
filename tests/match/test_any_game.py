"""Whole games of every game on squares at the referee: darts, undoing, corrections, and the same from a replay."""

from __future__ import annotations

import json
import random
from copy import copy
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from match.driver import CLOCK, VARIANTS, Table
from scharten.contract.schema import schema
from scharten.contract.score_sheet import sheet
from scharten.contract.snapshot import snapshot
from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.games.chess import CHESS
from scharten.games.pgn import read_pgn
from scharten.games.sheet import ScoreSheet
from scharten.journal.sheets import pgn_text
from scharten.match.codec import decode_input, encode_input
from scharten.match.referee import begin, digest, step
from scharten.match.settings import Start
from scharten.match.turns.play import why_no_throw

STATE = jsonschema.Draft202012Validator(schema("state"))
SHEET = jsonschema.Draft202012Validator(schema("sheet"))


def seated(key: str, kind: str, chosen: dict[str, Any]) -> Table:
    """Return a table at which this game has begun."""
    table = Table(begin=False)
    table.ok(
        "new_game", game=key, kind=kind, options={"arming": "auto", "settle_ms": 0, **chosen}, clock=CLOCK
    )
    return table


def turn(table: Table, chance: random.Random) -> None:
    """Play a random turn: a move with its dart if it needs one. The dart may be lost, declared or corrected."""
    match = table.match
    move = chance.choice(match.situation.moves)
    answer = table.ok("move", move=move)
    if move not in match.situation.needs_dart:
        assert "throw" not in answer
        return
    assert answer["throw"] is True and table.match.aim is not None
    assert len(table.match.turns) == len(match.turns)
    if chance.random() < 0.1:
        table.ok("cancel_throw")
        assert digest_board(table) == match.situation.text
        return
    if chance.random() < 0.1:
        table.ok("miss")
        return
    bed = str(chance.choice(ALL_BEDS))
    assert table.hit(bed) == ""
    assert len(table.match.turns) > len(match.turns)
    if chance.random() < 0.2:
        table.command("correct", bed=str(chance.choice(ALL_BEDS)))


def digest_board(table: Table) -> str:
    """Return the position text."""
    return table.match.situation.text


@pytest.mark.parametrize(("key", "kind", "chosen"), VARIANTS, ids=lambda value: str(value)[:24])
def test_a_random_game_from_start_to_replay(key: str, kind: str, chosen: dict[str, Any]) -> None:
    """A game with lost darts, corrections and take-backs fits the schemas throughout, and its replay agrees."""
    table, chance = seated(key, kind, chosen), random.Random(7)
    for number in range(160):
        if not table.match.under_way:
            break
        turn(table, chance)
        if number % 11 == 10 and table.match.turns:
            before = table.match.turns[-1].before.situation.text
            forced = table.match.turns[-1].short == "--"
            table.ok("take_back", turns=1)
            assert forced or digest_board(table) == before
        if number % 20 == 0:
            state = json.loads(json.dumps(snapshot(table.match, table.t)))
            STATE.validate(state)
            SHEET.validate(json.loads(json.dumps(sheet(table.match))))
            assert state["game"]["key"] == key and state["position"] == digest_board(table)
    assert len(table.match.turns) > 20 or not table.match.under_way
    paper = pgn_text(table.match)
    if key in ("chess", "fischer_random"):
        back = read_pgn(str(paper))
        assert isinstance(back, ScoreSheet), back
        assert [turn.action.text for turn in back.entries] == [turn.short for turn in table.match.turns]
    else:
        assert isinstance(paper, Problem) and key in paper.words
    start = Start.model_validate_json(table.match.start.model_dump_json())
    replayed = begin(start, GAMES_BY_KEY)
    for given in table.inputs[1:]:
        replayed, _ = step(replayed, decode_input(json.loads(json.dumps(encode_input(given)))))
    assert digest(replayed) == digest(table.match)


@pytest.mark.parametrize(
    ("key", "move"), [("chess", "e2e5"), ("shatranj", "e2e4"), ("shakti", "h1h2"), ("shakti", "b2b9")]
)
def test_a_malformed_move_is_refused(key: str, move: str) -> None:
    """Moves of other boards and shapes are refused as illegal."""
    assert seated(key, "silent", {}).refused("move", move=move) == "illegal"


def test_a_dart_without_a_named_move_is_shown() -> None:
    """In a loud game on squares a dart needs its move first; in a silent game it is only shown."""
    loud = seated("chess", "loud", {})
    assert loud.hit("T20") == "no_move_named"
    assert loud.refused("announce_throw") == "not_allowed"
    assert seated("chess", "silent", {}).hit("T20") == "silent_game"


def test_a_game_without_darts_refuses_a_throw() -> None:
    """In a game without rules for darts nothing can be announced, and a dart is only shown."""
    quiet: Any = copy(CHESS)
    quiet.throws = None
    table = seated("chess", "silent", {})
    table.match = replace(table.match, game=quiet)
    assert why_no_throw(table.match).code == "silent_game"
    assert table.refused("announce_throw") == "not_allowed"
    assert table.hit("T20") == "silent_game"


def test_a_lost_dart_in_check_is_thrown_again() -> None:
    """Three wrong colours against a checker lose by fogling, each as a turn of the same side on the sheet."""
    table = seated("chess", "loud", {})
    table.ok("set_position", "arbiter", position="k7/8/8/3n4/8/1n6/P7/K6R w - - 0 9 0/0")
    assert table.match.situation.check == ("a1",)
    for lost in range(3):
        assert table.match.side.word == "white"
        table.ok("move", move="a2b3")
        table.hit("D20")
        assert table.match.turns[-1].pressed is (lost == 2)
    assert table.ended == ("0-1", "fogling")
    table.ok("take_back", turns=1)
    assert digest_board(table).endswith(" 2/0")
    table.ok("move", move="a2b3")
    table.hit("D1")
    assert digest_board(table) == "k7/8/8/3n4/8/1P6/8/K6R b - - 0 9 0/0"


def test_a_forced_pass_is_entered_by_the_host() -> None:
    """In Shakti a side without a move passes at once, and a take-back also undoes the pass."""
    table = seated("shakti", "silent", {})
    passing = "_1__1__/_k___w_/___K___/w______/__1____/_______/____1__ b 20"
    table.ok("set_position", "arbiter", position=passing)
    table.ok("move", move=table.match.situation.moves[0])
    sides = [turn.side.word for turn in table.match.turns]
    assert sides[0] == "black"
    before = len(sides)
    table.ok("take_back", turns=1)
    assert len(table.match.turns) < before
    assert digest_board(table) == passing


def test_an_option_of_another_game_is_refused_by_name() -> None:
    """`pat_swap` belongs to Shatranj: chess refuses it by name, as the referee refuses an unknown game."""
    table = Table(begin=False)
    answer = table.command("new_game", game="chess", options={"pat_swap": "on"})
    assert answer["code"] == "malformed" and answer["args"]["option"] == "pat_swap"
    assert table.command("new_game", game="hnefatafl")["args"]["game"] == "hnefatafl"
    seat = seated("chess", "silent", {})
    other = seat.command("set_position", "arbiter", position="7/1w1k1w1/7/7/7/1W1K1W1/7 w 1")
    assert other["code"] == "malformed" and other["args"]["why"] == "parts"
