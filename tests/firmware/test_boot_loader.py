"""A board behind its boot loader: the host gets it running whenever its port appears or RESET is pressed.

The loaders are models of what a host notices of Arduino's own: any byte in the time after a reset in which they listen
begins a flash session, and only silence ends it. Behind them runs the real program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from firmware.driver import FULL, Board, Port
from scharten.dartboard.lines import ack, query
from scharten.dartboard.link import LineReceived
from scharten.dartboard.profile import BoardProfile
from scharten.sensors.board_talk import BoardTalk, Now, PortEvent, PortState, PortStatus
from scharten.sensors.profiles import load_profile

pytestmark = pytest.mark.avr


@dataclass(frozen=True)
class Loader:
    """A boot loader: how long it listens after a reset, and when it gives up a flash session after the last byte."""

    kind: str
    lines: tuple[int, int]
    listens_s: float
    session_s: float


LOADERS = [
    pytest.param(Loader("mega2560", (8, 11), 0.8, 9.0), id="stk500v2"),
    pytest.param(Loader("uno", (8, 8), 1.0, 1.0), id="optiboot"),
]
STEP_MS = 25
ANSWER_S = 2.5
"""The time after the loader ends: a heartbeat, the question, the hello."""


class Host:
    """The daemon's protocol on the pty in simulated time; it stores at once and sets the lamp on request."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.talk = BoardTalk.start(_profile(board))
        self.port: Port | None = None
        self.events: list[PortEvent] = []

    def now(self) -> Now:
        """Return the board's time as the host's."""
        ms = int(self.board.now_us / 1000)
        return Now(1_700_000_000_000 + ms, ms)

    def open(self) -> None:
        """Open the port."""
        self.port = self.board.open_port()
        self.events += self.talk.opened(self.board.pty, self.now()).events

    def run(self, seconds: float) -> None:
        """Advance time as the reading thread does: it takes bytes at once, and runs in idle moments too."""
        for _ in range(round(seconds * 1000 / STEP_MS)):
            self.board.run(STEP_MS)
            if self.port is None:
                continue
            for said in (self.talk.received(self.port.read(), self.now()), self.talk.idle(self.now())):
                self.events += said.events
                self.port.write(said.reply)
                for event in said.events:
                    if isinstance(event, LineReceived):
                        self.port.write(self.talk.stored(event.session, event.line.seq, self.now()))

    def until_up(self, at_most_s: float) -> None:
        """Advance time until the board is up; fail after the limit."""
        for _ in range(round(at_most_s * 10)):
            self.run(0.1)
            if _is_up(self):
                return
        raise AssertionError(self.events)

    def lamp(self, state: int) -> None:
        """Change the lamp, as the referee does after each action of the players."""
        assert self.port is not None
        self.port.write(self.talk.set_lamp(state, self.now()))

    def hits(self) -> int:
        """Return the number of stored darts."""
        return sum(isinstance(event, LineReceived) for event in self.events)

    def close(self) -> None:
        """Close the port."""
        if self.port is not None:
            self.port.close()


def _profile(board: Board) -> BoardProfile:
    full = load_profile("reference-8x11")
    kept = {c: bed for c, bed in full.beds.items() if c.drive < board.drives and c.sense < board.senses}
    return replace(full, drives=board.drives, senses=board.senses, beds=kept)


@pytest.fixture(scope="module", params=LOADERS)
def loaded(request: pytest.FixtureRequest) -> Iterator[tuple[Board, Loader]]:
    """Each board with its boot loader."""
    loader: Loader = request.param
    board = Board(loader.kind, *loader.lines)
    board.tell("log 0")
    board.tell(f"boot {loader.listens_s * 1e6} {loader.session_s * 1e6}")
    yield board, loader
    board.close()


@pytest.fixture
def host(loaded: tuple[Board, Loader]) -> Iterator[Host]:
    """A host without a port beside a board without power."""
    board, _ = loaded
    board.calm()
    board.tell("dtr 0")
    host = Host(board)
    yield host
    host.close()


def _is_up(host: Host) -> bool:
    states = [event.state for event in host.events if isinstance(event, PortStatus)]
    return bool(states) and states[-1] is PortState.UP


MOMENTS = (
    [*((at, 0) for at in (0, 0.2, 0.5, 0.75, 0.95, 1.4, 2)), *((at, 1) for at in (0, 0.5, 2))]
    if FULL
    else [(0.5, 0), (0.95, 0), (0.5, 1)]
)


@pytest.mark.parametrize(("appears_s", "dtr"), MOMENTS)
def test_a_port_that_appears_at_any_moment_comes_up(
    loaded: tuple[Board, Loader], host: Host, appears_s: float, dtr: int
) -> None:
    """The port opens 0 to 2 s after power, with the reset by DTR or with 10 uF against it. The board is up as
    soon as its loader has ended and it has sent its hello, with all settings."""
    board, loader = loaded
    board.tell(f"dtr {dtr}")
    board.power(int(appears_s * 10) + 2)
    host.run(appears_s)
    host.open()
    host.until_up(loader.listens_s + ANSWER_S)
    board.press(2, 3, 1, 3)
    host.run(0.1)
    assert host.hits() == 1


def test_reset_pressed_in_play(loaded: tuple[Board, Loader], host: Host) -> None:
    """RESET during darts and lamp changes, at moments across the heartbeat's second: the loader never locks.
    The dart before it counts once, the dart after it counts, and the lamp is right."""
    board, loader = loaded
    board.power(3)
    host.open()
    host.until_up(loader.listens_s + ANSWER_S)
    moments = range(0, 6, 1 if FULL else 4)
    for n in moments:
        before = host.hits()
        board.press(n % 8, n % 7, 1, 3)
        host.run(0.15 + n * 0.17)
        board.reset()
        host.run(0.4)
        host.lamp(1 + n % 3)
        host.run(loader.listens_s - 0.4 + ANSWER_S)
        board.press(n % 8, (n + 1) % 7, 1, 3)
        host.run(0.2)
        assert host.hits() == before + 2, n
        assert _is_up(host)
    host.run(1.1)
    board.tell("log 1")
    board.send(query())
    board.run(80)
    assert any(said.text.startswith(f"$V,lamp,{1 + moments[-1] % 3}*") for said in board.take())
    board.tell("log 0")


def test_the_model_locks_if_the_host_sends_first(loaded: tuple[Board, Loader], host: Host) -> None:
    """The reason for the rule: with two questions a second from 0.3 s on, stk500v2 never ends; without them
    it does."""
    board, loader = loaded
    board.power(4)
    port = board.open_port()
    board.run(300)
    for _ in range(int(2 * (loader.session_s + 1.5))):
        port.write(query() + ack(1))
        board.run(500)
    received = port.read()
    assert (b"$P" in received) == (loader.session_s < 0.5)
    board.run(loader.session_s * 1000 + 1200)
    assert b"$P" in port.read()
    port.close()


def test_a_board_locked_by_another_program_comes_up_by_itself(
    loaded: tuple[Board, Loader], host: Host
) -> None:
    """Another program's bytes lock the loader. The host stays silent, and its last resort comes after the
    loader gave up."""
    board, loader = loaded
    board.power(5)
    board.run(200)
    board.send(b"AT\r\n")
    host.open()
    host.run(loader.session_s)
    host.until_up(0.5 + ANSWER_S)
