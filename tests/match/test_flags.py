"""A fallen flag (§25): who may claim it, and its result."""

from __future__ import annotations

from games.scharten.boards import board
from match.driver import Table

KINGS_AND_PAWN = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . P . . . .
    1  . . . . . K . . . .
""")  # fmt: skip


def timed(seconds: float = 60) -> Table:
    table = Table(begin=False)
    table.ok("new_game", kind="silent", clock={"stages": [{"moves": None, "seconds": seconds}]})
    return table


def test_a_fallen_flag_counts_when_the_opponent_claims_it() -> None:
    """The flag does not end the game by itself, and its own player cannot claim it, nor anyone before it falls."""
    table = timed()
    assert table.refused("claim_flag", "seat2") == "not_allowed"
    table.t += 61_000
    assert table.refused("claim_flag", "seat1") == "not_allowed"
    assert table.ended == (None, None)
    table.ok("claim_flag", "seat2")
    assert table.ended == ("0-1", "flag")


def test_two_fallen_flags_are_a_draw() -> None:
    """The claimant's flag has fallen too."""
    table = timed()
    table.t += 61_000
    table.move("e2e4")
    table.t += 61_000
    table.ok("claim_flag", side="white")
    assert table.ended == ("½-½", "flag")


def test_a_flag_against_a_side_that_cannot_mate_is_a_draw() -> None:
    """White's flag falls, but Black has only a king."""
    table = timed()
    table.set_up(KINGS_AND_PAWN)
    table.t += 61_000
    table.ok("claim_flag", side="black")
    assert table.ended == ("½-½", "flag")


def test_without_a_clock_no_flag_falls() -> None:
    """A claim is refused, however long the game takes."""
    table = Table()
    table.t += 10**9
    assert table.refused("claim_flag", side="black") == "not_allowed"
    assert table.refused("set_clock", "arbiter", white_ms=1) == "not_allowed"
