"""The computer's conduct at the referee: in every phase it sends the command that its seat must send."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from match.driver import Table
from scharten.contract.snapshot import snapshot
from scharten.opponent.conduct import LONG, Conduct, SeatCommand
from scharten.play.levels import LEVELS
from scharten.play.throwing import throw_model

SEATS = ("seat1", "seat2")


class Evening:
    """A table with the computer at one seat or both; each command goes to the referee."""

    def __init__(self, seats: tuple[str, ...] = SEATS, /, level: int = 1, **game: Any) -> None:
        self.table, self.phases, self.looks = Table(begin=False), list[str](), 0
        self.table.ok("new_game", computers=dict.fromkeys(seats, level), **game)
        chance = random.Random(3)
        self.conducts = {seat: Conduct(seat, level, chance.gauss, self._clock) for seat in seats}

    def _clock(self) -> float:
        """A clock that advances 1 ms per look, so that the machine's load decides nothing."""
        self.looks += 1
        return self.looks / 1000

    def state(self) -> dict[str, Any]:
        return dict(json.loads(json.dumps(snapshot(self.table.match, self.table.t))))

    def request(self, seat: str) -> SeatCommand | None:
        return self.conducts[seat].next_command(self.state())

    def act(self) -> list[str]:
        """Send what the computers request now, and return the types; the referee must accept all."""
        done = []
        for seat in self.conducts:
            request = self.request(seat)
            if request is not None:
                self.phases.append(self.table.match.phase.name)
                self.table.ok("virtual_throw" if request.is_throw else request.type, seat, **request.fields)
                done.append(request.type)
        return done


def test_two_computers_throw_for_white_and_then_play() -> None:
    """From the darts for White to the sixth turn two computers need no person."""
    evening = Evening(options={"white_by": "dart"})
    while len(evening.table.match.turns) < 6:
        assert evening.act()
    assert {"deciding", "turn", "throwing"} <= set(evening.phases)


def test_the_computer_prepares_before_its_first_turn() -> None:
    """The game's first state makes it compute its level's scatter once, so that its first turn need not."""
    throw_model.cache_clear()
    evening = Evening(("seat2",), level=3, kind="loud", seats={"seat1": "white", "seat2": "black"})
    evening.conducts["seat2"].learn(evening.state())
    prepared = throw_model.cache_info().misses
    assert evening.table.throw("F3") == ""
    assert evening.act()
    assert prepared == throw_model.cache_info().misses == 1


def test_computers_draw_an_opening_by_darts_and_by_dice() -> None:
    """Each seat throws when the draw asks it, until the opening is complete; then White moves."""
    for by in ("dice", "darts"):
        evening = Evening(game="fischer_random", options={"opening_by": by})
        for _ in range(200):
            if evening.table.match.phase.name != "drawing":
                break
            assert evening.act()
        assert evening.table.match.phase.name in ("turn", "settling")
        assert set(evening.phases) == {"drawing"} and len(evening.phases) >= 5
        assert evening.act()[0] == "move"


def test_the_computer_waits_out_of_turn_and_in_a_pause() -> None:
    """It requests nothing in the other seat's turn or in a pause, and moves after the pause."""
    evening = Evening(("seat2",), kind="silent")
    assert evening.request("seat2") is None
    evening.table.move("e2e4")
    evening.table.ok("pause")
    assert evening.request("seat2") is None
    evening.table.ok("resume")
    request = evening.request("seat2")
    assert request is not None and request.type == "move"


def test_the_computer_answers_offers_requests_and_flags() -> None:
    """It answers a draw offer, confirms a take-back that the other seat requests, and claims a fallen flag."""
    clock = {"stages": [{"moves": None, "minutes": 1}], "increment_s": 0}
    evening = Evening(("seat2",), kind="silent", clock=clock)
    evening.table.move("e2e4")
    assert evening.act() == ["move"]
    evening.table.ok("offer_draw", "seat1")
    request = evening.request("seat2")
    assert request is not None and request.type == "answer_draw"
    evening.table.ok("take_back", "seat1", turns=2)
    confirms = evening.request("seat2")
    assert confirms is not None and confirms.type == "confirm"
    assert evening.act() == ["confirm"] and not evening.table.match.turns
    evening.table.wait(70_000)
    flag = evening.request("seat2")
    assert flag is not None and flag.type == "claim_flag"
    evening.act()
    assert evening.table.match.phase.name == "finished"


def test_the_computer_resigns_at_its_third_hopeless_turn() -> None:
    """A king against two queens and a rook makes two moves, then resigns."""
    evening = Evening(("seat2",), kind="silent")
    lost = "4K15/20/10Q1Q1R5/14k5 b - 17/17 0/0 0/0 40"
    evening.table.ok("set_position", "arbiter", position=lost)
    did, king = list[str](), "d1"
    while evening.table.match.phase.name != "finished" and len(did) < 9:
        did += evening.act()
        if evening.table.match.side.word == "white" and evening.table.match.phase.name != "finished":
            move = next(move for move in evening.table.match.situation.moves if move.startswith(king))
            evening.table.ok("move", move=move)
            king = move[2:4]
    assert did == ["move", "move", "resign"]


TWO_QUEENS_LESS = (
    "1R*N*B*Q*K*Q*B*N*R*1r*n*b*1k*1b*n*r*/1P*P*P*P*P*P*P*P*P*1p*p*p*p*p*p*p*p*p*/20/20 w - 17/17 0/0 0/0 1"
)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_resigns_a_hopeless_game(level: int) -> None:
    """Two queens down on a full board, every level resigns by its fifth turn, and not before its third."""
    evening = Evening(("seat2",), level, kind="silent")
    evening.table.ok("set_position", "arbiter", position=TWO_QUEENS_LESS)
    did = list[str]()
    for move in ("a2a3", "b2b3", "c2c3", "g2g3", "h2h3"):
        evening.table.move(move)
        did += evening.act()
        if evening.table.match.phase.name == "finished":
            break
    assert did[-1] == "resign" and len(did) >= 3


FAR_AHEAD = {
    "chess": "7k/8/8/8/8/8/PPP5/KQR5 w - - 0 60",
    "fischer_random": "7k/8/8/8/8/8/PPP5/KQR5 w - - 0 60",
    "shatranj": "7k/p7/8/8/8/8/PPPR4/KRR5 w 0 60",
}
"""White is ahead by a queen and a rook, or by Shatranj's counterparts."""
AGREED = {"fischer_random": {"opening_by": "number", "opening_number": 77}}


def repeated(game: str, seat: str, level: int) -> Evening:
    """Return a game in which the position has occurred for the third time."""
    evening = Evening((seat,), level, game=game, kind="silent", options=AGREED.get(game, {}))
    evening.table.ok("set_position", "arbiter", position=FAR_AHEAD[game])
    evening.table.move(*("c1d1", "h8g8", "d1c1", "g8h8") * 2)
    return evening


@pytest.mark.parametrize("level", [1, 6])
@pytest.mark.parametrize("game", list(FAR_AHEAD))
def test_the_computer_refuses_draws_when_far_ahead(game: str, level: int) -> None:
    """Far ahead it claims no repetition, avoids repeating again, and declines a draw even late in the game."""
    evening = repeated(game, "seat1", level)
    assert "repetition" in evening.state()["can"]["claim"]
    request = evening.request("seat1")
    assert request is not None and request.type == "move" and request.fields["move"] != "c1d1"
    late = {**evening.state(), "draw_offer": "black", "turns": LONG + 10}
    answer = evening.conducts["seat1"].next_command(late)
    assert answer == SeatCommand("answer_draw", {"accept": False})


@pytest.mark.parametrize("game", ["chess", "shatranj"])
def test_the_computer_remembers_positions(game: str) -> None:
    """Far ahead, its move is another one once the position after that move has been on the board."""
    evening = Evening(("seat1",), 10, game=game, kind="silent")
    evening.table.ok("set_position", "arbiter", position=FAR_AHEAD[game])
    state = evening.state()
    fresh = Conduct("seat1", 10, lambda mean, _sigma: mean, evening._clock)
    first = fresh.next_command(state)
    assert first is not None and first.type == "move"
    evening.table.move(str(first.fields["move"]))
    later = Conduct("seat1", 10, lambda mean, _sigma: mean, evening._clock)
    later.learn(evening.state())
    second = later.next_command({**state, "match": evening.state()["match"]})
    assert second is not None and second.type == "move" and second.fields != first.fields


@pytest.mark.parametrize("game", list(FAR_AHEAD))
def test_the_computer_takes_draws_when_far_behind(game: str) -> None:
    """Far behind it accepts a draw offer at once, and claims an available repetition."""
    evening = repeated(game, "seat2", 6)
    offered = {**evening.state(), "draw_offer": "white"}
    assert evening.conducts["seat2"].next_command(offered) == SeatCommand("answer_draw", {"accept": True})
    evening.table.move("c1d1")
    assert evening.state()["can"]["claim"]
    assert evening.request("seat2") == SeatCommand("claim_draw", {"rule": "repetition"})


@pytest.mark.parametrize("game", list(FAR_AHEAD))
def test_the_computer_resigns_hopeless_games_on_squares(game: str) -> None:
    """A queen and a rook down it resigns within five of its turns, but not at its first."""
    evening = Evening(("seat2",), 6, game=game, kind="silent", options=AGREED.get(game, {}))
    evening.table.ok("set_position", "arbiter", position=FAR_AHEAD[game])
    did = list[str]()
    for move in ("b2b3", "b3b4", "b4b5", "b5b6", "c2c3"):
        evening.table.move(move)
        did += evening.act()
        if evening.table.match.phase.name == "finished":
            break
    assert did[-1] == "resign" and 2 <= len(did) <= 5
