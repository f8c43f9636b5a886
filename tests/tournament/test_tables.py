"""Tables, ratings, changed draws, handicaps and exports, against figures from other sources."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest
from caissify_pairings.trf import parse_trf
from glicko2 import Player

from scharten.tournament import export
from scharten.tournament.draw import Draw, draw_again, what_changed
from scharten.tournament.ratings import ratings
from scharten.tournament.start import new_game
from scharten.tournament.tables import player_against_player, table
from scharten.tournament.trf import trf
from tournament.clubs import club_of, drawn, pairs_of, played, publish, refused, results, take


def test_glicko_is_the_published_one() -> None:
    """Glickman's own example: 1500 with deviation 200 after three games is 1464.06 with 151.52."""
    player = Player(1500, 200, 0.06)
    player.update_player([1400, 1550, 1700], [30, 100, 300], [1, 0, 0])
    assert (player.rating, player.rd) == (pytest.approx(1464.06, abs=0.01), pytest.approx(151.52, abs=0.01))


def test_ratings_by_game_and_evening() -> None:
    """Each game and kind has its ratings; an absence changes only the deviation."""
    club = results(drawn(club_of(4, system="swiss", game="chess", kind="silent")), "1-0", "½-½")
    club = take(take(club, type="close_evening"), type="evening", date="2026-11-27")
    first, second = pairs_of(club)[0], pairs_of(club)[1]
    for key in first:
        club = take(club, type="presence", key=key, said="here")
    club = results(drawn(club), "½-½")
    found = ratings([club.season])
    assert list(found) == [("chess", "silent")]
    rated = found["chess", "silent"]
    assert rated[first[0]].rating > 1500 == rated[second[0]].rating
    assert rated[second[0]].games == 1
    assert rated[first[0]].games == 2


def test_tie_breaks_order_equal_points() -> None:
    """Better opponents put a member first among equal points, and the table has the values."""
    club = club_of(4, system="swiss", rounds=2)
    club = played(drawn(club), random.Random(3), "1-0")
    club = played(drawn(club), random.Random(3), "1-0")
    rows = table(club.season)
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    assert rows[0].points == 2
    equal = [row for row in rows if row.points == 1]
    assert equal[0].breaks >= equal[1].breaks
    assert len(rows[0].breaks) == 4


@pytest.mark.parametrize("system", ["keizer", "swiss", "round_robin", "knockout", "free"])
def test_a_table_before_the_first_game(system: str) -> None:
    """Members who ticked stand in the table before and after the draw, also of the evening; a single member too."""
    for count in (1, 4):
        club = club_of(count, system=system)
        assert [row.points for row in table(club.season) if system != "keizer"] in ([0.0] * count, [])
        assert table(club.season, 0) == ()
    club = drawn(club)
    assert len(table(club.season)) == 4
    assert [row.games for row in table(club.season, 0)] == [0] * 4


def test_evening_and_player_against_player() -> None:
    """The table of an evening has only its rounds; the cross table is symmetric."""
    club = results(drawn(club_of(4, system="keizer")), "1-0", "1-0")
    club = take(take(club, type="close_evening"), type="evening", date="2026-11-27")
    for key in ("p1", "p2"):
        club = take(club, type="presence", key=key, said="here")
    club = results(drawn(club), "½-½")
    evening = table(club.season, 1)
    assert sorted(row.key for row in evening) == ["p1", "p2"]
    assert [row.game_points for row in evening] == [0.5, 0.5]
    cross = player_against_player(club.season)
    assert cross["p1"]["p2"].games == cross["p2"]["p1"].games == 2
    assert cross["p1"]["p2"].points + cross["p2"]["p1"].points == 2


def test_a_new_draw_lists_what_changed() -> None:
    """After a member leaves, the list has only members with another game; a pair that plays stays."""
    club = drawn(club_of(6, system="keizer"))
    pairs = pairs_of(club)
    club = take(club, type="begin", number=1, table=1, match="m1")
    club = take(club, type="presence", key=pairs[2][0], said="absent")
    redrawn = draw_again(club)
    assert isinstance(redrawn, Draw)
    changed = what_changed(club.season.rounds[-1], redrawn)
    assert pairs[0] in redrawn.pairs
    assert not {change.key for change in changed} & set(pairs[0])
    assert pairs[2][0] in {change.key for change in changed if change.new is None}
    published = publish(club, 1, redrawn)
    assert published.season.rounds[-1].pairings[0].match == "m1"
    broken = {"white": pairs[0][1], "black": pairs[0][0]}
    assert refused(club, type="draw", number=1, pairs=[broken]) == "played"


def test_results_from_boards_and_hands() -> None:
    """A board's result counts for its own match and newest `seq`; no board changes a result entered by hand."""
    club = drawn(club_of(2, system="keizer"))
    club = take(club, type="begin", number=1, table=1, match="m1")
    fields = {"type": "result", "number": 1, "table": 1}
    club = take(club, **fields, result="1-0", match="m1", seq=9)
    assert refused(club, **fields, result="0-1", match="m0", seq=10) == "old"
    assert refused(club, **fields, result=None, match="m1", seq=8) == "old"
    reopened = take(club, **fields, result=None, match="m1", seq=11)
    assert reopened.season.rounds[0].pairings[0].result is None
    by_hand = take(take(club, **fields, result="½-½"), **fields, result="0-1", match="m1", seq=12)
    assert by_hand.season.rounds[0].pairings[0].result == "½-½"


def test_handicap_is_in_the_new_game() -> None:
    """A member's own foul limit is the option of their side, unless handicaps are off."""
    club = take(club_of(2, system="keizer"), type="member", key="p2", name="Two", foul_limit=5)
    club = drawn(club)
    pairing = club.season.rounds[0].pairings[0]
    fields = new_game(club, club.season, pairing)
    assert fields["options"]["foul_limit"] == {
        pairing.colour_of("p2").value: 5,
        pairing.colour_of("p1").value: 3,
    }
    plain = take(
        club_of(2, system="keizer", handicap=False), type="member", key="p2", name="Two", foul_limit=5
    )
    plain = drawn(plain)
    assert "foul_limit" not in new_game(plain, plain.season, plain.season.rounds[0].pairings[0])["options"]


def test_exports() -> None:
    """A FIDE reader reads the TRF, its dates in TRF16's form, and others CSV and JSON; a name is never a formula."""
    club = take(club_of(5, system="swiss"), type="member", key="p5", name="=cmd()", rating=1)
    for _ in range(3):
        club = played(drawn(club), random.Random(5))
    lines = trf(club, club.season).split("\r\n")
    assert {"042 2026/11/20", "052 2026/11/20", f"132{'  26/11/20' * 3:>116}"} <= set(lines)
    read = parse_trf(trf(club, club.season))
    assert len(read["players"]) == 5
    scores = {player["starting_number"]: player["score"] for player in read["players"]}
    number = {key: place for place, key in enumerate(club.season.entrants, 1)}
    assert scores == {number[row.key]: row.points for row in table(club.season)}
    rows = list(csv.reader(io.StringIO(export.table_csv(club, club.season))))
    assert len(rows) == 6
    assert "'=cmd()" in {row[1] for row in rows}
    assert len(list(csv.reader(io.StringIO(export.results_csv(club, club.season))))) == 7
    assert len(json.loads(export.season_json(club, club.season))["rounds"]) == 3


@pytest.mark.parametrize("system", ["keizer", "swiss", "round_robin", "knockout", "free"])
@pytest.mark.parametrize("evening", [None, 0])
def test_each_column_of_a_table_stands_once(system: str, evening: int | None) -> None:
    """A spreadsheet finds each column by its name, and every line has all of them."""
    chosen = {"tie_breaks": ["wins", "buchholz"]} if system in ("keizer", "knockout") else {}
    club = played(drawn(club_of(4, system=system, **chosen)), random.Random(3))
    head, *rows = csv.reader(io.StringIO(export.table_csv(club, club.season, evening)))
    assert len(set(head)) == len(head)
    assert {len(row) for row in rows} == {len(head)}
    assert ("buchholz" in head) is (system == "swiss" and evening is None)


def test_members_come_and_go() -> None:
    """A deleted member's games stay without a name; a member who plays cannot be deleted."""
    club = drawn(club_of(2, system="keizer"))
    assert refused(club, type="remove_member", key="p1") == "plays"
    club = take(results(club, "1-0"), type="remove_member", key="p1")
    assert club.name_of("p1") == "?"
    assert [row.games for row in table(club.season)] == [1, 1]
    assert refused(club, type="remove_member", key="p1") == "unknown_member"
