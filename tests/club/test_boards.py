"""Boards' snapshots in an evening: results, replaced and reopened games, calls to free boards."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from scharten.club import reports, service
from scharten.club.boards import AHEAD_MS, BoardView, EndedGame, Plan, is_released, next_pairs, plan
from scharten.club.store import ClubStore
from scharten.contract.topics import Topics
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.tournament.club import step
from scharten.tournament.model import Club, Pairing
from tournament.clubs import club_of, drawn, take

DRAWN_MS = 1000


def board(name: str, phase: str = "setup", **state: object) -> BoardView:
    """Return a board that is online."""
    return BoardView(name, True, True, {"phase": phase, "match": "", "seq": 1, "turns": 0, **state})


def plays(name: str, pairing: Pairing, match: str, phase: str = "turn", **state: object) -> BoardView:
    """Return a board on which the two players of a pairing play."""
    return board(
        name, phase, match=match, seats={"seat1": "white", "seat2": "black"}, started_ms=DRAWN_MS,
        players={"seat1": pairing.white, "seat2": pairing.black}, **{"result": None, "reason": None, **state},
    )  # fmt: skip


def settled(club: Club, *views: BoardView) -> tuple[Club, Plan]:
    """Return the club after all reports of the boards, and the remaining requests."""
    boards = {view.name: view for view in views}
    for _ in range(20):
        found = plan(club, boards)
        if not found.entries:
            return club, found
        for entry in found.entries:
            stepped = step(club, entry, DRAWN_MS)
            assert not isinstance(stepped, Problem), str(stepped)
            club = stepped
    raise AssertionError("the boards and the club never agree")


def first(club: Club) -> Pairing:
    """Return table 1 of the last round."""
    assert club.season is not None
    return club.season.rounds[-1].pairings[0]


def evening() -> Club:
    """Return a club of four members with one drawn round."""
    return drawn(club_of(4, system="keizer"))


def test_free_boards_are_called_in_order() -> None:
    """Tables get the free boards by name. A board that is offline, faulty or in use gets no table."""
    views = [board("b"), board("a"), replace(board("c"), online=False), board("d", "turn")]
    club, found = settled(evening(), *views)
    assert [pairing.board for pairing in club.season.rounds[0].pairings] == ["a", "b"]
    assert [(request.type, request.board) for request in found.requests] == [
        ("new_game", "a"),
        ("new_game", "b"),
    ]
    club, found = settled(evening(), replace(board("a"), playable=False))
    assert first(club).board is None
    assert found == Plan()


def test_a_game_with_a_missed_start_is_found() -> None:
    """The service died between command and answer. The board shows the two players, so the game is theirs."""
    club, _ = settled(evening(), board("a"))
    club, _ = settled(club, plays("a", first(club), "m1"))
    assert first(club).match == "m1"
    club, _ = settled(evening(), board("a"))
    club, _ = settled(club, plays("a", first(club), "m1", "finished", result="1-0", reason="mate", seq=9))
    assert (first(club).match, first(club).result, first(club).reason) == ("m1", "1-0", "mate")


def test_results_corrections_and_reopening() -> None:
    """A result is entered, corrected, taken back and entered again, as each snapshot reports."""
    club, _ = settled(evening(), board("a"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    for seq, result in ((5, "1-0"), (6, "½-½"), (7, None), (9, "0-1")):
        phase = "finished" if result else "turn"
        club, _ = settled(club, plays("a", first(club), "m1", phase, result=result, seq=seq))
        assert first(club).result == result
    club, _ = settled(club, plays("a", first(club), "m1", "turn", seq=8))
    assert first(club).result == "0-1", "an older snapshot changes nothing"


def test_a_power_cut_changes_nothing() -> None:
    """After a restart a paused game is the same game: no board is called again and no request is repeated."""
    club, _ = settled(evening(), board("a"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    repeated, found = settled(club, plays("a", first(club), "m1", "paused", turns=7))
    assert (repeated, found) == (club, Plan())


def test_a_replaced_game() -> None:
    """A new game of the same two players counts for the pairing. If others use the board, another board calls
    the pairing."""
    club, _ = settled(evening(), board("a"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    item, _ = settled(club, plays("a", first(club), "m2"))
    assert first(item).match == "m2"
    others = replace(first(club), white="x", black="y")
    elsewhere, found = settled(club, plays("a", others, "m3"), board("b"), board("c"))
    assert (first(elsewhere).board, first(elsewhere).match) == ("c", None)
    assert ("new_game", "c") in [(request.type, request.board) for request in found.requests]


def test_a_missed_end_enters_when_another_game_began() -> None:
    """The game's record gives its result, with or without a known start, also when the two play on for fun."""
    club, _ = settled(evening(), board("a"))
    item = first(club)
    ended = {"m1": EndedGame((item.white, item.black), DRAWN_MS, "0-1", "resignation")}
    friendly = plays("a", item, "m2")
    begun = take(club, type="begin", number=1, table=1, match="m1")
    for known in (club, begun):
        later, _ = settled(known, replace(friendly, ended=ended))
        assert (first(later).match, first(later).result, first(later).reason) == ("m1", "0-1", "resignation")
        waits, _ = settled(known, replace(friendly, settled=False))
        assert first(waits).match == first(known).match, "as long as its records may still come"
    others = {"m1": EndedGame((item.black, item.white), DRAWN_MS, "0-1", None)}
    earlier = {"m1": EndedGame((item.white, item.black), DRAWN_MS - AHEAD_MS - 1, "0-1", None)}
    for other in (others, earlier, {"m1": replace(ended["m1"], result=None)}):
        assert first(settled(club, board("a", "finished", match="m1"), board("b"))[0]).match is None, other
    by_hand = take(begun, type="result", number=1, table=1, result="1-0")
    assert first(settled(by_hand, replace(friendly, ended=ended))[0]).result == "1-0"


def test_a_dead_board_no_longer_calls_its_pair() -> None:
    """Another board calls the two and names the board that it replaces. A game that has begun waits for its board."""
    club, _ = settled(evening(), board("a"))
    gone = replace(board("a"), online=False, away=True)
    alone, _ = settled(club, gone)
    assert (first(alone).board, first(alone).left) == (None, "a")
    elsewhere, found = settled(alone, gone, board("b"))
    assert (first(elsewhere).board, first(elsewhere).left) == ("b", "a")
    assert ("new_game", "b") in [(request.type, request.board) for request in found.requests]
    back, _ = settled(alone, board("a"))
    assert first(back).board == "a"
    begun = take(club, type="begin", number=1, table=1, match="m1")
    assert first(settled(begun, gone, board("b"))[0]).board == "a"
    assert first(settled(club, replace(gone, away=False))[0]).board == "a"


def test_the_service_keeps_what_a_board_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board is away after a long offline time while the broker is connected, and settled some time after
    its first report."""
    monkeypatch.setattr(reports, "AWAY_S", 0.0)
    monkeypatch.setattr(reports, "SETTLED_S", 0.0)
    with closing(ClubStore(tmp_path / "club.sqlite3")) as store:
        item = service.ClubService(store, BrokerAddress("127.0.0.1", 1), Topics("s", "h", "c"), lambda: None)
        item._deliver("a/availability", '"online"')
        record = {
            "match": "m1",
            "players": ["p2", "p1"],
            "start": {"white": "seat2"},
            "result": "1-0",
            "reason": "x",
        }
        item._deliver("a/finished/3", json.dumps(record))
        item._deliver("a/finished/99", json.dumps(record))
        item.bridge.connected = True
        assert (item.boards["a"].away, item.boards["a"].settled) == (False, True)
        assert item.boards["a"].ended == {"m1": EndedGame(("p1", "p2"), 0, "1-0", "x")}
        item._deliver("a/availability", '"offline"')
        assert item.boards["a"].away
        item.bridge.connected = False
        assert not item.boards["a"].away


def test_a_game_is_not_lost_before_its_first_snapshot() -> None:
    """The answer comes before the snapshot: the board's earlier game does not mean that others play there."""
    club, _ = settled(evening(), board("a"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    club = take(club, type="result", number=1, table=1, result="1-0", match="m1", seq=3)
    club = take(drawn(club), type="call", number=2, table=1, board="a")
    club = take(club, type="begin", number=2, table=1, match="m2")
    repeated, _ = settled(club, board("a", "finished", match="m1", result="1-0", seq=3))
    assert first(repeated).match == "m2"


def test_a_round_with_a_common_start() -> None:
    """Clocks stand until the organiser starts the round; a game with a move is not held."""
    clock = {"stages": [{"moves": None, "minutes": 5}]}
    club, _ = settled(drawn(club_of(2, system="keizer", start="together", clock=clock)), board("a"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    item = first(club)
    assert [request.type for request in settled(club, plays("a", item, "m1"))[1].requests] == ["pause"]
    assert not settled(club, plays("a", item, "m1", turns=1))[1].requests
    club = take(club, type="start_round", number=1)
    assert [request.type for request in settled(club, plays("a", item, "m1", "paused"))[1].requests] == [
        "resume"
    ]
    assert not settled(club, plays("a", item, "m1"))[1].requests


def test_absent_members_are_not_called() -> None:
    """A pair is called once both are present. The call is withdrawn when either leaves before the game."""
    club = evening()
    away = first(club).white
    club = take(club, type="presence", key=away, said="absent")
    club, found = settled(club, board("a"), board("b"))
    assert [pairing.board for pairing in club.season.rounds[0].pairings] == [None, "a"]
    club, _ = settled(take(club, type="presence", key=away, said="here"), board("a"), board("b"))
    assert [pairing.board for pairing in club.season.rounds[0].pairings] == ["b", "a"]
    club, found = settled(take(club, type="presence", key=away, said="excused"), board("a"), board("b"))
    assert first(club).board is None
    assert [request.board for request in found.requests] == ["a"]


def shown(club: Club, *views: BoardView) -> dict[str, tuple[int, int]]:
    """Return the round and the table of the next pair of each board."""
    found = next_pairs(club, {view.name: view for view in views})
    return {name: (drawn.number, pairing.table) for name, (drawn, pairing) in found.items()}


def test_a_free_board_shows_the_pair_that_waits_for_a_player() -> None:
    """A board shows its called pair until the game begins, then the waiting pairs, complete ones first;
    afterwards none."""
    club = evening()
    away = first(club).white
    waits, _ = settled(take(club, type="presence", key=away, said="absent"), board("a"), board("b"))
    assert shown(waits, board("b"), board("a")) == {"a": (1, 2), "b": (1, 1)}
    assert shown(waits, board("a"), board("b", "turn")) == {"a": (1, 2)}
    begun = take(waits, type="begin", number=1, table=2, match="m1")
    assert shown(begun, board("a"), board("b")) == {"b": (1, 1)}
    both = drawn(begun)
    complete = next(pair for pair in both.season.rounds[1].pairings if away not in pair.players)
    assert shown(both, board("b"), board("c"), board("d"))["b"] == (2, complete.table)
    assert shown(take(begun, type="close_evening", open_pairs="adjourn"), board("a"), board("b")) == {}


def test_an_adjourned_pair_is_called_on_a_later_evening() -> None:
    """Both must be present then. A pair whose game just stayed open is never called again."""
    for choice, expected in (("adjourn", "a"), (None, None)):
        club = take(evening(), type="close_evening", open_pairs=choice)
        pairing = first(club)
        club = take(club, type="evening", date="2026-11-27")
        club, found = settled(take(club, type="presence", key=pairing.white, said="here"), board("a"))
        assert (first(club).board, found.requests) == (None, ())
        club, found = settled(take(club, type="presence", key=pairing.black, said="here"), board("a"))
        assert first(club).board == expected
        assert [request.board for request in found.requests] == ([expected] if expected else [])


def test_a_member_plays_one_game_at_a_time() -> None:
    """When a round is drawn during games, a pair waits until both of its members have finished."""
    club, _ = settled(evening(), board("a"), board("b"))
    club = drawn(club)
    both = club.season.rounds[1].pairings
    club, _ = settled(club, board("a"), board("b"), board("c"), board("d"))
    assert [pairing.board for pairing in club.season.rounds[1].pairings] == [None, None]
    for table in (1, 2):
        club = take(club, type="result", number=1, table=table, result="1-0")
    club, _ = settled(club, board("a"), board("b"), board("c"), board("d"))
    assert [pairing.board for pairing in club.season.rounds[1].pairings] == ["a", "b"]
    assert len(both) == 2


def test_the_organiser_ends_a_game_that_holds_a_board() -> None:
    """The pair plays elsewhere. The board that returns is free, and its old game is not found again."""
    club, _ = settled(evening(), board("a"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    pairing = first(club)
    gone = replace(plays("a", pairing, "m1", "paused"), online=False, away=True)
    assert first(settled(club, gone, board("b"))[0]).board == "a"
    club = take(club, type="release", board="a", match="m1")
    club, found = settled(club, gone, board("b"))
    assert (first(club).board, first(club).match, first(club).left) == ("b", None, "a")
    back = plays("a", pairing, "m1", "paused")
    club, found = settled(club, back, plays("b", pairing, "m2"))
    assert first(club).match == "m2"
    other = club.season.rounds[0].pairings[1]
    assert other.board == "a", "the board that was lost calls the next pair"
    assert ("new_game", "a") in [(request.type, request.board) for request in found.requests]
    assert is_released(club, back)
    assert not is_released(club, plays("a", other, "m3"))
