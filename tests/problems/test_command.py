"""`scharten problems` and `make problems` as programs: lists, proofs, damage, and a killed run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lab.positions import text_of, thinned
from scharten.cli import build
from scharten.errors import Problem, SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.problems.bundled import FILE
from scharten.problems.line import HEAD, Puzzle, parse_file

TESTS = Path(__file__).parents[1]


def _problems(*args: str) -> Result:
    return CliRunner().invoke(build("problems"), ["problems", *args])


def _some(folder: Path, count: int = 12) -> Path:
    """A file of some problems that ship."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    file = folder / "some.tsv"
    file.write_text("\n".join([HEAD, *lines[1 :: len(lines) // count][:count], ""]), encoding="utf-8")
    return file


def test_the_list_has_every_game_and_task() -> None:
    """The plain list counts at least 365 problems, of five games, seven tasks and five difficulties."""
    said = _problems().stdout
    assert int(said.split(" ")[0]) >= 365
    for word in ("scharten", "chess", "fischer_random", "shatranj", "shakti"):
        assert word in said
    for word in ("mate1", "mate2", "mate3", "dart1", "field2", "save1", "save2"):
        assert word in said
    listed = [json.loads(line) for line in _problems("--json").stdout.splitlines()]
    assert {row["difficulty"] for row in listed} == {1, 2, 3, 4, 5}
    hard = [json.loads(line) for line in _problems("--json", "--difficulty", "5").stdout.splitlines()]
    assert hard == [row for row in listed if row["difficulty"] == 5]
    assert "key" not in listed[0]


def test_one_problem_is_shown_with_its_key_on_request() -> None:
    """Today's problem has an id that shows it again, and the key only with --key."""
    today = json.loads(_problems("--today", "--json").stdout)
    shown = json.loads(_problems(today["id"], "--json", "--key").stdout)
    assert shown.pop("key") and shown == today
    assert today["position"] in _problems(today["id"]).stdout
    with pytest.raises(SchartenError, match="There is no problem"):
        CliRunner().invoke(build("problems"), ["problems", "ffff"], catch_exceptions=False)


def test_a_good_file_is_proved(tmp_path: Path) -> None:
    """The proof of a good file ends with status 0 and counts every line."""
    file = _some(tmp_path)
    found = _problems("--check", str(file), "--json")
    assert found.exit_code == 0
    figures = json.loads(found.stdout)
    assert (figures["lines"], figures["proved"], figures["wrong"]) == (12, 12, [])


def test_a_damaged_file_names_its_lines(tmp_path: Path) -> None:
    """A wrong bit, a line twice, a cut line and bytes of no text are named by their numbers; the others are proved."""
    file = _some(tmp_path)
    lines = file.read_bytes().split(b"\n")
    lines[3] = lines[3][:5] + bytes([lines[3][5] ^ 4]) + lines[3][6:]
    lines[5] = lines[4]
    lines[7] = lines[7][:30]
    lines[9] = b"\xff\xfe\x00"
    file.write_bytes(b"\n".join(lines))
    found = _problems("--check", str(file), "--json")
    assert found.exit_code == 1
    wrong = {row["line"]: row["code"] for row in json.loads(found.stdout)["wrong"]}
    assert wrong == {4: "damaged", 6: "duplicate", 8: "malformed", 10: "malformed"}
    plain = _problems("--check", str(file))
    assert plain.exit_code == 1 and f"{file}:4: the line is not as it was written" in plain.stderr


@pytest.mark.parametrize("spoiled", (0, 1))
def test_the_proof_of_those_that_ship_names_the_year(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoiled: int
) -> None:
    """The last line counts the different problems of 365 days, and the days with a key that does not solve."""
    puzzles = [
        puzzle for _, puzzle in parse_file(_some(tmp_path, 5).read_text()) if isinstance(puzzle, Puzzle)
    ]
    puzzles[:spoiled] = [replace(puzzle, key="a1a2") for puzzle in puzzles[:spoiled]]
    file = tmp_path / "ships.tsv"
    file.write_text("\n".join([HEAD, *(puzzle.line for puzzle in puzzles), ""]), encoding="utf-8")
    monkeypatch.setattr("scharten.problems.bundled.FILE", file)
    found = _problems("--check", "--json")
    assert found.exit_code == spoiled
    year = json.loads(found.stdout)["year"]
    assert (year["days"], year["problems"], year["wrong"]) == (
        365,
        len(puzzles),
        365 // len(puzzles) * spoiled,
    )
    if not spoiled:
        assert (
            "365 days from today: 5 different problems, one key each, wrong 0" in _problems("--check").stdout
        )


def test_a_missing_file_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    """Without a file there is a reason, not a traceback; a file without problems proves nothing."""
    with pytest.raises(SchartenError, match="cannot be read"):
        CliRunner().invoke(build("problems"), ["problems", "--check", str(tmp_path)], catch_exceptions=False)
    empty = tmp_path / "empty.tsv"
    empty.write_text(f"{HEAD}\n")
    assert _problems("--check", str(empty)).exit_code == 1


def _compose(folder: Path, *more: str) -> subprocess.Popen[str]:
    command = (sys.executable, "-m", "lab.problems", "--wanted", "200", "--games", "10")
    files = ("--work", str(folder / "work.jsonl"), "--out", str(folder / "out.tsv"))
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [*command, *files, *more], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.mark.long
def test_a_killed_composer_goes_on(tmp_path: Path) -> None:
    """Killed in the middle and with a torn line, the next run writes the same file as a run in one go."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    with _compose(whole) as run:
        said, _ = run.communicate()
        assert run.returncode == 0, said
    with _compose(broken) as run:
        work = broken / "work.jsonl"
        while run.poll() is None and (not work.exists() or work.read_bytes().count(b"\n") < 5):
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    assert not (broken / "out.tsv").exists()
    with work.open("ab") as file:
        file.write(b'["torn')
    with _compose(broken) as run:
        said, _ = run.communicate()
        assert run.returncode == 0, said
    assert (broken / "out.tsv").read_bytes() == (whole / "out.tsv").read_bytes()
    assert _problems("--check", str(whole / "out.tsv")).exit_code == 0
    with _compose(broken, "--seed", "2") as run:
        said, _ = run.communicate()
        assert run.returncode == 1 and "is a run with" in said and "Traceback" not in said


@pytest.mark.long
def test_a_composer_begins_with_the_problems_of_a_file(tmp_path: Path) -> None:
    """Three that ship stand in the new file beside those of a game; a damaged one is named and nothing is written."""
    shipped = FILE.read_text(encoding="utf-8").splitlines()[:4]
    kept = tmp_path / "kept.tsv"
    kept.write_text("\n".join([*shipped, ""]), encoding="utf-8")
    more = ("--keep", str(kept), "--games", "3")
    with _compose(tmp_path, *more) as run:
        said, _ = run.communicate()
        assert run.returncode == 0, said
    lines = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert set(shipped) < set(lines) and len(lines) == len(set(lines))
    kept.write_text("\n".join([*shipped[:3], shipped[3].replace("\t", "\tx", 1), ""]), encoding="utf-8")
    (tmp_path / "out.tsv").unlink()
    with _compose(tmp_path, *more) as run:
        said, _ = run.communicate()
        assert run.returncode == 1 and f"{kept} is damaged" in said and "Traceback" not in said
    assert not (tmp_path / "out.tsv").exists()


@pytest.mark.parametrize("key", ["scharten", "chess", "shatranj", "shakti"])
def test_a_thinned_position_lacks_one_man(key: str) -> None:
    """One man is gone, never a king, and the text reads back to itself."""
    game, chance = GAMES_BY_KEY[key], random.Random(3)
    puzzle = next(
        found
        for _, found in parse_file(FILE.read_text(encoding="utf-8"))
        if isinstance(found, Puzzle) and found.game == key and not found.options
    )
    options = game.options_model()
    position = game.read(puzzle.position, options)
    before = Counter(letter for letter in puzzle.position.split(" ")[0] if letter.isalpha())
    fewer = [thinned(game, position, options, chance) for _ in range(40)]
    texts = [text_of(game, found, options) for found in fewer if found is not None]
    assert texts
    for text in texts:
        men = Counter(letter for letter in text.split(" ")[0] if letter.isalpha())
        gone = before - men
        assert gone.total() == 1 and not men - before and not {"K", "k"} & set(gone)
        reread = game.read(text, options)
        assert not isinstance(reread, Problem) and text_of(game, reread, options) == text
