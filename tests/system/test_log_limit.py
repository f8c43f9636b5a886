"""The rate limit of repeated warnings."""

import logging

import pytest

from scharten.system.log_limit import RateLimitedLog, TracebackLimit


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


def raises(name: str, place: int = 0) -> None:
    """Log an exception with its traceback, raised at one of two places."""
    try:
        if place:
            raise ValueError(place)
        raise ValueError(name)
    except ValueError:
        logging.getLogger(name).exception("a request failed")


@pytest.mark.long
def test_a_thousand_tracebacks_are_one_and_a_count_in_every_handler() -> None:
    """Two handlers share a limit: each shows the first traceback of a place, then none for a minute, then a count."""
    now = [0.0]
    shown: dict[str, list[str]] = {"first": [], "second": []}
    limit = TracebackLimit(60, lambda: now[0])
    handlers = {name: logging.Handler() for name in shown}
    root = logging.getLogger()
    for name, handler in handlers.items():
        handler.addFilter(limit)
        handler.emit = lambda record, lines=shown[name]: lines.append(record.getMessage())  # type: ignore[method-assign,misc]
        root.addHandler(handler)
    try:
        for _ in range(1000):
            raises("aiohttp.server")
        raises("aiohttp.server", 1)
        raises("asyncio")
        logging.getLogger("aiohttp.server").warning("without a traceback")
        now[0] = 60
        raises("asyncio")
        raises("aiohttp.server")
    finally:
        for handler in handlers.values():
            root.removeHandler(handler)
    repeated = "a request failed (999 more like it since the last)"
    wanted = [*["a request failed"] * 3, "without a traceback", "a request failed", repeated]
    assert shown == {"first": wanted, "second": wanted}


def test_the_places_of_tracebacks_are_bounded() -> None:
    """A thousand loggers give at most 65 tracebacks and as many memories."""
    limit = TracebackLimit()
    made = [
        logging.LogRecord(f"l{number}", logging.ERROR, "", 1, "x", (), (ValueError, ValueError(), None))
        for number in range(1000)
    ]
    assert sum(limit.filter(record) for record in made) == TracebackLimit.MOST_PLACES + 1
