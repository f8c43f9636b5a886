"""Every fault of a board on the line, under a real daemon: the time until `health` reports it."""

from __future__ import annotations

import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.lines import Heartbeat, HitLine, board_line, frame
from scharten.dartboard.profile import Contact
from scharten.games.scharten.board import bed_of, parse_field
from scharten.sensors.profiles import load_profile
from sensors.serial_bench import ByteBoard, hello

AIM_S = 3.0
PATIENCE_S = 40.0
SESSION = 77


class LiveBoard:
    """A board in its own thread: it answers the host, sends a heartbeat each second, and can be made to misbehave."""

    def __init__(self, link: Path) -> None:
        self.bytes = ByteBoard(link)
        self.silent = False
        self.holding = False
        """Whether the board sends at all, and whether it holds back its events."""
        self.copies = 1
        """The number of times it sends each line at once."""
        self.protocol = 1
        self.noise = b""
        self.jump_ms = 0
        self.dropped = 0
        self._unstored: dict[int, HitLine] = {}
        self._next = 1
        self._wanted = True
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def thrown_count(self) -> int:
        """The number of darts that the board has felt."""
        return self._next - 1

    @property
    def waiting(self) -> int:
        """The number of darts that the host has not acknowledged."""
        with self._lock:
            return len(self._unstored)

    @property
    def clock(self) -> int:
        """The board's own clock in ms."""
        return (time.monotonic_ns() // 1_000_000 + self.jump_ms) % 2**32

    def hit(self, bed: str) -> None:
        """Register a dart in a bed."""
        wanted = parse_bed(bed)
        contact = next(where for where, known in load_profile("simulated").beds.items() if known == wanted)
        with self._lock:
            self._unstored[self._next] = HitLine(
                self._next, Contact(contact.drive, contact.sense), self.clock
            )
            self._next += 1

    def greet(self) -> None:
        """Send an unrequested hello, as after a reset."""
        if self.protocol == 1:
            first = min(self._unstored, default=self._next)
            self.bytes.send(hello(SESSION, first, self._next, self.dropped, self.clock))
        else:
            self.bytes.send(frame(f"I,{self.protocol},9.9,newer,8,11,{SESSION},1,1,0,0"))

    def end(self) -> None:
        """End the thread and the port."""
        self._wanted = False
        self._thread.join(5)
        self.bytes.port.unplug()

    def _run(self) -> None:
        beat = said = 0.0
        while self._wanted:
            time.sleep(0.02)
            if not self.bytes.port.plugged or self.silent:
                continue
            received = self.bytes.port.read()
            now = time.monotonic()
            if b"?" in received:
                self.greet()
            self._stored(received)
            if self.noise:
                self.bytes.port.write(self.noise)
            if now - beat > 1:
                beat = now
                self.bytes.port.write(board_line(Heartbeat(self.clock)))
            if now - said > 0.25 and not self.holding:
                said = now
                with self._lock:
                    for hit in self._unstored.values():
                        self.bytes.port.write(board_line(hit) * self.copies)

    def _stored(self, received: bytes) -> None:
        for part in received.split(b"$A,")[1:]:
            number = int(part.partition(b"*")[0])
            with self._lock:
                self._unstored = {seq: hit for seq, hit in self._unstored.items() if seq > number}


@contextmanager
def at_the_board(folder: Path, config: str = FAST) -> Iterator[tuple[DaemonProcess, LiveBoard, Peer]]:
    """Run a real daemon with a game in play, whose serial board is the test's."""
    link = folder / "board"
    board = LiveBoard(link)
    daemon = DaemonProcess(
        folder / "data", f'{config}[source]\nkind = "serial"\n[source.serial]\nport = "{link}"\n'
    ).start()
    try:
        peer = daemon.peer("table")
        wait_for(lambda: peer.source == "found", PATIENCE_S, "the board")
        peer.new_game()
        yield daemon, board, peer
        peer.close()
        daemon.stop()
    finally:
        daemon.end()
        board.end()


@dataclass(frozen=True)
class Trouble:
    """A fault, the message that must appear, and its cure."""

    name: str
    begin: Callable[[LiveBoard], object]
    state: str
    words: str
    cure: Callable[[LiveBoard], object]

    @property
    def row(self) -> str:
        """The fault's name without spaces."""
        return self.name.replace(" ", "-")


def _set(**values: object) -> Callable[[LiveBoard], None]:
    def apply(board: LiveBoard) -> None:
        for name, value in values.items():
            setattr(board, name, value)

    return apply


def _another_version(board: LiveBoard) -> None:
    board.protocol = 2
    board.greet()


def _right_version(board: LiveBoard) -> None:
    board.protocol = 1
    board.greet()


TROUBLES = (
    Trouble(
        "unplugged",
        lambda board: board.bytes.port.unplug(),
        "lost",
        "unplugged",
        lambda board: board.bytes.port.plug(),
    ),
    Trouble("silent", _set(silent=True), "silent", "has been silent", _set(silent=False)),
    Trouble("babbling", _set(noise=os.urandom(400)), "silent", "mostly noise", _set(noise=b"")),
    Trouble("another protocol", _another_version, "wrong_protocol", "protocol 2", _right_version),
    Trouble(
        "its clock jumps", _set(jump_ms=3_600_000), "found", "clock jumped by +3600 s", lambda board: None
    ),
)


@dataclass(frozen=True)
class Reported:
    """The time until a fault was reported, and whether a dart counted afterwards."""

    name: str
    seconds: float
    counted: bool
    row: str


def troubles(
    daemon: DaemonProcess, board: LiveBoard, peer: Peer, wanted: Callable[[str], bool] = lambda row: True
) -> Iterator[Reported]:
    """Cause each fault once in one daemon that is never restarted; then throw a dart into a free bed."""
    for trouble in TROUBLES:
        if not wanted(trouble.row):
            continue
        began = time.monotonic()
        trouble.begin(board)
        wait_for(partial(_said, peer, trouble), PATIENCE_S, f"{trouble.name} in words")
        seconds = time.monotonic() - began
        if trouble.state != "found":
            # Without its board a game continues by hand: the status is green, with a message.
            wait_for(lambda: healthz(daemon) == (200, _in_words(peer)), PATIENCE_S, "healthz to say it")
        trouble.cure(board)
        wait_for(lambda: peer.source == "found", PATIENCE_S, f"the board to be back after: {trouble.name}")
        yield Reported(trouble.name, seconds, counts(board, peer), trouble.row)


def _in_words(peer: Peer) -> str:
    return f"serial: {peer.last['health']['sources'][0]['detail']}"


def _said(peer: Peer, trouble: Trouble) -> bool:
    source = peer.last["health"]["sources"][0]
    return source["state"] == trouble.state and trouble.words in source["detail"]


def counts(board: LiveBoard, peer: Peer) -> bool:
    """Throw a dart into the bed of a free field; return whether it makes a turn."""
    if not peer.state["drops"]:  # earlier tests have placed all pieces
        peer.new_game()
    before = peer.state["turns"]
    field = sorted(peer.state["drops"])[0]
    board.hit(bed_of_field(field))
    peer.wait(lambda state: state["turns"] > before, PATIENCE_S, "the dart to count")
    return bool(peer.state["turns"] == before + 1)


def damaged_lines(board: LiveBoard, peer: Peer, count: int = 200, seed: int = 1) -> int:
    """Send framed hits with one wrong character in text or checksum, then an intact one with the same number.

    Return how many counted: only the intact one may.
    """
    chance = random.Random(seed)
    before, fields = peer.state["turns"], sorted(peer.state["drops"])
    beds = [parse_bed(bed_of_field(field)) for field in fields[:2]]
    contacts = [
        where for bed in beds for where, known in load_profile("simulated").beds.items() if known == bed
    ]
    for _ in range(count):
        line = bytearray(board_line(HitLine(board.thrown_count + 1, contacts[1], board.clock)))
        places = [
            place for place, letter in enumerate(line) if chr(letter) in "0123456789ABCDEF" and place > 2
        ]
        place = chance.choice(places)
        line[place] = ord(chance.choice([digit for digit in "0123456789" if ord(digit) != line[place]]))
        board.bytes.send(bytes(line))
    board.hit(bed_of_field(fields[0]))
    peer.wait(lambda state: state["turns"] > before, PATIENCE_S, "the whole line to count")
    wait_for(lambda: not board.waiting, PATIENCE_S, "its acknowledgement")
    last = peer.state["last"]
    return int(peer.state["turns"]) - int(before) - 1 + int(last["bed"] != bed_of_field(fields[0]))


def every_dart(board: LiveBoard, peer: Peer, count: int = 30) -> int:
    """Throw darts one after another, each line sent three times at once; return how many did not count exactly once."""
    missing = 0
    board.copies = 3
    for _ in range(count):
        if not peer.state["drops"]:
            peer.new_game()
        missing += not counts(board, peer)
    board.copies = 1
    return missing


def bed_of_field(name: str) -> str:
    """Return the bed of a field when White sits at 3, as a board with separate singles closes it."""
    field = parse_field(name)
    assert field is not None
    return str(bed_of(field, 3))


@dataclass(frozen=True)
class Noise:
    """The effect of random bytes on the line on the daemon."""

    megabytes: int
    seconds: float
    grown_mb: float
    counted: bool


def random_bytes(daemon: DaemonProcess, board: LiveBoard, peer: Peer, megabytes: int, seed: int = 1) -> Noise:
    """Send random bytes as fast as the daemon reads them; then a dart must count."""
    chance = random.Random(seed)
    peer.forget()
    before, began = resident_mb(daemon), time.monotonic()
    board.silent = True  # only noise on the line
    for _ in range(megabytes * 16):
        board.bytes.send(chance.randbytes(65536))
    seconds, grown = time.monotonic() - began, resident_mb(daemon) - before
    board.bytes.send(b"\n")
    board.silent = False
    return Noise(megabytes, seconds, grown, counts(board, peer))


def resident_mb(daemon: DaemonProcess) -> float:
    """Return the daemon's memory in MB."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024


def healthz(daemon: DaemonProcess) -> tuple[int, str]:
    """Return the status of `/healthz`, and the reason why play is impossible or else any other fault."""
    try:
        with urllib.request.urlopen(f"{daemon.running['web']}/healthz", timeout=40) as answer:
            return answer.status, " ".join(json.load(answer)["troubles"])
    except urllib.error.HTTPError as error:
        return error.code, " ".join(json.load(error)["reasons"])
