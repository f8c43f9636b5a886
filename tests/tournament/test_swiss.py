"""The Dutch system beside another program, and its colours by the rule."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from scharten.tournament.draw import Draw
from scharten.tournament.model import Colour, Unpaired
from scharten.tournament.ratings import ratings
from scharten.tournament.record import records_of
from scharten.tournament.swiss import SwissPlayer, colour_of_higher
from scharten.tournament.tables import player_against_player, table
from scharten.tournament.trf import trf
from tournament import dutch
from tournament.clubs import club_of, drawn, pairs_of, played, publish, results, take

PARTS = 4


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_rounds_of_200_tournaments_are_those_of_another_program(part: int) -> None:
    """Each round has the pairs, colours and tables of py4swiss; other pairs only by a rule newer than py4swiss."""
    alike, other = 0, []
    for seed in range(part, 200, PARTS):
        chance = random.Random(seed)
        count = chance.randint(5, 11)
        club = club_of(count, system="swiss", rounds=min(4, count - 2))
        for _ in range(chance.choice((0, 0, 1, 2))):
            first, second = chance.sample(club.season.entrants, 2)
            club = take(club, type="forbid", first=first, second=second)
        for _ in range(club.season.options.rounds):
            absent = [key for key in club.season.entrants[2:] if chance.random() < 0.08]
            for key in club.season.entrants:
                said = chance.choice(("excused", "absent")) if key in absent else "here"
                club = take(club, type="presence", key=key, said=said)
            before, club = club, drawn(club)
            mine, theirs = dutch.last_round(club), dutch.by_another(before, absent)
            if theirs is None or mine == theirs:
                alike += theirs is not None
            else:
                assert {frozenset(row) for row in mine} != {frozenset(row) for row in theirs}, (
                    seed,
                    mine,
                    theirs,
                )
                other.append((seed, dutch.better(before, mine, theirs)))
            club = played(club, chance, "1-0 0-1 ½-½ 1-0 0-1 ½-½ 1-0 0-1 ½-½ +/- -/+ -/-")
    assert alike > 150
    assert {verdict for _, verdict in other} <= {"C5 mine", "C8 mine", "C9 mine"}, other


def test_a_forbidden_pair_is_no_game() -> None:
    """A member with a forbidden pair has played no more games than the rest: in round 1 the last has the bye (C9)."""
    club = take(club_of(9, system="swiss", rounds=4), type="forbid", first="p2", second="p5")
    assert drawn(club).season.rounds[0].unpaired == {"p9": Unpaired.BYE}


@pytest.mark.parametrize("worth", [0.0, 0.5, 1.0])
def test_nobody_has_the_bye_twice(worth: float) -> None:
    """The bye of the draw is given once to each, whatever it is worth, and is in the report as such (C2)."""
    club = club_of(5, system="swiss", rounds=4, points={"bye": worth})
    for _ in range(3):
        club = drawn(club)
        club = results(club, *("1-0" if pair[0] < pair[1] else "0-1" for pair in pairs_of(club)))
    byes = [key for drawn in club.season.rounds for key, why in drawn.unpaired.items() if why is Unpaired.BYE]
    assert len(set(byes)) == len(byes) == 3
    lines = trf(club, club.season).splitlines()
    assert sum("0000 - U" in line for line in lines) == 3
    assert (f"XXS PAB={worth}" in lines) is (worth < 1)


WHITE, BLACK = Colour.WHITE, Colour.BLACK


@pytest.mark.parametrize(
    ("higher", "lower", "colour", "article"),
    [
        ((4, 2, "wb"), (9, 1, "bw"), WHITE, "5.2.1: both preferences"),
        ((4, 2, "wbw"), (9, 1, "bwbw"), BLACK, "5.2.2: the stronger preference"),
        ((4, 2, "wbbww"), (9, 1, "bwwbww"), WHITE, "5.2.2: of two absolute ones the wider difference"),
        ((4, 2, "wbbw"), (9, 1, "bwbw"), WHITE, "5.2.3: the last round with different colours, turned"),
        ((9, 2, "bw"), (4, 1, "bw"), BLACK, "5.2.4: the higher ranked, by score before number"),
        ((2, 0, ""), (9, 0, ""), BLACK, "5.2.5: an even number has Black first"),
    ],
)
def test_colours_follow_the_articles(
    higher: tuple[int, int, str], lower: tuple[int, int, str], colour: Colour, article: str
) -> None:
    """Each article of C.04.3 5.2 decides where it should, and the articles before it do not."""
    two = [
        SwissPlayer(f"p{number}", number, Fraction(points), tuple(WHITE if letter == "w" else BLACK for letter in text))
        for number, points, text in (higher, lower)
    ]  # fmt: skip
    assert colour_of_higher(*two) is colour, article


def test_a_forfeit_is_no_game() -> None:
    """After a forfeit the two have neither met nor had a colour, anywhere; the points count."""
    club = results(drawn(club_of(4, system="swiss", rounds=3)), "+/-", "1-0")
    first = [(pairing.white, pairing.black) for pairing in club.season.rounds[0].pairings]
    assert first == [("p1", "p3"), ("p4", "p2")]
    players = {player.key: player for player in records_of(club.season).values()}
    assert players["p1"].colours == players["p3"].colours == ()
    assert players["p1"].points == 1
    for key in ("p2", "p4"):
        club = take(club, type="presence", key=key, said="absent")
    second = drawn(club)
    assert {second.season.rounds[1].pairings[0].players} == {frozenset(first[0])}
    games = {row.key: (row.points, row.games, row.wins) for row in table(club.season)}
    assert games == {"p1": (1, 0, 0), "p4": (1, 1, 1), "p2": (0, 1, 0), "p3": (0, 0, 0)}
    assert set(ratings([club.season])["scharten", "loud"]) == {"p2", "p4"}
    assert player_against_player(club.season)["p1"] == {}
    lines = [line for line in trf(club, club.season).splitlines() if line.startswith("001")]
    assert [line[91:].strip() for line in lines] == ["3 w +", "4 b 0", "1 b -", "2 w 1"]


def test_a_forfeit_in_tie_breaks_is_not_the_opponents_score() -> None:
    """The Buchholz of a winner by forfeit counts at most the own score for the absent opponent (C.07, 16.4)."""
    buchholz = []
    for first in ("1-0", "+/-"):
        club = results(drawn(club_of(4, system="swiss", rounds=3)), first, "1-0")
        club = results(publish(club, 2, Draw((("p1", "p4"), ("p3", "p2")), {})), "0-1", "1-0")
        club = results(publish(club, 3, Draw((("p1", "p2"), ("p3", "p4")), {})), "0-1", "1-0")
        buchholz.append({row.key: row.breaks[1] for row in table(club.season)}["p1"])
    assert buchholz == [2 + 2 + 1, 1 + 2 + 1]
