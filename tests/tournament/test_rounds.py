"""Rounds that are drawn twice, taken back, left open at the end of an evening, and the fixed draw of a knockout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scharten.club.service import ClubService
from scharten.club.store import ClubStore
from scharten.contract.topics import Topics
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.tournament.entries import ENTRIES, CloseEvening, WithdrawRound
from scharten.tournament.knockout import still_in
from scharten.tournament.model import Unpaired
from scharten.tournament.tables import table
from tournament.clubs import club_of, drawn, pairs_of, refused, results, take


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ClubService]:
    """A club's service without a broker: four members of a Swiss season are present."""
    with closing(ClubStore(tmp_path / "club.sqlite3")) as store:
        service = ClubService(store, BrokerAddress("127.0.0.1", 1), Topics("s", "h", "c"), lambda: None)
        for number in range(1, 5):
            enter(service, type="member", key=f"p{number}", name=f"Player {number}", rating=2000 - number)
        enter(service, type="season", name="Test", options={"system": "swiss"})
        enter(service, type="evening", date="2026-11-20")
        for number in range(1, 5):
            enter(service, type="presence", key=f"p{number}", said="here")
        yield service


def enter(service: ClubService, **fields: object) -> None:
    """Store an entry that must be accepted."""
    problem = service.enter(ENTRIES.validate_python(fields))
    assert problem is None, str(problem)


def code(problem: Problem | None) -> str | None:
    """The code of a refusal, None if there is none."""
    return None if problem is None else problem.code


def finish(service: ClubService) -> None:
    """Enter a result for every pair of the last round."""
    last = service.club.season.rounds[-1]
    for pairing in last.pairings:
        enter(service, type="result", number=last.number, table=pairing.table, result="1-0")


def test_a_round_is_drawn_once(service: ClubService) -> None:
    """A second click on the same round is stale; the next round is refused while games are on, unless asked for."""
    assert code(service.pair(1)) is None
    assert code(service.pair(1)) == "stale"
    assert code(service.pair(3)) == "wrong_round"
    assert code(service.pair(2)) == "games_on"
    assert len(service.club.season.rounds) == 1
    finish(service)
    assert code(service.pair(2)) is None
    assert code(service.pair(3, despite_games=True)) is None
    assert [drawn.number for drawn in service.club.season.rounds] == [1, 2, 3]


def test_a_round_is_taken_back_until_a_game_begins(service: ClubService) -> None:
    """The last round goes as if never drawn, calls included; not an earlier one, and not once a game has begun."""
    before = service.club
    assert code(service.pair(1)) is None
    enter(service, type="call", number=1, table=1, board="board1")
    enter(service, type="withdraw_round", number=1)
    assert service.club.season == before.season
    assert code(service.pair(1)) is None
    enter(service, type="begin", number=1, table=2, match="m1")
    assert code(service.enter(ENTRIES.validate_python({"type": "withdraw_round", "number": 1}))) == "played"
    finish(service)
    assert code(service.pair(2)) is None
    for number in (1, 3):
        entry = ENTRIES.validate_python({"type": "withdraw_round", "number": number})
        assert code(service.enter(entry)) == "wrong_round"
    enter(service, type="close_evening", open_pairs="void")
    enter(service, type="evening", date="2026-11-27")
    entry = ENTRIES.validate_python({"type": "withdraw_round", "number": 2})
    assert code(service.enter(entry)) == "wrong_round", "a round of an earlier evening stays"


def test_a_round_with_games_but_no_turn_is_taken_back(service: ClubService) -> None:
    """Games that a free board began at once end with the round; after a turn, or unseen, they hold it."""
    before = service.club.season
    assert code(service.pair(1)) is None
    enter(service, type="call", number=1, table=1, board="board1")
    enter(service, type="begin", number=1, table=1, match="m1")
    withdraw = WithdrawRound(type="withdraw_round", number=1)
    assert code(service.withdraw_round(withdraw)) == "played", "no board has reported"
    report(service, turns=1)
    assert code(service.withdraw_round(withdraw)) == "played"
    report(service, turns=0)
    assert code(service.withdraw_round(withdraw)) is None
    assert service.club.season == before
    assert code(service.pair(1)) is None
    report(service, turns=30, phase="finished", result="0-1")
    game = service.club.season.rounds[0].pairings[0]
    assert (game.board, game.match, game.result) == ("board1", None, None), (
        "called again, and the old game is nothing"
    )


def report(service: ClubService, **changes: object) -> None:
    """Report the game m1 of board1, which is online."""
    state = {"match": "m1", "phase": "turn", "seq": 3, "result": None, **changes}
    service._deliver("board1/availability", '"online"')
    service._deliver("board1/state", json.dumps(state))


def test_closing_asks_what_becomes_of_open_pairs(service: ClubService) -> None:
    """Without an answer the evening stays open; with one it closes, and without open pairs nothing is asked."""
    assert code(service.pair(1)) is None
    assert code(service.close_evening(CloseEvening(type="close_evening"))) == "open_pairs"
    assert service.club.open_evening
    assert code(service.close_evening(CloseEvening(type="close_evening", open_pairs="void"))) is None
    enter(service, type="evening", date="2026-11-27")
    assert code(service.close_evening(CloseEvening(type="close_evening"))) is None


def test_open_pairs_of_a_closed_evening() -> None:
    """Withdrawn pairs leave nothing but the reason; adjourned ones lose their board, unless their game has begun."""
    club = results(drawn(club_of(6, system="swiss")), "1-0", "1-0", "1-0")
    club = drawn(club)
    first, second, third = club.season.rounds[1].pairings
    club = take(club, type="call", number=2, table=1, board="a")
    club = take(
        take(club, type="call", number=2, table=2, board="b"), type="begin", number=2, table=2, match="m2"
    )
    club = take(club, type="result", number=2, table=3, result="½-½")
    void = take(club, type="close_evening", open_pairs="void").season.rounds[1]
    assert [pairing.players for pairing in void.pairings] == [third.players]
    assert {
        key for key, why in void.unpaired.items() if why is Unpaired.VOID
    } == first.players | second.players
    waits = take(club, type="close_evening", open_pairs="adjourn").season.rounds[1].pairings
    assert [(pairing.adjourned, pairing.board, pairing.match) for pairing in waits] == [
        (True, None, None),
        (True, "b", "m2"),
        (False, None, None),
    ]


def test_a_knockout_is_drawn_once() -> None:
    """A member who is ticked after the first round never plays; the tree of the first round leads to the final."""
    club = results(drawn(club_of(4, system="knockout")), "1-0", "1-0")
    assert pairs_of(club) == [("p1", "p4"), ("p2", "p3")]
    club = take(club, type="member", key="late", name="Late", rating=2500)
    club = take(club, type="presence", key="late", said="here")
    club = drawn(club)
    assert [frozenset(two) for two in pairs_of(club)] == [frozenset({"p1", "p2"})]
    assert club.season.rounds[-1].unpaired["late"] is Unpaired.OUT


def test_a_late_member_is_last_in_a_knockouts_table() -> None:
    """A member who was not drawn in round 1 has no defeat, but cannot win any more: the table ends with them."""
    club = results(drawn(club_of(4, system="knockout")), "1-0", "1-0")
    club = take(club, type="member", key="p9", name="Late", rating=3000)
    club = results(drawn(take(club, type="presence", key="p9", said="here")), "1-0")
    assert [row.key for row in table(club.season)][-1] == "p9"
    assert len(still_in(club.season)) == 1
    assert table(club.season)[0].key == still_in(club.season)[0]


def test_a_knockout_keeps_its_tree() -> None:
    """Winners meet by the tree and not by strength; who waits has no bye; an absent finalist is drawn all the same."""
    club = results(drawn(club_of(8, system="knockout")), "0-1", "1-0", "1-0", "½-½")
    first = [frozenset(two) for two in pairs_of(club)]
    assert first == [frozenset(two) for two in (("p1", "p8"), ("p4", "p5"), ("p2", "p7"), ("p3", "p6"))]
    winners = [
        pairing.white if pairing.result == "1-0" else pairing.black
        for pairing in club.season.rounds[0].pairings
    ]
    club = drawn(club)
    assert {frozenset(two) for two in pairs_of(club)} == {frozenset(winners[:2]), first[3]}
    replayed = next(two for two in pairs_of(club) if frozenset(two) == first[3])
    assert replayed == tuple(reversed(pairs_of(club, 0)[3])), "a drawn game is repeated with colours turned"
    assert club.season.rounds[-1].unpaired[winners[2]] is Unpaired.WAITS
    club = results(club, "1-0", "1-0")
    other = [pairing.white for pairing in club.season.rounds[1].pairings]
    club = take(club, type="presence", key=winners[2], said="absent")
    club = drawn(club)
    replay_winner = next(key for key in other if key in first[3])
    assert [frozenset(two) for two in pairs_of(club)] == [frozenset({winners[2], replay_winner})]
    club = drawn(results(club, "1-0"))
    assert len(pairs_of(club)) == 1
    assert refused(club, type="withdraw_round", number=9) == "wrong_round"
