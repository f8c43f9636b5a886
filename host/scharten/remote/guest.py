"""The guest of a game between two boards: this machine's board plays at another host.

While the board plays elsewhere, its readings go to the host and not to the own referee. A board forgets a reading only
when the host's journal has it. What the host publishes appears on the board's own topics, so that pages, lamps and the
caller of this house need to know nothing. Handlers never wait; the worker does the rest.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
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
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import ConnectionState, ConnectionStatus, MqttClient
from scharten.remote.asking import Asking
from scharten.remote.door import GUEST
from scharten.remote.files import GuestState, read_guest, read_outbox, write_guest, write_line, write_outbox
from scharten.remote.guest_side import GuestSide
from scharten.remote.host_side import AWAY_MS
from scharten.remote.invitation import read_link
from scharten.remote.messages import NOT_FROM_AFAR, Accept, GuestReading, Hello, Proof, Sensor, Taken, read
from scharten.remote.offset import ClockOffset
from scharten.remote.proof import ProofKeeper
from scharten.system.secrets import new_secret
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

ROUND_S, HELLO_MS = 0.1, 500
GONE_MS = 3_600_000
"""Without the host for an hour the board is its own again."""
LARGEST = 1024 * 1024
KEPT = (Topic.STATE, Topic.SHEET, Topic.ADVICE)
PASSING = (Topic.EVENTS, Topic.HITS, Topic.SAID)


@dataclass(frozen=True, slots=True)
class GuestParts:
    """The parts of the daemon that a guest uses.

    `divert` gives the readings of the board to a function, or (None) back to the referee; `show` sets its lamp. `mute`
    keeps the own referee's publications back. `keep` and `publish` write on the board's own topics.
    """

    folder: Path
    match: Callable[[], Match]
    divert: Callable[[Callable[[Reading], object] | None], object]
    acknowledge: Callable[[Receipt], object]
    show: Callable[[Lamp], object]
    mute: Callable[[bool], object]
    keep: Callable[[str, bytes], object]
    publish: Callable[[str, bytes], object]
    answer: Callable[[str, Mapping[str, Any]], object]
    cameras: bool
    sensors: Callable[[], list[tuple[str, str]]]
    now_ms: Callable[[], int]
    warn: Callable[[str, str | None], object]


class RemoteGuest:
    """At most one game at a time."""

    def __init__(self, parts: GuestParts) -> None:
        self._at = parts
        self.state: GuestState | None = None
        self._asking: Asking | None = None
        self._client: MqttClient | None = None
        self._side, self._offset = GuestSide(), ClockOffset()
        self._proof = ProofKeeper(parts.folder)
        self._signal_ms = self._hello_ms = self._hello_n = 0
        self._silent = False
        self._refused_ms = 0
        self._leaving = ""
        self._asked_by: dict[str, str] = {}
        self._lock = (
            threading.RLock()
        )  # guards side and state, which the sensor's and the client's thread change
        self._work: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self.worker = Worker("remote-guest", self._run)

    def start(self) -> None:
        """Go on with a game that this machine was the guest of, and start the worker."""
        self.state = read_guest(self._at.folder)
        if self.state is not None and self.state.away:
            self._divert()
        self.worker.start()

    def stop(self) -> None:
        """Leave the host; the next start comes back to it."""
        self._stopping.set()
        self._work.put(lambda: None)
        self.worker.join(5)
        for client in (self._client, self._asking):
            if client is not None:
                client.stop() if isinstance(client, MqttClient) else client.close()

    @property
    def away(self) -> bool:
        """Whether the board plays at another host now."""
        return self.state is not None and self.state.away

    # --- for pages and commands; these wait for the network ---

    def ask(self, text: str) -> Problem | dict[str, Any]:
        """Read what an invitation offers."""
        link = read_link(text)
        if isinstance(link, Problem):
            return link
        if self._asking is not None:
            self._asking.close()
        self._asking = asking = Asking(link)
        problem = asking.ask()
        if problem is not None or asking.found is None:
            asking.close()
            self._asking = None
            return problem or Problem("no_offer", "there is no offer")
        return {**asking.found.offer.model_dump(exclude={"proof", "v"}), "host": f"{link.host}:{link.port}"}

    def accept(self, name: str = "", player: str = "") -> Problem | None:
        """Say yes to the invitation that was read, and give the board away."""
        asking = self._asking
        if asking is None or asking.found is None:
            return Problem("no_offer", "no invitation was read", cure="Enter the invitation again.")
        if self._at.match().under_way:
            return Problem("game_on", "a game is still going on at this board", cure="End it first.")
        if self.away:
            return Problem("guest_here", "this board plays at another host already", cure="Leave it first.")
        found, key = asking.found, new_secret()
        state = GuestState(
            link=str(asking.link),
            pin=found.pin,
            root=found.root,
            seat=found.offer.seat,
            key=key,
            by=found.offer.by,
            name=name,
            player=player,
            session=2**32 + secrets.randbits(31),
        )
        try:
            write_guest(self._at.folder, None)
            write_guest(self._at.folder, state)
        except OSError as error:
            return Problem(
                "disk", f"the game cannot be stored: {error.strerror or error}", cure="Make room on the disk."
            )
        asking.accept(Accept(key=key, name=name, cameras=self._at.cameras))
        self.state = state
        self._divert()
        return None

    def resume(self) -> Problem | None:
        """Go on with an adjourned game."""
        if self.state is None or self.state.away:
            return Problem("no_offer", "no game was adjourned")
        if self._at.match().under_way:
            return Problem("game_on", "a game is still going on at this board", cure="End it first.")
        self.state = self.state.model_copy(update={"away": True})
        write_guest(self._at.folder, self.state)
        self._divert()
        return None

    def leave(self, *, for_good: bool = False) -> None:
        """Take the board back; the game can go on another day unless `for_good`."""
        self._leaving = "given_up" if for_good else "left"
        self._work.put(self._leave)

    def status(self) -> dict[str, Any] | None:
        """Return what the guest's pages show; None if this machine is nobody's guest."""
        state, best = self.state, self._offset.best
        if state is None:
            return None
        return {
            "side": "guest",
            "state": ("away" if self._silent else "playing") if state.away else "adjourned",
            "seat": state.seat,
            "by": state.by,
            "signal_ms": self._signal_ms or None,
            "round_trip_ms": best.round_trip_ms if best else None,
            "offset_ms": self._offset.offset_ms,
            "waiting": len(self._side.waiting),
            "differs": self._proof.differs,
            "sends": ["darts", "pictures"] if self._at.cameras else ["darts"],
        }

    # --- giving the board away ---

    def _divert(self) -> None:
        state = self.state
        assert state is not None
        at, link = self._at, read_link(state.link)
        assert not isinstance(link, Problem)
        self._side, self._offset = GuestSide(), ClockOffset()
        for message in read_outbox(at.folder):
            self._side = self._side.with_reading(message)
        self._signal_ms, self._silent, self._leaving = at.now_ms(), False, ""
        self._proof = ProofKeeper(at.folder)
        self._proof.load(state.match)
        login = Credentials(GUEST, state.key)
        address = BrokerAddress(link.host, link.port, tls=True, account=login, pinned=state.pin)
        client = MqttClient(address, name="guest", on_status=self._on_status, quick=True)
        own = f"{state.root}/guest/{state.seat}"
        for kept in KEPT:
            client.subscribe(f"{state.root}/{kept.value}", self._on_kept)
        for passing in PASSING:
            client.subscribe(f"{state.root}/{passing.value}", self._on_passing)
        client.subscribe(f"{state.root}/answer/{state.seat}", self._on_answer)
        client.subscribe(f"{own}/taken", self._on_taken)
        client.subscribe(f"{own}/proof", self._on_proof)
        self._client = client
        at.mute(True)
        at.divert(self._on_reading)
        client.start()

    def _take_back(self) -> None:
        """The board is its own again."""
        client, self._client = self._client, None
        if client is not None:
            client.stop()
        self._at.divert(None)
        self._at.mute(False)
        self._at.warn("remote", None)

    def _end(self, why: str) -> None:
        """Take the board back; keep what a later day needs, unless the game is over."""
        state = self.state
        self._take_back()
        if state is not None and why not in ("over", "lapsed", "given_up", "refused"):
            self.state = state.model_copy(update={"away": False})
            write_guest(self._at.folder, self.state)
        else:
            self.state = None
            write_guest(self._at.folder, None)

    # --- the board's readings, in the sensor's thread ---

    def _on_reading(self, given: Reading) -> None:
        with self._lock:
            message = self._message(given)
            self._side = self._side.with_reading(message)
            self._proof.sent(message)
            if given.receipt is None:
                self._store_outbox()
        self._send_due()

    def _message(self, given: Reading) -> GuestReading:
        assert self.state is not None
        receipt = given.receipt
        if receipt is None:
            receipt = Receipt(self.state.session, self.state.next)
            self.state = self.state.model_copy(update={"next": self.state.next + 1})
            write_guest(self._at.folder, self.state)
        self._side, at_ms = self._side.host_time(given.at_ms, self._offset.offset_ms)
        raw = encode_input(given)
        rest = ("input", "t_ms", "at_ms", "sensor", "receipt", "revises", "place")
        what = {key: value for key, value in raw.items() if key not in rest}
        body = {"v": 1, "id": [receipt.session, receipt.number], "at_ms": at_ms, "sensor": given.sensor}
        return GuestReading.model_validate_json(json.dumps({**body, "what": what, "revises": given.revises}))

    def _store_outbox(self) -> None:
        assert self.state is not None
        session = self.state.session
        waiting = [kept.message for kept in self._side.waiting if kept.message.id[0] == session]
        write_outbox(self._at.folder, waiting)

    # --- to the host ---

    def _own(self, topic: str) -> str:
        assert self.state is not None
        return f"{self.state.root}/guest/{self.state.seat}/{topic}"

    def _send_due(self) -> None:
        client = self._client
        if client is None or not client.status.connected or not self._offset.samples:
            return
        with self._lock:
            trip = self._offset.best.round_trip_ms if self._offset.best else 0
            self._side, due = self._side.due(self._at.now_ms(), trip)
            for message in due:
                client.publish(self._own("reading"), message.encoded())

    def _send_hello(self, *, leaves: bool = False) -> None:
        client, best, now = self._client, self._offset.best, self._at.now_ms()
        if client is None or not client.status.connected:
            return
        self._hello_n, self._hello_ms = self._hello_n + 1, now
        hello = Hello(
            n=self._hello_n,
            sent_ms=self._at.now_ms(),
            offset_ms=self._offset.offset_ms,
            round_trip_ms=best.round_trip_ms if best else None,
            sensors=[Sensor(name=name, state=state) for name, state in self._at.sensors()],
            match=self._proof.match,
            have=self._proof.have,
            differs=self._proof.differs[:200],
            leaves=leaves,
        )
        client.publish(self._own("hello"), hello.encoded())

    def on_command(self, command: Command) -> None:
        """A page of this house commands: pass it on as the guest's seat."""
        state, order, role = self.state, command.order, command.role.value
        if state is None or self._client is None:
            return
        if order.type in NOT_FROM_AFAR or role not in ("table", state.seat):
            self._at.answer(role, _refusal(order.id, "this board plays at another host"))
            return
        self._asked_by[order.id] = role
        while len(self._asked_by) > 64:
            self._asked_by.pop(next(iter(self._asked_by)))
        body = order.model_dump(mode="json", exclude_unset=True)
        body.pop("side", None)
        sent = self._client.publish(f"{state.root}/command/{state.seat}", json.dumps(body).encode())
        if not sent:
            self._at.answer(role, _refusal(order.id, "the line to the other board is down", "paused"))

    # --- from the host, in the client's thread ---

    def _on_status(self, status: ConnectionStatus) -> None:
        if status.connected:
            with self._lock:
                self._side = self._side.reconnected()
            self._work.put(self._send_hello)
        refused = status.state is ConnectionState.REFUSED
        self._refused_ms = (self._refused_ms or self._at.now_ms()) if refused else 0

    def _on_kept(self, topic: str, payload: bytes, _retained: bool) -> None:
        name = topic.rpartition("/")[2]
        self._at.keep(name, payload)
        if name == Topic.STATE.value:
            self._work.put(lambda: self._on_state(payload))

    def _on_state(self, payload: bytes) -> None:
        """Set the lamp of this board: it belongs to the seat here."""
        try:
            state = json.loads(payload)
            mine = self.state is not None and state["seats"][self.state.seat] == state["side"]
            lamp = Lamp(state["lamp"]) if mine or state["lamp"] != 1 else Lamp(0)
        except (ValueError, KeyError, TypeError):
            return
        self._at.show(lamp)

    def _on_passing(self, topic: str, payload: bytes, _retained: bool) -> None:
        self._at.publish(topic.rpartition("/")[2], payload)

    def _on_answer(self, _topic: str, payload: bytes, _retained: bool) -> None:
        try:
            body = json.loads(payload)
            role = self._asked_by.get(body["id"])
        except (ValueError, KeyError, TypeError):
            return
        if role is not None:
            self._at.answer(role, body)

    def _on_taken(self, _topic: str, payload: bytes, _retained: bool) -> None:
        now, taken = self._at.now_ms(), read(payload, Taken, LARGEST)
        if isinstance(taken, Problem):
            log.warning("the host: %s", taken)
            self._at.warn("remote", f"The host: {taken}")
            return
        self._signal_ms = now
        if taken.n is not None and taken.sent_ms is not None and taken.host_ms is not None:
            first = not self._offset.samples
            self._offset = self._offset.with_sample(taken.sent_ms, taken.host_ms, now)
            if first:
                self._send_due()
        if taken.reading is not None:
            self._taken(Receipt(taken.reading[0], taken.reading[1]))
        if taken.over:
            client = self._client
            self._work.put(lambda: self._end(taken.over) if self._client is client else None)

    def _taken(self, receipt: Receipt) -> None:
        """The host's journal has a reading: the board may forget it."""
        with self._lock:
            self._side = self._side.taken((receipt.session, receipt.number))
            state = self.state
        if state is None:
            return
        if receipt.session == state.session:
            self._work.put(self._store_outbox)
        else:
            self._at.acknowledge(receipt)
            self._work.put(lambda: self._store_line(receipt))

    def _store_line(self, receipt: Receipt) -> None:
        with self._lock:
            write_line(self._at.folder, receipt.session, receipt.number)

    def _on_proof(self, _topic: str, payload: bytes, _retained: bool) -> None:
        proof = read(payload, Proof, LARGEST)
        if not isinstance(proof, Problem):
            self._work.put(lambda: self._prove(proof))

    def _prove(self, proof: Proof) -> None:
        before = self._proof.differs
        self._proof.take(proof)
        if self.state is not None and self.state.match != self._proof.match:
            with self._lock:
                self.state = self.state.model_copy(update={"match": self._proof.match})
                write_guest(self._at.folder, self.state)
        if self._proof.differs != before:
            self._at.warn("remote_proof", f"The host's game differs from ours: {self._proof.differs}.")

    # --- the worker ---

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.worker.rounds += 1
            try:
                self._work.get(timeout=ROUND_S)()
            except queue.Empty:
                pass
            except OSError as error:
                self._at.warn(
                    "remote", f"The game at the other board cannot be stored: {error.strerror or error}."
                )
            if self.away:
                self._look()

    def _leave(self) -> None:
        why, self._leaving = self._leaving, ""
        if self.state is not None and why:
            self._send_hello(leaves=True)
            self._end(why)

    def _look(self) -> None:
        now = self._at.now_ms()
        if now - self._hello_ms >= HELLO_MS:
            self._send_hello()
        self._send_due()
        silent = now - self._signal_ms >= AWAY_MS
        if silent != self._silent:
            self._silent = silent
        if now - self._signal_ms >= GONE_MS:
            return self._end("gone")
        if self._refused_ms and now - self._refused_ms > 30_000:
            self._at.warn("remote", "The host does not let this board in any more: the invitation has ended.")
            return self._end("refused")
        return None


def _refusal(command_id: str, words: str, code: str = "not_allowed") -> dict[str, Any]:
    args = {"why": "role"} if code == "not_allowed" else {}
    return {
        "v": 2,
        "id": command_id,
        "accepted": False,
        "pending": False,
        "code": code,
        "args": args,
        "words": words,
    }
