"""A table to play at in tests: it keeps the match and the time, and gives inputs as sources do."""

from __future__ import annotations

import json
from typing import Any

from scharten.dartboard.beds import parse_bed, readings
from scharten.dartboard.profile import Contact
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import position_text
from scharten.match.codec import decode_input, encode_input
from scharten.match.events import Answered, Event, Happened, HitReport
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
    Dart,
    Input,
    Knock,
    Observed,
    Reading,
    Restarted,
    Role,
    Tick,
)
from scharten.match.orders import ORDERS
from scharten.match.referee import deadline, digest, new_match, step
from scharten.match.settings import MatchSettings
from scharten.match.state import Match

BIG = 10_000_000


class Table:
    """One board with two players; every input is also kept in `inputs`, for replays."""

    def __init__(self, *, begin: bool = True, **game: Any) -> None:
        configured = {"scharten": json.loads(json.dumps(game))}
        self.match: Match = new_match(MatchSettings(options=configured), GAMES_BY_KEY)
        self.t = BIG
        self.ids = 0
        self.events: tuple[Event, ...] = ()
        self.inputs: list[Input] = []
        if begin:
            assert self.command("new_game")["accepted"]

    def give(self, given: Input) -> tuple[Event, ...]:
        """One input, sent through the journal's form and back, as a replay would have it."""
        written = json.loads(json.dumps(encode_input(given)))
        assert decode_input(written) == given
        self.inputs.append(given)
        self.match, self.events = step(self.match, given)
        return self.events

    def command(self, type: str, role: str = "table", **fields: Any) -> dict[str, Any]:
        """A command that is right in `match` and `seq` unless told otherwise; gives its answer."""
        self.ids += 1
        self.t += 10
        body = {"v": 1, "id": f"t{self.ids}", "match": self.match.id, "seq": self.match.seq, "type": type}
        order = ORDERS.validate_json(json.dumps({**body, **fields}))
        events = self.give(Command(self.t, Role(role), order, seed=self.t))
        answers = [event.body for event in events if isinstance(event, Answered)]
        assert len(answers) == 1
        return dict(answers[0])

    def ok(self, type: str, role: str = "table", **fields: Any) -> dict[str, Any]:
        """A command that must be accepted."""
        answer = self.command(type, role, **fields)
        assert answer["accepted"], answer
        return answer

    def refused(self, type: str, role: str = "table", **fields: Any) -> str:
        """The code with which a command is refused; nothing may have changed by it."""
        before = digest(self.match)
        answer = self.command(type, role, **fields)
        assert not answer["accepted"], answer
        assert digest(self.match) == before
        assert answer["words"]
        return str(answer["code"])

    def hit(self, bed: str | None, after: int = 5000, ago: int = 0) -> str:
        """A contact `after` ms later (that happened `ago` ms before it arrived); gives why it did not count."""
        self.t += after
        named = None if bed is None else parse_bed(bed)
        beds = readings(named) if named else ()
        dart = Dart(tuple((each, 1 / len(beds)) for each in beds), contact=Contact(1, 2))
        return self._why(self.give(Reading(self.t, self.t - ago, "board", dart)))

    def seen(self, *beds: str, confidence: float = 0.99, bounced: bool = False) -> str:
        """A dart seen by cameras, `confidence` in the first bed and the rest shared among the others."""
        self.t += 5000
        named = [bed for name in beds if (bed := parse_bed(name))]
        others = [(bed, (1 - confidence) / (len(named) - 1)) for bed in named[1:]]
        dart = Dart(((named[0], confidence), *others), 1.0, 2.0, bounced)
        return self._why(self.give(Reading(self.t, self.t, "camera", dart)))

    def seen_unclear(self, after: int = 5000) -> str:
        """Cameras saw something change, and not what."""
        self.t += after
        return self._why(self.give(Reading(self.t, self.t, "camera", Dart(()))))

    def _observe(self, observed: Observed, sensor: str = "board") -> None:
        self.give(Reading(self.t, self.t, sensor, observed))

    def knock(self) -> None:
        """A knock without a contact."""
        self.t += 5000
        self._observe(Knock(500))

    def press(self, button: str) -> None:
        """A button of the board."""
        self.t += 5000
        self._observe(Button(ButtonName(button)))

    def wait(self, ms: int = 5000) -> None:
        """Time passes, and a tick comes."""
        self.t += ms
        self.give(Tick(self.t))

    def empty(self) -> None:
        """Cameras see the board empty."""
        self.t += 500
        self._observe(Cleared(), "camera")

    def restart(self) -> None:
        """The host was away for a minute."""
        self.t += 60_000
        self.give(Restarted(self.t))

    def throw(self, bed: str) -> str:
        """A whole throw: announced where needed, thrown, and the dart taken out."""
        if self.match.options.arming == "announce":
            self.ok("announce_throw")
        why = self.hit(bed)
        if self.match.phase.name == "settling":
            self.ok("ready")
        return why

    def move(self, *moves: str) -> None:
        """Moves of either side in turn."""
        for move in moves:
            self.ok("move", move=move)

    def set_up(self, position: Position) -> None:
        """The arbiter puts a drawn position on the board."""
        self.ok("set_position", "arbiter", position=position_text(position))

    @property
    def text(self) -> str:
        """The position string."""
        return position_text(self.match.position)

    @property
    def ended(self) -> tuple[str | None, str | None]:
        """Result and reason."""
        return self.match.result, self.match.reason

    @property
    def said(self) -> str:
        """The code of the message on the display."""
        return self.match.message.code

    @property
    def due(self) -> int | None:
        """How many ms from now the next tick is due."""
        at = deadline(self.match)
        return None if at is None else at - self.t

    def told(self) -> list[str]:
        """The codes of the last events."""
        return [event.code for event in self.events if isinstance(event, Happened)]

    @staticmethod
    def _why(events: tuple[Event, ...]) -> str:
        readings = [event for event in events if isinstance(event, HitReport)]
        assert len(readings) == 1
        assert readings[0].counted == (readings[0].why == "")
        return readings[0].why
