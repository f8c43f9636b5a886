"""A review whose values come from a chess engine: for silent games, as an engine knows nothing of darts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from scharten.errors import Problem, SchartenError
from scharten.game.basics import Action, End, Kind, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.opponent.engine_mind import engine_board, move_of
from scharten.opponent.engines import offered, plays
from scharten.opponent.settings import OpponentSection
from scharten.opponent.uci import EngineProblem, UciEngine
from scharten.review.review import points_of
from scharten.review.split import Parts, Thrown, sign_of

NODES: Final = 150_000
"""The positions that the engine searches for each value: the same review each time, and 100 turns within a minute."""
LONGEST_S: Final = 5.0
"""The longest search, on a machine that is too slow or too busy for the nodes."""


class _Judged(NamedTuple):
    """The mover's expected points, and the engine's move as this game writes it."""

    points: float
    best: str


class EngineSplitter:
    """Splits turns of one silent game: a choice is compared with the engine's own move."""

    def __init__(self, engine: UciEngine, game: AnyGame, options: GameOptions) -> None:
        self._engine, self._game, self._options = engine, game, options
        self._known: dict[str, _Judged] = {}
        self.engine = engine.title

    def split(
        self,
        position: Any,
        action: Action,
        scatter_mm: float,
        dart: Thrown | None = None,
        end: End | None = None,
    ) -> Parts:
        """Return the parts of a turn: all of its change is head, which is 0 for the engine's move or a better one."""
        side = self._game.situation(position, self._options).side
        played = self._game.play(position, action, self._options)
        if isinstance(played, Problem):
            raise ValueError(f"{action.text} is not legal: {played.words}")
        judged = self._judge(position)
        reached = self._reached(played.position, end or played.end, side)
        before = max(judged.points, reached)
        head = reached - before
        return Parts(
            before=before,
            reached=reached,
            head=head,
            hand=0.0,
            luck=0.0,
            luck_low=0.0,
            luck_high=0.0,
            best=judged.best,
            best_aim=None,
            aim=None,
            aim_said=False,
            sign=sign_of(head),
        )

    def _reached(self, position: Any, end: End | None, side: Side) -> float:
        situation = self._game.situation(position, self._options)
        ended = end or situation.end
        if ended is not None:
            return 0.5 if ended.winner is None else float(ended.winner is side)
        points = self._judge(position).points
        return points if situation.side is side else 1.0 - points

    def _judge(self, position: Any) -> _Judged:
        """Return the engine's judgement of a position, which it searches once and without memory of others."""
        situation = self._game.situation(position, self._options)
        if situation.text not in self._known:
            board = engine_board(self._game, self._options, position)
            found = self._engine.move(board, LONGEST_S, object(), NODES)
            if found is None or found.value is None:
                self._known[situation.text] = _Judged(0.5, "")
            else:
                move = move_of(self._game, found)
                legal = move.text in situation.moves
                best = self._game.write(position, move, self._options) if legal else ""
                self._known[situation.text] = _Judged(points_of(found.value / 100), best)
        return self._known[situation.text]


@contextmanager
def engine_splitter(
    name: str, settings: OpponentSection, game: AnyGame, options: GameOptions
) -> Iterator[EngineSplitter]:
    """Start the named engine, yield its splitter and stop it.

    Raise `SchartenError` if the engine is unknown, cannot judge this game, or fails.
    """
    if options.kind is not Kind.SILENT:
        raise SchartenError.coded("engine_reviews_silent", engine=name)
    engines = offered(settings)
    if name not in engines:
        raise SchartenError.coded("no_such_engine", engine=name, known=tuple(engines))
    try:
        with UciEngine(engines[name]) as engine:
            if not plays(engine, game):
                raise SchartenError.coded("engine_not_this_game", engine=name)
            yield EngineSplitter(engine, game, options)
    except EngineProblem as problem:
        raise SchartenError.coded("engine_failed", engine=name, why=problem) from problem
