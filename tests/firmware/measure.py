"""The measurements behind `make -C firmware bench`, also used in a short form by its tests."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from firmware.driver import Board, Port, Said, events, hellos
from scharten.dartboard.lines import HitLine, KnockLine, StuckLine, ack
from scharten.dartboard.link import Dropped, HostLink, LineReader, LineReceived, Lost, Reply

GAP_MS = 130
"""The time between two presses: the contact must open again, and the 100 ms after a hit must pass."""
BATCH = 3
"""Presses between two acknowledgements: the host answers before the board sends an event again."""


@dataclass(frozen=True)
class Press:
    """A planned press."""

    drive: int
    sense: int
    at_us: float
    closed_ms: float
    bounce_ms: float


@dataclass
class Presses:
    """The results of a series of presses; latencies in ms from the first touch to the end of the line's last byte."""

    pressed: int = 0
    missed: int = 0
    doubled: int = 0
    wrong: int = 0
    latencies: list[float] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """Return the latency that this share of the hits did not exceed."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def random_presses(
    board: Board, count: int, closed_ms: tuple[float, float], bounce_ms: float, inside: bool, seed: int = 1
) -> Presses:
    """Press random contacts. With `inside` the first bounce is part of the press's duration."""
    chance = random.Random(seed)
    result = Presses()
    for start in range(0, count, BATCH):
        batch = []
        for i in range(min(BATCH, count - start)):
            bounce = chance.uniform(0, bounce_ms)
            lasts = chance.uniform(*closed_ms)
            firm = max(lasts - bounce, 0.05) if inside else lasts
            place = chance.randrange(board.drives), chance.randrange(board.senses)
            delay_ms = 5 + i * GAP_MS + chance.uniform(0, 5)
            batch.append(Press(*place, board.now_us + delay_ms * 1000, firm, bounce))
            board.press(*place, delay_ms, firm, bounce, chance.randrange(1 << 30))
        board.run(len(batch) * GAP_MS + 10)
        said = board.take()
        _judge(batch, said, result)
        acknowledge(board, said)
    return result


def acknowledge(board: Board, said: list[Said]) -> None:
    """Acknowledge everything, as a host that stored it does."""
    if found := events(said):
        board.send(ack(found[-1].seq))


def _judge(batch: list[Press], said: list[Said], result: Presses) -> None:
    first_sent: dict[int, Said] = {}
    for item in said:
        if isinstance(item.line, HitLine):
            first_sent.setdefault(item.line.seq, item)
    ends = [press.at_us for press in batch[1:]] + [float("inf")]
    for press, end in zip(batch, ends, strict=True):
        own = [item for item in first_sent.values() if press.at_us <= item.from_us < end]
        result.pressed += 1
        result.missed += not own
        result.doubled += len(own) > 1
        for item in own:
            hit = item.line
            assert isinstance(hit, HitLine)
            result.wrong += (hit.contact.drive, hit.contact.sense) != (press.drive, press.sense)
            result.latencies.append((item.until_us - press.at_us) / 1000)


def clean_closures(board: Board, closed_ms: float, count: int, seed: int = 2) -> int:
    """Return how many of `count` clean closures the board saw, at random moments of the scan."""
    return count - random_presses(board, count, (closed_ms, closed_ms), 0, False, seed).missed


def shortest_always_seen(board: Board, item: int) -> float:
    """Return the shortest clean closure, in steps of 0.05 ms, from which on every closure was seen."""
    shortest = 1.5
    for step in range(29, 0, -1):
        if clean_closures(board, step * 0.05, item, step) < item:
            break
        shortest = step * 0.05
    return shortest


def resets(board: Board, count: int, seed: int = 3) -> int:
    """Reset at random microseconds around a hit; return how many resets lost or changed stored data."""
    chance = random.Random(seed)
    sound = 0
    for _ in range(count):
        board.calm()
        board.power(chance.randrange(1 << 30))
        board.settle()
        for i in range(3):
            board.press(i, i, 5 + GAP_MS * i)
        board.run(3 * GAP_MS + 20)
        board.press(5, 5, 1)
        board.run(5 + chance.uniform(0, 3))  # about when the window ends and the board stores the hit
        before = board.take()
        board.reset()
        board.run(900)
        later = board.take()
        kept = [(hit.seq, hit.contact.drive) for hit in events(later) if isinstance(hit, HitLine)]
        reported = [(hit.seq, hit.contact.drive) for hit in events(before) if isinstance(hit, HitLine)]
        whole = kept[: len(reported)] == reported and kept in (
            [(1, 0), (2, 1), (3, 2)],
            [(1, 0), (2, 1), (3, 2), (4, 5)],
        )
        sound += whole and all(line.session == hellos(later)[0].session for line in hellos(before))
    return sound


class Host:
    """A host with the project's link that stores everything at once."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.link = HostLink()
        self.reader = LineReader()
        self.got: list[HitLine | KnockLine | StuckLine] = []
        self.lost = 0
        self.port: Port | None = None

    def arrive(self) -> None:
        """Open the port and wait for the board's first line."""
        self.port = self.board.open_port()
        self.reader.reset()
        self.link.opened()

    def leave(self) -> None:
        """Close the port."""
        assert self.port is not None
        self.port.close()
        self.port = None

    def serve(self) -> None:
        """Receive lines, store them, acknowledge."""
        if self.port is None:
            return
        for line in self.reader.feed(self.port.read()):
            for outcome in self.link.receive(line):
                match outcome:
                    case LineReceived(session=session, line=event):
                        self.got.append(event)
                        self.port.write(self.link.stored(session, event.seq))
                    case Reply(data=data):
                        self.port.write(data)
                    case Lost() | Dropped():
                        self.lost += outcome.count


@dataclass(frozen=True)
class Noisy:
    """The results of a bad line."""

    pressed: int
    in_order: int  # all hits from the first on
    other: int  # arrived, but is not the next press
    lost: int  # as the board reported it
    damaged_bytes: int


def through_noise(board: Board, count: int, away_ms: float = 5000, per_million: int = 20000) -> Noisy:
    """Send hits at 8 a second with damage both ways, and the host away for a while in the middle."""
    chance = random.Random(4)
    host = Host(board)
    host.arrive()
    damaged = board.tell(f"damage {per_million} 7")["damaged"]
    wanted, away_from = [], count // 3
    for number in range(count):
        contact = chance.randrange(board.drives), chance.randrange(board.senses)
        board.press(*contact, 1, 2, 0.4, number)
        wanted.append(contact)
        if number == away_from:
            host.leave()
        if number == away_from + away_ms // 125:
            host.arrive()
        _let_pass(host, 125)
    if host.port is None:
        _let_pass(host, away_ms - (count - away_from) * 125)
        host.arrive()
    for _ in range(80):
        if len(host.got) >= count:
            break
        _let_pass(host, 100)
    damaged = board.tell("damage 0 7")["damaged"] - damaged
    host.leave()
    got = [(hit.contact.drive, hit.contact.sense) for hit in host.got if isinstance(hit, HitLine)]
    right = next((i for i, item in enumerate(got) if wanted[i : i + 1] != [item]), len(got))
    return Noisy(count, right, len(got) - right, host.lost, int(damaged))


def _let_pass(host: Host, ms: float, step: float = 12.5) -> None:
    for _ in range(round(ms / step)):
        host.board.run(step)
        host.serve()


def scan_figures(board: Board, ms: float) -> dict[str, float]:
    """Return the simulator's figures over this time with darts in it."""
    board.tell("clear")
    for i in range(int(ms / GAP_MS)):
        board.press(i % board.drives, i % board.senses, i * GAP_MS + 1, 3, 0.4, i)
    board.run(ms)
    figures = board.tell("stat")
    acknowledge(board, board.take())
    return figures
