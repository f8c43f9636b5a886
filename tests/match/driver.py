"""A table for tests: holds the match and the time, and gives inputs as sensors and commands do."""

from __future__ import annotations

import json
from typing import Any

from scharten.dartboard.beds import parse_bed, readings
from scharten.dartboard.profile import Contact
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import position_text
from scharten.match.codec import decode_input, encode_input
from scharten.match.dart import Dart
from scharten.match.events import Answered, Event, Happened, HitReport
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
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
CLOCK = {"stages": [{"moves": None, "minutes": 90}], "increment_s": 1}
VARIANTS: list[tuple[str, str, dict[str, Any]]] = [
    ("chess", "silent", {}),
    ("chess", "loud", {}),
    ("fischer_random", "silent", {"opening_by": "number", "opening_number": 77}),
    ("fischer_random", "loud", {"opening_by": "number", "opening_number": 900, "check_miss": "loses"}),
    ("shatranj", "silent", {"pat_swap": "on"}),
    ("shatranj", "loud", {"king_on": "d", "foul_limit": {"white": 9, "black": 9}}),
    ("shakti", "silent", {"corners": "bare"}),
    ("shakti", "loud", {"foul_limit": {"white": 9, "black": 9}}),
    ("shakti", "loud", {"aim": {"white": "any", "black": "colour"}}),
]
"""The games beside Scharten, as `game`, `kind` and options."""


class Table:
    """One board with two players; `inputs` stores every input for replays."""

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
        """Judge an input after converting it to the journal's form and back, as a replay does."""
        written = json.loads(json.dumps(encode_input(given)))
        assert decode_input(written) == given
        self.inputs.append(given)
        self.match, self.events = step(self.match, given)
        return self.events

    def command(self, type: str, role: str = "table", **fields: Any) -> dict[str, Any]:
        """Give a command, with the right `match` and `seq` unless `fields` have others; return its answer."""
        self.ids += 1
        self.t += 10
        body = {"v": 1, "id": f"t{self.ids}", "match": self.match.id, "seq": self.match.seq, "type": type}
        order = ORDERS.validate_json(json.dumps({**body, **fields}))
        events = self.give(Command(self.t, Role(role), order, seed=self.t))
        answers = [event.body for event in events if isinstance(event, Answered)]
        assert len(answers) == 1
        return dict(answers[0])

    def ok(self, type: str, role: str = "table", **fields: Any) -> dict[str, Any]:
        """Give a command that must be accepted."""
        answer = self.command(type, role, **fields)
        assert answer["accepted"], answer
        return answer

    def refused(self, type: str, role: str = "table", **fields: Any) -> str:
        """Give a command that must be refused without any change; return the code."""
        before = digest(self.match)
        answer = self.command(type, role, **fields)
        assert not answer["accepted"], answer
        assert digest(self.match) == before
        assert answer["words"]
        return str(answer["code"])

    def hit(self, bed: str | None, later_ms: int = 5000, ago: int = 0) -> str:
        """Give a contact `later_ms` from now that happened `ago` ms earlier; return the reason if it did not count."""
        self.t += later_ms
        named = None if bed is None else parse_bed(bed)
        beds = readings(named) if named else ()
        dart = Dart(tuple((bed, 1 / len(beds)) for bed in beds), contact=Contact(1, 2))
        return self._why(self.give(Reading(self.t, self.t - ago, "board", dart)))

    def seen(self, *beds: str, confidence: float = 0.99, bounced: bool = False) -> str:
        """Give a dart seen by cameras, with `confidence` in the first bed; the other beds share the rest."""
        self.t += 5000
        named = [bed for name in beds if (bed := parse_bed(name))]
        others = [(bed, (1 - confidence) / (len(named) - 1)) for bed in named[1:]]
        dart = Dart(((named[0], confidence), *others), 1.0, 2.0, bounced)
        return self._why(self.give(Reading(self.t, self.t, "camera", dart)))

    def seen_unclear(self, later_ms: int = 5000) -> str:
        """Give a change that cameras saw without finding a dart."""
        self.t += later_ms
        return self._why(self.give(Reading(self.t, self.t, "camera", Dart(()))))

    def _observe(self, observed: Observed, sensor: str = "board") -> None:
        self.give(Reading(self.t, self.t, sensor, observed))

    def knock(self) -> None:
        """Give a knock without a contact."""
        self.t += 5000
        self._observe(Knock(500))

    def press(self, button: str, ago: int = 0) -> None:
        """Press a button of the board, with a press that happened `ago` ms earlier."""
        self.t += 5000
        self.give(Reading(self.t, self.t - ago, "board", Button(ButtonName(button))))

    def wait(self, ms: int = 5000) -> None:
        """Let time pass, then give a tick."""
        self.t += ms
        self.give(Tick(self.t))

    def empty(self) -> None:
        """Report an empty board from the cameras."""
        self.t += 500
        self._observe(Cleared(), "camera")

    def restart(self) -> None:
        """Restart the host after a minute."""
        self.t += 60_000
        self.give(Restarted(self.t))

    def throw(self, bed: str) -> str:
        """Announce a dart where needed, throw it and remove it."""
        if self.match.options.arming == "announce":
            self.ok("announce_throw")
        why = self.hit(bed)
        if self.match.phase.name == "settling":
            self.ok("ready")
        return why

    def move(self, *moves: str) -> None:
        """Play moves of both sides in turn."""
        for move in moves:
            self.ok("move", move=move)

    def set_up(self, position: Position) -> None:
        """Set up a position as the arbiter."""
        self.ok("set_position", "arbiter", position=position_text(position))

    @property
    def text(self) -> str:
        """Return the position string."""
        return position_text(self.match.position)

    @property
    def ended(self) -> tuple[str | None, str | None]:
        """Return result and reason."""
        return self.match.result, self.match.reason

    @property
    def message(self) -> str:
        """Return the code of the message on the display."""
        return self.match.message.code

    @property
    def due(self) -> int | None:
        """Return the ms from now to the next tick."""
        at = deadline(self.match)
        return None if at is None else at - self.t

    def event_codes(self) -> list[str]:
        """Return the codes of the last events."""
        return [event.code for event in self.events if isinstance(event, Happened)]

    @staticmethod
    def _why(events: tuple[Event, ...]) -> str:
        readings = [event for event in events if isinstance(event, HitReport)]
        assert len(readings) == 1
        assert readings[0].counted == (readings[0].why == "")
        return readings[0].why
