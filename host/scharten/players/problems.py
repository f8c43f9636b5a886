"""The problems as this board's pages query them: one a day, others by difficulty, attempts, records and ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scharten.contract.snapshot import layout_json
from scharten.errors import Problem
from scharten.game.basics import MutableJson
from scharten.game.protocol import Games
from scharten.players.attempts import Attempts
from scharten.players.book import PlayerBook
from scharten.problems.bundled import bundled
from scharten.problems.daily import day_of, of_the_day
from scharten.problems.line import Opened, Puzzle, opened
from scharten.problems.odds import beds_of, odds
from scharten.problems.rating import Attempt, Solver, Table, rate
from scharten.problems.tries import try_turn

GUEST_MM: Final = 30.0
BY: Final = ("press", "type", "dart")


@dataclass(frozen=True, slots=True)
class Request:
    """A page's turn: the problem, the turns of both sides so far, this turn or "" to see the key, the dart's bed."""

    puzzle: str
    played: tuple[str, ...]
    turn: str
    bed: str
    by: str
    player: str
    records: bool


class ProblemBook:
    """The problems that ship and the attempts of a data folder; without a folder nothing is recorded."""

    def __init__(
        self,
        folder: Path | None,
        players: PlayerBook | None,
        games: Games,
        white_sits_at: int,
        warn: Callable[[str], object] = lambda message: None,
    ) -> None:
        self._attempts = None if folder is None else Attempts(folder, warn)
        self._players, self._games, self._sits = players, games, white_sits_at

    # --- problems ---

    def day(self, now_ms: int) -> MutableJson | None:
        """Return the day's problem, and the names of those who solved it today; None where no problem ships."""
        if not bundled():
            return None
        today = day_of(now_ms)
        puzzle = of_the_day(bundled(), today)
        names = self._names()
        rows = [row for row in self._rows() if row.day == today and row.puzzle == puzzle.id and row.right]
        solved = dict.fromkeys(names[row.player] for row in rows if row.player in names)
        return {"day": today, "problem": self._described(puzzle, self._table(), ""), "solved": list(solved)}

    def problem(self, wanted: str, player: str) -> MutableJson | None:
        """Return a problem by its id, with its state for a player; None for an unknown id."""
        puzzle = next((puzzle for puzzle in bundled() if puzzle.id == wanted), None)
        return None if puzzle is None else self._described(puzzle, self._table(), player)

    def following(self, difficulty: int, game: str, player: str, last: str) -> MutableJson | None:
        """Return the next problem of a difficulty and a game (0 and "" for any) that a player has not tried."""
        listed = [
            puzzle
            for puzzle in bundled()
            if difficulty in (0, puzzle.difficulty) and game in ("", puzzle.game)
        ]
        listed.sort(key=lambda puzzle: puzzle.id)  # so that games and tasks alternate
        table = self._table()
        tried = table.players[player].first if player in table.players else {}
        new = [puzzle for puzzle in listed if puzzle.id not in tried] or listed
        chosen = next((puzzle for puzzle in new if puzzle.id > last), new[0] if new else None)
        return None if chosen is None else self._described(chosen, table, player)

    def records(self, player: str, now_ms: int) -> MutableJson:
        """Return a player's figures: rating, problems tried and solved, by dart, and streaks of days."""
        own = self._table().players.get(player) or Solver()
        return {
            "rating": round(own.rated.rating),
            "deviation": round(own.rated.rd),
            "tried": len(own.first),
            "first": sum(own.first.values()),
            "solved": len(own.solved),
            "darts": own.darts,
            "streak": own.streak(day_of(now_ms)),
            "best_streak": own.best_streak,
        }

    def table(self, now_ms: int) -> list[MutableJson]:
        """Return the figures of every registered player who tried a problem, the best rating first."""
        names = self._names()
        rows = [
            {"player": player, "name": names[player], **self.records(player, now_ms)}
            for player in self._table().players
            if player in names
        ]
        return sorted(rows, key=lambda row: (-row["rating"], row["name"]))

    # --- attempts ---

    def attempt(self, request: Request, now_ms: int) -> MutableJson | Problem:
        """Judge a turn and record it for the player; with no turn, show the key."""
        found = self._opened(request.puzzle)
        if isinstance(found, Problem):
            return found
        position = self._at(found, request.played)
        if isinstance(position, Problem):
            return position
        turn = request.turn
        if request.by == "dart":
            turn = self._thrown(found, position, turn, request.bed)
            if not turn:
                return {"right": False, "solved": False, "missed": True, "bed": request.bed}
        if not turn:
            self._record(request, now_ms, False)
            return {
                "right": False,
                "solved": False,
                "key": found.puzzle.key,
                **self._key_and_odds(found, request),
            }
        tried = try_turn(found, request.played, turn)
        if isinstance(tried, Problem):
            return tried
        played = (*request.played, turn, *([tried.answer] if tried.answer else []))
        if not tried.right or tried.solved:
            self._record(request, now_ms, tried.right)
        answer: MutableJson = {"right": tried.right, "solved": tried.solved, "missed": False, "turn": turn}
        if tried.right:
            answer |= {"answer": tried.answer, "played": list(played), **self._shown(found, tried.position)}
        return {**answer, **self._key_and_odds(found, request)} if tried.solved else answer

    def _thrown(self, found: Opened, position: Any, turn: str, bed: str) -> str:
        """Return the turn that a dart in this bed plays; "" where it plays none."""
        situation = found.game.situation(position, found.options)
        turns = [turn] if turn else [f"@{field}" for field in situation.drops]
        legal = {*situation.moves, *turns[1:], *([] if turn else turns)}
        hit = (name for name in turns if name in legal and bed in beds_of(found, position, name, self._sits))
        return next(hit, "")

    def _record(self, request: Request, now_ms: int, right: bool) -> None:
        """Note the first attempt, and the first solution; a later try of a solved problem changes nothing."""
        if self._attempts is None or not request.records or request.player not in self._names():
            return
        own = self._table().players.get(request.player) or Solver()
        today = day_of(now_ms)
        daily = of_the_day(bundled(), today).id == request.puzzle
        counts = right and (request.puzzle not in own.solved or (daily and today not in own.days))
        if counts or request.puzzle not in own.first:
            by = request.by if request.by in BY else BY[0]
            self._attempts.add(Attempt(request.player, request.puzzle, today, now_ms, right, by, daily))

    def _key_and_odds(self, found: Opened, request: Request) -> MutableJson:
        """Return the key's beds and the odds of its dart at the player's scatter, where it needs a dart."""
        beds = beds_of(found, found.position, found.puzzle.key, self._sits)
        if not beds:
            return {"odds": None}
        known = self._players is not None and request.player in self._names()
        scatter = GUEST_MM
        if known and self._players is not None:
            scatter = round(float(self._players.scatter(request.player)["mm"]), 1)
        return {"odds": {"beds": list(beds), **odds(beds, scatter), "guest": not known}}

    # --- help ---

    def _rows(self) -> Sequence[Attempt]:
        if self._attempts is None:
            return ()
        if self._players is not None:
            self._attempts.forget(self._players.deleted())
        return self._attempts.rows()

    def _table(self) -> Table:
        return rate(self._rows(), bundled())

    def _names(self) -> Mapping[str, str]:
        if self._players is None:
            return {}
        return {player.id: player.profile.name for player in self._players.players()}

    def _opened(self, wanted: str) -> Opened | Problem:
        puzzle = next((puzzle for puzzle in bundled() if puzzle.id == wanted), None)
        if puzzle is None:
            return Problem("no_such_problem", "there is no such problem")
        return opened(puzzle, self._games)

    def _at(self, found: Opened, played: Sequence[str]) -> Any:
        position = found.position
        for turn in played:
            reached = dict(found.board.reached(position))
            if turn not in reached:
                return Problem("illegal", f"{turn[:8]} is no turn of this position")
            position = reached[turn]
        return position

    def _described(self, puzzle: Puzzle, table: Table, player: str) -> MutableJson:
        found = opened(puzzle, self._games)
        assert isinstance(found, Opened)
        own = table.players.get(player) or Solver()
        tried = own.first.get(puzzle.id)
        return {
            "id": puzzle.id,
            "game": puzzle.game,
            "kind": found.options.kind.value,
            "task": puzzle.task.kind.value,
            "turns": puzzle.task.moves,
            "difficulty": puzzle.difficulty,
            "rating": table.rating_of(puzzle),
            "state": "solved" if puzzle.id in own.solved else "new" if tried is None else "tried",
            "white_sits_at": self._sits,
            **self._shown(found, found.position),
        }

    def _shown(self, found: Opened, position: Any) -> MutableJson:
        """Return the position as a page draws it, and the turns that it may offer."""
        situation = found.game.situation(position, found.options)
        shown = found.game.shown(position, found.options)
        return {
            "layout": layout_json(found.game.layout, found.options.kind),
            "position": situation.text,
            "side": situation.side.word,
            "moves": list(situation.moves) if situation.end is None else [],
            "drops": list(situation.drops) if situation.end is None else [],
            "needs_dart": sorted(situation.needs_dart),
            "next": (shown.get("next") or {}).get(situation.side.word),
            "check": list(situation.check),
        }
