"""`make problems`: compose problems from self-play; the solver proves that each has one key.

A seed and a number make a game of a strong and a weak player. Its last turns give the candidates: mates, saves,
the same positions with a man taken away, and in Scharten positions with a piece back in hand. Each game's problems
are appended to a file, so that a stopped run continues. The result depends on the seed, the number of games and
the problems wanted.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer

from lab.positions import TRIES, candidates, self_played, text_of
from scharten.errors import Problem, SchartenError
from scharten.game.flags import flags_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.problems.boards import board_of
from scharten.problems.bundled import FILE
from scharten.problems.check import difficulty, solve, suits
from scharten.problems.line import HEAD, Kind, Puzzle, Task, parse_line
from scharten.problems.solve import Solver, TooHardError

MOST_SEARCHED: Final = {1: 2_000, 2: 6_000, 3: 15_000}
"""Positions of one proof, by the number of turns."""
SHARES: Final = {"scharten": 0.4, "chess": 0.18, "fischer_random": 0.1, "shatranj": 0.14, "shakti": 0.18}
TASKS: Final = {
    "mate1": 0.2,
    "mate2": 0.22,
    "mate3": 0.12,
    "dart1": 0.16,
    "field2": 0.1,
    "save1": 0.12,
    "save2": 0.08,
}
SQUARE_TASKS: Final = {
    "mate1": 0.22,
    "mate2": 0.25,
    "mate3": 0.12,
    "dart1": 0.13,
    "save1": 0.16,
    "save2": 0.12,
}


def quota(key: str, wanted: int) -> dict[str, int]:
    """Return the number of problems of each task for a game."""
    shares = TASKS if key == "scharten" else SQUARE_TASKS
    return {task: round(wanted * SHARES[key] * share) for task, share in shares.items()}


def composed(game: AnyGame, text: str, options: GameOptions, task: Task) -> Puzzle | None:
    """Return the problem of a position if it has exactly one key of its kind."""
    position = game.read(text, options)
    board = board_of(game, options)
    if isinstance(position, Problem) or board is None:
        return None
    try:
        if task.kind is Kind.SAVE and Solver(board).forces(position, 1):
            return None
        keys, nodes = solve(board, position, task, MOST_SEARCHED[task.moves], keys=2)
    except TooHardError:
        return None
    if len(keys) != 1 or not suits(board, position, options, task, keys[0]):
        return None
    hard = difficulty(board, position, keys[0], nodes)
    return Puzzle(text, flags_text(options), task, keys[0], hard, game.key)


def of_game(key: str, seed: int, number: int, wanted: set[str]) -> list[Puzzle]:
    """Return the problems of one number, at most one for each task that is still wanted."""
    chance = random.Random(f"{seed} {number}")
    games = (self_played(key, number, chance) for _ in range(TRIES))
    played = next((game for game in games if game is not None and len(game.positions) > 5), None)
    if played is None:
        return []
    found: dict[str, Puzzle] = {}
    for task, position, options in candidates(played, chance):
        if task in found or task not in wanted:
            continue
        text = text_of(played.game, position, options)
        puzzle = composed(played.game, text, options, Task(Kind(task[:-1]), int(task[-1])))
        if puzzle is not None:
            found[task] = puzzle
    return list(found.values())


def _puzzles(file: Path, lines: list[str]) -> list[Puzzle]:
    """Return the problems of these lines of a file; a damaged one is an error."""
    found = [parse_line(line) for line in lines]
    if broken := next((puzzle for puzzle in found if isinstance(puzzle, Problem)), None):
        raise SchartenError(f"{file} is damaged: {broken.words}.", "Remove it, and compose again.")
    return [puzzle for puzzle in found if isinstance(puzzle, Puzzle)]


class Collection:
    """The problems so far, their quotas, and the file from which a stopped run continues."""

    def __init__(self, path: Path, seed: int, wanted: int, kept: Path | None = None) -> None:
        self._path, self._seed = path, seed
        lines = [] if kept is None else kept.read_text(encoding="utf-8").splitlines()[1:]
        self._head = {"seed": seed, "wanted": wanted, "kept": len(lines)}
        self._left = {key: quota(key, wanted) for key in SHARES}
        self._positions: set[tuple[str, str]] = set()
        self.puzzles: list[Puzzle] = []
        self.games = 0
        if kept is not None:
            self._take(_puzzles(kept, lines))

    def resume(self) -> None:
        """Read the games of an earlier run; its torn last line is composed again."""
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._head) + "\n", encoding="utf-8")
            return
        whole, _, torn = self._path.read_bytes().rpartition(b"\n")
        lines = whole.decode("utf-8", "replace").split("\n")
        if torn:
            self._path.write_bytes(whole + b"\n")
        try:
            rows = [json.loads(line) for line in lines]
            puzzles = [_puzzles(self._path, row) for row in rows[1:]]
        except (ValueError, TypeError) as error:
            raise SchartenError(
                f"{self._path} is damaged: {error}.", "Remove it, and compose again."
            ) from error
        if rows[0] != self._head:
            raise SchartenError(
                f"{self._path} is a run with {rows[0]}, not {self._head}.", "Remove it, or choose as it did."
            )
        for row in puzzles:
            self.games += 1
            self._take(row)

    def compose_next(self) -> None:
        """Play and search one more game, and write it to the disk."""
        key = tuple(SHARES)[self.games % len(SHARES)]
        wanted = {task for task, left in self._left[key].items() if left}
        found = of_game(key, self._seed, self.games, wanted) if wanted else []
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([puzzle.line for puzzle in found]) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.games += 1
        self._take(found)

    def _take(self, found: list[Puzzle]) -> None:
        for puzzle in found:
            board, task = puzzle.position.split(" ")[0], str(puzzle.task)
            if (puzzle.game, board) not in self._positions and self._left[puzzle.game][task]:
                self._positions.add((puzzle.game, board))
                self._left[puzzle.game][task] -= 1
                self.puzzles.append(puzzle)

    @property
    def complete(self) -> bool:
        """Whether every quota is met."""
        return not any(left for tasks in self._left.values() for left in tasks.values())


def run(games: int, seed: int, wanted: int, out: Path, work: Path, kept: Path | None = None) -> int:
    """Compose until the quotas are met or `games` were played; write the file, easy problems first."""
    collection = Collection(work, seed, wanted, kept)
    collection.resume()
    began, before, shown = time.monotonic(), len(collection.puzzles), 0.0
    while collection.games < games and not collection.complete:
        collection.compose_next()
        if time.monotonic() - shown > 5:
            shown = time.monotonic()
            print(
                f"{collection.games} of {games} games, {len(collection.puzzles)} of {wanted} problems",
                flush=True,
            )
    took = time.monotonic() - began
    order = list(SHARES)
    puzzles = sorted(
        collection.puzzles,
        key=lambda found: (found.difficulty, order.index(found.game), str(found.task), found.id),
    )
    fresh = out.with_name(f"{out.name}.new")
    fresh.write_text("\n".join([HEAD, *(puzzle.line for puzzle in puzzles), ""]), encoding="utf-8")
    fresh.replace(out)
    made = len(puzzles) - before
    print(f"{out}: {len(puzzles)} problems of {collection.games} games, {out.stat().st_size / 1000:.0f} kB")
    if made:
        print(f"{took / made:.2f} s a problem in this run")
    for name in ("game", "task", "difficulty"):
        counts = Counter(str(getattr(puzzle, name)) for puzzle in puzzles)
        print(f"by {name}: " + ", ".join(f"{value} {count}" for value, count in sorted(counts.items())))
    return 0


def main(
    games: Annotated[int, typer.Option(min=1, help="The most games to play.")] = 40_000,
    seed: Annotated[int, typer.Option(help="Other seeds make other problems.")] = 1,
    wanted: Annotated[int, typer.Option(min=20, help="Problems to aim at.")] = 2_000,
    out: Annotated[Path, typer.Option(help="The file to write.")] = FILE,
    work: Annotated[Path, typer.Option(help="The games so far; a stopped run goes on from it.")] = Path(
        "build/problems.jsonl"
    ),
    keep: Annotated[
        Path | None, typer.Option(exists=True, help="Begin with the problems of this file.")
    ] = None,
) -> None:
    """Compose problems from self-play and write the file that ships."""
    try:
        run(games, seed, wanted, out, work, keep)
    except SchartenError as error:
        print(f"problems: {error}", file=sys.stderr)
        raise typer.Exit(1) from error


if __name__ == "__main__":
    typer.run(main)
