"""Pairing by each system, on clubs whose answer is known or whose laws must hold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.errors import Problem
from scharten.tournament import keizer
from scharten.tournament.draw import draw
from scharten.tournament.knockout import still_in
from scharten.tournament.model import Unpaired
from scharten.tournament.tables import table
from tournament.clubs import club_of, drawn, pairs_of, played, refused, results, take, with_round


def test_keizer_by_hand() -> None:
    """Values, points with the own value, and the second round of four members are those computed by hand."""
    club = drawn(club_of(4, system="keizer"))
    # Three times the lowest, as near as whole numbers go that step by one: 4, 3, 2, 1.
    assert [row.value for row in keizer.ranking(club.season)] == [4, 3, 2, 1]
    assert {frozenset(two) for two in pairs_of(club)} == {frozenset({"p1", "p2"}), frozenset({"p3", "p4"})}
    white = dict(pairs_of(club))
    club = results(club, *("1-0" if key in ("p2", "p3") else "0-1" for key in white))
    # By the values of the new order, p2 4, p1 3, p3 2, p4 1: p2 beat p1: 4 + 3; p1: 3; p3 beat p4: 2 + 1; p4: 1.
    rows = keizer.ranking(club.season)
    assert [(row.key, row.value, float(row.points), row.counted) for row in rows] == [
        ("p2", 4, 7.0, 4), ("p1", 3, 3.0, 3), ("p3", 2, 3.0, 2), ("p4", 1, 1.0, 1),
    ]  # fmt: skip


def test_keizer_counts_once_a_round_if_wanted() -> None:
    """With `each_round` the games count with the values from before the round, and the table shows those values."""
    club = drawn(club_of(4, system="keizer", keizer={"counting": "each_round"}))
    white = dict(pairs_of(club))
    club = results(club, *("1-0" if key in ("p2", "p3") else "0-1" for key in white))
    # Before the round p1 4, p2 3, p3 2, p4 1. p2 beat p1: 3 + 4; p1: 4; p3 beat p4: 2 + 1; p4: 1.
    assert [(row.key, row.points, row.value, row.counted) for row in table(club.season)] == [
        ("p2", 7, 4, 3), ("p1", 4, 3, 4), ("p3", 3, 2, 2), ("p4", 1, 1, 1),
    ]  # fmt: skip


def test_keizers_own_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `each_round`, two rounds of ten members give the points that Keizer published in 1956.

    The table is quoted in the vademecum of the Belgian federation (2018), pages 129 and 130. Its values begin at 50.
    """
    monkeypatch.setattr(keizer, "first_value", lambda count, ratio: 50)
    club = club_of(10, system="keizer", keizer={"counting": "each_round", "rematch_after": 1})
    games = (
        ("p1 p2 1-0", "p3 p4 ½-½", "p5 p6 0-1", "p7 p8 ½-½", "p9 p10 0-1"),
        ("p1 p6 0-1", "p10 p3 1-0", "p4 p7 ½-½", "p8 p2 0-1", "p5 p9 ½-½"),
    )
    published = (
        (99, 49, 71.5, 71, 46, 91, 65.5, 65, 42, 83),
        (93, 87, 70, 92, 62.5, 141, 90, 66.5, 62, 136),
    )
    for round_games, points in zip(games, published, strict=True):
        club = with_round(club, *round_games)
        found = {row.key: float(row.points) for row in keizer.ranking(club.season)}
        assert [found[f"p{place}"] for place in range(1, 11)] == list(points)


def test_a_bye_does_not_raise_itself() -> None:
    """A settled count pays a bye by the value before the round: the member stands between winners and losers."""
    club = with_round(club_of(5, system="keizer"), "p1 p2 1-0", "p3 p4 1-0")
    # Before the round p1 6, p2 5, p3 4, p4 3, p5 2: the bye pays 4/3. By the values 6 to 2 of the order p1, p3, p5,
    # p2, p4: p1 beat p2: 6 + 3; p3 beat p4: 5 + 2; p5: 4 + 4/3; p2: 3; p4: 2.
    assert [(row.key, row.counted, row.points) for row in keizer.ranking(club.season)] == [
        ("p1", 6, 9), ("p3", 5, 7), ("p5", 4, Fraction(16, 3)), ("p2", 3, 3), ("p4", 2, 2),
    ]  # fmt: skip
    club = with_round(club_of(23, system="keizer"), *(f"p{n} p{n + 1} 1-0" for n in range(1, 23, 2)))
    order = [row.key for row in keizer.ranking(club.season)]
    assert order == [*(f"p{n}" for n in range(1, 23, 2)), "p23", *(f"p{n}" for n in range(2, 23, 2))]


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 14), st.integers(1, 6), st.integers(0, 10**6))
def test_keizer_settles(count: int, rounds: int, seed: int) -> None:
    """The points of the table are those that its own values give in a count of all games, and those before for byes."""
    chance, club = random.Random(seed), club_of(count, system="keizer")
    before: dict[str, int] = {}
    for _ in range(rounds):
        before = {row.key: row.value for row in keizer.ranking(club.season)}
        club = played(drawn(club), chance)
    rows = {row.key: row for row in table(club.season)}
    total = dict.fromkeys(rows, 0.0)
    for key, row in rows.items():
        total[key] += row.counted
        byes = sum(drawn.unpaired.get(key) is Unpaired.BYE for drawn in club.season.rounds)
        total[key] += byes * before[key] * 2 / 3
    for _, pairing in club.season.pairings():
        for key in pairing.players:
            total[key] += float(pairing.points_of(key)) * rows[pairing.opponent_of(key)].counted
    assert {key: pytest.approx(points, abs=0.01) for key, points in total.items()} == {
        key: row.points for key, row in rows.items()
    }


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 14), st.integers(1, 6), st.integers(0, 10**6))
def test_keizer_laws(count: int, rounds: int, seed: int) -> None:
    """Everybody present is paired once or has the bye; the table has everybody once, by points."""
    chance, club = random.Random(seed), club_of(count, system="keizer")
    for number in range(1, rounds + 1):
        away = {f"p{at}" for at in range(3, count + 1) if chance.random() < 0.2}
        for at in range(1, count + 1):
            club = take(club, type="presence", key=f"p{at}", said="absent" if f"p{at}" in away else "here")
        club = drawn(club)
        last = club.season.rounds[-1]
        paired = [key for two in pairs_of(club) for key in two]
        byes = [key for key, why in last.unpaired.items() if why is Unpaired.BYE]
        assert sorted(paired + byes) == sorted({f"p{at}" for at in range(1, count + 1)} - away)
        assert len(byes) == (count - len(away)) % 2
        assert last.number == number
        club = played(club, chance)
    rows = table(club.season)
    assert [row.place for row in rows] == list(range(1, count + 1))
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)


def all_pairings(keys: list[str]) -> Iterator[list[tuple[str, str]]]:
    """Every way to pair all of these, the first of them first."""
    if not keys:
        yield []
    for place in range(1, len(keys)):
        for others in all_pairings(keys[1:place] + keys[place + 1 :]):
            yield [(keys[0], keys[place]), *others]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([4, 6, 8]), st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6))
def test_keizer_pairs_neighbours_from_the_top(count: int, rounds: int, apart: int, seed: int) -> None:
    """Of all pairings with the fewest and oldest rematches the draw is the one of nearest neighbours from the top."""
    chance = random.Random(seed)
    club = club_of(count, system="keizer", keizer={"rematch_after": apart})
    for _ in range(rounds):
        club = played(drawn(club), chance)
    order = [row.key for row in keizer.ranking(club.season)]
    met = {pairing.players: number.number for number, pairing in club.season.pairings()}

    def badness(pairs: list[tuple[str, str]]) -> tuple[list[int], list[int]]:
        ago = [club.season.next_round - met.get(frozenset(pair), -99) for pair in pairs]
        rematches = [ago.count(rounds_ago) for rounds_ago in range(1, apart + 1)]
        return rematches, [order.index(lower) - order.index(higher) for higher, lower in pairs]

    best = min(all_pairings(order), key=badness)
    assert {frozenset(pair) for pair in pairs_of(drawn(club))} == {frozenset(pair) for pair in best}


def test_keizer_pays_absence_only_so_often() -> None:
    """An absence gives a third of the own value until the season's limit, a bye two thirds."""
    club = club_of(5, system="keizer", keizer={"most_absences": 2, "own_value": False})
    club = take(club, type="presence", key="p5", said="absent")
    points = []
    for _ in range(3):
        club = results(drawn(club), "½-½", "½-½")
        mine = next(row for row in keizer.ranking(club.season) if row.key == "p5")
        points.append(mine.points / mine.value)
    assert [str(share) for share in points] == ["1/3", "2/3", "2/3"]
    bye = results(drawn(club_of(3, system="keizer", keizer={"own_value": False})), "½-½")
    rows = {row.key: row for row in keizer.ranking(bye.season)}
    assert float(rows["p3"].points / rows["p3"].value) == pytest.approx(2 / 3)


def test_swiss_never_repeats() -> None:
    """Nine members, seven Dutch rounds: nobody meets twice, nobody has two byes, colours stay balanced."""
    chance, club = random.Random(7), club_of(9, system="swiss", rounds=7)
    for _ in range(7):
        club = played(drawn(club), chance)
    met = [pairing.players for _, pairing in club.season.pairings()]
    assert len(met) == len(set(met)) == 28
    unpaired = [item for number in club.season.rounds for item in number.unpaired.items()]
    byes = [key for key, why in unpaired if why is Unpaired.BYE]
    assert len(set(byes)) == 7
    for key in club.season.entrants:
        games = [pairing for _, pairing in club.season.pairings() if key in pairing.players]
        assert abs(sum(1 if game.colour_of(key) == "white" else -1 for game in games)) <= 2


def test_swiss_beyond_all_pairs() -> None:
    """Four members and five rounds: when everybody has met everybody, games are repeated and nobody sits out."""
    chance, club = random.Random(1), club_of(4, system="swiss", rounds=5)
    for _ in range(5):
        club = played(drawn(club), chance)
        assert len(pairs_of(club)) == 2
    assert pairs_of(club, 3) != pairs_of(club, 4)


@pytest.mark.parametrize("count", [4, 5, 6])
def test_round_robin_is_whole(count: int) -> None:
    """Everybody meets everybody exactly once; of an odd number each has one bye."""
    club = club_of(count, system="round_robin")
    for _ in range(count - 1 + count % 2):
        club = played(drawn(club), random.Random(count))
    met = [pairing.players for _, pairing in club.season.pairings()]
    assert set(met) == {frozenset(two) for two in combinations(club.season.entrants, 2)}
    assert len(met) == count * (count - 1) // 2


def test_round_robin_takes_late_comers() -> None:
    """Members who come after the first round still meet everybody within the least number of rounds."""
    club = club_of(4, system="round_robin")
    club = played(drawn(club), random.Random(0))
    for key in ("late1", "late2"):
        club = take(club, type="member", key=key, name=key)
        club = take(club, type="presence", key=key, said="here")
    for _ in range(5):
        club = played(drawn(club), random.Random(0))
    met = [pairing.players for _, pairing in club.season.pairings()]
    assert set(met) == {frozenset(two) for two in combinations(club.season.entrants, 2)}


@pytest.mark.parametrize(
    ("count", "double", "most"), [(8, False, 7), (11, False, 10), (8, True, 15), (5, True, 9)]
)
def test_knockout_leaves_one(count: int, double: bool, most: int) -> None:
    """One is left after n - 1 games (2n - 2 or 2n - 1 with double elimination); then there is nobody to pair."""
    club = club_of(count, system="knockout", double_elimination=double)
    chance = random.Random(count)
    while len(still_in(club.season)) > 1:
        club = played(drawn(club), chance, "1-0 0-1")
    games = sum(1 for _ in club.season.pairings())
    assert games in ((most, most - 1) if double else (most,))
    found = draw(club)
    assert isinstance(found, Problem)
    assert found.code == "decided"
    assert table(club.season)[0].key == still_in(club.season)[0]


def test_knockout_replays_a_draw() -> None:
    """A drawn game is repeated with the colours turned, and puts no member out."""
    club = results(drawn(club_of(2, system="knockout")), "½-½")
    assert pairs_of(drawn(club)) == [tuple(reversed(pairs_of(club)[0]))]


def test_free_play_lets_nobody_wait_twice() -> None:
    """Of three who play freely each waits once in three rounds, and pairs that met least go first."""
    club, waited = club_of(3, system="free"), []
    for _ in range(3):
        club = results(drawn(club), "1-0")
        waited += [key for key, why in club.season.rounds[-1].unpaired.items() if why is Unpaired.WAITS]
    assert sorted(waited) == ["p1", "p2", "p3"]


def test_a_draw_without_pairs_gives_the_reason() -> None:
    """No evening, or fewer than two present, gives a reason in words and not an empty round."""
    club = club_of(1, system="keizer")
    found = draw(club)
    assert isinstance(found, Problem)
    assert found.code == "too_few"
    closed = take(club, type="close_evening")
    assert draw(closed).code == "no_evening"
    assert refused(closed, type="presence", key="p1", said="here") == "no_evening"
