"""Warnings that do not fill a disk."""

import logging

import pytest

from scharten.mqtt.seldom import Seldom


def test_a_thousand_warnings_are_one_line_and_a_count(caplog: pytest.LogCaptureFixture) -> None:
    """The first is said at once, the rest are counted until a minute is over; another kind is not held back."""
    now = [0.0]
    seldom = Seldom(logging.getLogger("test"), 60, lambda: now[0])
    for number in range(1000):
        seldom.warn("drop", "dropped %s", number)
    seldom.warn("secret", "wrong")
    now[0] = 60
    seldom.warn("drop", "dropped %s", "again")
    assert [record.getMessage() for record in caplog.records] == [
        "dropped 0",
        "wrong",
        "dropped again (999 more like it since the last such line)",
    ]
