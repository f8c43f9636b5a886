"""Boards that publish nonsense: the evening continues with the others, and the log stays small."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from browser.fakes import snapshot
from scharten.club import reports, service
from scharten.club.reports import MOST_BOARDS, MOST_NAMES
from scharten.club.service import ClubService
from scharten.club.store import ClubStore
from scharten.contract.topics import Topics
from scharten.mqtt.address import BrokerAddress
from scharten.tournament.entries import ENTRIES

WRONG: tuple[Any, ...] = (
    {"seats": "abc"}, {"seats": {"seat1": ["white"]}}, {"started_ms": None}, {"started_ms": "now"}, {"seq": -1},
    {"seq": 10**40}, {"seq": [1]}, {"match": "x" * 65}, {"match": None}, {"match": "m\u0000"}, {"result": "2-0"},
    {"result": {"a": 1}}, {"reason": "r" * 41}, {"phase": {"x": 1}}, {"players": {"seat1": {"a": 1}}},
    {"players": "ab"}, {"names": {"white": 5}}, {"turns": "many"}, {"seats": None},
)  # fmt: skip


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[ClubService]:
    """A club of four members; boards a and b each have a called game of the round."""
    with closing(ClubStore(tmp_path / "club.sqlite3")) as store:
        item = ClubService(store, BrokerAddress("127.0.0.1", 1), Topics("s", "h", "c"), lambda: None)
        for number in range(4):
            enter(item, type="member", key=f"p{number}", name=f"P {number}")
        enter(item, type="season", name="S", options={})
        enter(item, type="evening", date="2026-11-20")
        for number in range(4):
            enter(item, type="presence", key=f"p{number}", said="here")
        for name in "ab":
            report(item, name)
        assert item.pair(1) is None
        yield item


def enter(item: ClubService, **fields: object) -> None:
    """Enter a change by the organiser, which must be accepted."""
    assert item.enter(ENTRIES.validate_python(fields)) is None


def report(item: ClubService, board: str, **changes: object) -> None:
    """Report a board's availability and snapshot."""
    item._deliver(f"{board}/availability", '"online"')
    item._deliver(
        f"{board}/state", json.dumps(snapshot(board=board, **{"phase": "setup", "match": "", **changes}))
    )


def play(item: ClubService, board: str, **changes: object) -> None:
    """Return a snapshot of the game of this board's pairing."""
    assert item.club.season is not None
    (pairing,) = (pairing for pairing in item.club.season.rounds[-1].pairings if pairing.board == board)
    players = {"seat1": pairing.white, "seat2": pairing.black}
    begun = item.club.season.rounds[-1].drawn_ms
    state: dict[str, Any] = {"match": f"m-{board}", "phase": "turn", "players": players, "started_ms": begun}
    report(item, board, **{**state, **changes})


def results(item: ClubService) -> dict[str | None, str | None]:
    """Return the result of each board's pairing."""
    assert item.club.season is not None
    return {pairing.board: pairing.result for pairing in item.club.season.rounds[-1].pairings}


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_wrong_snapshot_stops_no_other_board(
    evening: ClubService, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any]
) -> None:
    """Board a publishes a wrong state and record; b's result and the organiser's entries still enter."""
    monkeypatch.setattr(reports, "SETTLED_S", 0.0)
    play(evening, "a")
    play(evening, "b")
    evening._deliver("a/state", json.dumps({**snapshot(board="a", match="m-a"), **wrong}))
    evening._deliver("a/finished/0", json.dumps({"match": "m-a", "players": [], **wrong}))
    evening._deliver("a/finished/1", json.dumps(wrong.get("players", [1])))
    play(evening, "b", seq=9, phase="finished", result="1-0", reason="mate")
    assert results(evening) == {"a": None, "b": "1-0"}
    enter(evening, type="presence", key="p1", said="absent")
    play(evening, "a", seq=9, phase="finished", result="0-1", reason="mate")
    assert results(evening) == {"a": "0-1", "b": "1-0"}


def test_rules_that_raise_on_one_board_spare_the_others(
    evening: ClubService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When one board makes the rules raise, the others play on, and the log has one traceback a minute."""
    monkeypatch.setattr(reports, "SETTLED_S", 0.0)
    real = service.plan

    def raising(club: Any, boards: Any) -> Any:
        if boards.get("a") and boards["a"].state.get("turns") == 13:
            raise ZeroDivisionError("a fault of the rules")
        return real(club, boards)

    monkeypatch.setattr(service, "plan", raising)
    play(evening, "b")
    for _ in range(50):
        play(evening, "a", turns=13)
    play(evening, "b", seq=9, phase="finished", result="1-0", reason="mate")
    assert results(evening)["b"] == "1-0"
    assert caplog.text.count("Traceback") == 1


def test_an_unusable_answer_delays_no_other_board(evening: ClubService) -> None:
    """A board answers a request with a match of a kilobyte; the next report of another board is read."""
    request = next(iter(_requests(evening)))
    answer = {"id": request, "accepted": True, "match": "m" * 1000}
    evening._deliver("a/answer/organiser", json.dumps(answer))
    evening._deliver("c/availability", '"online"')
    assert evening.boards["c"].online


def _requests(item: ClubService) -> list[str]:
    """Return the ids of open requests, made here since the bridge is not connected."""
    item.bridge.publish = lambda *_: True  # type: ignore[method-assign]
    item._advance()
    return list(item._requested)


@pytest.mark.long
def test_boards_that_left_free_their_places(evening: ClubService) -> None:
    """80 names, then 512 more: a new board that plays gets a place, and playing boards keep theirs."""
    for number in range(80):
        evening._deliver(f"strange{number}/health", "{}")
    report(evening, "real1")
    assert {"a", "b", "real1"} <= set(evening.boards)
    assert len(evening.boards) == MOST_BOARDS
    for number in range(2 * MOST_NAMES):
        evening._deliver(f"more{number}/availability", '"online"')
    report(evening, "real2")
    assert {"a", "b", "real1", "real2"} <= set(evening.boards)


def test_payloads_that_are_not_json_fill_no_log(
    evening: ClubService, caplog: pytest.LogCaptureFixture
) -> None:
    """Thousands of broken payloads and cleared topics give one line."""
    with caplog.at_level(logging.INFO):
        for _ in range(2000):
            evening.bridge._on_message("s/h/a/state", b"{", True)
            evening.bridge._on_message("s/h/a/finished/1", b"", True)
    assert len(caplog.records) == 1


def test_an_error_each_second_is_logged_once_a_minute(
    evening: ClubService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The regular check raises repeatedly: the evening continues, with one traceback."""
    monkeypatch.setattr(service, "ROUND_S", 0.0)
    rounds = 0

    def raising() -> bool:
        nonlocal rounds
        rounds += 1
        raise ZeroDivisionError

    monkeypatch.setattr(evening, "_advance", raising)

    async def check() -> None:
        task = asyncio.create_task(evening._check_boards())
        while rounds < 50:
            await asyncio.sleep(0)
        task.cancel()

    asyncio.run(asyncio.wait_for(check(), 40))
    assert caplog.text.count("Traceback") == 1
