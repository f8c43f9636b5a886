"""What the daemon says of its own machine."""

from pydantic import TypeAdapter

from scharten.contract.models import Health as HealthModel
from scharten.dartboard.profile import Contact
from scharten.health import Health
from scharten.match.inputs import ContactStuck, SensorChanged, SensorNews, SensorState
from scharten.referee_loop import Trouble

TOLD = TypeAdapter(HealthModel)


def test_health_is_what_the_contract_s_schema_says() -> None:
    """With a lost source, a stuck contact and a full disk, the payload fits the published model, words included."""
    health = Health("serial", 1)
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
