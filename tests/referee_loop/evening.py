"""A referee loop with a real journal, and a room that records its outputs."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scharten.contract.messages import parse_command
from scharten.daemon.announcer import Announcer
from scharten.daemon.referee_loop import RefereeLoop
from scharten.dartboard.lines import Lamp
from scharten.dartboard.profile import Contact
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import bed_of, parse_field
from scharten.journal.journal import Journal, JournalReader
from scharten.match.dart import Dart
from scharten.match.digest import digest
from scharten.match.inputs import (
    Command,
    Input,
    Reading,
    Receipt,
    Role,
)
from scharten.match.referee import new_match
from scharten.match.settings import MatchSettings
from scharten.match.state import Match

SETTINGS = MatchSettings(options={"scharten": {"arming": "auto", "settle_ms": 0}})


class Room:
    """Record everything the referee loop publishes, in order."""

    def __init__(self) -> None:
        self.outputs: list[tuple[str, Any]] = []

    def publish_state(self, snapshot: Mapping[str, Any]) -> None:
        self.outputs.append(("state", snapshot))

    def publish_sheet(self, sheet: Mapping[str, Any]) -> None:
        self.outputs.append(("sheet", sheet))

    def publish_event(self, event: Mapping[str, Any]) -> None:
        self.outputs.append(("event", event))

    def publish_hit(self, hit: Mapping[str, Any]) -> None:
        self.outputs.append(("hit", hit))

    def publish_said(self, said: Mapping[str, Any]) -> None:
        self.outputs.append(("said", said))

    def answer(self, role: str, answer: Mapping[str, Any]) -> None:
        self.outputs.append((f"answer/{role}", answer))

    def acknowledge(self, receipt: Receipt) -> None:
        self.outputs.append(("ack", receipt.number))

    def show(self, lamp: Lamp) -> None:
        pass

    def named(self, name: str) -> list[Any]:
        return [body for kind, body in self.outputs if kind == name]


class Evening:
    """A referee loop, its journal and a room; numbers the inputs."""

    def __init__(self, path: Path, match: Match | None = None, opening: Input | None = None) -> None:
        self.journal = Journal(path)
        self.room = Room()
        self.number = 0
        self.t_ms = 1_700_000_000_000
        self.announcer = Announcer(self.room)
        self.desk = RefereeLoop(
            match or new_match(SETTINGS, GAMES_BY_KEY),
            self.journal,
            self.room,
            self.announcer,
            lambda: self.t_ms,
        )
        self.desk.sensor = self.room
        self.announcer.start()
        self.desk.start(opening)

    def take(self, given: Input) -> None:
        before = self.desk.inputs
        assert self.desk.take(given, 5)
        wait_until(lambda: self.desk.inputs > before and not self.announcer.waiting)

    def order(self, kind: str, **fields: Any) -> None:
        self.t_ms += 10
        self.number += 1
        match = self.desk.match
        body = {"v": 1, "id": f"c{self.number}", "match": match.id, "seq": match.seq, "type": kind, **fields}
        order = parse_command(json.dumps(body).encode())
        self.take(Command(self.t_ms, Role.TABLE, order, 7))  # type: ignore[arg-type]

    def dart(self, field: str, session: int = 9) -> Reading:
        self.t_ms += 10
        self.number += 1
        found = parse_field(field)
        assert found is not None
        dart = Dart(((bed_of(found, 3), 1.0),), contact=Contact(1, 2))
        return Reading(self.t_ms, self.t_ms, "board", dart, Receipt(session, self.number))

    def end(self) -> str:
        self.desk.stop()
        self.announcer.stop()
        self.journal.close()
        return digest(self.desk.match)


def wait_until(true: Callable[[], bool], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def rows(path: Path) -> list[str]:
    reader = JournalReader(path)
    found = [row.body for match in reader.matches() for row in reader.inputs(match.id)]
    reader.close()
    return found
