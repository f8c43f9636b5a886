"""The line from a host to its guest: the door, the guest's messages, and what the board publishes on to it.

The guest is a sensor: `acknowledge` tells it that the journal has its reading. Handlers run in the threads of the
client and of the referee, and never wait; files and processes belong to the worker.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from scharten.contract.messages import parse_command
from scharten.contract.roles import Account
from scharten.contract.topics import BROADCAST, Topic, Topics
from scharten.display.access import Bucket
from scharten.display.hostnames import own_address
from scharten.errors import Problem
from scharten.match.answers import answer
from scharten.match.codec import UnreadableInputError, decode_input
from scharten.match.codes import RefusalCode
from scharten.match.inputs import Command, Input, LinkChanged, Reading, Receipt, Role
from scharten.match.state import Match
from scharten.match.white import Seat
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import MqttClient, Will
from scharten.remote.begin import entry_of, offer_of
from scharten.remote.door import Door, GuestAccounts, own_certificate
from scharten.remote.host_side import HostSide, Verdict
from scharten.remote.invitation import Invitation, Link
from scharten.remote.letters import derive_keys, digest_of
from scharten.remote.meeting import lobby_topic, own_meeting_place, room_of
from scharten.remote.messages import (
    HELLO_BYTES,
    NOT_FROM_AFAR,
    READING_BYTES,
    Accept,
    GuestReading,
    Hello,
    Message,
    Taken,
    read,
)
from scharten.remote.pictures import Pictures
from scharten.remote.proof import ProofSender
from scharten.remote.settings import RemoteSection
from scharten.remote.taken import taken_in_journal
from scharten.remote.tunnel import HostEnd
from scharten.system.log_limit import RateLimitedLog
from scharten.system.loop_thread import LoopThread
from scharten.system.secrets import new_secret

_warnings = RateLimitedLog(logging.getLogger(__name__))

RELAYED = frozenset(topic.value for topic in BROADCAST) - {Topic.AVAILABILITY.value, Topic.LIGHT.value}
Work = Callable[[Callable[[], object]], object]


class Passes(Protocol):
    """The publisher, which passes on what it publishes: topic below the board's, payload, retained."""

    also: list[Callable[[str, bytes, bool], object]]
    kept: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class HostParts:
    """The parts of the daemon that the host of a remote game uses.

    `go_back` continues an earlier match of the journal; `warn` sets a warning of `health`.
    """

    folder: Path
    journal: Path
    topics: Topics
    publisher: Passes
    take: Callable[[Input], bool]
    match: Callable[[], Match]
    go_back: Callable[[Match], object]
    now_ms: Callable[[], int]
    warn: Callable[[str, str | None], object]


class HostLine:
    """The line of one invitation, from its `open` until its `close`.

    `work` runs a function in the host's worker; `accept` is called there with the guest's yes. `SchartenError` when the
    door's port is taken.
    """

    def __init__(
        self,
        parts: HostParts,
        settings: RemoteSection,
        invitation: Invitation,
        work: Work,
        accept: Callable[[Accept], object],
    ) -> None:
        self._at, self._work, self._accept = parts, work, accept
        self.hello, self._reported_down = Hello(n=0, sent_ms=0), False
        self.shelved = bool(invitation.match) and invitation.match != parts.match().id
        """Whether this house plays another game meanwhile."""
        taken = taken_in_journal(parts.journal, invitation.match) if invitation.match else {}
        self.side = HostSide(taken=taken)
        self._lock = threading.RLock()  # guards the side, which two threads change
        self._commands = Bucket(20, 40)
        self._proof = ProofSender(parts.journal, self._publish_proof)
        self._proof.begin(invitation.match)
        complain = partial(self._complain, "picture")
        self.pictures = Pictures(parts.folder, self._publish_picture, work, complain)
        certificate, secret = own_certificate(parts.folder / "remote-tls"), new_secret()
        self._accounts = GuestAccounts(secret)
        keys = derive_keys(invitation.letters, certificate.fingerprint)
        asking = "" if invitation.guest else digest_of(keys.password)
        self._accounts.admit(invitation.seat, asking, invitation.guest)
        port = invitation.port or settings.port
        self._door = LoopThread(
            Door(self._accounts, parts.topics, _listens_at(settings), port, certificate), "guest-door"
        )
        self._door.start()
        door = self._door.server
        self.invitation = replace(invitation, port=door.port)
        self.link = _link(settings.address, door.port, invitation.letters, certificate.fingerprint)
        self._meeting = self._meet(settings)
        account = Credentials("host", secret)
        self._client = MqttClient(
            BrokerAddress("127.0.0.1", door.inner_port, account=account), name="guest-host"
        )
        self._connect(keys.proof)

    def _meet(self, settings: RemoteSection) -> LoopThread[HostEnd] | None:
        """Wait for the guest at the configured broker too, and in its lobby if the invitation is open."""
        place = own_meeting_place(settings)
        if place is None:
            return None
        self.link = replace(self.link, host=place.host, port=place.port, meets=True)
        room, invitation = room_of(self.invitation.letters), self.invitation
        waits = Will(lobby_topic(room), b"") if invitation.open and not invitation.guest else None
        end = HostEnd(place, room, self._door.server.port, waits)
        if waits is not None:
            end.client.keep(waits.topic, entry_of(self._at.match(), invitation, str(self.link)).encoded())
        thread = LoopThread(end, "meeting-host")
        thread.start()
        return thread

    @property
    def meeting_words(self) -> str:
        """Why the meeting place cannot be reached, "" if it can or none is configured."""
        status = self._meeting.server.client.status if self._meeting else None
        return "" if status is None or status.connected else status.words

    def _connect(self, proof: str) -> None:
        root, client = self._at.topics.root, self._client
        for topic, handler in (
            ("accept", self._on_accept),
            ("hello", self._on_hello),
            ("reading", self._on_reading),
            ("picture", self._on_picture),
        ):
            client.subscribe(self._own(topic), handler)
        client.subscribe(f"{root}/command/{self.invitation.seat}", self._on_command)
        if not self.invitation.guest:
            client.keep(self._own("offer"), offer_of(self._at.match(), self.invitation, proof).encoded())
        client.start()
        self.relay_all()

    def close(self) -> None:
        """Close the door; the invitation stays good."""
        self._leave_lobby()
        self._client.stop()
        if self._meeting is not None:
            self._meeting.stop()
        self._door.stop()

    def _leave_lobby(self) -> None:
        if self._meeting is not None and self.invitation.open:
            self._meeting.server.client.keep(lobby_topic(room_of(self.invitation.letters)), b"")

    def end(self, why: str) -> None:
        """Send the rest of the proof, tell the guest that its board is its own again, and close the door."""
        self._proof.send_again(self.hello.match, self.hello.have)
        self.send(Taken(over=why, rows=self._proof.rows))
        self.close()

    def bind(self, invitation: Invitation) -> None:
        """Let only the guest of the invitation in from now on."""
        self._leave_lobby()
        self.invitation = invitation
        self._accounts.admit(invitation.seat, "", invitation.guest)
        self._client.keep(self._own("offer"), b"")
        self.turn_away()

    def turn_away(self) -> None:
        """End the connections of all who only ask."""
        self._door.server.drop(Account.DISPLAY)

    def begin(self, invitation: Invitation) -> None:
        """Show the guest the game that has begun, and send its proof."""
        self.invitation = invitation
        self._proof.begin(invitation.match)
        self._proof.send_again()
        self.relay_all()

    @property
    def plays(self) -> bool:
        """Whether this house's board shows the game of the invitation; the worker shelves a little later."""
        return self.invitation.match == self._at.match().id and not self.shelved

    def shelve(self) -> None:
        """Another game began here: the guest's board is its own until this house resumes."""
        self.shelved = True
        self.send(Taken(over="left", rows=self._proof.rows))

    def unshelve(self) -> None:
        """The game goes on."""
        self.shelved = False
        self.relay_all()

    @property
    def silent(self) -> bool:
        """Whether the guest was there and has not been heard for too long."""
        with self._lock:
            return self.side.is_silent(self._at.now_ms())

    def guest_away(self) -> None:
        """The guest is silent or took its board back: the game waits, and goes on from the same invitation."""
        with self._lock:
            signal_ms, self.side = self.side.signal_ms, self.side.lost()
        self._reported_down = True
        self._at.take(LinkChanged(self._at.now_ms(), Seat(self.invitation.seat), False, signal_ms))

    # --- from the guest ---

    def _on_accept(self, _topic: str, payload: bytes, _retained: bool) -> None:
        accept = read(payload, Accept, HELLO_BYTES)
        if isinstance(accept, Problem):
            self._complain("accept", accept)
        else:
            self._work(lambda: self._accept(accept))

    def _on_hello(self, _topic: str, payload: bytes, _retained: bool) -> None:
        now = self._at.now_ms()
        hello = read(payload, Hello, HELLO_BYTES)
        if isinstance(hello, Problem):
            self._complain("hello", hello)
            return
        if not hello.leaves:
            self._signal(now)
        rows = self._proof.rows
        self.send(Taken(n=hello.n, sent_ms=hello.sent_ms, host_ms=now, waits=self.shelved, rows=rows))
        before, self.hello = self.hello, hello
        if hello.differs != before.differs:
            words = f"the guest's referee differs: {hello.differs}" if hello.differs else None
            self._at.warn("remote_proof", words)
        if hello.leaves and not before.leaves:
            self._work(lambda: self._proof.send_again(hello.match, hello.have))
            self._work(self.guest_away)
        elif not self._proof.sent_all(hello.match, hello.have, now):
            self._work(lambda: self._proof.send_again(hello.match, hello.have))

    def _on_reading(self, _topic: str, payload: bytes, _retained: bool) -> None:
        now = self._at.now_ms()
        if not self.plays:
            return
        message = read(payload, GuestReading, READING_BYTES)
        if isinstance(message, Problem):
            self._complain("reading", message)
            return
        given = reading_of(message, Seat(self.invitation.seat), now)
        if isinstance(given, Problem):
            self._complain("reading", given)
            return
        reading = message.id[0], message.id[1]
        with self._lock:
            self.side, verdict = self.side.judged(reading, now)
            if verdict is Verdict.NEW:  # it comes on two connections, and one may be late
                self.side = self.side.with_time(message.at_ms, now)
            self._signal(now)
        if verdict is Verdict.TAKEN:
            self.send(Taken(reading=message.id))
        elif verdict is Verdict.TOO_MANY:
            _warnings.warn("many", "too many readings of the guest at once; it sends them again")
        elif verdict is Verdict.NEW and not self._at.take(given):
            with self._lock:
                self.side = self.side.not_taken(reading)

    def _on_picture(self, _topic: str, payload: bytes, _retained: bool) -> None:
        self.pictures.arrive(payload, self.invitation.match)

    def _on_command(self, _topic: str, payload: bytes, retained: bool) -> None:
        if retained or not payload or not self.plays or not self._commands.take():
            return
        order, seat = parse_command(payload), self.invitation.seat
        if isinstance(order, Problem):
            self._complain("command", order)
            return
        self._signal(self._at.now_ms())
        if order.type in NOT_FROM_AFAR:
            words = f"a guest may not {order.type}"
            body = answer(order.id, Problem(RefusalCode.NOT_ALLOWED, words, {"why": "role"}))
            self._client.publish(f"{self._at.topics.root}/answer/{seat}", _json(body))
            return
        self._at.take(Command(self._at.now_ms(), Role(seat), order, secrets.randbits(128)))

    def _signal(self, now: int) -> None:
        """The guest is there; let the game know if it was away."""
        with self._lock:
            was_up, self.side = self.side.up, self.side.signal(now)
        if not was_up and self._reported_down:
            self._reported_down = False
            self._at.take(LinkChanged(now, Seat(self.invitation.seat), True, now))

    def _complain(self, what: str, problem: Problem) -> None:
        _warnings.warn(what, "a message of the guest is refused: %s", problem)
        if problem.code in ("version", "too_large"):
            self._at.warn("remote", f"The guest: {problem}")

    # --- to the guest ---

    def _own(self, topic: str) -> str:
        return f"{self._at.topics.root}/guest/{self.invitation.seat}/{topic}"

    def acknowledge(self, receipt: Receipt) -> None:
        """The journal has the guest's reading."""
        with self._lock:
            self.side = self.side.stored((receipt.session, receipt.number))
        self.send(Taken(reading=[receipt.session, receipt.number]))

    def on_stored(self, match: str, body: str, events: str, digest: str, start: str) -> None:
        """A step of the game is stored: send it for the guest's proof."""
        self._proof.on_stored(match, body, events, digest, start)

    def send(self, message: Message) -> None:
        """Send what the journal has, or the answer to a hello."""
        self._client.publish(self._own("taken"), message.encoded())

    def _publish_picture(self, payload: bytes) -> bool:
        return self._client.publish(self._own("shown"), payload)

    def _publish_proof(self, payload: bytes) -> bool:
        return self._client.publish(self._own("proof"), payload)

    def relay_all(self) -> None:
        """Pass on every retained topic of the board."""
        for topic, payload in list(self._at.publisher.kept.items()):
            self.relay(topic, payload, True)

    def relay(self, topic: str, payload: bytes, retained: bool) -> None:
        """Pass on what the board publishes, while the guest plays."""
        if not self.plays:
            return
        if topic in RELAYED or topic == f"answer/{self.invitation.seat}":
            send = self._client.keep if retained else self._client.publish
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


def _listens_at(settings: RemoteSection) -> str:
    """Return the address of the door: this machine alone if guests come by the meeting place only."""
    return "127.0.0.1" if settings.meeting and not settings.address else settings.host


def _link(address: str, port: int, letters: str, fingerprint: str) -> Link:
    """Return the link: the configured address, else this machine's own."""
    host, _, forwarded = (address, "", "") if "[" in address else address.partition(":")
    return Link(
        host.strip("[]") or own_address() or "127.0.0.1", int(forwarded or port), letters, fingerprint
    )


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()
