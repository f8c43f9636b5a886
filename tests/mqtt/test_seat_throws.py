"""Darts of seats at the simulated board: passed on in that seat's turn, else dropped and reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from match.driver import Table
from scharten.contract.topics import Topics
from scharten.match.seats.throwers import may_throw
from scharten.match.white import Seat
from scharten.mqtt.intake import ThrowIntake

TOPICS = Topics("scharten", "home", "board1")
DART = b'{"v": 2, "x_mm": 0, "y_mm": 0}'


class Line:
    """A stand-in for the host's client that records the passed darts and the reported seats."""

    def __init__(self, table: Table) -> None:
        self.sent, self.noted = list[tuple[str, bytes]](), list[tuple[str, bool]]()
        self._handler: Callable[[str, bytes, bool], None]
        client: Any = self
        note = lambda seat, due: self.noted.append((seat, due))  # noqa: E731
        ThrowIntake(client, TOPICS, lambda seat: may_throw(table.match, Seat(seat)), note)

    def subscribe(self, topic: str, handler: Callable[[str, bytes, bool], None]) -> None:
        assert topic == "scharten/home/board1/simulator/throw/+"
        self._handler = handler

    def publish(self, topic: str, payload: bytes) -> None:
        self.sent.append((topic, payload))

    def throw(self, seat: str, retained: bool = False) -> bool:
        """Throw as a seat; return whether the dart was passed on."""
        before = len(self.sent)
        self._handler(f"scharten/home/board1/simulator/throw/{seat}", DART, retained)
        return len(self.sent) > before


def test_only_the_seat_to_throw_reaches_the_board() -> None:
    """In a loud game each seat's dart is passed on in its own turn only, and the other seat is reported."""
    table = Table()
    line = Line(table)
    white, black = ("seat1", "seat2") if table.match.white is Seat.SEAT1 else ("seat2", "seat1")
    assert line.throw(white) and not line.throw(black)
    assert line.noted == [(white, True), (black, False)]
    assert line.sent == [("scharten/home/board1/simulator/throw", DART)]
    table.throw("F3")
    assert table.match.side.word == "black"
    assert line.throw(black) and not line.throw(white)
    table.ok("pause")
    assert not line.throw(white)
    table.ok("resume")
    table.ok("resign", white)
    assert line.throw(white) and line.throw(black)  # between games every seat may practise


def test_darts_for_white_and_for_the_opening_alternate() -> None:
    """Each dart for White, and each in the draw of an opening, belongs to the seat whose turn it is."""
    table = Table(begin=False)
    table.ok("new_game", game="fischer_random", options={"white_by": "dart", "opening_by": "darts"})
    line = Line(table)
    assert line.throw("seat1") and not line.throw("seat2")
    table.hit("BULL")
    assert line.throw("seat2") and not line.throw("seat1")
    table.hit("D20")
    if table.match.phase.name == "settling":
        table.ok("ready")
    assert table.match.phase.name == "drawing"
    assert line.throw("seat1") and not line.throw("seat2")
    table.hit("F7")
    assert line.throw("seat2") and not line.throw("seat1")


def test_old_and_foreign_darts_are_dropped() -> None:
    """A retained dart is old, and no other role has such a topic."""
    line = Line(Table())
    assert not line.throw("seat1", retained=True) and not line.throw("arbiter")
    assert not line.noted
