"""The clock of rules 8: stages, increments, flags, and a host whose time jumps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from match.driver import Table
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.game.options import ClockRequest
from scharten.match import clock as clocks
from scharten.match.clock import Clock, ClockSettings, Stage
from scharten.match.settings import clock_json

WHITE, BLACK = Side.WHITE, Side.BLACK
T0 = 1_795_190_400_000
CLASSICAL = {
    "stages": [{"moves": 40, "minutes": 100}, {"moves": 20, "minutes": 50}, {"moves": None, "minutes": 15}],
    "increment_s": 0,
}


def parsed(raw: object) -> ClockSettings:
    settings = clocks.parse_clock(raw)
    assert isinstance(settings, ClockSettings)
    return settings


def blitz(seconds: float = 10, increment: float = 0) -> Clock:
    settings = parsed({"stages": [{"moves": None, "seconds": seconds}], "increment_s": increment})
    return clocks.start(clocks.new_clock(settings, T0), WHITE, T0)


def test_the_clock_is_shown_as_requested() -> None:
    """Each stage has `moves`, and either minutes or seconds as requested; no clock is null."""
    asked = {
        "stages": [{"moves": 40, "minutes": 100}, {"moves": None, "seconds": 30}],
        "increment_s": 5,
    }
    assert clock_json(ClockRequest.model_validate(asked)) == asked
    assert clock_json(None) is None


def test_contract_example_is_read() -> None:
    """The clock object of the contract gives its three stages in ms; null is no clock."""
    settings = parsed(CLASSICAL)
    assert settings.stages == (Stage(40, 6_000_000), Stage(20, 3_000_000), Stage(None, 900_000))
    assert settings.increment_ms == 0
    assert clocks.parse_clock(None) is None


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("5+3", "object"),
        ({"stages": []}, "stages"),
        ({"stages": [{"moves": None, "minutes": 5}] * 11}, "stages"),
        ({"stages": [{"moves": None, "minutes": 5}], "increment": 3}, "`increment`"),
        ({"stages": [{"moves": None, "minutes": 5}], "increment_s": -1}, "increment_s"),
        ({"stages": [{"moves": None, "minutes": 5}], "increment_s": True}, "increment_s"),
        ({"stages": [{"moves": None, "minutes": 5}], "increment_s": float("nan")}, "increment_s"),
        ({"stages": [{"moves": None}]}, "stage 1"),
        ({"stages": [{"moves": None, "minutes": 5, "seconds": 5}]}, "stage 1"),
        ({"stages": [{"moves": None, "minutes": 0}]}, "stage 1"),
        ({"stages": [{"moves": None, "minutes": float("inf")}]}, "stage 1"),
        ({"stages": [{"moves": 40, "minutes": 5}]}, "last"),
        ({"stages": [{"moves": None, "minutes": 5}, {"moves": None, "minutes": 5}]}, "stage 1"),
        ({"stages": [{"moves": 0, "minutes": 5}, {"moves": None, "minutes": 5}]}, "stage 1"),
        ({"stages": [{"moves": 1.5, "minutes": 5}, {"moves": None, "minutes": 5}]}, "stage 1"),
        ({"stages": [5]}, "stage 1"),
    ],
)
def test_bad_settings_are_named(raw: object, named: str) -> None:
    """An impossible clock is refused as a value, with text that names the key or the stage."""
    error = clocks.parse_clock(raw)
    assert isinstance(error, Problem)
    assert named in error.words


@pytest.mark.parametrize(
    ("clock", "refused"),
    [
        ({"stages": [{"minutes": 1440}], "increment_s": 3600}, None),
        ({"stages": [{"minutes": 1440.000001}], "increment_s": 3600.0004}, None),
        ({"stages": [{"minutes": 1440.00001}]}, ("stage", 1)),
        ({"stages": [{"minutes": 5}], "increment_s": 3600.001}, ("increment", None)),
        ({"stages": [{"minutes": 5}], "increment_s": -0.001}, ("increment", None)),
        ({"stages": [{"seconds": 0.001}]}, None),
        ({"stages": [{"seconds": 0.0004}]}, ("stage", 1)),
        ({"stages": [{"moves": 500, "seconds": 5}, {"seconds": 5}]}, None),
        ({"stages": [{"moves": 501, "seconds": 5}, {"seconds": 5}]}, ("stage", 1)),
        ({"stages": [{"moves": 1, "seconds": 5}, {"moves": 1, "seconds": 5}]}, ("stage", 2)),
        ({"stages": [{"moves": 1, "seconds": 5}, {"seconds": 5, "minutes": 5}]}, ("stage", 2)),
    ],
)
def test_limits_of_a_clock_at_new_game(clock: dict[str, Any], refused: tuple[str, int | None] | None) -> None:
    """`new_game` accepts a clock up to its limits to the millisecond, and names the figure that exceeds one."""
    answer = Table(begin=False).command("new_game", clock=clock)
    assert answer["accepted"] == (refused is None)
    if refused is not None:
        assert answer["code"] == "malformed"
        assert (answer["args"]["why"], answer["args"].get("stage")) == refused


@pytest.mark.long
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_reading_settings_never_raises(raw: object) -> None:
    """For any JSON in place of the clock the answer is settings, no clock, or an error value."""
    assert clocks.parse_clock(raw) is None or isinstance(clocks.parse_clock(raw), ClockSettings | Problem)


def test_fixed_time_for_the_game() -> None:
    """Time runs off the side to move only, and `press` hands over (rules 8)."""
    clock = clocks.press(blitz(10), WHITE, T0 + 3_000)
    assert (clocks.left_ms(clock, WHITE, T0 + 5_000), clocks.left_ms(clock, BLACK, T0 + 5_000)) == (
        7_000,
        8_000,
    )
    assert clock.running is BLACK


def test_increment_comes_with_the_completed_turn() -> None:
    """Three seconds of increment are added when the turn is completed, not before (rules 8)."""
    clock = blitz(10, increment=3)
    assert clocks.left_ms(clock, WHITE, T0 + 4_000) == 6_000
    assert clocks.left_ms(clocks.press(clock, WHITE, T0 + 4_000), WHITE, T0 + 4_000) == 9_000


def test_stages_add_their_time_after_their_turns() -> None:
    """With 2 turns in 60 s, 1 in 30 s and the rest in 10 s, time is added after turns 2 and 3 (rules 8)."""
    raw = {
        "stages": [{"moves": 2, "seconds": 60}, {"moves": 1, "seconds": 30}, {"moves": None, "seconds": 10}]
    }
    clock = clocks.start(clocks.new_clock(parsed(raw), T0), WHITE, T0)
    seen = []
    for turn in range(4):
        clock = clocks.press(clock, WHITE, T0 + turn * 2_000 + 1_000)
        clock = clocks.press(clock, BLACK, T0 + turn * 2_000 + 2_000)
        seen.append((clock.white.left_ms, clock.white.stage))
    assert seen == [(59_000, 0), (88_000, 1), (97_000, 2), (96_000, 2)]
    assert clock.white == clock.black


def test_flag_falls_at_nought_and_stays_fallen() -> None:
    """A side at 0 ms has a fallen flag. Neither increment nor a new stage lifts it; only the arbiter does."""
    clock = blitz(10, increment=5)
    assert not clocks.flag_fallen(clock, WHITE, T0 + 9_999)
    assert clocks.flag_fallen(clock, WHITE, T0 + 10_000)
    late = clocks.press(clock, WHITE, T0 + 12_000)
    assert late.white.fallen
    assert late.white.left_ms == 0
    lifted = clocks.set_clock(late, T0 + 12_000, white_ms=60_000)
    assert isinstance(lifted, Clock)
    assert not clocks.flag_fallen(lifted, WHITE, T0 + 12_000)


def test_both_flags_can_fall() -> None:
    """Each side has its own flag, so that a claim can see that both have fallen (§12)."""
    clock = clocks.press(blitz(10), WHITE, T0 + 20_000)
    assert clocks.flag_fallen(clock, WHITE, T0 + 31_000)
    assert clocks.flag_fallen(clock, BLACK, T0 + 31_000)


def test_a_pause_costs_neither_side_time() -> None:
    """Between pause and resume neither side loses time, and then the same side's clock runs."""
    paused = clocks.pause(clocks.pause(blitz(10), T0 + 1_000), T0 + 2_000)
    assert clocks.left_ms(paused, WHITE, T0 + 900_000) == 9_000
    resumed = clocks.resume(paused, T0 + 900_000)
    assert resumed.running is WHITE
    assert clocks.left_ms(resumed, WHITE, T0 + 901_000) == 8_000


def test_a_stopped_clock_stays_stopped() -> None:
    """After the end of the game `resume` starts nothing, and a press counts the turn without starting."""
    stopped = clocks.resume(clocks.stop(blitz(10), T0 + 1_000), T0 + 2_000)
    assert stopped.running is None
    assert clocks.press(stopped, WHITE, T0 + 3_000).running is None
    assert clocks.press(stopped, WHITE, T0 + 3_000).white.turns == 1


def test_host_time_set_back_gives_nothing_back() -> None:
    """After the host's time jumps back by an hour the running side keeps its time and continues to lose it."""
    clock = clocks.settle(blitz(10), T0 + 4_000)
    jumped = clocks.settle(clock, T0 + 4_000 - 3_600_000)
    assert jumped.white.left_ms == 6_000
    assert clocks.left_ms(jumped, WHITE, T0 + 5_000 - 3_600_000) == 5_000


def test_a_late_input_is_not_charged_twice() -> None:
    """An input stamped a little before the last takes no time off and moves no anchor."""
    clock = clocks.settle(clocks.settle(blitz(10), T0 + 4_000), T0 + 3_990)
    assert clocks.left_ms(clock, WHITE, T0 + 5_000) == 5_000


def test_taken_back_turn_counts_no_more() -> None:
    """A turn that is taken back and made again brings neither its increment nor its stage a second time."""
    raw = {"stages": [{"moves": 1, "seconds": 60}, {"moves": None, "seconds": 30}], "increment_s": 2}
    clock = clocks.start(clocks.new_clock(parsed(raw), T0), WHITE, T0)
    once = clocks.press(clock, WHITE, T0)
    repeated = clocks.press(clocks.take_back(once, WHITE, T0), WHITE, T0)
    assert once.white.left_ms == 92_000
    assert repeated == once


def test_view_is_the_snapshots_clock() -> None:
    """The view holds the contract's keys, true at its own `since_ms`."""
    seen = clocks.view(clocks.press(blitz(600), WHITE, T0 + 1_000), T0 + 14_000)
    expected = {
        "white_ms": 599_000,
        "black_ms": 587_000,
        "running": "black",
        "since_ms": T0 + 14_000,
        "stage": 1,
    }
    assert expected.items() <= seen.items()
    assert seen["flags"] == {"white": False, "black": False}


def test_arbiter_times_are_checked() -> None:
    """A time below 0, above 100 hours or not a whole number is refused and changes nothing."""
    for wrong in (-1, clocks.MAX_SET_MS + 1, True):
        assert isinstance(clocks.set_clock(blitz(), T0, black_ms=wrong), Problem)


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["press", "settle", "pause", "resume", "start", "take_back"]),
        st.sampled_from([WHITE, BLACK]),
        st.integers(0, 20_000),
    ),
    max_size=40,
)


def act(clock: Clock, action: str, side: Side, now: int) -> Clock:
    if action in {"press", "start", "take_back"}:
        return getattr(clocks, action)(clock, side, now)
    return getattr(clocks, action)(clock, now)


@given(ACTIONS)
def test_used_time_is_conserved(actions: list[tuple[str, Side, int]]) -> None:
    """Without increments the time used by both sides equals the time that the clock ran."""
    clock, now, running_ms = blitz(80_000), T0, 0
    start = clock.white.left_ms + clock.black.left_ms
    for action, side, passed in actions:
        if clock.running is not None:
            running_ms += passed
        now += passed
        clock = act(clock, action, side, now)
    assert start - clock.white.left_ms - clock.black.left_ms == running_ms


@given(ACTIONS, st.lists(st.integers(-10_000_000, 10_000_000), min_size=40, max_size=40))
def test_jumping_host_time_never_gives_time(actions: list[tuple[str, Side, int]], jumps: list[int]) -> None:
    """Whatever the host's time does, no call raises, no side gains time, and a fallen flag stays fallen."""
    clock, now = blitz(60), T0
    for (action, side, _), jump in zip(actions, jumps, strict=False):
        now = max(0, now + jump)
        new = act(clock, action, side, now)
        for player in (WHITE, BLACK):
            assert 0 <= new.side(player).left_ms <= clock.side(player).left_ms
            assert new.side(player).fallen >= clock.side(player).fallen
            assert new.side(player).fallen == (new.side(player).left_ms == 0)
        clock = new


@given(ACTIONS)
def test_settling_in_between_changes_nothing(actions: list[tuple[str, Side, int]]) -> None:
    """Ticks between the inputs leave the same clock as no ticks, while time goes forward."""
    plain = ticked = blitz(60, increment=1)
    now = T0
    for action, side, passed in actions:
        ticked = clocks.settle(ticked, now + passed // 2)
        now += passed
        plain, ticked = act(plain, action, side, now), act(ticked, action, side, now)
    assert plain == ticked
