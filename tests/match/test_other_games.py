"""The same referee for every game: chosen by name, its own options, darts for moves, passes, and refusals."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from match.driver import Table
from scharten.game.basics import Pass
from scharten.games import GAMES_BY_KEY
from scharten.match.codec import decode_input, encode_input
from scharten.match.phases import Settling, Throwing, ToMove
from scharten.match.referee import begin, digest, step
from scharten.match.settings import Start

ITALIAN = ("e2e4", "d7d5")
"""White may take on d5, a light field: 18, 20 and others are dark, 1 and 4 light."""


PASSING = "_1__1__/_k___w_/___K___/w______/__1____/_______/____1__"
"""Shakti: White to move can only pass."""


def playing(game: str, **fields: Any) -> Table:
    table = Table(begin=False)
    table.ok("new_game", game=game, **fields)
    assert table.match.game.key == game
    return table


@pytest.mark.parametrize("game", sorted(GAMES_BY_KEY))
@pytest.mark.parametrize("kind", ["silent", "loud"])
def test_every_game_is_played_and_replayed_from_its_start(game: str, kind: str) -> None:
    """Twelve turns of first legal moves, one taken back; the start as JSON and the inputs give the same digest."""
    table = playing(game, kind=kind, options={"arming": "auto", "settle_ms": 0})
    first = len(table.inputs)
    for _ in range(12):
        quiet = [move for move in table.match.situation.moves if move not in table.match.situation.needs_dart]
        table.ok("move", move=quiet[len(quiet) // 2])
        if not table.match.under_way:
            break
    table.ok("take_back", turns=1)
    match = begin(Start.model_validate_json(table.match.start.model_dump_json()), GAMES_BY_KEY)
    for given in table.inputs[first:]:
        match, _ = step(match, decode_input(json.loads(json.dumps(encode_input(given)))))
    assert digest(match) == digest(table.match)


def test_a_game_knows_only_its_own_options() -> None:
    """An option of another game is malformed by name, as is an unknown game; no game begins."""
    table = Table(begin=False)
    answer = table.command("new_game", game="chess", options={"zones": "home"})
    assert (answer["code"], answer["args"]["option"]) == ("malformed", "zones")
    assert "zones" in answer["words"] and "chess" in answer["words"]
    answer = table.command("new_game", game="go")
    assert (answer["code"], answer["args"]["why"]) == ("malformed", "unknown_game")
    assert "shakti" in answer["words"]
    assert table.match.phase.name == "setup"


def test_without_a_kind_games_on_squares_are_silent() -> None:
    """Scharten takes its configured kind; `kind` in the command overrides both."""
    assert playing("chess").match.options.kind == "silent"
    assert playing("scharten").match.options.kind == "loud"
    assert playing("chess", kind="loud").match.options.kind == "loud"


def test_the_side_of_the_clock_is_an_option_that_changes_nothing_else() -> None:
    """Black chooses the side of the clock (rules 8); the default leaves digests unchanged."""
    left, right = playing("scharten"), playing("scharten", options={"clock_side": "right"})
    assert right.match.options.clock_side == "right"
    assert "clock_side" not in left.match.start_text
    assert '"clock_side":"right"' in right.match.start_text
    assert left.refused("new_game", options={"clock_side": "middle"}, abandon=True) == "malformed"


class TestAMoveThatNeedsADart:
    """Loud chess (games 6): the player enters the capture, then throws the dart for it."""

    def table(self, arming: str = "auto", **options: Any) -> Table:
        table = playing("chess", kind="loud", options={"arming": arming, "settle_ms": 0, **options})
        table.move(*ITALIAN)
        return table

    def test_a_hit_plays_the_move(self) -> None:
        """The answer reports that a dart is due; the turn has its bed."""
        table = self.table("announce")
        assert table.ok("move", move="e4d5")["throw"] is True
        assert table.event_codes() == ["aimed"]
        assert isinstance(table.match.phase, Throwing)
        assert table.hit("F1") == ""
        assert table.match.turns[-1].text.startswith("exd5")
        assert (str(table.match.turns[-1].bed), table.match.side.word) == ("F1", "black")
        assert isinstance(table.match.phase, Settling)

    def test_a_lost_dart_keeps_the_move_for_a_correction(self) -> None:
        """The turn ends. A correction of the dart's bed makes it hit, and another makes it miss again."""
        table = self.table()
        table.ok("move", move="e4d5")
        table.hit("F20")
        last = table.match.turns[-1]
        assert (last.foul, last.short, table.match.side.word) == ("wrong_colour", "e4d5@-", "black")
        table.ok("correct", bed="F1")
        assert table.match.turns[-1].short == "e4d5"
        table.ok("correct", bed="D20")
        assert table.match.turns[-1].foul == "wrong_colour"
        table.ok("delete_dart")
        assert table.match.side.word == "white"

    def test_another_move_replaces_it_and_a_quiet_move_is_played(self) -> None:
        """Before the dart the player may choose another move; cancelling leads back to the turn."""
        table = self.table()
        table.ok("move", move="e4d5")
        table.ok("cancel_throw")
        assert isinstance(table.match.phase, ToMove)
        table.ok("move", move="e4d5")
        table.ok("move", move="g1f3")
        assert table.match.turns[-1].short == "g1f3"

    def test_a_dart_without_a_move_is_shown(self) -> None:
        """The player must enter the move first: an announcement without a move is refused."""
        table = self.table()
        assert table.hit("F1") == "no_move_named"
        for type in ("announce_throw", "miss"):
            answer = table.command(type)
            assert (answer["code"], answer["args"]["why"]) == ("not_allowed", "name_the_move")
        assert len(table.match.turns) == 2

    def test_a_single_of_one_number_is_not_asked_about(self) -> None:
        """Inner and outer single have one colour; a knock is a lost dart."""
        table = self.table()
        table.ok("move", move="e4d5")
        assert table.hit("S1") == ""
        assert table.match.turns[-1].short == "e4d5"
        table.ok("move", move="d8d5")
        table.knock()
        assert (table.match.turns[-1].foul, table.match.side.word) == ("bounce_out", "white")

    def test_in_check_the_thrower_continues_without_a_press(self) -> None:
        """A lost dart in check is an entry on the sheet, and the same side is to move (option `check_miss` =
        `again`)."""
        table = Table(begin=False)
        clock = {"stages": [{"moves": None, "seconds": 600}], "increment_s": 5}
        options = {"arming": "auto", "settle_ms": 0}
        table.ok("new_game", game="chess", kind="loud", options=options, clock=clock)
        table.ok("set_position", "arbiter", position="4k3/8/8/8/8/8/P3r3/4K3 w - - 0 1 0/0")
        table.ok("move", move="e1e2")
        table.hit("F20")
        clocks = table.match.clock
        assert (table.match.side.word, len(table.match.turns)) == ("white", 1)
        assert (clocks.white.turns, clocks.running.word) == (0, "white")
        table.ok("move", move="e1e2")
        table.hit("F1")
        assert (table.match.side.word, table.match.clock.white.turns) == ("black", 1)
        table.ok("take_back", turns=2)
        assert (table.match.side.word, table.match.clock.white.turns) == ("white", 0)


def test_a_pass_is_entered_at_once_and_goes_with_the_move_before_it() -> None:
    """Shakti: White cannot move at the start or after Black's move. A take-back undoes move and pass together."""
    table = playing("shakti", kind="silent")
    table.ok("set_position", "arbiter", position=f"{PASSING} w 20")
    assert table.event_codes() == ["position_set", "passed"]
    assert (table.match.turns[-1].text, table.match.side.word) == ("--", "black")
    match, held = table.match, None
    for move in match.situation.moves:
        table.match = match
        table.ok("move", move=move)
        if table.match.under_way and isinstance(table.match.turns[-1].action, Pass):
            held = move
            break
    assert held is not None
    assert [turn.short for turn in table.match.turns] == ["--", held, "--"]
    assert table.refused("correct", bed="D1") == "not_allowed"
    table.ok("take_back", turns=1)
    assert [turn.short for turn in table.match.turns] == ["--"]
    assert table.match.situation == match.situation
    table.ok("take_back", turns=1)
    assert [turn.short for turn in table.match.turns] == ["--"], "the first turn is forced: it passes again"
    assert table.match.side.word == "black"


def test_the_dart_before_a_forced_pass_can_be_corrected() -> None:
    """Shakti: a jump leaves the other side only a pass; the jump's dart can still be corrected and deleted."""
    found = None
    for seed in range(227, 627):  # the first game that has a jump
        table = playing(
            "shakti",
            kind="loud",
            options={"arming": "auto", "settle_ms": 0, "aim": {"white": "any", "black": "any"}},
        )
        chance = random.Random(seed)
        while table.match.under_way and len(table.match.turns) < 60:
            move = chance.choice(table.match.situation.moves)
            needs_dart = move in table.match.situation.needs_dart
            table.ok("move", move=move)
            if needs_dart:
                table.hit("D20")
            if needs_dart and table.match.turns[-1].short == "--":
                found = table
                break
        if found:
            break
    assert found is not None, "no game had a jump before a forced pass"
    played = [turn.short for turn in found.match.turns]
    found.ok("correct", bed="D1")
    assert [turn.short for turn in found.match.turns] == played and str(found.match.turns[-2].bed) == "D1"
    found.ok("delete_dart")
    assert [turn.short for turn in found.match.turns] == played[:-2]


def test_a_forced_pass_declines_no_draw() -> None:
    """Shakti: an offer made with a move survives the pass that follows, and is on the sheet once."""
    table = playing("shakti", kind="silent")
    table.ok("set_position", "arbiter", position=f"{PASSING} w 20")
    for move in table.match.situation.moves:
        trial = copy.copy(table)
        trial.ok("offer_draw", side="black")
        trial.ok("move", move=move)
        if trial.match.under_way and isinstance(trial.match.turns[-1].action, Pass):
            break
    assert trial.match.draw_offer is not None and trial.match.draw_offer.word == "black"
    quiet = trial.match.situation.moves[0]
    trial.ok("move", move=quiet)
    assert [turn.text.endswith("(=)") for turn in trial.match.turns] == [False, True, False, False][
        : len(trial.match.turns)
    ]
    trial.ok("answer_draw", side="white", accept=True)
    assert trial.ended == ("½-½", "agreement")


def test_a_dart_lost_in_check_declines_no_draw() -> None:
    """Loud chess: Black's offer survives White's dart lost in check, since the turn stays. White's move
    declines it."""
    table = playing("chess", kind="loud", options={"arming": "auto", "settle_ms": 0})
    table.ok("set_position", "arbiter", position="4k3/8/8/8/8/8/P3r3/4K3 w - - 0 1 0/0")
    table.ok("offer_draw", side="black")
    table.ok("move", move="e1e2")
    table.hit("F20")
    assert table.match.side.word == "white" and table.match.draw_offer is not None
    table.ok("move", move="e1f1") if "e1f1" in table.match.situation.moves else table.ok("move", move="e1e2")
    if table.match.aim is not None:
        table.hit("F1")
    assert table.match.draw_offer is None


def test_a_wrong_claim_with_a_capture_waits_for_its_dart() -> None:
    """Loud chess: the claim is refused, and the stated capture is aimed, not played."""
    table = playing("chess", kind="loud", options={"arming": "auto", "settle_ms": 0})
    table.move("e2e4", "d7d5")
    answer = table.command("claim_draw", rule="repetition", move="e4d5")
    assert (answer["accepted"], answer["code"]) == (False, "not_allowed")
    assert answer["args"]["waits_for_dart"] == "e4d5" and "played" not in answer["args"]
    assert answer["throw"] and len(table.match.turns) == 2
    table.hit("D1")
    assert table.match.turns[-1].short == "e4d5"


def test_a_game_of_the_first_edition_replays_with_it() -> None:
    """In the first edition a dart lost in check declined an offer; the start of such a game names no edition."""
    table = playing("chess", kind="loud", options={"arming": "auto", "settle_ms": 0})
    start = table.match.start.model_dump(mode="json")
    assert start.pop("edition") == 4
    table.match = begin(Start.model_validate_json(json.dumps(start)), GAMES_BY_KEY)
    assert "edition" not in table.match.start_text
    table.ok("set_position", "arbiter", position="4k3/8/8/8/8/8/P3r3/4K3 w - - 0 1 0/0")
    table.ok("offer_draw", side="black")
    table.ok("move", move="e1e2")
    table.hit("F20")
    assert table.match.draw_offer is None
