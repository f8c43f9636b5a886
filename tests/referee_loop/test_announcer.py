"""The announcer: listeners that raise or wait do not disturb the game."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from match.driver import Table
from scharten.daemon.announcer import Announcement, Announcer
from scharten.games import GAMES_BY_KEY
from scharten.match.events import Event, Happened
from scharten.match.inputs import Tick
from scharten.match.referee import new_match
from scharten.match.settings import MatchSettings

MATCH = new_match(MatchSettings(), GAMES_BY_KEY)


class Outlet:
    """Record what is published."""

    def __init__(self) -> None:
        self.published: list[tuple[str, Mapping[str, Any]]] = []

    def publish_sheet(self, sheet: Mapping[str, Any]) -> None:
        self.published.append(("sheet", sheet))

    def publish_event(self, event: Mapping[str, Any]) -> None:
        self.published.append(("event", event))

    def publish_hit(self, hit: Mapping[str, Any]) -> None:
        self.published.append(("hit", hit))

    def publish_said(self, said: Mapping[str, Any]) -> None:
        self.published.append(("said", said))

    def codes(self) -> list[str]:
        return [body["code"] for kind, body in self.published if kind == "event"]


def news(*codes: str, **more: Any) -> Announcement:
    return Announcement(MATCH, MATCH, tuple(Happened(code) for code in codes), Tick(1), **more)


def test_a_listener_that_raises_does_not_affect_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """The next listener and the next event are called. The log has the fault once, with its event."""
    outlet, reports, received = Outlet(), list[str](), list[str]()
    announcer = Announcer(outlet, lambda name, error: reports.append(f"{name}: {error}"))

    def raises(_event: Event) -> None:
        raise ValueError("a broken listener")

    announcer.listeners += [raises, lambda event: received.append(event.code)]  # type: ignore[union-attr]
    announcer.observers.append(raises)  # type: ignore[arg-type]
    announcer.start()
    announcer.announce(news("paused", "resumed"))
    announcer.announce(news("paused"))
    announcer.stop()
    assert received == outlet.codes() == ["paused", "resumed", "paused"]
    assert announcer.faults.total() == len(reports) == 5
    logged = [record for record in caplog.records if "raises raised on" in record.getMessage()]
    assert len(logged) == 1 and "code='paused'" in logged[0].getMessage()


def test_a_failing_sheet_does_not_end_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet that raises is reported; events continue."""
    outlet, reports = Outlet(), list[str]()
    announcer = Announcer(outlet, lambda name, error: reports.append(name))
    announcer.start()
    bad = replace(news("paused"), match=None, shown=None)  # type: ignore[arg-type]
    announcer.announce(bad)
    announcer.announce(news("paused"))
    announcer.stop()
    assert outlet.codes() == ["paused", "paused"] and ("Announcer._publish_sheet" in reports)
    assert [kind for kind, _ in outlet.published].count("sheet") == 1


def test_a_full_queue_drops_and_counts_events_without_waiting() -> None:
    """Behind a listener that waits, `announce` returns and counts dropped events. Finally the sheet of the newest
    match is published."""
    outlet, gate, entered = Outlet(), threading.Event(), threading.Event()
    announcer = Announcer(outlet, length=3)

    def waits(_event: Event) -> None:
        entered.set()
        gate.wait(40)

    announcer.listeners.append(waits)
    announcer.start()
    announcer.announce(news("paused", changed=False))
    assert entered.wait(40)
    for _ in range(3):
        announcer.announce(news("paused", changed=False))
    newest = Table(kind="loud").match
    announcer.announce(Announcement(newest, newest, (Happened("paused"), Happened("resumed"))))
    assert announcer.lost == 2
    gate.set()
    announcer.stop()
    assert outlet.codes() == ["paused"] * 4
    sheets = [body for kind, body in outlet.published if kind == "sheet"]
    assert [sheet["match"] for sheet in sheets] == [newest.id]
