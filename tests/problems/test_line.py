"""The format of problems: round trips, single wrong bits and random bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.problems.bundled import FILE, bundled
from scharten.problems.check import check
from scharten.problems.line import HARDEST, HEAD, Kind, Puzzle, Task, opened, parse_file, parse_line

TASKS = {Kind.MATE: (1, 3), Kind.DART: (1, 1), Kind.FIELD: (2, 3), Kind.SAVE: (1, 2)}
WORD = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), max_size=60)
KEYS = st.sampled_from(["e2e4", "e7e8q", "@c3", "--", "o1i8"])


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    """Any problem that the format can write."""
    kind = draw(st.sampled_from(list(Kind)))
    task = Task(kind, draw(st.integers(*TASKS[kind])))
    hard = draw(st.integers(1, HARDEST))
    return Puzzle(draw(WORD), draw(WORD), task, draw(KEYS), hard, draw(WORD))


@given(puzzles())
def test_a_line_reads_back(puzzle: Puzzle) -> None:
    """Written and read, a problem is equal; a line read and written is the same text."""
    assert parse_line(puzzle.line) == puzzle
    assert list(parse_file(f"{HEAD}\n{puzzle.line}\n")) == [(2, puzzle)]


@given(st.binary(max_size=300))
def test_random_bytes_are_refused_by_name(noise: bytes) -> None:
    """Neither bytes as a file nor bytes as any column raise an error; each is a problem or a reason."""
    for _, found in parse_file(noise.decode("utf-8", "replace")):
        assert isinstance(found, Problem)
    word = noise.decode("latin-1").replace("\t", " ").replace("\n", " ")
    known = bundled()[0]
    for puzzle in (
        Puzzle(word, known.options, known.task, known.key, known.difficulty, known.game),
        Puzzle(known.position, word, known.task, known.key, known.difficulty, known.game),
        Puzzle(known.position, known.options, known.task, known.key, known.difficulty, word),
    ):
        assert isinstance(opened(puzzle, GAMES_BY_KEY), Problem) or not word.strip() or word == known.game


@given(st.data())
def test_one_wrong_bit_is_found(data: st.DataObject) -> None:
    """A file with any single bit changed has a line that is named."""
    whole = FILE.read_bytes()
    begin = whole.index(b"\n", data.draw(st.integers(0, len(whole) - 2000))) + 1
    part = f"{HEAD}\n".encode() + b"\n".join(whole[begin:].split(b"\n")[:2]) + b"\n"
    assert all(isinstance(found, Puzzle) for _, found in parse_file(part.decode()))
    bit = data.draw(st.integers(0, 8 * len(part) - 1))
    changed = bytearray(part)
    changed[bit // 8] ^= 1 << bit % 8
    found = parse_file(changed.decode("utf-8", "replace"))
    assert any(isinstance(line, Problem) for _, line in found)


def test_every_wrong_value_has_its_code() -> None:
    """The checker names an unknown game, option, task, a wrong key and a wrong difficulty, each by its code."""
    first = next(puzzle for puzzle in bundled() if puzzle.game == "chess" and puzzle.task.kind is Kind.MATE)
    position, options, task, key, hard = (
        first.position,
        first.options,
        first.task,
        first.key,
        first.difficulty,
    )
    cases = {
        "unknown_game": Puzzle(position, options, task, key, hard, "ludo"),
        "unknown_option": Puzzle(position, "--blue", task, key, hard, "chess"),
        "wrong_key": Puzzle(position, options, task, "a1a1", hard, "chess"),
        "wrong_difficulty": Puzzle(position, options, task, key, hard % HARDEST + 1, "chess"),
        "wrong_task": Puzzle(position, options, Task(Kind.DART, 1), key, hard, "chess"),
    }
    for code, puzzle in cases.items():
        found = check(puzzle, GAMES_BY_KEY)
        assert isinstance(found, Problem) and found.code == code, (code, found)
    unknown = parse_line(first.line.replace(str(task), "mate9"))
    assert isinstance(unknown, Problem) and unknown.code == "damaged"
    written = Puzzle(position, options, Task(Kind.MATE, 9), key, hard, "chess")
    unknown = parse_line(written.line)
    assert isinstance(unknown, Problem) and unknown.code == "unknown_task"
