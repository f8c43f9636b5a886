"""The rate limit of repeated warnings."""

import logging

import pytest

from scharten.system.log_limit import RateLimitedLog


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
