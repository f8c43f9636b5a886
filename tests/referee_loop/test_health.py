"""What the daemon says of its own machine."""

from pydantic import TypeAdapter

from scharten.contract.news_models import Health as HealthModel
from scharten.dartboard.profile import Contact
from scharten.health import MachineHealth
from scharten.match.inputs import ContactStuck, SensorChanged, SensorNews, SensorState
from scharten.referee_loop import Trouble
from scharten.running import SteadyClock

TOLD = TypeAdapter(HealthModel)


def test_health_is_what_the_contract_s_schema_says() -> None:
    """With a lost source, a stuck contact and a full disk, the payload fits the published model, words included."""
    health = MachineHealth({"serial": ("board",)}, 1)
    health.observe(SensorNews(2, "board", SensorChanged(SensorState.LOST, "unplugged")))
    health.observe(SensorNews(3, "board", ContactStuck(Contact(4, 5), None, True)))
    health.set_trouble(Trouble("The disk is full.", "Make room.", 6))
    health.set_warning("broker", "the broker is open")
    told = TOLD.validate_python(health.told())
    assert (
        told["playable"] is False and told["reason"] == "The disk is full." and told["cure"] == "Make room."
    )
    assert told["stuck"] == [{"drive": 4, "sense": 5, "bed": None}] and told["warnings"] == [
        "the broker is open"
    ]
    health.observe(SensorNews(7, "board", ContactStuck(Contact(4, 5), None, False)))
    health.set_trouble(None)
    told = TOLD.validate_python(health.told())
    assert told["playable"] and not told["stuck"]


def test_a_date_that_is_set_is_told_in_play_and_taken_over_after_it() -> None:
    """An hour forward while a game is under way: the clock of the inputs runs on and words say so; without a game it
    follows the date. A date that is two seconds off is no step."""
    date, steady = [1_000_000], [5_000]
    clock = SteadyClock(lambda: date[0], lambda: steady[0])
    date[0] += 2_000
    assert clock.look(playing=True) is None and clock.now_ms() == 1_000_000
    date[0] += 3_600_000
    steady[0] += 1_000
    assert clock.now_ms() == 1_001_000
    assert "set forward by 1:00:01" in (clock.look(playing=True) or "") and clock.now_ms() == 1_001_000
    assert clock.look(playing=False) is None and clock.now_ms() == date[0]
    date[0] -= 7_200_000
    assert "set back by 2:00:00" in (clock.look(playing=True) or "")


def test_while_the_program_stands_still_no_clock_runs() -> None:
    """A minute in which nobody asked for the time is told and charged to nobody; seconds between looks are charged."""
    date, steady = [1_000_000], [5_000]
    clock = SteadyClock(lambda: date[0], lambda: steady[0])
    for passed, shown in ((4_000, 1_004_000), (60_000, 1_004_000), (1_000, 1_005_000)):
        date[0] += passed
        steady[0] += passed
        assert clock.now_ms() == shown
    assert clock.look(playing=True) == (
        "this program stood still for 0:01:00 in play: no clock is charged for it"
    )
    assert clock.look(playing=False) is None and clock.now_ms() == date[0]
