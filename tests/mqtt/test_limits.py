"""What strangers may cost: connections that are counted, and lines in the log."""

import logging

import pytest

from scharten.contract.roles import Acl
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.embedded import EmbeddedBroker
from scharten.mqtt.limits import ConnectionSlots, Limits, RateLimitedLog, Slot


def test_when_too_many_wait_the_oldest_is_aborted() -> None:
    """Who is known stays, who says nothing goes, and a newcomer always gets a moment to speak."""
    slots, out = ConnectionSlots(Limits(connections=4, waiting=2, reserved=0)), []
    opened = [slots.open(lambda n=n: out.append(n)) for n in range(3)]
    assert out == [0]
    assert opened[0] and not slots.admit(opened[0], False)
    assert opened[1] and slots.admit(opened[1], False)
    admitted: list[Slot | None] = [opened[1]]
    for n in range(3, 6):
        slot = slots.open(lambda n=n: out.append(n))
        assert slot and slots.admit(slot, False)
        admitted.append(slot)
    assert slots.admitted == 4 and slots.open(lambda: None) is None
    for slot in admitted:
        assert slot
        slots.free(slot)
        slots.free(slot)
    assert slots.admitted == 0 and slots.open(lambda: None) is not None


def test_some_connections_are_reserved() -> None:
    """When players and displays have taken all that they may, the referee still gets in, and they when one leaves."""
    slots = ConnectionSlots(Limits(connections=4, waiting=2, reserved=2))
    opened = [slots.open(lambda: None) for _ in range(2)]
    for slot in opened:
        assert slot and slots.has_room(False) and slots.admit(slot, False)
    assert not slots.has_room(False) and slots.has_room(True)
    referee = slots.open(lambda: None)
    assert referee and slots.admit(referee, True)
    slots.free(referee)
    assert not slots.has_room(False)
    assert opened[0] is not None
    slots.free(opened[0])
    slots.free(opened[0])
    assert slots.has_room(False) and slots.admitted == 1


def test_a_thousand_warnings_are_one_line_and_a_count(caplog: pytest.LogCaptureFixture) -> None:
    """The first is written at once, the rest are counted until a minute is over; another kind is not held back."""
    now = [0.0]
    limited = RateLimitedLog(logging.getLogger("test"), 60, lambda: now[0])
    for number in range(1000):
        limited.warn("drop", "dropped %s", number)
    limited.warn("secret", "wrong")
    now[0] = 60
    limited.warn("drop", "dropped %s", "again")
    assert [record.getMessage() for record in caplog.records] == [
        "dropped 0",
        "wrong",
        "dropped again (999 more like it since the last such line)",
    ]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.10", "::"])
def test_the_embedded_broker_serves_this_machine_only(host: str) -> None:
    """Another address is refused with the cure."""
    with pytest.raises(SchartenError, match="broker-config"):
        EmbeddedBroker(Accounts({}), Acl(Topics("scharten", "home", "board1")), host=host)
