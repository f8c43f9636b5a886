"""Whole games input by input: a loud evening at a real board and at the simulated board, replayed from the start."""

from __future__ import annotations

import json

import pytest

from match.driver import Table
from scharten.games import GAMES_BY_KEY
from scharten.match.codec import decode_input, encode_event, encode_input
from scharten.match.inputs import Command
from scharten.match.referee import begin, digest, new_match, step
from scharten.match.settings import MatchSettings, Start


def replayed(table: Table) -> str:
    """Return the digest after all of the table's inputs, from the match before the first game."""
    match = new_match(table.match.start.settings, GAMES_BY_KEY)
    for given in table.inputs:
        match, _ = step(match, decode_input(json.loads(json.dumps(encode_input(given)))))
    return digest(match)


def test_a_loud_game_at_an_electronic_board() -> None:
    """Announced throws, a lost dart, moves between throws, a knock, a correction, a take-back, a resignation."""
    table = Table(arming="announce")
    table.ok("announce_throw", "seat1")
    table.hit("F3")
    assert table.event_codes() == ["placed"]
    table.press("ready")
    table.press("ready")  # Black announces with the button
    assert (table.match.phase.name, table.match.side.word) == ("throwing", "black")
    table.hit("D7")
    assert table.match.turns[-1].foul == "outside_zone"
    table.ok("correct", bed="D12")
    assert table.match.turns[-1].text == "@g8"
    table.ok("move", "seat1", move="e2e4")
    table.ok("announce_throw", "seat2")
    table.knock()
    table.press("ready")
    table.ok("move", "seat1", move="e4e5")
    table.ok("take_back", turns=3)
    assert [turn.text for turn in table.match.turns] == ["@e2", "@g8"]
    table.ok("move", "seat1", move="e2e3")
    table.ok("resign", "seat2")
    assert table.ended == ("1-0", "resignation")
    assert replayed(table) == digest(table.match)


def test_a_loud_game_at_the_simulated_board() -> None:
    """Every dart counts. Three fouls lose, a correction of the last dart undoes the loss, and the game continues."""
    table = Table(arming="auto", settle_ms=0)
    for bed in ("F3", "F20", "T2", "T1", "MISS", "L20", "MISS", "L5", "BULL"):
        assert table.hit(bed) == ""
    assert table.ended == ("0-1", "fogling")
    table.ok("correct", bed="F17")
    table.move("e8d8", "e2e4")
    texts = [turn.text for turn in table.match.turns]
    assert texts[:4] == ["@e2", "@e7", "@g3", "@d6"]
    assert texts[4:8] == ["@- {MISS}", "@e5", "@- {MISS}", "@f5"]
    assert texts[8:] == ["@f2", "Kd8", "e4"]
    assert replayed(table) == digest(table.match)


def test_a_match_replays_from_its_own_start() -> None:
    """Two games in one journal: the second replays from its own start, without the inputs of the first."""
    table = Table(arming="auto", settle_ms=0)
    table.hit("F3")
    table.ok("new_game", abandon=True, kind="silent", options={"white_by": "lot"}, names={"white": "Ann"})
    second = len(table.inputs)
    table.move("e2e4", "e7e5")
    table.restart()
    match = begin(Start.model_validate_json(table.match.start.model_dump_json()), GAMES_BY_KEY)
    for given in table.inputs[second:]:
        match, _ = step(match, decode_input(encode_input(given)))
    assert digest(match) == digest(table.match)
    assert match.phase.name == "paused"


def test_a_damaged_input_is_refused() -> None:
    """Reading a stored input with a changed form raises an error that explains it."""
    table = Table()
    written = encode_input(next(given for given in table.inputs if isinstance(given, Command)))
    for change in ({"input": "Nothing"}, {"role": "king"}, {"order": {"type": "move"}}, {"extra": 1}):
        try:
            decode_input({**written, **change})
        except ValueError as error:
            assert "cannot be read" in str(error)
        else:
            raise AssertionError(change)


def test_events_carry_the_state_after_them() -> None:
    """Each event has the match and `seq` after the step; readings report whether they counted."""
    table = Table(arming="auto", settle_ms=0)
    table.hit("F3")
    bodies = [encode_event(event) for event in table.events]
    assert [(body["match"], body["seq"]) for body in bodies] == [(table.match.id, table.match.seq)] * 2
    reading, placed = bodies
    assert (reading["bed"], reading["counted"], reading["why"]) == ("F3", True, "")
    assert (placed["code"], placed["args"]["field"]) == ("placed", "e2")


@pytest.mark.parametrize(
    "changed", [{}, {"board": "board2"}, {"white_sits_at": 20}, {"event": "Club evening", "board": "board7"}]
)
def test_the_start_in_the_digest_names_only_changed_settings(changed: dict[str, object]) -> None:
    """Settings at their defaults are left out, as in the first journals; changed settings are included."""
    match = new_match(MatchSettings.model_validate(changed), GAMES_BY_KEY)
    assert json.loads(match.start_text)["settings"] == changed
