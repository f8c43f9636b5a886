"""`scharten problems`: the problems that ship, today's one, and the proof of each."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten.commands.options import AsJson
from scharten.commands.words import chosen_language, words
from scharten.errors import Problem, SchartenError
from scharten.words import problem_text

PROGRESS_S = 2.0
YEAR_DAYS = 365


def problems(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[ID|FILE]", help="A problem to show; with --check a file to prove."),
    ] = None,
    *,
    prove: Annotated[
        bool, typer.Option("--check", help="Prove every problem of FILE, by default of those that ship.")
    ] = False,
    today: Annotated[bool, typer.Option("--today", help="Show the problem of the day (UTC).")] = False,
    difficulty: Annotated[
        int | None, typer.Option(min=1, max=5, help="List those of this difficulty.")
    ] = None,
    key: Annotated[bool, typer.Option("--key", help="Show the key too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the problems: how many there are, one of them, today's, or those of a difficulty.

    With --check the solver proves that each has exactly its key; the exit status is 1 if one has not.
    """
    if prove:
        _prove(Path(what) if what else None, as_json)
        return
    from scharten.problems.bundled import bundled
    from scharten.problems.daily import day_of, of_the_day

    listed = bundled()
    if not listed:
        raise SchartenError.coded("no_problems")
    if today:
        listed = (of_the_day(listed, day_of(time.time_ns() // 1_000_000)),)
    elif what is not None:
        listed = tuple(puzzle for puzzle in listed if puzzle.id == what)
        if not listed:
            raise SchartenError.coded("no_such_problem_id", id=what)
    elif difficulty is not None:
        listed = tuple(puzzle for puzzle in listed if puzzle.difficulty == difficulty)
    elif not as_json:
        typer.echo(_counted(listed))
        return
    for puzzle in listed:
        fields = _fields(puzzle, key)
        typer.echo(json.dumps(fields, ensure_ascii=False) if as_json else _plain(fields))


def _counted(listed: tuple[Any, ...]) -> str:
    """Return how many problems there are of each game, task and difficulty."""
    lines = [words("problems.count", count=len(listed))]
    for name in ("game", "task", "difficulty"):
        counts = Counter(str(getattr(puzzle, name)) for puzzle in listed)
        shares = ", ".join(f"{value} {count}" for value, count in sorted(counts.items()))
        lines.append(f"{words(f'problems.{name}')}: {shares}")
    return "\n".join(lines)


def _fields(puzzle: Any, key: bool) -> dict[str, Any]:
    fields = {
        "id": puzzle.id,
        "game": puzzle.game,
        "task": str(puzzle.task),
        "difficulty": puzzle.difficulty,
        "options": puzzle.options,
        "position": puzzle.position,
    }
    return {**fields, "key": puzzle.key} if key else fields


def _plain(fields: dict[str, Any]) -> str:
    options = f" {fields['options']}" if fields["options"] else ""
    hard = f"{words('problems.difficulty')} {fields['difficulty']}"
    head = f"{fields['id']} {fields['game']}{options} {fields['task']} {hard}\n  {fields['position']}"
    return head + (f"\n  {words('problems.key')} {fields['key']}" if "key" in fields else "")


def _prove(file: Path | None, as_json: bool) -> None:
    """Prove every line, and name those that are wrong."""
    from scharten.problems.bundled import FILE
    from scharten.problems.line import parse_file

    path = file or FILE
    try:
        lines = list(parse_file(path.read_bytes().decode("utf-8", "replace")))
    except OSError as error:
        raise SchartenError.coded("problems_unreadable", path=path, why=error.strerror) from error
    began, seen, wrong = time.monotonic(), dict[str, int](), list[dict[str, Any]]()
    for number, found in _wrong_lines(lines, seen):
        wrong.append({"line": number, "code": found.code, "words": found.words})
        if not as_json:
            why = problem_text(chosen_language(), found.code, found.words, found.args)
            typer.echo(f"{path}:{number}: {why}", err=True)
    proved, took = len(lines) - len(wrong), time.monotonic() - began
    puzzles = [parsed for _, parsed in lines if not isinstance(parsed, Problem)]
    year = _year(puzzles, seen) if file is None and puzzles else {}
    if as_json:
        figures = {
            "file": str(path),
            "lines": len(lines),
            "proved": proved,
            "wrong": wrong,
            "seconds": round(took, 1),
            **({"year": year} if year else {}),
        }
        typer.echo(json.dumps(figures, ensure_ascii=False))
    else:
        typer.echo(
            words("problems.proved", path=path, proved=proved, wrong=len(wrong), seconds=f"{took:.1f}")
        )
        if year:
            typer.echo(words("problems.year", **year))
    if wrong or not proved:
        raise typer.Exit(1)


def _wrong_lines(lines: list[tuple[int, Any]], seen: dict[str, int]) -> Iterator[tuple[int, Problem]]:
    """Yield each wrong line's number with the reason; `seen` receives the line of each right problem by id."""
    from scharten.games import GAMES_BY_KEY
    from scharten.problems.check import check

    shown = time.monotonic()
    for done, (number, parsed) in enumerate(lines, 1):
        found = parsed if isinstance(parsed, Problem) else check(parsed, GAMES_BY_KEY)
        if found is None and (first := seen.setdefault(parsed.id, number)) != number:
            found = Problem.reasoned("duplicate", "in_line", line=first)
        if found is not None:
            yield number, found
        if time.monotonic() - shown > PROGRESS_S:
            shown = time.monotonic()
            typer.echo(words("problems.progress", done=done, lines=len(lines)), err=True)


def _year(puzzles: list[Any], proved: Container[str]) -> dict[str, Any]:
    """Return how many different problems the 365 days from today have, and on how many days the key is wrong."""
    from scharten.problems.daily import day_of, of_the_day

    today = day_of(time.time_ns() // 1_000_000)
    year = [of_the_day(puzzles, today + day) for day in range(YEAR_DAYS)]
    wrong = sum(puzzle.id not in proved for puzzle in year)
    return {"days": YEAR_DAYS, "problems": len({puzzle.id for puzzle in year}), "wrong": wrong}
