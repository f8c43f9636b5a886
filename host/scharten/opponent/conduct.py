"""Turn a snapshot into the computer's next command; pure but for the thinking time.

The computer sees what every display sees, and the referee judges its commands like anyone's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scharten.dartboard.beds import MISS
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Json, Move, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES_BY_KEY
from scharten.play.player import EQUAL, Gauss, Intent, Mind
from scharten.play.tables import Tables

LONG: Final = 80
"""Turns after which it accepts and offers a draw in an equal game."""
HOPELESS_TURNS: Final = 3
NUMBERED: Final = (0.0, 134.0)
"""The aim when any number will do: the middle of the outer single 20."""


@dataclass(frozen=True, slots=True)
class SeatCommand:
    """A command's type and fields; type `throw` goes to the simulated board, or becomes a `virtual_throw`."""

    type: str
    fields: Mapping[str, object]
    misses: bool = False

    @property
    def is_throw(self) -> bool:
        """Whether it is a dart."""
        return self.type == "throw"


class Conduct:
    """One player at one seat, from game to game."""

    def __init__(
        self,
        seat: str,
        level: int,
        gauss: Gauss,
        clock: Callable[[], float],
        tables: Tables | None = None,
        make_mind: Callable[..., Mind] = Mind,
    ) -> None:
        """Play with the mind that `make_mind` makes at the beginning of a game, with the arguments of `Mind`."""
        self._make_mind = make_mind
        self._seat, self._level, self._tables = seat, level, tables
        self._gauss, self._clock = gauss, clock
        self._began = 0.0
        self._game_id = ""
        self._mind: Mind | None = None
        self._game: AnyGame
        self._options: GameOptions
        self._intent: Intent | None = None
        self._value = 0
        self._hopeless = 0
        self._offered_at = 0

    def next_command(self, state: Json) -> SeatCommand | None:
        """Return the next command, or None to wait."""
        self._began = self._clock()
        self.learn(state)
        me = state["seats"][self._seat]
        other = "black" if me == "white" else "white"
        for request in state["requests"]:
            if request["by"] != self._seat:
                return SeatCommand("confirm", {"request": request["id"]})
        phase = state["phase"]
        if phase == "deciding":
            return self._dart((0.0, 0.0)) if state["to_toss"] == self._seat else None
        if phase == "drawing":
            return self._drawing(state["shown"]["draw"])
        if phase not in ("turn", "throwing", "settling") or state["question"] is not None:
            return None
        if state["draw_offer"] == other:
            return SeatCommand("answer_draw", {"accept": self._takes_draw(state)})
        clock = state["clock"]
        if clock is not None and clock["flags"].get(other) and not clock["flags"].get(me):
            return SeatCommand("claim_flag", {})
        if state["side"] != me or self._mind is None:
            return None
        return self._throwing(state) if phase == "throwing" else self._to_move(state)

    def learn(self, state: Json) -> None:
        """Reset at a new game, and remember every position; also called before a turn, since a new game is slow."""
        if state["match"] != self._game_id:
            self._game_id, self._mind = state["match"], None
            self._value = self._hopeless = self._offered_at = 0
            game = GAMES_BY_KEY.get(state["game"]["key"])
            if game is not None:
                self._game = game
                self._options = game.options_model.model_validate(state["game"]["options"], strict=False)
                self._mind = self._make_mind(
                    game,
                    self._options,
                    self._level,
                    state["white_sits_at"],
                    gauss=self._gauss,
                    tables=self._tables,
                )
        position = self._position(state)
        if position is not None and self._mind is not None:
            self._mind.notice(position)

    def _position(self, state: Json) -> Any:
        if self._mind is None:
            return None
        found = self._game.read(state["position"], self._options)
        return None if isinstance(found, Problem) else found

    def _to_move(self, state: Json) -> SeatCommand | None:
        position = self._position(state)
        if position is None or self._mind is None:
            return None
        seconds = self._seconds(state)
        intent = self._mind.think(position, seconds, self._clock, frozenset(self._mind.seen), self._began)
        if intent is None:
            return None
        self._intent = intent
        if (command := self._talk(state, intent)) is not None:
            return command
        if intent.aim is None and intent.move is not None:
            return SeatCommand("move", {"move": intent.move.text})
        return SeatCommand("announce_throw", {})

    def _seconds(self, state: Json) -> float:
        """Thinking time: at most a fortieth of the clock."""
        assert self._mind is not None
        most, clock = self._mind.level.seconds, state["clock"]
        if clock is None:
            return most
        return max(0.05, min(most, float(clock[f"{state['side']}_ms"]) / 40_000))

    def _talk(self, state: Json, intent: Intent) -> SeatCommand | None:
        """Claim a draw, resign or offer a draw where that is sensible."""
        assert self._mind is not None
        if intent.value is not None:
            self._value = intent.value
        for rule in state["can"]["claim"]:
            if self._value <= EQUAL:
                return SeatCommand("claim_draw", {"rule": rule})
        to_come = any((state["shown"].get("to_throw") or {}).values())
        self._hopeless = self._hopeless + 1 if self._value <= self._mind.hopeless and not to_come else 0
        if self._hopeless >= HOPELESS_TURNS:
            return SeatCommand("resign", {})
        turns = int(state["turns"])
        equal = intent.value is not None and abs(self._value) <= EQUAL and not to_come
        if equal and turns >= LONG and turns - self._offered_at >= LONG // 2 and state["draw_offer"] is None:
            self._offered_at = turns
            return SeatCommand("offer_draw", {})
        return None

    def _takes_draw(self, state: Json) -> bool:
        """Think about the position of the offer: the move that came with it may have lost a piece."""
        position = self._position(state)
        if position is not None and self._mind is not None:
            seconds = self._seconds(state)
            intent = self._mind.think(position, seconds, self._clock, frozenset(self._mind.seen), self._began)
            if intent is not None and intent.value is not None:
                mine = state["side"] == state["seats"][self._seat]
                self._value = intent.value if mine else -intent.value
        return self._value < -2 * EQUAL or (self._value <= EQUAL and int(state["turns"]) >= LONG)

    def _drawing(self, draw: Mapping[str, Any]) -> SeatCommand | None:
        """Draw the opening: roll a die, or throw a dart at a numbered bed."""
        if draw["to_throw"] != self._seat:
            return None
        return SeatCommand("die", {"value": None}) if draw["by"] == "dice" else self._dart(NUMBERED)

    def _throwing(self, state: Json) -> SeatCommand | None:
        """Throw the dart that is due: for the announced move, or at the intended aim."""
        assert self._mind is not None
        aimed = state["shown"].get("aim")
        move: Move | None = move_from_text(aimed["move"]) if aimed else None
        intent, self._intent = self._intent, None
        if move is None and intent is not None and intent.aim is not None:
            return self._dart(intent.aim)
        position = self._position(state)
        return None if position is None else self._dart(self._mind.throw(position, move))

    def _dart(self, aim: tuple[float, float]) -> SeatCommand:
        """Throw at an aim; the dart scatters around it."""
        assert self._mind is not None
        x, y = self._mind.scattered(aim)
        far = math.hypot(x, y)
        if far > 1000:
            x, y = x * 1000 / far, y * 1000 / far
        return SeatCommand("throw", {"x_mm": round(x, 1), "y_mm": round(y, 1)}, bed_at(x, y) == MISS)
