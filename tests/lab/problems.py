"""`make problems`: compose problems from self-play, each proved by the solver to have one key.

A seed and a number make a game of a strong and a weak player. From its last turns come the candidates: mates, saves,
and in Scharten positions with a piece back in hand. Each game's problems are appended to a file, so that a stopped run
goes on; the result depends on the seed and the number of games alone.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from scharten.errors import Problem, SchartenError
from scharten.game.basics import Kind as GameKind
from scharten.game.basics import move_from_text
from scharten.game.flags import flags_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import EMPTY, THROW_ORDER, THROWS, B, K, N, Q, R
from scharten.games.scharten.geometry import BIT, scan
from scharten.games.scharten.options import rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import position_text
from scharten.play.square_view import WORTH
from scharten.problems.boards import Board, board_of
from scharten.problems.bundled import FILE
from scharten.problems.check import difficulty, solve, suits
from scharten.problems.line import HEAD, Kind, Puzzle, Task, parse_line
from scharten.problems.solve import Solver, TooHardError

MOST_PLIES: Final = 120
TRIES: Final = 8
"""The most games of one number until one ends near a mate; in Shakti few do."""
SENSIBLE: Final = 0.1
"""The share of its turns in which the weak player does not move at random."""
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


@dataclass(frozen=True, slots=True)
class Played:
    """The positions of a game before each turn; the last one has a mate in one for the side to move."""

    game: AnyGame
    options: GameOptions
    board: Board
    positions: list[Any]


def quota(key: str, wanted: int) -> dict[str, int]:
    """Return the number of problems of each task for a game."""
    shares = TASKS if key == "scharten" else SQUARE_TASKS
    return {task: round(wanted * SHARES[key] * share) for task, share in shares.items()}


def self_played(key: str, number: int, chance: random.Random) -> Played | None:
    """Play a game until the strong side, White in every second game, could mate; None if it never can."""
    game = GAMES_BY_KEY[key]
    options = game.options_model(kind=GameKind.SILENT)
    board = board_of(game, options)
    assert board is not None
    position = game.begin(options)
    if game.draws is not None:
        position = game.draws.position(game.draws.begin(options, "lab", str(number)))
    positions = []
    for ply in range(MOST_PLIES):
        reached = list(board.reached(position))
        if not reached:
            return None
        positions.append(position)
        strong = ply % 2 == number // len(SHARES) % 2
        if strong and ply > 4 and Solver(board).forces(position, 1):
            return Played(game, options, board, positions)
        if strong or chance.random() < SENSIBLE:
            judged = [
                (_gain(game, position, turn) + 150 * board.in_check(child) + 150 * chance.random(), at)
                for at, (turn, child) in enumerate(reached)
            ]
            position = reached[max(judged)[1]][1]
        else:
            position = chance.choice(reached)[1]
    return None


def _gain(game: AnyGame, position: Any, turn: str) -> int:
    man = game.man_at(position, move_from_text(turn).to)
    return WORTH.get(man.letter, 200) if man else 0


def candidates(played: Played, chance: random.Random) -> Iterator[tuple[str, Any, GameOptions]]:
    """Yield (task, position, options) from the last turns of a game."""
    at, options = played.positions, played.options
    last = len(at) - 1
    loud = options.model_copy(update={"kind": GameKind.LOUD})
    if played.game.key != "scharten":
        yield "dart1", at[last], loud
    yield "mate1", at[last], options
    yield "save1", at[last - 1], options
    if _forced(played.board, at[last - 2]):
        yield "mate2", at[last - 2], options
        yield "save2", at[last - 3], options
        yield "mate3", at[last - 4], options
    if played.game.key != "scharten":
        return
    for back in range(0, min(last, 8), 2):
        for task in ("dart1", "field2"):
            in_hand = with_piece_in_hand(at[last - back], loud, chance)
            if in_hand is not None:
                yield task, in_hand, loud
    for position in at[-12:]:
        if played.board.in_check(position):
            in_hand = with_piece_in_hand(position, loud, chance)
            if in_hand is not None:
                yield "save1", in_hand, loud


def _forced(board: Board, position: Any) -> bool:
    """Return whether a mate in two is forced, as far as a short search sees."""
    try:
        return Solver(board, most=MOST_SEARCHED[2]).forces(position, 2)
    except TooHardError:
        return False


def with_piece_in_hand(position: Position, loud: GameOptions, chance: random.Random) -> Position | None:
    """Return the loud position where an officer of the side to move, and every later one, is still to be thrown."""
    own = position.sets[position.mover]
    kinds = [code for code in (N, B, R, Q) if own[code]]
    if not kinds:
        return None
    chosen = chance.choice(kinds)
    later = [code for code in (N, B, R, Q) if list(THROW_ORDER).index(code) > list(THROW_ORDER).index(chosen)]
    gone = 0
    for code in later:
        gone |= own[code]
    gone |= BIT[chance.choice(list(scan(own[chosen])))]
    placed = THROWS - list(reversed(THROW_ORDER)).index(chosen) - 1
    kind_at = bytearray(position.kind_at)
    for field in scan(gone):
        kind_at[field] = EMPTY
    mine = tuple(fields & ~gone for fields in own)
    mover = position.mover
    both = (mine, position.sets[1]) if mover == 0 else (position.sets[0], mine)
    left = position.own[mover] & ~gone
    assert mine[K]
    return position._replace(
        rules=rules_of(loud),
        sets=both,
        own=(left, position.own[1]) if mover == 0 else (position.own[0], left),
        kind_at=bytes(kind_at),
        unmoved=position.unmoved & ~gone,
        placed=(placed, THROWS) if mover == 0 else (THROWS, placed),
    )


def text_of(game: AnyGame, position: Any, options: GameOptions) -> str:
    """Return a position text without a past: no en passant, no lost dart, counters at their beginning."""
    if isinstance(position, Position):
        pieces, side, _, placed, *_ = position_text(position).split()
        return f"{pieces} {side} - {placed} 0/0 0/0 1"
    parts = game.situation(position, game.options_model(kind=GameKind.SILENT)).text.split()
    ends = {"shatranj": ["0", "1"], "shakti": ["1"]}.get(game.key)
    parts = [*parts[:3], "-", "0", "1"] if ends is None else [*parts[:2], *ends]
    return " ".join(parts + ["0/0"] * (options.kind is GameKind.LOUD))


def composed(game: AnyGame, text: str, options: GameOptions, task: Task) -> Puzzle | None:
    """Return the problem of a position if it has exactly one key of its kind."""
    position = game.read(text, options)
    board = board_of(game, options)
    if isinstance(position, Problem) or board is None:
        return None
    try:
        if task.kind is Kind.SAVE and Solver(board).forces(position, 1):
            return None
        keys, nodes = solve(board, position, task, MOST_SEARCHED[task.moves])
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


class Collection:
    """The problems so far, their quotas, and the file that a stopped run goes on from."""

    def __init__(self, path: Path, seed: int, wanted: int) -> None:
        self._path, self._seed = path, seed
        self._head = {"seed": seed, "wanted": wanted}
        self._left = {key: quota(key, wanted) for key in SHARES}
        self._positions: set[tuple[str, str]] = set()
        self.puzzles: list[Puzzle] = []
        self.games = 0

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
            puzzles = [[parse_line(line) for line in row] for row in rows[1:]]
        except (ValueError, TypeError) as error:
            raise SchartenError(
                f"{self._path} is damaged: {error}.", "Remove it, and compose again."
            ) from error
        if rows[0] != self._head:
            raise SchartenError(
                f"{self._path} is a run with {rows[0]}, not {self._head}.", "Remove it, or choose as it did."
            )
        for row in puzzles:
            if broken := next((found for found in row if isinstance(found, Problem)), None):
                raise SchartenError(
                    f"{self._path} is damaged: {broken.words}.", "Remove it, and compose again."
                )
            self._take([found for found in row if isinstance(found, Puzzle)])

    def compose_next(self) -> None:
        """Play and search one more game, and note it on the disk."""
        key = tuple(SHARES)[self.games % len(SHARES)]
        wanted = {task for task, left in self._left[key].items() if left}
        found = of_game(key, self._seed, self.games, wanted) if wanted else []
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([puzzle.line for puzzle in found]) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._take(found)

    def _take(self, found: list[Puzzle]) -> None:
        self.games += 1
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


def run(games: int, seed: int, wanted: int, out: Path, work: Path) -> int:
    """Compose until the quotas are met or `games` were played; write the file, easy problems first."""
    collection = Collection(work, seed, wanted)
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
) -> None:
    """Compose problems from self-play and write the file that ships."""
    try:
        run(games, seed, wanted, out, work)
    except SchartenError as error:
        print(f"problems: {error}", file=sys.stderr)
        raise typer.Exit(1) from error


if __name__ == "__main__":
    typer.run(main)
