"""The organiser's arrangements before a draw: pairs by hand, forbidden pairs, byes asked for, the start list."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from scharten.errors import Problem
from scharten.tournament import keizer
from scharten.tournament.draw import Draw, draw, draw_again, draw_around
from scharten.tournament.model import Club, Unpaired
from scharten.tournament.tables import table
from scharten.tournament.trf import trf
from tournament import dutch
from tournament.clubs import club_of, drawn, pairs_of, played, publish, refused, results, take

ALL = ["keizer", "swiss", "round_robin", "free"]


def fixed(club: Club, number: int, white: str, black: str) -> Club:
    """The club with a pair by hand."""
    return take(club, type="fix", number=number, white=white, black=black)


def everybody_once(club: Club) -> list[str]:
    """The members of the last round: those in pairs, and the one with the bye or who waits."""
    last = club.season.rounds[-1]
    return sorted([key for two in pairs_of(club) for key in two] + list(last.unpaired))


@pytest.mark.parametrize("system", [*ALL, "knockout"])
@pytest.mark.parametrize("count", [6, 7])
def test_a_pair_by_hand_stands_and_the_draw_does_the_rest(system: str, count: int) -> None:
    """The two named meet with the colours named, all others are drawn once, and without it they are drawn freely."""
    club = drawn(fixed(club_of(count, system=system), 1, "p6", "p1"))
    assert ("p6", "p1") in pairs_of(club)
    assert everybody_once(club) == [f"p{number}" for number in range(1, count + 1)]
    assert len(pairs_of(club)) == count // 2 or system == "knockout"
    redrawn = draw_again(club)
    assert isinstance(redrawn, Draw)
    assert ("p6", "p1") in redrawn.pairs, "drawing the round again keeps it"
    free = take(club, type="fix", number=1, white="p6", black="p1", fixed=False)
    assert ("p6", "p1") not in draw_again(free).pairs


def test_a_knockout_with_a_pair_by_hand_keeps_its_tree() -> None:
    """The winner of the pair by hand meets the winner beside it; after round 1 no pair by hand is possible."""
    club = drawn(fixed(club_of(4, system="knockout"), 1, "p1", "p2"))
    assert {frozenset(two) for two in pairs_of(club)} == {frozenset({"p1", "p2"}), frozenset({"p3", "p4"})}
    club = results(club, "1-0", "1-0")
    assert refused(club, type="fix", number=2, white="p1", black="p2") == "tree"
    winners = {pairing.white for pairing in club.season.rounds[0].pairings}
    assert {frozenset(two) for two in pairs_of(drawn(club))} == {frozenset(winners)}


def test_a_pair_by_hand_in_the_present_round_moves_only_those_whom_it_leaves() -> None:
    """Of four pairs two are broken up, their other members meet, two stay; a begun game or an absent member refuses."""
    club = drawn(club_of(8, system="swiss"))
    assert pairs_of(club) == [("p1", "p5"), ("p6", "p2"), ("p3", "p7"), ("p8", "p4")]
    found = draw_around(club, ("p5", "p6"))
    assert isinstance(found, Draw)
    moved = publish(fixed(club, 1, "p5", "p6"), 1, found)
    assert set(pairs_of(moved)) >= {("p5", "p6"), ("p3", "p7"), ("p8", "p4")}
    assert {frozenset(two) for two in pairs_of(moved)} >= {frozenset({"p1", "p2"})}
    begun = take(club, type="begin", number=1, table=1, match="m1")
    problem = draw_around(begun, ("p5", "p6"))
    assert isinstance(problem, Problem)
    assert problem.code == "played"
    away = take(club, type="presence", key="p6", said="absent")
    problem = draw_around(away, ("p5", "p6"))
    assert isinstance(problem, Problem)
    assert problem.code == "not_present"


def test_two_latecomers_meet_in_the_present_round() -> None:
    """Two who came after the draw are paired by hand; every other pair stays."""
    club = club_of(6, system="keizer")
    for key in ("p5", "p6"):
        club = take(club, type="presence", key=key, said="absent")
    club = drawn(club)
    for key in ("p5", "p6"):
        club = take(club, type="presence", key=key, said="here")
    found = draw_around(club, ("p6", "p5"))
    assert isinstance(found, Draw)
    assert found.pairs == (*pairs_of(club), ("p6", "p5"))


def test_a_pair_by_hand_is_of_one_round_and_replaces_others() -> None:
    """A member has one opponent by hand; only rounds of this evening can be named; both must be there at the draw."""
    club = fixed(fixed(club_of(6, system="free"), 1, "p1", "p2"), 1, "p3", "p2")
    assert club.season.fixed[1] == (("p3", "p2"),)
    for fields, code in (
        ({"number": 2, "white": "p1", "black": "p2"}, "wrong_round"),
        ({"number": 1, "white": "p1", "black": "p1"}, "same_member"),
        ({"number": 1, "white": "p1", "black": "p9"}, "unknown_member"),
    ):
        assert refused(club, type="fix", **fields) == code
    away = take(club, type="presence", key="p2", said="absent")
    assert "p2" not in {key for two in pairs_of(drawn(away)) for key in two}
    club = drawn(club)
    club = results(club, "1-0", "1-0", "1-0")
    club = take(take(club, type="close_evening"), type="evening", date="2026-11-27")
    assert refused(club, type="fix", number=1, white="p1", black="p2") == "wrong_round"


@pytest.mark.parametrize("system", ALL)
@pytest.mark.parametrize("count", [6, 7, 8])
def test_forbidden_pairs_never_meet(system: str, count: int) -> None:
    """Over five rounds two pairs never meet, although the draw without the ban brings each of them together."""
    two = (("p1", "p2"), ("p1", f"p{1 + (count + 1) // 2}"))
    chance, free, club = random.Random(count), club_of(count, system=system), club_of(count, system=system)
    for first, second in two:
        club = take(club, type="forbid", first=first, second=second)
    for _ in range(5):
        free, club = played(drawn(free), chance), played(drawn(club), chance)
        assert everybody_once(club) == [f"p{number}" for number in range(1, count + 1)]
        waiting = set(club.season.rounds[-1].unpaired)
        assert len(waiting) == count % 2 or system == "round_robin"
    met = [pairing.players for _, pairing in club.season.pairings()]
    assert not set(met) & {frozenset(pair) for pair in two}
    assert set(map(frozenset, two)) & {pairing.players for _, pairing in free.season.pairings()}


def test_the_bye_moves_where_a_forbidden_pair_would_be_left_over() -> None:
    """Of three members p1 and p2 may not meet: one of them has the bye, and nobody waits besides."""
    for system in ("keizer", "free", "swiss"):
        club = take(club_of(3, system=system), type="forbid", first="p1", second="p2")
        club = drawn(club)
        assert len(pairs_of(club)) == 1
        assert "p3" in pairs_of(club)[0]
    club = take(club_of(2, system="keizer"), type="forbid", first="p1", second="p2")
    found = draw(club)
    assert isinstance(found, Problem)
    assert found.code == "decided"


def test_a_forbidden_pair_is_allowed_again_and_outlives_a_season() -> None:
    """A new season keeps the ban, a pair by hand cannot break it, and taking it back lets the two meet."""
    club = take(club_of(2, system="free"), type="forbid", first="p2", second="p1")
    assert refused(club, type="fix", number=1, white="p1", black="p2") == "forbidden"
    club = take(take(club, type="close_evening"), type="season", name="Next", options={"system": "free"})
    assert club.season.forbidden == {frozenset({"p1", "p2"})}
    club = take(club, type="forbid", first="p1", second="p2", forbidden=False)
    assert club.season.forbidden == frozenset()
    assert refused(club, type="forbid", first="p1", second="p1") == "same_member"
    assert refused(club, type="forbid", first="p1", second="p9") == "unknown_member"


def test_swiss_rounds_with_forbidden_pairs_are_those_of_another_program() -> None:
    """Ten tournaments with three forbidden pairs each: py4swiss reads them in the report and draws the same rounds."""
    alike = 0
    for seed in range(10):
        chance = random.Random(seed)
        club = club_of(8, system="swiss", rounds=3)
        for first, second in chance.sample(list(combinations(club.season.entrants, 2)), 3):
            club = take(club, type="forbid", first=first, second=second)
        for _ in range(3):
            before, club = club, drawn(club)
            theirs = dutch.by_another(before, ())
            if theirs is not None:
                assert dutch.last_round(club) == theirs, seed
                alike += 1
            club = played(club, chance)
    assert alike > 20
    assert "XXP " in trf(club, club.season)


@pytest.mark.parametrize("system", ALL)
def test_a_bye_asked_for_is_half_a_point(system: str) -> None:
    """A member who asks ahead is not paired in that round though present, and plays in the next one."""
    club = take(club_of(6, system=system), type="bye", key="p1", number=1)
    club = results(drawn(club), *["1-0"] * len(pairs_of(drawn(club))))
    assert club.season.rounds[0].unpaired["p1"] is Unpaired.EXCUSED
    row = next(row for row in table(club.season) if row.key == "p1")
    assert row.game_points == 0.5
    assert row.games == 0
    if system == "keizer":
        value_before = keizer.first_value(6, 3)
        assert value_before == 8
        assert row.points == pytest.approx(row.counted + value_before / 3, abs=0.01)
    line = next(line for line in trf(club, club.season).splitlines() if line.startswith("001    1"))
    assert line.endswith("0000 - H")
    assert "p1" in {key for two in pairs_of(drawn(club)) for key in two}
    assert refused(club, type="bye", key="p1", number=1) == "stale"


def test_a_bye_is_asked_for_by_absent_members_too_and_taken_back() -> None:
    """An absent member who asked is excused, not absent; a bye taken back is none; a knockout has none."""
    club = take(club_of(4, system="swiss"), type="member", key="far", name="Far", rating=2500)
    club = take(club, type="bye", key="far", number=1)
    assert club.season.entrants[0] == "far", "asking puts a member on the start list, by strength"
    assert drawn(club).season.rounds[0].unpaired == {"far": Unpaired.EXCUSED}
    back = take(club, type="bye", key="far", number=1, asked=False)
    assert drawn(back).season.rounds[0].unpaired == {"far": Unpaired.ABSENT}
    assert refused(club, type="bye", key="nobody", number=1) == "unknown_member"
    assert refused(club, type="bye", key="p1", number=501) == "wrong_round"
    assert refused(club_of(4, system="knockout"), type="bye", key="p1", number=1) == "no_byes"
    both = take(fixed(club, 1, "p1", "p2"), type="bye", key="p1", number=1)
    assert not both.season.fixed[1], "the newer of bye and pair by hand holds"
    assert fixed(both, 1, "p1", "p2").season.asked[1] == {"far"}


def test_a_start_list_before_round_1() -> None:
    """The members chosen and those present stand in it by strength, before anybody ticks; round 1 ends the changes."""
    club = club_of(3, system="swiss")
    club = take(take(club, type="close_evening"), type="season", name="Next", options={"system": "swiss"})
    for key, rating in (("strong", 2400), ("weak", 100)):
        club = take(club, type="member", key=key, name=key, rating=rating)
    club = take(club, type="start_list", keys=["weak", "p2", "strong"])
    assert club.season.entrants == ("strong", "p2", "weak")
    club = take(club, type="member", key="weak", name="Weak", rating=2300)
    club = take(club, type="evening", date="2026-11-27")
    club = take(club, type="presence", key="p1", said="here")
    club = take(club, type="start_list", keys=["weak", "strong"])
    assert club.season.entrants == ("strong", "weak", "p1"), "strengths are read again, who is present stays"
    assert refused(club, type="start_list", keys=["nobody"]) == "unknown_member"
    club = drawn(take(club, type="presence", key="p2", said="here"))
    assert club.season.entrants == ("strong", "weak", "p1", "p2")
    assert refused(club, type="start_list", keys=["p1"]) == "begun"


def test_a_deleted_member_leaves_the_arrangements() -> None:
    """Bye, pair by hand and ban of a deleted member go with the name."""
    club = take(club_of(5, system="swiss"), type="forbid", first="p1", second="p2")
    club = fixed(take(club, type="bye", key="p1", number=2), 1, "p1", "p3")
    club = take(club, type="remove_member", key="p1")
    assert club.season.forbidden == frozenset()
    assert not club.season.fixed[1]
    assert not club.season.asked[2]
