"""The guest's two connections to the host: the line, and a spare beside it.

On one connection a lost packet delays everything behind it by a retransmission. Readings and states go on both
connections, and the first to arrive counts. Through a meeting place both would share one connection: there is no spare.
"""

from __future__ import annotations

from collections.abc import Callable

from scharten.contract.topics import Topic
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import ConnectionStatus, MessageHandler, MqttClient
from scharten.remote.door import GUEST
from scharten.remote.files import GuestState
from scharten.remote.way import Way

KEPT = (Topic.SHEET, Topic.ADVICE)
PASSING = (Topic.EVENTS, Topic.HITS, Topic.SAID)


class NewestState:
    """Choose the states to show: the line decides, and the spare only brings a higher `seq` sooner. Pure."""

    def __init__(self) -> None:
        self._match, self._seq, self._payload = "", 0, b""

    def is_news(self, match: str, seq: int, payload: bytes, *, spare: bool) -> bool:
        """Whether to show this state now; it is then the newest."""
        same_game = match == self._match
        if same_game and (seq < self._seq or payload == self._payload):
            return False
        if spare and not (same_game and seq > self._seq):
            return False
        self._match, self._seq, self._payload = match, seq, payload
        return True


class GuestLines:
    """Both connections as one: what is published, and who is subscribed to what."""

    def __init__(self, state: GuestState, way: Way, on_status: Callable[[ConnectionStatus], None]) -> None:
        login = Credentials(GUEST, state.key)
        address = BrokerAddress(way.host, way.port, tls=True, account=login, pinned=state.pin)
        self._line = MqttClient(address, name="guest", on_status=on_status, quick=True)
        self._spare = None if way.tunnel else MqttClient(address, name="guest-spare", quick=True, quiet=True)
        self._root = state.root

    @property
    def _clients(self) -> tuple[MqttClient, ...]:
        return (self._line, self._spare) if self._spare else (self._line,)

    @property
    def connected(self) -> bool:
        """Whether messages can pass."""
        return any(client.status.connected for client in self._clients)

    def start(self) -> None:
        """Connect."""
        for client in self._clients:
            client.start()

    def stop(self) -> None:
        """Disconnect."""
        for client in self._clients:
            client.stop()

    def subscribe(self, topic: str, handler: MessageHandler, *, on_both: bool = False) -> None:
        """Call the handler for each message of a topic below the host's board; with `on_both` it may come twice."""
        for client in self._clients if on_both else (self._line,):
            client.subscribe(f"{self._root}/{topic}", handler)

    def subscribe_states(self, handler: Callable[[bytes, bool], None]) -> None:
        """Call the handler with each state, and whether the spare brought it."""
        topic = f"{self._root}/{Topic.STATE.value}"
        self._line.subscribe(topic, lambda _topic, payload, _kept: handler(payload, False))
        if self._spare is not None:
            self._spare.subscribe(topic, lambda _topic, payload, _kept: handler(payload, True))

    def publish(self, topic: str, payload: bytes, *, on_both: bool = False) -> bool:
        """Publish below the host's board; False without a connection."""
        sent = False
        for client in self._clients:
            if on_both or not sent:
                sent = client.publish(f"{self._root}/{topic}", payload) or sent
        return sent
