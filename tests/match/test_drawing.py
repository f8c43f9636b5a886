"""The draw of an opening at the referee: phase `drawing`, darts with an envelope, dice, lots (games 3, 9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from match.driver import Table
from scharten.cli import build
from scharten.contract.snapshot import snapshot
from scharten.dartboard.beds import Bed, BedKind
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.games.draw import OpeningDraw, digest_of, lot
from scharten.games.draw_sheet import draw_number
from scharten.journal.sheets import sheet_text
from scharten.match.codec import decode_input, encode_input
from scharten.match.referee import begin, digest, step
from scharten.match.settings import Start

CLOCK = {"stages": [{"moves": None, "minutes": 5}], "increment_s": 0}


def drawing(by: str, **options: Any) -> Table:
    """Return a table in the draw of an opening."""
    table = Table(begin=False)
    chosen = {"opening_by": by, "arming": "auto", "settle_ms": 0, **options}
    table.ok("new_game", game="fischer_random", options=chosen, clock=CLOCK)
    return table


def shown(table: Table) -> dict[str, Any]:
    """Return the display's view of the draw."""
    return dict(json.loads(json.dumps(snapshot(table.match, table.t)))["shown"]["draw"])


def replayed(table: Table) -> str:
    """Return the digest after the start and its inputs."""
    replay = begin(Start.model_validate_json(table.match.start.model_dump_json()), GAMES_BY_KEY)
    for given in table.inputs[1:]:
        replay, _ = step(replay, decode_input(json.loads(json.dumps(encode_input(given)))))
    return digest(replay)


def test_a_lot_is_drawn_at_once() -> None:
    """A lot gives the opening that its seed determines; the game begins and the envelope is open."""
    table = drawing("lot")
    assert table.match.phase.name == "turn"
    seed = table.match.start.draw_seed
    draw = shown(table)
    assert draw["number"] == lot(seed) and draw["seed"] == seed
    assert draw["digest"] == digest_of(table.match.id, seed)
    assert len(table.match.situation.moves) >= 18
    assert replayed(table) == digest(table.match)


def test_dice_are_tapped_by_the_seats_in_turn() -> None:
    """Each die places its man. The wrong seat and moves are refused, and a die that is too high is thrown again."""
    table = drawing("dice")
    assert table.match.phase.name == "drawing" and table.match.clock is None
    assert table.refused("move", move="e2e4") == "wrong_phase"
    assert table.refused("die", "seat2", value=1) == "not_your_turn"
    table.ok("die", "seat1", value=6)
    assert shown(table)["to_throw"] == "seat1"
    for number, value in enumerate((1, 1, 1, 1)):
        table.ok("die", f"seat{number % 2 + 1}", value=value)
        assert shown(table)["steps"][-1]["by"] == f"seat{number % 2 + 1}"
    assert table.match.situation.text.startswith("bbqn4/pppppppp/") and table.match.situation.moves == ()
    table.ok("die", value=1)
    assert table.match.phase.name == "turn" and shown(table)["number"] == 0
    assert table.event_codes()[-1] == "drawn"
    assert table.match.clock is not None and table.match.clock.running is table.match.side
    assert table.match.opening.situation.text.startswith("bbqnnrkr/")
    assert table.refused("die", value=1) == "wrong_phase"
    assert replayed(table) == digest(table.match)


def test_the_host_throws_dice_when_asked() -> None:
    """`die` without a value ends in an opening other than the classical one."""
    table = drawing("dice")
    for _ in range(100):
        if table.match.phase.name != "drawing":
            break
        table.ok("die")
    assert shown(table)["number"] not in (None, 518)
    assert replayed(table) == digest(table.match)


def test_darts_draw_with_a_sealed_envelope() -> None:
    """Only the digest is shown until the last dart; then the seed explains every choice."""
    table = drawing("darts")
    darts = ["D20", "25", "F5", "L1", "MISS", "T18", "F12"]
    for bed in darts:
        assert shown(table)["seed"] is None
        assert table.hit(bed) == ""
    draw = shown(table)
    assert draw["seed"] == table.match.start.draw_seed
    assert draw["digest"] == digest_of(table.match.id, draw["seed"])
    if draw["number"] is not None:
        assert draw_number("darts", darts, draw["seed"]) == draw["number"]
        assert table.match.phase.name == "turn"
    assert [choice["bed"] for choice in draw["steps"]] == darts
    assert replayed(table) == digest(table.match)


def test_darts_in_one_millisecond_draw_one_step_each() -> None:
    """Each of several darts with the same time draws its own step, in the order of the board."""
    table = drawing("darts")
    darts = ["D20", "25", "F5"]
    assert [table.hit(bed, later_ms=0) for bed in darts] == [""] * 3
    assert [choice["bed"] for choice in shown(table)["steps"]] == darts


@pytest.mark.parametrize(
    ("by", "throws"), [("darts", ["MISS", "F5", None, "MISS"]), ("dice", [6, 1, 6, None])]
)
def test_seq_grows_with_every_throw_of_a_draw(by: str, throws: list[Any]) -> None:
    """A throw without a choice, a throw that counts and a take-back (None) each give a new `seq`."""
    table = drawing(by)
    for throw in throws:
        before = table.match.seq
        if throw is None:
            table.ok("take_back", turns=1)
        elif by == "darts":
            assert table.hit(throw) == ""
        else:
            table.ok("die", value=throw)
        assert table.match.phase.name == "drawing" and table.match.seq == before + 1
    assert table.refused("die", seq=before, value=1) == "stale"


def test_a_shared_single_is_not_asked_about_and_a_knock_is_no_foul() -> None:
    """Any ring of a number counts; bounce-outs and the miss button lead to another throw."""
    table = drawing("darts")
    assert table.hit("S20") == ""
    assert table.match.question is None and len(shown(table)["steps"]) == 1
    table.knock()
    table.ok("miss")
    assert [choice["choice"] for choice in shown(table)["steps"][1:]] == [None, None]


def test_a_dart_in_doubt_between_numbers_is_asked_about() -> None:
    """No dart counts until a person names the number."""
    table = drawing("darts")
    assert table.seen("F20", "F1", confidence=0.5) == "in_doubt"
    assert shown(table)["steps"] == []
    table.ok("choose_bed", bed="F1")
    assert shown(table)["steps"][0]["bed"] == "F1" and table.match.phase.name == "drawing"


def test_no_seat_can_try_again_with_a_known_offset() -> None:
    """`correct` keeps the last dart's offset; taking back begins a new round. After the end both are refused."""
    table = drawing("darts")
    table.hit("T20")
    seed = table.match.start.draw_seed
    table.ok("correct", bed="T19")
    thrown = OpeningDraw("darts", seed).dart(Bed(BedKind.TREBLE, 19))
    assert isinstance(thrown, OpeningDraw) and shown(table)["steps"][0]["choice"] == (thrown.choices[0] + 1)
    table.ok("take_back", turns=1)
    assert table.match.draw.round == 2 and table.match.draw.choices == ()
    assert table.refused("correct", bed="T1") == "not_allowed"
    assert table.refused("delete_dart") == "not_allowed"
    for bed in ("F1", "F1", "F1", "F1", "F1", "F2", "F3", "F4", "F5", "F6"):
        if table.match.phase.name == "drawing":
            table.hit(bed)
    assert table.match.phase.name == "turn"
    assert table.refused("correct", bed="T1") == "not_allowed"
    assert table.refused("take_back", turns=1) == "not_allowed"
    assert replayed(table) == digest(table.match)


def test_darts_for_white_come_before_the_draw() -> None:
    """With `white_by` dart the darts for White come first, and can be corrected until the draw has begun."""
    table = drawing("dice", white_by="dart")
    assert table.match.phase.name == "deciding"
    table.hit("BULL")
    table.hit("D20")
    assert table.match.phase.name == "drawing"
    table.ok("correct", bed="D19")
    assert table.match.phase.name == "drawing"
    table.ok("die", value=1)
    table.ok("pause")
    assert table.refused("die", value=1) == "paused"
    table.ok("resume")
    assert table.match.phase.name == "drawing"
    assert replayed(table) == digest(table.match)


@pytest.mark.parametrize("by", ["dice", "lot"])
def test_a_dart_is_only_shown_where_dice_or_lots_draw(by: str) -> None:
    """A dart has no effect on an opening that dice or lots draw."""
    table = drawing(by)
    assert table.hit("T20") in ("not_announced", "silent_game")
    assert shown(table)["steps"] == []


def test_the_classical_number_is_refused_by_name() -> None:
    """`opening_number` 518 is malformed by name; an option of the draw is unknown to chess."""
    table = Table(begin=False)
    chosen = {"opening_by": "number", "opening_number": 518}
    answer = table.command("new_game", game="fischer_random", options=chosen)
    assert answer["code"] == "malformed" and "classical" in answer["words"]
    assert (
        table.command("new_game", game="chess", options={"opening_by": "lot"})["args"]["option"]
        == "opening_by"
    )


@pytest.mark.parametrize("by", ["lot", "dice", "darts"])
def test_the_sheet_alone_repeats_the_draw(by: str, tmp_path: Path) -> None:
    """`scharten draw --check` accepts the number of an exported sheet and rejects a changed number."""
    table = drawing(by)
    for number in range(60):
        if table.match.phase.name == "drawing":
            table.ok("die") if by == "dice" else table.hit(f"F{number % 20 + 1}")
            if by == "darts" and number == 2:
                table.ok("delete_dart")
    table.move("e2e4" if "e2e4" in table.match.situation.moves else table.match.situation.moves[0])
    text = sheet_text(table.match, "en")
    sheet = tmp_path / "sheet.txt"
    sheet.write_text(text)
    found = CliRunner().invoke(build(), ["draw", "--check", str(sheet)], catch_exceptions=False)
    assert found.output.startswith(f"{shown(table)['number']} ")
    assert '[Game "fischer_random"]' in text
    sheet.write_text(text.replace(f'[OpeningNumber "{shown(table)["number"]}"]', '[OpeningNumber "7"]'))
    with pytest.raises(SchartenError, match="the sheet says 7"):
        CliRunner().invoke(build(), ["draw", "--check", str(sheet)], catch_exceptions=False)


CLASSICAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


def test_the_classical_position_is_no_fischer_random() -> None:
    """An arbiter cannot set it up; after a move it is a position like any other."""
    table = Table(begin=False)
    table.ok("new_game", game="fischer_random")
    answer = table.command("set_position", "arbiter", position=f"{CLASSICAL} w KQkq - 0 1")
    assert answer["code"] == "malformed" and answer["args"]["why"] == "classical"
    moved = CLASSICAL.replace("8/PPPPPPPP", "P7/1PPPPPPP")
    table.ok("set_position", "arbiter", position=f"{moved} b KQkq - 0 1")
