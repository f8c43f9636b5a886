"""Ask at a host's door what an invitation offers, and say yes."""

from __future__ import annotations

import queue
import time
from dataclasses import dataclass, field

from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import ConnectionState, MqttClient
from scharten.mqtt.pinned import read_fingerprint
from scharten.remote.door import GUEST
from scharten.remote.invitation import Link, fingerprint_text
from scharten.remote.letters import derive_keys, is_equal
from scharten.remote.messages import HELLO_BYTES, Accept, Offer, read
from scharten.remote.settings import RemoteSection
from scharten.remote.way import Way, way_to

PATIENCE_S = 10.0
_OFFERS = "+/+/+/guest/+/offer"


@dataclass(frozen=True, slots=True)
class Found:
    """An offer, the root of the host's topics, and the fingerprint of its certificate in hex."""

    offer: Offer
    root: str
    pin: str


@dataclass
class Asking:
    """A connection with the letters; `close` it."""

    link: Link
    settings: RemoteSection
    found: Found | None = None
    client: MqttClient | None = field(default=None, repr=False)
    way: Way | None = field(default=None, repr=False)

    def ask(self) -> Problem | None:
        """Find the offer; return why there is none. It waits for the network."""
        link, way = self.link, way_to(self.link, self.settings)
        self.way = way
        if (trouble := way.trouble()) is not None:
            return trouble
        try:
            pin = read_fingerprint(way.host, way.port, PATIENCE_S)
        except OSError as error:
            return _unreachable(link, error)
        seen = fingerprint_text(bytes.fromhex(pin))
        if link.fingerprint and link.fingerprint != seen:
            words = "the certificate there is not the one of the invitation"
            return Problem("forged", words, cure="Ask for the link again: somebody may stand in between.")
        keys = derive_keys(link.letters, seen)
        offers: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
        login = Credentials(GUEST, keys.password)
        address = BrokerAddress(way.host, way.port, tls=True, account=login, pinned=pin)
        self.client = client = MqttClient(address, name="asking", quiet=True)
        client.subscribe(_OFFERS, lambda topic, payload, _retained: offers.put((topic, payload)))
        client.start()
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            if client.status.state is ConnectionState.REFUSED:
                words = "the invitation is used, lapsed or withdrawn, or the letters are wrong"
                return Problem("refused", words, cure="Ask for a new invitation.")
            try:
                topic, payload = offers.get(timeout=0.1)
            except queue.Empty:
                continue
            return self._read(topic, payload, keys.proof, pin)
        return Problem("no_offer", "the host does not say what it invites to", cure="Try again in a minute.")

    def _read(self, topic: str, payload: bytes, proof: str, pin: str) -> Problem | None:
        offer = read(payload, Offer, HELLO_BYTES)
        if isinstance(offer, Problem):
            return offer
        if not is_equal(offer.proof, proof):
            return Problem(
                "forged", "the machine there does not know the letters", cure="Ask for the link again."
            )
        self.found = Found(offer, topic.partition("/guest/")[0], pin)
        return None

    def accept(self, accept: Accept) -> None:
        """Say yes; the host then lets the key in and nobody else."""
        assert self.client is not None and self.found is not None
        topic = f"{self.found.root}/guest/{self.found.offer.seat}/accept"
        self.client.publish(topic, accept.encoded())

    def close(self) -> None:
        """Leave the door."""
        if self.client is not None:
            self.client.stop()
        if self.way is not None:
            self.way.close()


def _unreachable(link: Link, error: OSError) -> Problem:
    if link.meets:
        words = f"nobody waits at {link.host}:{link.port} with these letters"
        return Problem("not_met", words, cure="Is the other machine on, and the invitation still open?")
    words = f"nobody answers at {link.host}:{link.port} ({error.strerror or error})"
    cure = "Is the other machine on, and its port open? Try scharten doctor --remote LINK."
    return Problem("unreachable", words, cure=cure)
