"""GranBoard: its published codes, tested without the device."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.granboard import MAX_MESSAGE, MessageReader, Other
from scharten.dartboard.profile import Contact
from scharten.match.inputs import (
    Button,
    ButtonName,
    Input,
    Knock,
    Reading,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.granboard import GranBoardSensor
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import SensorSetup, dart_of_contact
from scharten.sensors.settings import GranBoardAddress

PROFILE = load_profile("granboard")
PUBLISHED = {
    "3.5": "F20",
    "3.3": "L20",
    "3.4": "T20",
    "3.6": "D20",
    "8.0": "25",
    "4.0": "BULL",
    "11.0": "L16",
}


def test_the_published_codes_are_their_beds() -> None:
    """Every code that owners have published gives its bed; the profile is a whole board of 82 contacts."""
    for code, bed in PUBLISHED.items():
        (contact,) = MessageReader().feed(code.encode() + b"@")
        assert isinstance(contact, Contact) and str(PROFILE.bed(contact)) == bed
    assert len(PROFILE.beds) == 82 and not PROFILE.missing()


def test_misses_and_the_button_differ() -> None:
    """A miss and a button press are two messages, also when they arrive in pieces or together."""
    reader = MessageReader()
    assert reader.feed(b"OU") == ()
    assert reader.feed(b"T@BTN@3.5@2.") == (Other.OUT, Other.BUTTON, Contact(3, 5))
    assert reader.feed(b"5@") == (Contact(2, 5),)


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_junk_is_dropped(chunks: list[bytes]) -> None:
    """After any junk the next whole message is read, and the buffer never exceeds 31 bytes."""
    reader = MessageReader()
    for chunk in chunks:
        reader.feed(chunk)
        assert len(reader._pending) < MAX_MESSAGE
    assert reader.feed(b"@3.5@")[-1] == Contact(3, 5)


def sensor(emit: Callable[[Input], object]) -> GranBoardSensor:
    setup = SensorSetup(Path(), "granboard", emit, lambda name, value: None, lambda: 1000)
    return GranBoardSensor(setup, GranBoardAddress())


def test_notifications_become_readings_without_a_receipt() -> None:
    """A dart has its beds, a miss is a knock, and the button is read. The board stores nothing, so there is
    no receipt."""
    inputs: list[Input] = []
    sensor(inputs.append).on_notification(b"3.4@OUT@BTN@")
    dart = dart_of_contact(Contact(3, 4), PROFILE)
    assert [(str(bed), probability) for bed, probability in dart.beds] == [("T20", 1.0)]
    assert inputs == [
        Reading(1000, 1000, "granboard", what) for what in (dart, Knock(0), Button(ButtonName.READY))
    ]


def test_without_bluetooth_support_the_cure_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bleak the sensor reports this and names the command to install it."""
    monkeypatch.setitem(sys.modules, "bleak", None)
    inputs: Queue[Input] = Queue()
    board = sensor(inputs.put)
    board.start()
    news = inputs.get(timeout=40)
    assert isinstance(news, SensorNews) and isinstance(news.news, SensorChanged)
    assert news.news.state is SensorState.LOST and "pip install 'bleak>=1'" in news.news.detail
    board.stop(for_good=True)
