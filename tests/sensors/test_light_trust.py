"""A client that announces changes of light can stop the cameras only briefly; the measured delay is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.sensors.light_trust import UNMEASURED_MS, LightTrust, delay_file, light_delay_ms

ASKED = st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 11_000), st.booleans()), max_size=60)


@given(ASKED)
def test_cameras_look_away_at_most_ten_seconds_of_any_half_minute(asked: list[tuple[int, int, bool]]) -> None:
    """However often and long clients ask, the granted time is bounded in every window of 30 s."""
    trust, now, away = LightTrust(), 0, []
    for pause, for_ms, by_page in asked:
        now += pause
        before = max(trust.until_ms, now)
        trust = trust.with_request("lamps", now, for_ms, by_page=by_page)
        away.append((before, max(before, trust.until_ms)))
    for start, _ in away:
        within = sum(max(0, min(end, start + 30_000) - max(begin, start)) for begin, end in away)
        assert within <= 10_000 + 1


def test_occasional_changes_are_granted_and_endless_ones_reported() -> None:
    """Half a second in every five is granted whole. Changes without end are reported with the client's name."""
    trust = LightTrust()
    for turn in range(50):
        trust = trust.with_request("projector", 5000 * turn, 500, by_page=True)
        assert trust.until_ms == 5000 * turn + 500
    assert trust.problem(250_000) is None
    for turn in range(50):
        trust = trust.with_request("mallory", 300_000 + 400 * turn, 500, by_page=False)
    assert "mallory announced too many" in str(trust.problem(320_000))
    assert trust.problem(400_000) is None
    assert trust.with_request("projector", 400_000, 500, by_page=True).until_ms == 400_500


@pytest.mark.parametrize(
    "names",
    [("lamps",), ("lamps", "shutter"), ("projector",), ("a{second}",)],
    ids=["one", "two", "posing", "changing"],
)
def test_endless_lamps_take_no_time_from_the_projector(names: tuple[str, ...]) -> None:
    """During five minutes of announcements by lamps, every change of the projector's page is granted: by one lamp, by
    two, by a client that poses as the projector, and by one that changes its name. The refused names are reported."""
    trust = LightTrust()
    for second in range(300):
        for name in names:
            trust = trust.with_request(name.format(second=second), 1000 * second, 10_000, by_page=False)
        if second % 5 == 3:
            now = 1000 * second + 300
            trust = trust.with_request("projector", now, 330, by_page=True)
            assert trust.until_ms >= now + 330
            refused = trust.problem(now)
            assert refused is not None and ("projector" in refused.args["by"]) is (names == ("projector",))


@pytest.mark.parametrize(
    ("text", "delay"), [("delay_ms = 87\n", 87), ("", UNMEASURED_MS), ("delay_ms = -1", UNMEASURED_MS),
                        ("delay_ms = true", UNMEASURED_MS), ("delay_ms = 1e9", UNMEASURED_MS), ("[", UNMEASURED_MS)]
)  # fmt: skip
def test_the_delay_is_read_or_assumed(tmp_path: Path, text: str, delay: int) -> None:
    """A missing or impossible delay is replaced by the default."""
    rig = tmp_path / "cameras.toml"
    assert light_delay_ms(rig) == UNMEASURED_MS
    delay_file(rig).write_text(text)
    assert light_delay_ms(rig) == delay
