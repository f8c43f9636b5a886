"""The chess clock as a value: stages, a time for the whole game, increments and two flags (rules 8, §12).

Times are whole ms; `now` is the host's Unix time in ms and comes with each input. Three laws hold throughout:

- time only runs off the side that is running, and never comes back because `now` went backwards;
- a side at 0 has a fallen flag, which stays fallen (and gets no more time) until the arbiter sets it;
- a completed turn, a throw as well as a move, counts for the stages and brings the increment [D].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.game.options import Closed

LATE_MS = 5_000
"""An input this much older than the last one is merely late; older still: the host's time was set back."""
MAX_STAGES = 10
MAX_MOVES = 500
MAX_STAGE_MS = 24 * 3_600_000
MAX_INCREMENT_MS = 3_600_000
MAX_SET_MS = 100 * 3_600_000


@dataclass(frozen=True, slots=True)
class Stage:
    """A number of own turns (`None`: the rest of the game) and the time for them."""

    moves: int | None
    time_ms: int


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The stages in order, the last one for the rest of the game, and the increment per turn in ms."""

    stages: tuple[Stage, ...]
    increment_ms: int = 0


@dataclass(frozen=True, slots=True)
class SideClock:
    """One side: time left in ms (at `Clock.since_ms`), completed turns, stage (from 0), flag fallen."""

    left_ms: int
    turns: int = 0
    stage: int = 0
    fallen: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides; `running` is the side whose time runs, `held` the one that `resume` sets going again."""

    settings: ClockSettings
    white: SideClock
    black: SideClock
    running: Side | None
    held: Side | None
    since_ms: int

    def side(self, side: Side) -> SideClock:
        """The clock of one side, as it was at `since_ms`."""
        return self.white if side is Side.WHITE else self.black


def _in_ms(unit: int) -> AfterValidator:
    return AfterValidator(lambda figure: None if figure is None else round(figure * unit))


class _StageModel(Closed):
    moves: Annotated[int, Field(ge=1, le=MAX_MOVES)] | None = None
    minutes: Annotated[int | float, _in_ms(60_000), Field(gt=0, le=MAX_STAGE_MS)] | None = None
    seconds: Annotated[int | float, _in_ms(1_000), Field(gt=0, le=MAX_STAGE_MS)] | None = None

    @model_validator(mode="after")
    def _has_one_time(self) -> _StageModel:
        if (self.minutes is None) == (self.seconds is None):
            raise ValueError("neither or both of minutes and seconds")
        return self


class _ClockModel(Closed):
    increment_s: Annotated[int | float, _in_ms(1_000), Field(ge=0, le=MAX_INCREMENT_MS)] = 0
    stages: Annotated[tuple[_StageModel, ...], Field(min_length=1, max_length=MAX_STAGES, strict=False)]


def parse_clock(raw: object) -> ClockSettings | Problem | None:
    """Read the `clock` object of the contract (`new_game`, `[game]`); None is a game without a clock."""
    if raw is None:
        return None
    try:
        model = _ClockModel.model_validate(raw)
    except ValidationError as error:
        return _refusal(*(str(part) for part in min(error.errors(), key=_rank)["loc"]))
    last = len(model.stages) - 1
    for index, stage in enumerate(model.stages):
        if (stage.moves is None) != (index == last):
            return _refusal("stages", str(index), "last" if index == last else "moves")
    stages = (Stage(stage.moves, int(stage.minutes or stage.seconds or 0)) for stage in model.stages)
    return ClockSettings(tuple(stages), int(model.increment_s))


def _rank(error: ErrorDetails) -> int:
    """The order of refusals: what is not an object or has another key, the increment, the stages."""
    key = error["loc"][0] if error["loc"] else ""
    return {"increment_s": 1, "stages": 2}.get(str(key), 0)


def _refusal(key: str = "", index: str = "", field: str = "", *_: str) -> Problem:
    """The refusal of the value at this place of the `clock` object."""
    if key == "increment_s":
        return _error("increment", "`increment_s` is a number of seconds from 0 to 3600")
    if key == "stages" and not index:
        return _error("stages", f"`stages` is a list of 1 to {MAX_STAGES} stages")
    if key == "stages":
        number = int(index) + 1
        messages = {
            "": f"stage {number} needs either `minutes` or `seconds`",
            "moves": f"`moves` of stage {number} is a whole number from 1 to {MAX_MOVES}",
            "minutes": f"the time of stage {number} is above 0 and at most 24 hours",
            "seconds": f"the time of stage {number} is above 0 and at most 24 hours",
            "last": f"stage {number} is the last: its `moves` is null",
        }
        other = f"stage {number} holds only `moves` and `minutes` or `seconds`"
        return _error("stage", messages.get(field, other), stage=number)
    if key:
        return _error("clock", f"the clock knows `stages` and `increment_s`, not `{key}`", key=key)
    return _error("clock", "the clock is an object with `stages` and `increment_s`, or null for no clock")


def _error(code: str, words: str, **args: object) -> Problem:
    return Problem(code, words, args)


def new_clock(settings: ClockSettings, now: int) -> Clock:
    """A clock before the first turn: both sides have the first stage's time and neither runs."""
    side = SideClock(settings.stages[0].time_ms)
    return Clock(settings, side, side, running=None, held=None, since_ms=now)


def settle(clock: Clock, now: int) -> Clock:
    """The same clock with the time up to `now` taken off the running side."""
    behind = clock.since_ms - now
    # A late input must not be charged twice; a clock set far back must not leave the player with free time.
    since = clock.since_ms if 0 <= behind <= LATE_MS else now
    if clock.running is None:
        return replace(clock, since_ms=since)
    spent = max(0, now - clock.since_ms)
    return replace(_run_off(clock, clock.running, spent), since_ms=since)


def _run_off(clock: Clock, side: Side, spent: int) -> Clock:
    own = clock.side(side)
    left = max(0, own.left_ms - spent)
    return _with(clock, side, replace(own, left_ms=left, fallen=own.fallen or left == 0))


def _with(clock: Clock, side: Side, own: SideClock) -> Clock:
    return replace(clock, white=own) if side is Side.WHITE else replace(clock, black=own)


def start(clock: Clock, side: Side, now: int) -> Clock:
    """Set `side` running, whichever ran before."""
    return replace(settle(clock, now), running=side, held=None)


def press(clock: Clock, side: Side, now: int) -> Clock:
    """`side` completed a turn: its time stops, increment and next stage are added, the other side runs.

    On a clock that stands still the turn is counted and it goes on standing still.
    """
    settled = settle(clock, now)
    own = settled.side(side)
    turns = own.turns + 1
    left, stage = own.left_ms, own.stage
    if not own.fallen:
        left += clock.settings.increment_ms
        while turns >= _turns_through(clock.settings, stage) and stage + 1 < len(clock.settings.stages):
            stage += 1
            left += clock.settings.stages[stage].time_ms
    pressed = _with(settled, side, replace(own, left_ms=left, turns=turns, stage=stage))
    return pressed if settled.running is None else replace(pressed, running=side.other)


def hand_over(clock: Clock, side: Side, now: int) -> Clock:
    """`side` is to move without a press, after a pass or a lost dart in check; a clock that stands still does so."""
    settled = settle(clock, now)
    return settled if settled.running is None else replace(settled, running=side)


def take_back(clock: Clock, side: Side, now: int) -> Clock:
    """A completed turn of `side` was taken back: it counts no more, its increment goes, `side` is to move.

    A stage that it reached stays reached (and is not given again), since part of it may be spent.
    """
    settled = settle(clock, now)
    own = settled.side(side)
    left = own.left_ms if own.fallen else max(1, own.left_ms - clock.settings.increment_ms)
    back = _with(settled, side, replace(own, left_ms=left, turns=max(0, own.turns - 1)))
    if settled.running is None:
        return replace(back, held=side if settled.held else None)
    return replace(back, running=side)


def _turns_through(settings: ClockSettings, stage: int) -> int:
    """How many own turns end this stage, counted from the start of the game."""
    return sum(turns.moves or 0 for turns in settings.stages[: stage + 1])


def pause(clock: Clock, now: int) -> Clock:
    """Stop the running side; `resume` sets it going again. Pausing twice changes nothing more."""
    settled = settle(clock, now)
    return replace(settled, running=None, held=settled.running or settled.held)


def resume(clock: Clock, now: int) -> Clock:
    """Set going again the side that `pause` stopped, if any; the time in between is nobody's."""
    settled = settle(clock, now)
    return replace(settled, running=settled.running or settled.held, held=None)


def stop(clock: Clock, now: int) -> Clock:
    """The game is over: neither side runs, and `resume` starts nothing."""
    return replace(settle(clock, now), running=None, held=None)


def set_clock(
    clock: Clock, now: int, *, white_ms: int | None = None, black_ms: int | None = None
) -> Clock | Problem:
    """The arbiter sets one side or both, in ms; a side set above 0 has its flag up again."""
    settled = settle(clock, now)
    for side, wanted in ((Side.WHITE, white_ms), (Side.BLACK, black_ms)):
        if wanted is None:
            continue
        if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 <= wanted <= MAX_SET_MS:
            return _error(
                "time", f"{side.word}'s time is a whole number of ms, at most 100 hours", side=side.word
            )
        settled = _with(settled, side, replace(settled.side(side), left_ms=wanted, fallen=wanted == 0))
    return settled


def left_ms(clock: Clock, side: Side, now: int) -> int:
    """Time left for `side` at `now`, in ms, never below 0."""
    return settle(clock, now).side(side).left_ms


def flag_fallen(clock: Clock, side: Side, now: int) -> bool:
    """Whether the flag of `side` has fallen by `now` (0 ms left is fallen)."""
    return settle(clock, now).side(side).fallen


def view(clock: Clock, now: int) -> dict[str, object]:
    """The `clock` object of the snapshot, true at its `since_ms`.

    `stage` counts from 1 and is that of the side running or held (White's if neither); `stages` has both.
    """
    settled = settle(clock, now)
    shown = settled.running or settled.held or Side.WHITE
    return {
        "white_ms": settled.white.left_ms,
        "black_ms": settled.black.left_ms,
        "running": settled.running.word if settled.running else None,
        "since_ms": settled.since_ms,
        "stage": settled.side(shown).stage + 1,
        "stages": {side.word: settled.side(side).stage + 1 for side in Side},
        "flags": {side.word: settled.side(side).fallen for side in Side},
    }
