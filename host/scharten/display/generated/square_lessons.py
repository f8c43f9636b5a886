"""The short lessons of the four games on squares: tasks judged by each game's own rules (games 2 to 6).

The data has the form of `lessons.py`'s exercises of kind `move`, and the layout of the board besides.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

from scharten.contract.snapshot import layout_json
from scharten.errors import Problem
from scharten.game.basics import Move, Reason, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Played
from scharten.games import GAMES_BY_KEY

Judge = Callable[[AnyGame, Any, Move, GameOptions], bool]


@dataclass(frozen=True, slots=True)
class SquaresTask:
    """A task of a game: a position with White to move, and a judge of its legal moves."""

    key: str
    text: str
    good: Judge
    kind: str = "silent"

    @property
    def game(self) -> AnyGame:
        """The game named by the key."""
        return GAMES_BY_KEY[self.key.partition(".")[0]]

    @property
    def options(self) -> GameOptions:
        """The game's usual options."""
        return self.game.options_model.model_validate({"kind": self.kind})


def _these(moves: str, game: AnyGame, position: Any, move: Move, options: GameOptions) -> bool:
    return move.text in moves.split()


def _jumps(game: AnyGame, position: Any, move: Move, options: GameOptions) -> bool:
    return game.involved(position, move, options).gone is not None


def _ends(reason: Reason, game: AnyGame, position: Any, move: Move, options: GameOptions) -> bool:
    end = game.situation(_play(game, position, move, options), options).end
    return end is not None and end.reason is reason


def _dark(game: AnyGame, position: Any, move: Move, options: GameOptions) -> bool:
    return game.explain(position, move, options).args.get("colour") == "dark"


TASKS: Final = (
    SquaresTask("chess.1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", partial(_these, "e1g1")),
    SquaresTask("chess.2", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", partial(_these, "e5d6")),
    SquaresTask("chess.3", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", partial(_ends, Reason.CHECKMATE)),
    SquaresTask("chess.4", "4k3/8/8/2p1p3/3P4/2N5/8/4K3 w - - 0 1 0/0", _dark, "loud"),
    SquaresTask("fischer_random.1", "4k3/8/8/8/8/8/8/2K4R w K - 0 1", partial(_these, "c1h1")),
    SquaresTask("fischer_random.2", "4k3/8/8/8/8/8/8/1RK5 w Q - 0 1", partial(_these, "c1b1")),
    SquaresTask("fischer_random.3", "4k3/8/8/8/8/8/8/RN1K3R w KQ - 0 1", partial(_these, "d1h1")),
    SquaresTask("shatranj.1", "4k3/8/8/4p3/3P4/2E5/3P4/4K3 w 0 1", partial(_these, "c3e5")),
    SquaresTask("shatranj.2", "4k3/8/8/2p5/3G4/3r4/8/4K3 w 0 1", partial(_these, "d4c5")),
    SquaresTask("shatranj.3", "k7/8/2K5/8/8/8/1p6/1R6 w 0 1", partial(_ends, Reason.BARE_KING)),
    SquaresTask("shatranj.4", "k7/7p/2K4P/8/8/8/8/1R6 w 0 1", partial(_ends, Reason.STALEMATE)),
    SquaresTask("shakti.1", "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1", _jumps),
    SquaresTask("shakti.2", "3k3/7/7/7/3w3/3K3/1w5 w 9", partial(_these, "d2d3")),
    SquaresTask(
        "shakti.3", "2_1__k/1_____1/2_1__W/WK1___1/2____1/1__1_1_/1__1__1 w 57", partial(_ends, Reason.CHECKMATE)
    ),
)  # fmt: skip

LESSON_GAMES: Final = tuple(dict.fromkeys(task.game.key for task in TASKS))
"""The games that have lessons here, in the order in which the learn page lists them."""


@cache
def square_lessons_json(key: str) -> bytes:
    """Return the lessons of one game as JSON text."""
    exercises = [_as_json(task) for task in TASKS if task.game.key == key]
    lessons = {
        "v": 1,
        "white_sits_at": 3,
        "layout": layout_json(GAMES_BY_KEY[key].layout),
        "exercises": exercises,
    }
    return json.dumps(lessons, ensure_ascii=False, separators=(",", ":")).encode()


def _as_json(task: SquaresTask) -> dict[str, Any]:
    game, options = task.game, task.options
    position = game.read(task.text, options)
    if isinstance(position, Problem):
        raise ValueError(f"{task.key}: {position.words}")
    here = game.situation(position, options)
    return {
        "key": task.key,
        "kind": "move",
        "position": here.text,
        "check": bool(here.check),
        "protection": False,
        "fouls": 0,
        "moves": {text: _move(task, position, move_from_text(text)) for text in here.moves},
        "why": _why(game, position, options),
    }


def _move(task: SquaresTask, position: Any, move: Move) -> dict[str, Any]:
    game, options = task.game, task.options
    return {
        "after": game.situation(_play(game, position, move, options), options).text,
        "text": game.write(position, move, options),
        "good": task.good(game, position, move, options),
    }


def _play(game: AnyGame, position: Any, move: Move, options: GameOptions) -> Any:
    """Return the position after a legal move."""
    played: Played[Any] | Problem = game.play(position, move, options)
    if isinstance(played, Problem):
        raise ValueError(played.words)
    return played.position


def _why(game: AnyGame, position: Any, options: GameOptions) -> dict[str, Any]:
    """Return why a move of an own man is illegal, for every other field; the commonest reason is left out."""
    side = game.situation(position, options).side
    own = [at for at in game.layout.fields if (man := game.man_at(position, at)) and man.side is side]
    reasons = {}
    for move in (Move(origin, to) for origin in own for to in game.layout.fields if to != origin):
        judged = game.explain(position, move, options)
        if judged.code and judged.args.get("reason") not in ("not_how_it_moves", "not_on_a_line"):
            reasons[move.text] = {"code": judged.code, "args": dict(judged.args)}
    return reasons
