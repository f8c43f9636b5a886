"""Attempts at problems: records, ratings, streaks, and a file that loses nothing but what is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from players.evening import ANN, BOB
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.players.attempts import FILE, Attempts
from scharten.players.book import PlayerBook
from scharten.players.problems import ProblemBook, Request
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore
from scharten.problems.bundled import bundled
from scharten.problems.daily import DAY_MS, of_the_day
from scharten.problems.line import Kind, Puzzle
from scharten.problems.rating import Attempt, rate

NOON = 20_500 * DAY_MS + DAY_MS // 2


def _book(folder: Path) -> ProblemBook:
    """A book with the players Ann and Bob."""
    register = PlayerStore(folder)
    register.save(Player(ANN, Profile(name="Ann"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    players = PlayerBook(folder, "scharten.sqlite3", GAMES_BY_KEY)
    return ProblemBook(folder, players, GAMES_BY_KEY, 3)


def _turn(
    puzzle: Puzzle, turn: str, player: str = ANN, played: tuple[str, ...] = (), bed: str = ""
) -> Request:
    return Request(puzzle.id, played, turn, bed, "dart" if bed else "press", player, True)


def _solve(book: ProblemBook, puzzle: Puzzle, player: str, now_ms: int) -> dict[str, object]:
    """Play a problem of one turn, or a mate in two by the first turn that the book accepts."""
    tried = book.attempt(_turn(puzzle, puzzle.key, player), now_ms)
    assert not isinstance(tried, Problem)
    while not tried["solved"]:
        played = tuple(tried["played"])
        for turn in [*tried["moves"], *(f"@{field}" for field in tried["drops"])]:
            found = book.attempt(_turn(puzzle, turn, "", played), now_ms)
            if not isinstance(found, Problem) and found["right"]:
                found = book.attempt(_turn(puzzle, turn, player, played), now_ms)
                assert not isinstance(found, Problem)
                tried = found
                break
        else:
            raise AssertionError(puzzle.line)
    return dict(tried)


@pytest.mark.long
def test_the_days_solvers_and_streaks(tmp_path: Path) -> None:
    """Three days in a row make a streak that lasts until the day after; the day names who solved it, once each."""
    book = _book(tmp_path)
    for day in range(3):
        now = NOON + day * DAY_MS
        puzzle = of_the_day(bundled(), now // DAY_MS)
        assert (book.day(now) or {})["solved"] == []
        _solve(book, puzzle, ANN, now)
        _solve(book, puzzle, ANN, now)
        assert (book.day(now) or {})["solved"] == ["Ann"]
    _solve(book, puzzle, BOB, now)
    assert (book.day(now) or {})["solved"] == ["Ann", "Bob"]
    assert [book.records(ANN, NOON + day * DAY_MS)["streak"] for day in (2, 3, 4)] == [3, 3, 0]
    assert book.records(ANN, now)["best_streak"] == 3 and book.records(BOB, now)["streak"] == 1
    assert next(row["name"] for row in book.table(now)) == "Ann"
    assert len((tmp_path / FILE).read_text().splitlines()) == 4


def test_first_attempts_are_rated(tmp_path: Path) -> None:
    """A wrong turn and a shown key cost rating and raise the problem's; a solution does the opposite."""
    book = _book(tmp_path)
    short = [puzzle for puzzle in bundled() if puzzle.task.moves == 1 and puzzle.task.kind is Kind.MATE]
    before = book.records(ANN, NOON)["rating"]
    missed = book.attempt(_turn(short[0], ""), NOON)
    assert not isinstance(missed, Problem) and missed["key"] == short[0].key
    missed_once = book.records(ANN, NOON)
    assert missed_once["rating"] < before and (missed_once["tried"], missed_once["solved"]) == (1, 0)
    _solve(book, short[0], ANN, NOON + 1)
    later = book.records(ANN, NOON)
    assert later["rating"] == missed_once["rating"] and (later["first"], later["solved"]) == (0, 1)
    _solve(book, short[1], BOB, NOON)
    assert book.records(BOB, NOON)["rating"] > before
    shown = book.problem(short[0].id, ANN)
    assert (
        shown is not None
        and shown["state"] == "solved"
        and shown["rating"] > 1100 + 200 * (shown["difficulty"] - 1)
    )
    assert "key" not in json.dumps(shown)


def test_a_loud_problem_is_solved_where_the_dart_is(tmp_path: Path) -> None:
    """Another bed is a miss without a record; the key's bed solves it, by dart, with the odds of that bed."""
    book = _book(tmp_path)
    puzzle = next(puzzle for puzzle in bundled() if str(puzzle.task) == "dart1" and puzzle.game == "scharten")
    shown = book.attempt(_turn(puzzle, "", "", bed="BULL"), NOON)
    assert not isinstance(shown, Problem) and shown["missed"] and not (tmp_path / FILE).exists()
    key = book.attempt(Request(puzzle.id, (), "", "", "press", "", False), NOON)
    assert not isinstance(key, Problem)
    (bed,) = key["odds"]["beds"]
    hit = book.attempt(_turn(puzzle, "", ANN, bed=bed), NOON)
    assert not isinstance(hit, Problem) and hit["solved"] and hit["turn"] == puzzle.key
    assert 0 < hit["odds"]["hit"] < 0.5 and not hit["odds"]["guest"]
    assert book.records(ANN, NOON)["darts"] == 1


@pytest.mark.long
def test_every_kind_can_be_played_to_its_end(tmp_path: Path) -> None:
    """A problem of each game and task is solved turn by turn, and a turn that is no key is refused."""
    book = _book(tmp_path)
    kinds = {(puzzle.game, str(puzzle.task)): puzzle for puzzle in bundled()}
    for puzzle in kinds.values():
        assert _solve(book, puzzle, ANN, NOON)["solved"], puzzle.line
        illegal = book.attempt(_turn(puzzle, "a1a1"), NOON)
        assert isinstance(illegal, Problem) and illegal.code == "illegal"
    assert book.records(ANN, NOON)["solved"] == len(kinds)


def test_damaged_lines_are_named_and_the_others_stay(tmp_path: Path) -> None:
    """A torn last line, a wrong bit and random bytes are left out; what comes after is stored behind them."""
    said: list[str] = []
    attempts = Attempts(tmp_path, said.append)
    rows = [Attempt(ANN, f"{n:010x}", n, n, n % 2 == 0, "press", False) for n in range(5)]
    for row in rows[:4]:
        attempts.add(row)
    lines = (tmp_path / FILE).read_bytes().split(b"\n")
    lines[1] = lines[1][:40] + bytes([lines[1][40] ^ 1]) + lines[1][41:]
    (tmp_path / FILE).write_bytes(b"\n".join(lines[:4]) + b"\n\xff\xfe torn")
    attempts.add(rows[4])
    assert attempts.rows() == [rows[0], rows[2], rows[3], rows[4]]
    assert "left out: 2, 5" in said[-1]


def test_a_deleted_player_leaves_no_attempt(tmp_path: Path) -> None:
    """After a player is deleted the file no longer has the id, and the others keep their records."""
    book = _book(tmp_path)
    puzzle = of_the_day(bundled(), NOON // DAY_MS)
    _solve(book, puzzle, ANN, NOON)
    _solve(book, puzzle, BOB, NOON)
    PlayerBook(tmp_path, "scharten.sqlite3", GAMES_BY_KEY).delete(ANN)
    assert (book.day(NOON) or {})["solved"] == ["Bob"]
    assert ANN not in (tmp_path / FILE).read_text() and BOB in (tmp_path / FILE).read_text()


@given(st.lists(st.tuples(st.sampled_from([ANN, BOB]), st.integers(0, 20), st.booleans()), max_size=30))
def test_ratings_depend_on_first_attempts_alone(tries: list[tuple[str, int, bool]]) -> None:
    """Further attempts at a problem change no rating, and every rating is a number."""
    puzzles = bundled()[:21]
    attempts = [
        Attempt(player, puzzles[n].id, 0, at, right, "press", False)
        for at, (player, n, right) in enumerate(tries)
    ]
    firsts = {(attempt.player, attempt.puzzle): attempt for attempt in reversed(attempts)}
    alone = [attempt for attempt in attempts if firsts[attempt.player, attempt.puzzle] is attempt]
    whole, only = rate(attempts, puzzles), rate(alone, puzzles)
    assert {player: own.rated.rating for player, own in whole.players.items()} == {
        player: own.rated.rating for player, own in only.players.items()
    }
    assert all(0 < own.rated.rating < 4000 for own in whole.players.values())


@given(st.binary(max_size=400))
def test_random_bytes_spoil_no_record(tmp_path_factory: object, noise: bytes) -> None:
    """A file of random bytes gives no attempt and no error."""
    folder = tmp_path_factory.mktemp("noise")  # type: ignore[attr-defined]
    (folder / FILE).write_bytes(noise)
    assert Attempts(folder).rows() == []
