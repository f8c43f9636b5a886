"""Games of levels against each other in every game, stored one per line, so that a stopped run continues.

A number decides everything about its game: its kind, the levels, the scatters and all random numbers. So a file
has the same games on any machine, with any number of processes, in any order.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, Final, NamedTuple

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Action, Kind, Pass, Side
from scharten.games import GAMES_BY_KEY
from scharten.match.turns.play import REPETITION
from scharten.opponent.conduct import HOPELESS_TURNS
from scharten.play.levels import LEVELS
from scharten.play.player import Mind
from scharten.play.scatter import Scatter

Row = dict[str, Any]
VERSION: Final = 2
"""Increased when a number stands for another game than before."""
SCATTERS: Final = (15.0, 30.0, 45.0)
STRENGTHS: Final = (4, 5)
"""Levels that search one turn and then captures, even with pieces to place: they are quick, and find mates in one."""
SITS: Final = 3
MOST_TURNS: Final = 300
"""A longer game is a draw."""
EVERY: Final = 7
"""Turns between two stored positions: odd, so that both sides are to move."""
SCHARTEN: Final = "scharten"


class Plan(NamedTuple):
    """One game: `mm` is None for White and Black if no dart is thrown; `levels` choose the moves."""

    number: int
    game: str
    kind: Kind
    levels: tuple[int, int]
    mm: tuple[float, float] | None


def plan(number: int) -> Plan:
    """Return the game of a number: of sixteen, three are silent Scharten, five loud, and eight of the other games."""
    chance = random.Random(f"plan {VERSION} {number}")
    levels = (chance.choice(STRENGTHS), chance.choice(STRENGTHS))
    mixed = (chance.choice(SCATTERS), chance.choice(SCATTERS))
    round_, slot = divmod(number, 16)
    if slot < 3:
        return Plan(number, SCHARTEN, Kind.SILENT, levels, None)
    if slot < 8:  # three in five have equal hands; their results measure White's advantage
        equal = (SCATTERS[slot - 3],) * 2 if slot < 6 else mixed
        return Plan(number, SCHARTEN, Kind.LOUD, levels, equal)
    others = [key for key in GAMES_BY_KEY if key != SCHARTEN]
    key, kind = others[(slot - 8) // 2], list(Kind)[slot % 2]
    hands = (SCATTERS[round_ % 3],) * 2 if round_ % 2 else mixed
    return Plan(number, key, kind, levels, hands if kind is Kind.LOUD else None)


class _Seat:
    """A level with a scatter of its own; it resigns as at a board."""

    def __init__(self, game: Any, options: Any, level: int, mm: float, chance: random.Random) -> None:
        self.mind = Mind(game, options, level, SITS, gauss=chance.gauss, ahead=False)
        self.mind.level = LEVELS[level]._replace(scatter=Scatter(mm, mm))
        self._hopeless = 0

    def resigns(self, value: int | None, to_come: bool) -> bool:
        """Return whether it has judged several turns in a row as lost."""
        lost = value is not None and value <= self.mind.hopeless and not to_come
        self._hopeless = self._hopeless + 1 if lost else 0
        return self._hopeless >= HOPELESS_TURNS


def played(planned: Plan) -> Row:
    """Play a game; return its end, White's points, every seventh position, and each dart that places a piece."""
    chance = random.Random(f"game {VERSION} {planned.number}")
    game = GAMES_BY_KEY[planned.game]
    options = game.options_model(kind=planned.kind)
    position = game.begin(options)
    if game.draws is not None:
        position = game.draws.position(game.draws.begin(options, "lab", str(planned.number)))
    seats = [
        _Seat(game, options, level, mm, chance)
        for level, mm in zip(planned.levels, planned.mm or (30.0, 30.0), strict=True)
    ]
    rows, throws, seen, times = list[str](), list[list[str]](), set[Any](), Counter[str]()
    end, points, turn = "too long", 0.5, 0
    for turn in range(MOST_TURNS):
        situation = game.situation(position, options)
        times[situation.key] += 1
        if situation.end is not None:
            end, points = situation.end.reason, _points(situation.end.winner)
            break
        if times[situation.key] >= REPETITION or situation.claims:
            end = "drawn"
            break
        if turn % EVERY == EVERY - 1:
            rows.append(situation.text)
        seat = seats[situation.side.index]
        seen.add(seat.mind.key(position))
        # The referee plays a forced pass itself; no level is asked.
        forced = situation.forced is not None
        intent = None if forced else seat.mind.think(position, 1.0, lambda: 0.0, frozenset(seen))
        to_come = bool(situation.drops) and planned.game == SCHARTEN
        if intent is not None and seat.resigns(intent.value, to_come):
            end, points = "resigned", float(situation.side is Side.BLACK)
            break
        action = _action(game, options, position, situation, seat, intent)
        if intent is not None and intent.aim is not None and intent.move is None:
            throws.append([situation.side.word, _where(intent.aim), action.text])
        reached = game.play(position, action, options)
        assert not isinstance(reached, Problem), reached
        position = reached.position
        if reached.end is not None:
            end, points = reached.end.reason, _points(reached.end.winner)
            break
    return {
        "v": VERSION,
        "number": planned.number,
        "game": planned.game,
        "kind": planned.kind.value,
        "levels": planned.levels,
        "mm": planned.mm,
        "points": points,
        "end": str(end),
        "turns": turn + 1,
        "rows": rows,
        "throws": throws,
    }


def _action(game: Any, options: Any, position: Any, situation: Any, seat: _Seat, intent: Any) -> Action:
    """Return the action of an intent: its move, or the bed of its dart."""
    if intent is None:
        return situation.forced or Pass()
    aim = intent.aim
    if aim is None and intent.move is not None and intent.move.text in situation.needs_dart:
        aim = seat.mind.throw(position, intent.move)
    if aim is None:
        move: Action = intent.move
        return move
    bed = bed_at(*seat.mind.scattered(aim))
    action: Action = game.throws.effect(position, options, bed, SITS, aim=intent.move).action
    return action


def _where(aim: tuple[float, float]) -> str:
    """Return the bed of an aim."""
    return str(bed_at(*aim))


def _points(winner: Side | None) -> float:
    return 0.5 if winner is None else float(winner is Side.WHITE)


def kept(file: Path) -> dict[int, Row]:
    """Return the stored games of a file by number; a line torn by a stop, or of another version, is left out."""
    found: dict[int, Row] = {}
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if row.get("v") == VERSION:
                found[row["number"]] = row
    return found


def play_on(file: Path, games: int, seconds: float, processes: int) -> dict[int, Row]:
    """Play the missing games at low priority, until the time is over; return all."""
    rows, until = kept(file), time.monotonic() + seconds
    file.parent.mkdir(parents=True, exist_ok=True)
    missing: Iterator[int] = (number for number in range(games) if number not in rows)
    running: set[Future[Row]] = set()
    with ProcessPoolExecutor(processes, initializer=os.nice, initargs=(19,)) as pool:
        while True:
            while len(running) < processes and time.monotonic() < until:
                number = next(missing, None)
                if number is None:
                    break
                running.add(pool.submit(played, plan(number)))
            if not running:
                return rows
            done, running = wait(running, return_when=FIRST_COMPLETED)
            with file.open("a", encoding="utf-8") as out:
                for future in done:
                    row = {**future.result(), "date": time.strftime("%Y-%m-%d")}
                    rows[row["number"]] = row
                    out.write(f"\n{json.dumps(row)}")
