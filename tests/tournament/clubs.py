"""Clubs for tests: entries applied in order, and evenings with seeded results."""

from __future__ import annotations

import random

from scharten.errors import Problem
from scharten.tournament.club import step
from scharten.tournament.draw import Draw, draw
from scharten.tournament.entries import ENTRIES
from scharten.tournament.model import Club, Unpaired


def take(club: Club, **fields: object) -> Club:
    """Return the club after an entry; fail with the message of a refusal."""
    result = step(club, ENTRIES.validate_python(fields), 1000)
    assert isinstance(result, Club), str(result)
    return result


def refused(club: Club, **fields: object) -> str:
    """Return the code with which the club refuses an entry."""
    result = step(club, ENTRIES.validate_python(fields), 1000)
    assert isinstance(result, Problem)
    return result.code


def club_of(count: int, **options: object) -> Club:
    """Return a club of p1 to p<count>, strongest first, on its first evening, all present."""
    club = Club()
    for number in range(1, count + 1):
        club = take(club, type="member", key=f"p{number}", name=f"Player {number}", rating=2000 - number)
    club = take(club, type="season", name="Test", options=options)
    club = take(club, type="evening", date="2026-11-20")
    for number in range(1, count + 1):
        club = take(club, type="presence", key=f"p{number}", said="here")
    return club


def drawn(club: Club) -> Club:
    """The club with the next round published."""
    found = draw(club)
    assert isinstance(found, Draw), str(found)
    assert club.season is not None
    return publish(club, club.season.next_round, found)


def publish(club: Club, number: int, found: Draw) -> Club:
    """The club with a draw published."""
    pairs = [{"white": white, "black": black} for white, black in found.pairs]
    return take(club, type="draw", number=number, pairs=pairs, unpaired=dict(found.unpaired))


def results(club: Club, *wanted: str) -> Club:
    """The last round's results in the order of the tables."""
    assert club.season is not None
    last = club.season.rounds[-1]
    for pairing, result in zip(last.pairings, wanted, strict=True):
        club = take(club, type="result", number=last.number, table=pairing.table, result=result)
    return club


def with_round(club: Club, *games: str) -> Club:
    """The club after a round of these games, `p1 p2 1-0`; everybody else had the bye."""
    assert club.season is not None
    split = [game.split() for game in games]
    pairs = [(white, black) for white, black, _ in split]
    paired = {key for pair in pairs for key in pair}
    byes = {key: Unpaired.BYE for key in club.season.entrants if key not in paired}
    club = publish(club, club.season.next_round, Draw(pairs, byes))
    return results(club, *(result for _, _, result in split))


def played(club: Club, chance: random.Random, choices: str = "1-0 0-1 ½-½") -> Club:
    """The last round with results by chance."""
    assert club.season is not None
    return results(club, *(chance.choice(choices.split()) for _ in club.season.rounds[-1].pairings))


def pairs_of(club: Club, number: int = -1) -> list[tuple[str, str]]:
    """A round's pairs by table."""
    assert club.season is not None
    return [(pairing.white, pairing.black) for pairing in club.season.rounds[number].pairings]
