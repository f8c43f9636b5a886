"""The host of a game between two boards: its invitation, the door, and the line to the guest.

The guest is a sensor: `acknowledge` tells it that the journal has its reading. Everything that the board publishes goes
to the guest too, because `Publisher` passes it on here. Handlers run in the threads of the client and of the referee,
and never wait; files and processes belong to the worker.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from scharten.contract.messages import parse_command
from scharten.contract.roles import Account
from scharten.contract.topics import BROADCAST, Topic, Topics
from scharten.dartboard.lines import Lamp
from scharten.display.access import Bucket
from scharten.display.hostnames import own_address
from scharten.errors import Problem, SchartenError
from scharten.match.answers import answer
from scharten.match.codec import UnreadableInputError, decode_input
from scharten.match.codes import RefusalCode
from scharten.match.inputs import Command, Input, LinkChanged, Reading, Receipt, Role
from scharten.match.phases import Finished
from scharten.match.state import Match
from scharten.match.white import Seat
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import MqttClient
from scharten.remote.begin import begin_order, offer_of
from scharten.remote.door import Door, GuestAccounts, own_certificate
from scharten.remote.files import read_invitation, write_invitation
from scharten.remote.host_side import HostSide, Verdict
from scharten.remote.invitation import Invitation, Link
from scharten.remote.letters import derive_keys, digest_of, letters_from, spaced
from scharten.remote.messages import (
    HELLO_BYTES,
    NOT_FROM_AFAR,
    READING_BYTES,
    Accept,
    GuestReading,
    Hello,
    Taken,
    read,
)
from scharten.remote.proof import ProofSender
from scharten.remote.settings import RemoteSection
from scharten.remote.taken import taken_in_journal
from scharten.system.log_limit import RateLimitedLog
from scharten.system.loop_thread import LoopThread
from scharten.system.secrets import new_secret
from scharten.system.worker import Worker

log = logging.getLogger(__name__)
_warnings = RateLimitedLog(log)

ROUND_S = 0.25
GRACE_MS = 300_000
"""How long the line stays after the end of the game, for a correction of its last dart."""
RELAYED = frozenset(topic.value for topic in BROADCAST) - {Topic.AVAILABILITY.value, Topic.LIGHT.value}


class Passes(Protocol):
    """The publisher, which passes on what it publishes: topic below the board's, payload, retained."""

    also: list[Callable[[str, bytes, bool], object]]
    kept: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class HostParts:
    """The parts of the daemon that the host of a remote game uses; `warn` sets a warning of `health`."""

    folder: Path
    journal: Path
    topics: Topics
    publisher: Passes
    take: Callable[[Input], bool]
    match: Callable[[], Match]
    now_ms: Callable[[], int]
    warn: Callable[[str, str | None], object]


class RemoteHost:
    """At most one invitation and one guest at a time."""

    def __init__(self, parts: HostParts, settings: RemoteSection) -> None:
        self._at, self._settings = parts, settings
        self.invitation: Invitation | None = None
        self.link: Link | None = None
        self._side, self._hello = HostSide(), Hello(n=0, sent_ms=0)
        self._reported_down, self._over_ms, self._refused = False, 0, ""
        self._door: LoopThread[Door] | None = None
        self._client: MqttClient | None = None
        self._accounts = GuestAccounts("")
        self._proof = ProofSender(parts.journal, self._publish_proof)
        self._commands = Bucket(20, 40)
        self._lock = threading.RLock()  # guards the side, which two threads change
        self._work: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self.worker = Worker("remote-host", self._run)

    def start(self) -> None:
        """Open the door again for an invitation that is still good, and start the worker."""
        self._at.publisher.also.append(self._relay)
        if (invitation := read_invitation(self._at.folder)) is not None:
            try:
                self._open(invitation)
            except SchartenError as error:
                log.error("%s", error)
                self._at.warn("remote", str(error))
        self.worker.start()

    def stop(self) -> None:
        """Close the door; the invitation stays good."""
        self._stopping.set()
        self._work.put(lambda: None)
        self.worker.join(5)
        self._close_door()

    # --- for pages and commands; these may take a second ---

    def invite(self, seat: str, order: Mapping[str, Any], by: str) -> Problem | None:
        """Make an invitation to the game that `order` describes, in place of an earlier one."""
        if self.invitation is not None and self.invitation.guest and self.playing:
            return Problem("guest_here", "a guest plays already", cure="End that game first.")
        begun = begin_order(self._at.match(), seat, order, "invited")
        if isinstance(begun, Problem):
            return begun
        self._close_door()
        letters = letters_from(secrets.randbits(64))
        name = by or self._settings.name
        invitation = Invitation(letters, begun.away or "seat2", self._at.now_ms(), name, dict(order))
        try:
            self._open(invitation)
            write_invitation(self._at.folder, self.invitation)
        except (SchartenError, OSError) as error:
            write_invitation(self._at.folder, None)
            return Problem("no_door", str(error))
        return None

    def withdraw(self) -> None:
        """End the invitation or the game's line; the guest's board is its own again."""
        self._finish("left")

    @property
    def playing(self) -> bool:
        """Whether the game of the invitation goes on."""
        invitation, match = self.invitation, self._at.match()
        return bool(invitation and invitation.match and invitation.match == match.id and match.under_way)

    def status(self) -> dict[str, Any]:
        """Return what the host's pages show."""
        invitation, link = self.invitation, self.link
        if invitation is None or link is None:
            return {"side": "host", "state": "none"}
        hello = self._hello
        return {
            "side": "host",
            "state": self._state(invitation),
            "seat": invitation.seat,
            "letters": spaced(invitation.letters) if not invitation.guest else None,
            "link": str(link) if not invitation.guest else None,
            "address": f"{link.host}:{link.port}",
            "until_ms": invitation.made_ms + 3_600_000,
            "name": invitation.name,
            "signal_ms": self._side.signal_ms or None,
            "round_trip_ms": hello.round_trip_ms,
            "offset_ms": hello.offset_ms,
            "sensors": [sensor.model_dump() for sensor in hello.sensors],
            "forged": self._side.forged,
            "differs": hello.differs,
        }

    def _state(self, invitation: Invitation) -> str:
        if not invitation.guest:
            return "invited"
        if not self._side.up:
            return "away"
        return "playing" if self.playing else "here"

    # --- the door ---

    def _open(self, invitation: Invitation) -> None:
        settings, at = self._settings, self._at
        certificate = own_certificate(at.folder / "remote-tls")
        secret = new_secret()
        self._accounts = GuestAccounts(secret)
        keys = derive_keys(invitation.letters, certificate.fingerprint)
        asking = "" if invitation.guest else digest_of(keys.password)
        self._accounts.admit(invitation.seat, asking, invitation.guest)
        door = Door(self._accounts, at.topics, settings.host, invitation.port or settings.port, certificate)
        self._door = LoopThread(door, "guest-door")
        self._door.start()
        host, _, port = (
            settings.address.partition(":") if "[" not in settings.address else (settings.address, "", "")
        )
        self.link = Link(
            host.strip("[]") or own_address() or "127.0.0.1",
            int(port or door.port),
            invitation.letters,
            certificate.fingerprint,
        )
        taken = taken_in_journal(at.journal, invitation.match) if invitation.match else {}
        self._side, self._reported_down, self._over_ms = HostSide(taken=taken), False, 0
        self._proof.begin(invitation.match)
        self.invitation = invitation = replace(invitation, port=door.port)
        client = MqttClient(
            BrokerAddress("127.0.0.1", door.inner_port, account=Credentials("host", secret)),
            name="guest-host",
        )
        root, own = at.topics.root, f"{at.topics.root}/guest/{invitation.seat}"
        client.subscribe(f"{own}/accept", self._on_accept)
        client.subscribe(f"{own}/hello", self._on_hello)
        client.subscribe(f"{own}/reading", self._on_reading)
        client.subscribe(f"{root}/command/{invitation.seat}", self._on_command)
        self._client = client
        if not invitation.guest:
            offer = offer_of(at.match(), invitation, keys.proof)
            client.keep(f"{own}/offer", offer.encoded())
        client.start()
        for topic, payload in list(at.publisher.kept.items()):
            self._relay(topic, payload, True)

    def _close_door(self) -> None:
        client, door, self._client, self._door = self._client, self._door, None, None
        if client is not None:
            client.stop()
        if door is not None:
            door.stop()

    def _finish(self, why: str) -> None:
        """Tell the guest that its board is its own again, and close the door."""
        self._send(Taken(over=why))
        self._close_door()
        self.invitation = self.link = None
        write_invitation(self._at.folder, None)
        self._at.warn("remote", None)

    # --- from the guest ---

    def _on_accept(self, _topic: str, payload: bytes, _retained: bool) -> None:
        accept = read(payload, Accept, HELLO_BYTES)
        if isinstance(accept, Problem):
            self._complain("accept", accept)
        else:
            self._work.put(lambda: self._accept(accept))

    def _accept(self, accept: Accept) -> None:
        """Bind the invitation to this guest: from now on only its key opens the door."""
        invitation = self.invitation
        if invitation is None or invitation.guest or invitation.lapsed(self._at.now_ms()):
            return
        game = begin_order(self._at.match(), invitation.seat, invitation.order, "invited")
        rated = not isinstance(game, Problem) and game.options.get("rated")
        if rated and not accept.cameras:
            self._refused = "a rated game asks for cameras at both boards"
            self._at.warn("remote", f"{accept.name or 'The guest'} cannot play: {self._refused}.")
            return
        invitation = invitation.accepted(digest_of(accept.key), accept.name)
        write_invitation(self._at.folder, invitation)
        self.invitation = invitation
        self._accounts.admit(invitation.seat, "", invitation.guest)
        if self._client is not None and self._door is not None:
            self._client.keep(f"{self._own}/offer", b"")
            self._door.server.drop(Account.DISPLAY)

    def _on_hello(self, _topic: str, payload: bytes, _retained: bool) -> None:
        now = self._at.now_ms()
        hello = read(payload, Hello, HELLO_BYTES)
        if isinstance(hello, Problem):
            self._complain("hello", hello)
            return
        self._signal(now)
        self._send(Taken(n=hello.n, sent_ms=hello.sent_ms, host_ms=now))
        before, self._hello = self._hello, hello
        if hello.differs != before.differs:
            self._at.warn(
                "remote_proof", f"the guest's referee differs: {hello.differs}" if hello.differs else None
            )
        if hello.leaves:
            self._work.put(self._guest_away)
        elif not self._proof.sent_all(hello.match, hello.have, now):
            self._work.put(lambda: self._proof.send_again(hello.match, hello.have))

    def _on_reading(self, _topic: str, payload: bytes, _retained: bool) -> None:
        now, invitation = self._at.now_ms(), self.invitation
        if invitation is None or not invitation.match:
            return
        message = read(payload, GuestReading, READING_BYTES)
        if isinstance(message, Problem):
            self._complain("reading", message)
            return
        given = reading_of(message, Seat(invitation.seat), now)
        if isinstance(given, Problem):
            self._complain("reading", given)
            return
        reading = message.id[0], message.id[1]
        with self._lock:
            self._side = self._side.with_time(message.at_ms, now)
            self._signal(now)
            self._side, verdict = self._side.judged(reading, now)
        if verdict is Verdict.TAKEN:
            self._send(Taken(reading=message.id))
        elif verdict is Verdict.TOO_MANY:
            _warnings.warn("many", "too many readings of the guest at once; it sends them again")
        elif verdict is Verdict.NEW and not self._at.take(given):
            with self._lock:
                self._side = self._side.not_taken(reading)

    def _on_command(self, _topic: str, payload: bytes, retained: bool) -> None:
        invitation = self.invitation
        if retained or not payload or invitation is None or not invitation.match or not self._commands.take():
            return
        order = parse_command(payload)
        if isinstance(order, Problem):
            self._complain("command", order)
            return
        self._signal(self._at.now_ms())
        if order.type in NOT_FROM_AFAR:
            words = f"a guest may not {order.type}"
            body = answer(order.id, Problem(RefusalCode.NOT_ALLOWED, words, {"why": "role"}))
            self._publish(f"answer/{invitation.seat}", _json(body))
            return
        self._at.take(Command(self._at.now_ms(), Role(invitation.seat), order, secrets.randbits(128)))

    def _signal(self, now: int) -> None:
        """The guest is there; let the game know if it was away."""
        with self._lock:
            was_up, self._side = self._side.up, self._side.signal(now)
        if not was_up and self.invitation is not None and self._reported_down:
            self._reported_down = False
            self._at.take(LinkChanged(now, Seat(self.invitation.seat), True, now))

    def _complain(self, what: str, problem: Problem) -> None:
        _warnings.warn(what, "a message of the guest is refused: %s", problem)
        if problem.code in ("version", "too_large"):
            self._at.warn("remote", f"The guest: {problem}")

    # --- the worker ---

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.worker.rounds += 1
            try:
                self._work.get(timeout=ROUND_S)()
            except queue.Empty:
                pass
            except OSError as error:
                self._at.warn("remote", f"The invitation cannot be stored: {error.strerror or error}.")
            self._look()

    def _look(self) -> None:
        """Begin the game, notice silence, and end what is over."""
        now, invitation, match = self._at.now_ms(), self.invitation, self._at.match()
        if invitation is None:
            return None
        if invitation.lapsed(now):
            return self._finish("lapsed")
        if invitation.guest and not invitation.match:
            return self._begin(invitation, match, now)
        if not invitation.match:
            return None
        if match.id != invitation.match:
            return self._finish("left")
        if isinstance(match.stable_phase, Finished):
            self._over_ms = self._over_ms or now
            return self._finish("over") if now - self._over_ms > GRACE_MS else None
        self._over_ms = 0
        with self._lock:
            silent = self._side.is_silent(now)
        if silent:
            self._guest_away()
        return None

    def _begin(self, invitation: Invitation, match: Match, now: int) -> None:
        """Begin the game once the guest is there; its order has one id, so that it begins once."""
        if not self._side.up:
            return
        order_id = f"remote-{invitation.guest[:24]}"
        if match.start.away == invitation.seat and match.start.t_ms >= invitation.made_ms and match.under_way:
            invitation = invitation.begun(match.id)
            write_invitation(self._at.folder, invitation)
            self.invitation = invitation
            self._proof.begin(match.id)
            for topic, payload in list(self._at.publisher.kept.items()):
                self._relay(topic, payload, True)
            return
        names = {"name": invitation.name, "by": invitation.by}
        order = begin_order(match, invitation.seat, invitation.order, order_id, names)
        if isinstance(order, Problem):
            self._at.warn("remote", str(order))
            return
        self._at.take(Command(now, Role.TABLE, order, secrets.randbits(128)))

    def _guest_away(self) -> None:
        """The guest is silent or took its board back: the game waits, and goes on from the same invitation."""
        with self._lock:
            signal_ms, self._side = self._side.signal_ms, self._side.lost()
        if self.invitation is not None:
            self._reported_down = True
            seat = Seat(self.invitation.seat)
            self._at.take(LinkChanged(self._at.now_ms(), seat, False, signal_ms))

    # --- to the guest ---

    @property
    def _own(self) -> str:
        assert self.invitation is not None
        return f"{self._at.topics.root}/guest/{self.invitation.seat}"

    def acknowledge(self, receipt: Receipt) -> None:
        """The journal has the guest's reading."""
        with self._lock:
            self._side = self._side.stored((receipt.session, receipt.number))
        self._send(Taken(reading=[receipt.session, receipt.number]))

    def show(self, lamp: Lamp) -> None:
        """Nothing: the guest's machine sets its lamp by the state."""

    def on_stored(self, match: str, body: str, events: str, digest: str, start: str) -> None:
        """A step of the game is stored: send it for the guest's proof."""
        self._proof.on_stored(match, body, events, digest, start)

    def _send(self, taken: Taken) -> None:
        if self._client is not None and self.invitation is not None:
            self._client.publish(f"{self._own}/taken", taken.encoded())

    def _publish(self, topic: str, payload: bytes) -> None:
        if self._client is not None:
            self._client.publish(f"{self._at.topics.root}/{topic}", payload)

    def _publish_proof(self, payload: bytes) -> bool:
        if self._client is None or self.invitation is None:
            return False
        return self._client.publish(f"{self._own}/proof", payload)

    def _relay(self, topic: str, payload: bytes, retained: bool) -> None:
        """Pass on what the board publishes, while the guest plays."""
        client, invitation = self._client, self.invitation
        if client is None or invitation is None or not invitation.match:
            return
        if topic in RELAYED or topic == f"answer/{invitation.seat}":
            send = client.keep if retained else client.publish
            send(f"{self._at.topics.root}/{topic}", payload)


def reading_of(message: GuestReading, seat: Seat, now: int) -> Reading | Problem:
    """Return the input of a guest's reading; a `Problem` for what no sensor reports."""
    what = message.what.model_dump(mode="json", exclude_defaults=True)
    raw: dict[str, Any] = {"input": "reading", "t_ms": now, "at_ms": message.at_ms, "sensor": message.sensor}
    raw |= {**what, "receipt": message.id, "place": seat.value}
    if message.revises:
        raw["revises"] = True
    try:
        given = decode_input(raw)
    except UnreadableInputError as error:
        return Problem("malformed", str(error))
    if not isinstance(given, Reading) or given.place is not seat:
        return Problem("malformed", "this is not a reading of a board")
    return given


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()
