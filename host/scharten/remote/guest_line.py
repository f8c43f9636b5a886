"""The line from a guest's board to the host of its game: readings and commands go out, the host's topics come in.

A board forgets a reading only when the host's journal has it. What the host publishes appears on the board's own
topics, so that pages, lamps and the caller of this house need to know nothing. Handlers never wait; the worker does the
rest.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scharten.contract.topics import Topic
from scharten.dartboard.lines import Lamp
from scharten.errors import Problem
from scharten.match.codec import encode_input
from scharten.match.inputs import Command, Reading, Receipt
from scharten.match.state import Match
from scharten.mqtt.client import ConnectionState, ConnectionStatus
from scharten.remote.files import GuestState, read_outbox, write_guest, write_line, write_outbox
from scharten.remote.guest_commands import GuestCommand, GuestCommands
from scharten.remote.guest_side import GuestSide
from scharten.remote.host_side import AWAY_MS
from scharten.remote.invitation import read_link
from scharten.remote.lines import KEPT, PASSING, GuestLines, NewestState
from scharten.remote.messages import NOT_FROM_AFAR, GuestReading, Hello, Proof, Sensor, Taken, read
from scharten.remote.offset import ClockOffset
from scharten.remote.pictures import Pictures
from scharten.remote.proof import ProofKeeper
from scharten.remote.settings import RemoteSection
from scharten.remote.way import way_to

log = logging.getLogger(__name__)

HELLO_MS = 500
REFUSED_MS = 60_000
"""How long a host that refuses the key is asked again; so long it may think about somebody from the lobby."""
GONE_MS = 3_600_000
"""Without the host for an hour the board is its own again."""
LARGEST = 1024 * 1024
LINE_DOWN = "the line to the other board is down"


@dataclass(frozen=True, slots=True)
class GuestParts:
    """The parts of the daemon that a guest uses.

    `divert` gives the readings of the board to a function, or (None) back to the referee; `show` sets its lamp. `mute`
    keeps the own referee's publications back. `keep` and `publish` write on the board's own topics. `bring_home` brings
    the games that are due into the own journal; `registered` finds the id of a player by name, "" for others.
    """

    folder: Path
    settings: RemoteSection
    match: Callable[[], Match]
    divert: Callable[[Callable[[Reading], object] | None], object]
    acknowledge: Callable[[Receipt], object]
    show: Callable[[Lamp], object]
    mute: Callable[[bool], object]
    keep: Callable[[str, bytes], object]
    publish: Callable[[str, bytes], object]
    answer: Callable[[str, Mapping[str, Any]], object]
    bring_home: Callable[[], object]
    registered: Callable[[str], str]
    cameras: bool
    sensors: Callable[[], list[tuple[str, str]]]
    now_ms: Callable[[], int]
    warn: Callable[[str, str | None], object]


class GuestLine:
    """The connection of one game, from `start` until the board is its own again.

    `work` runs a function in the guest's worker, which may write files; `over` is called there with the reason why the
    board is its own again.
    """

    def __init__(
        self,
        parts: GuestParts,
        state: GuestState,
        work: Callable[[Callable[[], object]], object],
        over: Callable[[str], object],
    ) -> None:
        self._at, self.state, self._work, self._over = parts, state, work, over
        self._side, self.offset = GuestSide(), ClockOffset()
        for message in read_outbox(parts.folder):
            self._side = self._side.with_reading(message)
        self.signal_ms, self.silent, self._host_waits = parts.now_ms(), False, False
        self._began_ms = self.signal_ms
        self._leaves_n = 0
        """The first hello that says that this board leaves, 0 while it plays."""
        self._rows: int | None = None
        """How many inputs the game has, once this board leaves it."""
        self._hello_ms = self._hello_n = self._refused_ms = 0
        self._proof = ProofKeeper(parts.folder)
        self._proof.load(state.match)
        self._commands = GuestCommands()
        self._lock = threading.RLock()  # guards side, state and commands, which three threads change
        link = read_link(state.link)
        assert not isinstance(link, Problem)
        self._way = way_to(link, parts.settings)
        self._pictures = Pictures(parts.folder, self._publish_picture, work, self._refuse_picture)
        self._newest = NewestState()
        self._lines = self._make_lines()

    @property
    def connected(self) -> bool:
        """Whether the host has answered since the board was given away."""
        return bool(self.offset.samples)

    @property
    def state_name(self) -> str:
        """Return `playing`, `asked` before the host's first answer, `away` after a silence, or `waits`."""
        if not self.connected and not self.state.match:
            return "asked"
        if self._host_waits and not self.silent:
            return "waits"
        return "away" if self.silent else "playing"

    @property
    def waiting(self) -> int:
        """How many readings the host's journal does not have yet."""
        return len(self._side.waiting)

    @property
    def differs(self) -> str:
        """The first difference between the host's game and this machine's referee."""
        return self._proof.differs

    @property
    def game_over(self) -> bool:
        """Whether the game has a result, as far as the proof goes."""
        return self._proof.is_over

    @property
    def has_all(self) -> bool:
        """Whether the proof is whole, or cannot become so."""
        whole = self._rows is not None and self._proof.have >= self._rows
        return whole or self.silent or not (self.connected and self._lines.connected)

    def start(self) -> None:
        """Give the board away, and connect."""
        self._at.mute(True)
        self._at.divert(self._on_reading)
        self._lines.start()

    def stop(self) -> None:
        """Disconnect; the board stays away for the next start."""
        self._lines.stop()
        self._way.close()

    def take_back(self) -> None:
        """Disconnect and make the board its own again."""
        self.stop()
        self._at.divert(None)
        self._at.mute(False)
        self._at.warn("remote", None)

    def leave(self) -> None:
        """Report to the host that the board leaves; it sends what the proof lacks."""
        self._leaves_n = self._leaves_n or self._hello_n + 1
        self._send_hello()

    def tick(self) -> None:
        """Send what is due, and notice silence; the worker calls this all the time."""
        now = self._at.now_ms()
        if now - self._hello_ms >= HELLO_MS:
            self._send_hello()
        self._send_due()
        self._give_up(now)
        self._pictures.tick(self.state.match, now)
        self.silent = now - self.signal_ms >= AWAY_MS
        if now - self.signal_ms >= GONE_MS:
            self._over("gone")
        elif self._refused_ms and now - self._refused_ms > REFUSED_MS:
            self._at.warn("remote", "The host does not let this board in any more: the invitation has ended.")
            self._over("refused")

    def _make_lines(self) -> GuestLines:
        lines = GuestLines(self.state, self._way, self._on_status)
        lines.subscribe_states(self._on_state)
        for kept in KEPT:
            lines.subscribe(kept.value, self._on_kept)
        for passing in PASSING:
            lines.subscribe(passing.value, self._on_passing)
        lines.subscribe(f"answer/{self.state.seat}", self._on_answer)
        lines.subscribe(self._own("taken"), self._on_taken, on_both=True)
        lines.subscribe(self._own("proof"), self._on_proof)
        lines.subscribe(self._own("shown"), self._on_picture)
        return lines

    # --- the board's readings, in the sensor's thread ---

    def _on_reading(self, given: Reading) -> None:
        with self._lock:
            message = self._message(given)
            self._side = self._side.with_reading(message)
            self._proof.sent(message, dated=given.at_ms >= self._began_ms)
            self._pictures.note(given, message.at_ms, self._at.now_ms())
            if given.receipt is None:
                self._store_outbox()
        self._send_due()

    def _message(self, given: Reading) -> GuestReading:
        receipt = given.receipt
        if receipt is None:
            receipt = Receipt(self.state.session, self.state.next)
            self._set(next=self.state.next + 1)
        self._side, at_ms = self._side.host_time(given.at_ms, self.offset.offset_ms)
        raw = encode_input(given)
        rest = ("input", "t_ms", "at_ms", "sensor", "receipt", "revises", "place")
        what = {key: value for key, value in raw.items() if key not in rest}
        body = {"v": 1, "id": [receipt.session, receipt.number], "at_ms": at_ms, "sensor": given.sensor}
        return GuestReading.model_validate_json(json.dumps({**body, "what": what, "revises": given.revises}))

    def _set(self, **changed: object) -> None:
        self.state = self.state.model_copy(update=changed)
        write_guest(self._at.folder, self.state)

    def _store_outbox(self) -> None:
        session = self.state.session
        waiting = [kept.message for kept in self._side.waiting if kept.message.id[0] == session]
        write_outbox(self._at.folder, waiting)

    # --- to the host ---

    def _own(self, topic: str) -> str:
        return f"guest/{self.state.seat}/{topic}"

    def _send_due(self) -> None:
        """Send what waits, once the host has answered: before that it may not have let this board in."""
        if not self._lines.connected or not self.connected:
            return
        with self._lock:
            trip = self.offset.best.round_trip_ms if self.offset.best else 0
            self._side, due = self._side.due(self._at.now_ms(), trip)
            for message in due:
                self._lines.publish(self._own("reading"), message.encoded(), on_both=True)
            self._commands, asked = self._commands.due(self._at.now_ms(), trip)
            for command in asked:
                self._lines.publish(f"command/{self.state.seat}", command.body)

    def _send_hello(self) -> None:
        best, now = self.offset.best, self._at.now_ms()
        if not self._lines.connected:
            return
        self._hello_n, self._hello_ms = self._hello_n + 1, now
        hello = Hello(
            n=self._hello_n,
            sent_ms=self._at.now_ms(),
            offset_ms=self.offset.offset_ms,
            round_trip_ms=best.round_trip_ms if best else None,
            sensors=[Sensor(name=name, state=state) for name, state in self._at.sensors()],
            match=self._proof.match,
            have=self._proof.have,
            differs=self._proof.differs[:200],
            leaves=self._leaves_n > 0,
        )
        self._lines.publish(self._own("hello"), hello.encoded())

    def on_command(self, command: Command) -> None:
        """A page of this house commands: pass it on as the guest's seat, until the host has answered."""
        state, order, role = self.state, command.order, command.role.value
        if order.type in NOT_FROM_AFAR or role not in ("table", state.seat):
            self._at.answer(role, _refusal(order.id, "this board plays at another host"))
            return
        if not self._lines.connected:
            self._at.answer(role, _refusal(order.id, LINE_DOWN, "paused"))
            return
        body = order.model_dump(mode="json", exclude_unset=True)
        body.pop("side", None)
        asked = GuestCommand(order.id, role, json.dumps(body).encode(), self._at.now_ms())
        with self._lock:
            self._commands = self._commands.with_command(asked)
        self._send_due()

    def _give_up(self, now_ms: int) -> None:
        """Refuse the commands that the host has not answered for too long."""
        with self._lock:
            self._commands, late = self._commands.given_up(now_ms)
        for command in late:
            self._at.answer(command.role, _refusal(command.id, LINE_DOWN, "paused"))

    # --- from the host, in the client's thread ---

    def _on_status(self, status: ConnectionStatus) -> None:
        if status.connected:
            with self._lock:
                self._side, self._newest = self._side.reconnected(), NewestState()
                self._commands = self._commands.reconnected()
            self._work(self._send_hello)
        refused = status.state is ConnectionState.REFUSED
        self._refused_ms = (self._refused_ms or self._at.now_ms()) if refused else 0

    def _on_kept(self, topic: str, payload: bytes, _retained: bool) -> None:
        self._at.keep(topic.rpartition("/")[2], payload)

    def _on_state(self, payload: bytes, spare: bool) -> None:
        """Show a state, and set the lamp of this board: it belongs to the seat here."""
        try:
            state = json.loads(payload)
            mine = state["seats"][self.state.seat] == state["side"]
            lamp = Lamp(state["lamp"]) if mine or state["lamp"] != 1 else Lamp(0)
            match, seq = state["match"], state["seq"]
        except (ValueError, KeyError, TypeError):
            return
        with self._lock:
            if not self._newest.is_news(match, seq, payload, spare=spare):
                return
            self._at.keep(Topic.STATE.value, payload)
        self._work(lambda: self._at.show(lamp))

    def _on_passing(self, topic: str, payload: bytes, _retained: bool) -> None:
        self._at.publish(topic.rpartition("/")[2], payload)

    def _on_answer(self, _topic: str, payload: bytes, _retained: bool) -> None:
        try:
            body = json.loads(payload)
            command_id = str(body["id"])
        except (ValueError, KeyError, TypeError):
            return
        with self._lock:
            self._commands, role = self._commands.answered(command_id)
        if role is not None:
            self._at.answer(role, body)

    def _on_taken(self, _topic: str, payload: bytes, _retained: bool) -> None:
        now, taken = self._at.now_ms(), read(payload, Taken, LARGEST)
        if isinstance(taken, Problem):
            log.warning("the host: %s", taken)
            self._at.warn("remote", f"The host: {taken}")
            return
        self.signal_ms = now
        if taken.n is not None and taken.sent_ms is not None and taken.host_ms is not None:
            first, self._host_waits = not self.connected, taken.waits
            self.offset = self.offset.with_sample(taken.sent_ms, taken.host_ms, now)
            if first:
                self._send_due()
        if taken.reading is not None:
            self._taken(Receipt(taken.reading[0], taken.reading[1]))
        answers_leave = taken.n is not None and 0 < self._leaves_n <= taken.n
        if taken.over or answers_leave:
            self._rows = taken.rows
        if taken.over:
            self._work(lambda: self._over(taken.over))

    def _taken(self, receipt: Receipt) -> None:
        """The host's journal has a reading: the board may forget it."""
        with self._lock:
            self._side = self._side.taken((receipt.session, receipt.number))
        if receipt.session == self.state.session:
            self._work(self._store_outbox)
        else:
            self._at.acknowledge(receipt)
            self._work(lambda: write_line(self._at.folder, receipt.session, receipt.number))

    def _on_picture(self, _topic: str, payload: bytes, _retained: bool) -> None:
        self._pictures.arrive(payload, self.state.match)

    def _refuse_picture(self, problem: Problem) -> None:
        log.warning("a picture of the host is refused: %s", problem)

    def _publish_picture(self, payload: bytes) -> bool:
        return self._lines.publish(self._own("picture"), payload)

    def _on_proof(self, _topic: str, payload: bytes, _retained: bool) -> None:
        proof = read(payload, Proof, LARGEST)
        if not isinstance(proof, Problem):
            self._work(lambda: self._prove(proof))

    def _prove(self, proof: Proof) -> None:
        before = self._proof.differs
        self._proof.take(proof)
        if self.state.match != self._proof.match:
            with self._lock:
                self._set(match=self._proof.match)
        if self._proof.differs != before:
            self._at.warn("remote_proof", f"The host's game differs from ours: {self._proof.differs}.")


def _refusal(command_id: str, words: str, code: str = "not_allowed") -> dict[str, Any]:
    args = {"why": "role"} if code == "not_allowed" else {}
    body = {"v": 2, "id": command_id, "accepted": False, "pending": False}
    return {**body, "code": code, "args": args, "words": words}
