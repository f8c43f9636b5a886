"""The daemon's reports about its own machine."""

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import TypeAdapter

from scharten.contract.news_models import Health as HealthModel
from scharten.daemon.health import MachineHealth
from scharten.daemon.referee_loop import Trouble
from scharten.daemon.running import SteadyClock
from scharten.dartboard.profile import Contact
from scharten.match.inputs import ContactStuck, SensorChanged, SensorNews, SensorState

HEALTH = TypeAdapter(HealthModel)


def test_health_fits_the_contract_s_schema() -> None:
    """With a lost source, a stuck contact and a full disk the payload, with its messages, fits the published model."""
    health = MachineHealth({"serial": ("board",)}, 1)
    health.observe(SensorNews(2, "board", SensorChanged(SensorState.LOST, "unplugged")))
    health.observe(SensorNews(3, "board", ContactStuck(Contact(4, 5), None, True)))
    health.set_trouble(Trouble("The disk is full.", "Make room.", 6))
    health.set_warning("broker", "the broker is open")
    reported = HEALTH.validate_python(health.as_json())
    assert (
        reported["playable"] is False
        and reported["reason"] == "The disk is full."
        and reported["cure"] == "Make room."
    )
    assert reported["stuck"] == [{"drive": 4, "sense": 5, "bed": None}] and reported["warnings"] == [
        "the broker is open"
    ]
    assert reported["reason_code"] == "not_stored"
    assert reported["notices"] == [{"code": "broker", "words": "the broker is open"}]
    health.observe(SensorNews(7, "board", ContactStuck(Contact(4, 5), None, False)))
    health.set_trouble(None)
    reported = HEALTH.validate_python(health.as_json())
    assert reported["playable"] and not reported["stuck"]


def test_health_is_published_only_when_it_changed() -> None:
    """A changed heartbeat counter alone publishes nothing; it goes out with the next change."""
    health = MachineHealth({"serial": ("board",)}, 1)
    published: list[Mapping[str, Any]] = []
    health.publish = published.append
    for lines, lost in ((1, 0), (2, 0), (3, 0), (4, 1)):
        health.set_part("line", {"lines": lines, "lost": lost})
        health.changed()
    assert [content["line"] for content in published] == [{"lines": 1, "lost": 0}, {"lines": 4, "lost": 1}]


def test_a_changed_date_is_reported_in_play_and_adopted_after_it() -> None:
    """In a game the inputs' clock runs on and a warning comes; without a game it follows the date. Two seconds are
    no step."""
    date, steady = [1_000_000], [5_000]
    clock = SteadyClock(lambda: date[0], lambda: steady[0])
    date[0] += 2_000
    assert clock.check(playing=True) is None and clock.now_ms() == 1_000_000
    date[0] += 3_600_000
    steady[0] += 1_000
    assert clock.now_ms() == 1_001_000
    assert "set forward by 1:00:01" in (clock.check(playing=True) or "") and clock.now_ms() == 1_001_000
    assert clock.check(playing=False) is None and clock.now_ms() == date[0]
    date[0] -= 7_200_000
    assert "set back by 2:00:00" in (clock.check(playing=True) or "")


def test_a_date_before_the_newest_game_gets_a_warning() -> None:
    """Inputs are dated after that game, and a warning stays until the date is set."""
    newest, steady = 1_763_900_000_000, [5_000]
    date = [newest - 7 * 30 * 86_400_000]
    clock = SteadyClock(lambda: date[0], lambda: steady[0])
    clock.not_before(newest)
    steady[0] += 1_000
    date[0] += 1_000
    for playing in (False, True):
        assert (
            "is before its newest game" in (clock.check(playing) or "") and clock.now_ms() == newest + 1_000
        )
    date[0] = newest + 3_600_000
    assert "set forward by 0:59:59" in (clock.check(playing=True) or "") and clock.now_ms() == newest + 1_000
    assert clock.check(playing=False) is None and clock.now_ms() == date[0]


def test_a_suspended_program_charges_no_clock() -> None:
    """A minute without a request for the time is reported and not charged; seconds between requests are charged."""
    date, steady = [1_000_000], [5_000]
    clock = SteadyClock(lambda: date[0], lambda: steady[0])
    for passed, shown in ((4_000, 1_004_000), (60_000, 1_004_000), (1_000, 1_005_000)):
        date[0] += passed
        steady[0] += passed
        assert clock.now_ms() == shown
    assert clock.check(playing=True) == (
        "this program stood still for 0:01:00 in play: no clock is charged for it"
    )
    assert clock.check(playing=False) is None and clock.now_ms() == date[0]


def test_a_stopped_referee_is_never_playable() -> None:
    """Once the supervisor has given up, `playable` stays false with the reason, even if the journal stores again."""
    health = MachineHealth({"serial": ("board",)}, 1)
    health.set_stopped("referee hangs")
    health.set_trouble(None)
    health.set_part("parts", [{"name": "referee", "state": "restarted", "words": "ValueError: x", "count": 1,
                               "since_ms": 1, "recent": True}])  # fmt: skip
    published = HEALTH.validate_python(health.as_json())
    assert (published["playable"], published["reason"]) == (False, "referee hangs")
    assert "by itself" in str(published["cure"]) and published["parts"][0]["name"] == "referee"


def test_the_newest_health_is_published_last() -> None:
    """If two threads publish at once, the last message has both changes. A failed publication does not stop the
    next."""
    health, published = MachineHealth({"serial": ("board",)}, 1), list[Mapping[str, Any]]()

    def publish(content: Mapping[str, Any]) -> None:
        if not published and not content["warnings"]:
            other = threading.Thread(target=health.set_warning, args=("disk", "nearly full"))
            other.start()
            other.join()
        published.append(content)

    health.publish = publish
    health.observe(SensorNews(2, "board", SensorChanged(SensorState.FOUND, "it plays")))
    assert published[-1]["warnings"] == ["nearly full"] and published[-1]["sources"][0]["state"] == "found"
    health.publish = lambda content: 1 / 0
    with pytest.raises(ZeroDivisionError):
        health.set_warning("disk", None)
    health.publish = published.append
    health.set_warning("disk", "full")
    assert published[-1]["warnings"] == ["full"]
