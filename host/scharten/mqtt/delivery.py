"""An MQTT client that acknowledges each message when its reader has stored it, and asks for retained messages again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import ConnectionStatus, MqttClient

MOST_UNACKNOWLEDGED: Final = 40
"""Messages that the broker may deliver before the first is acknowledged."""
DeliveryHandler = Callable[[str, bytes, Callable[[], None]], None]
"""Called in the client's thread with topic, payload, and a function that acknowledges the message, for any thread."""


class DeliveryClient(MqttClient):
    """Passes every message to `on_delivery`; the broker sends no more than a few before they are acknowledged."""

    def __init__(
        self,
        address: BrokerAddress,
        on_delivery: DeliveryHandler,
        *,
        name: str = "scharten",
        on_status: Callable[[ConnectionStatus], None] | None = None,
    ) -> None:
        super().__init__(address, name=name, on_status=on_status)
        self._on_delivery = on_delivery
        self._errands: deque[tuple[paho.Client | None, Callable[[paho.Client], object]]] = deque()
        self._awaited: dict[int, Callable[[], None]] = {}
        self._live_only: set[str] = set()

    def follow(self, *topic_filters: str, live_only: bool = False) -> None:
        """Receive the messages of these filters on every connection; `live_only` (in MQTT 5): no retained ones."""
        for topic_filter in topic_filters:
            self.subscribe(topic_filter, _ignore)
        if live_only:
            self._live_only |= set(topic_filters)

    def ask(self, topic_filters: tuple[str, ...], answered: Callable[[], None]) -> None:
        """Request the retained messages of filters once; call `answered` in the client's thread when that is done."""

        def request(client: paho.Client) -> None:
            wanted = [(name, SubscribeOptions(1) if self.mqtt5 else 1) for name in topic_filters]
            _, mid = client.subscribe(wanted)  # type: ignore[arg-type]
            self._awaited[mid or -1] = answered
            client.unsubscribe(list(topic_filters))

        self._run_errand(None, request)

    def _run_errand(self, owner: paho.Client | None, errand: Callable[[paho.Client], object]) -> None:
        self._errands.append((owner, errand))
        self._wake()

    # The methods below run in the client's own thread.

    def _connect_properties(self) -> Properties | None:
        if not self.mqtt5:
            return None
        wanted = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        wanted.ReceiveMaximum = MOST_UNACKNOWLEDGED
        return wanted

    def _new_client(self) -> paho.Client:
        client = super()._new_client()
        client.manual_ack_set(True)
        self._awaited.clear()
        return client

    def _pumped(self, client: paho.Client, events: int) -> bool:
        while self._errands:
            owner, errand = self._errands.popleft()
            if self.status.connected and owner in (None, client):
                errand(client)
        return super()._pumped(client, events)

    def _options(self, topic_filter: str) -> SubscribeOptions:
        options = super()._options(topic_filter)
        options.retainHandling = 2 if topic_filter in self._live_only else 0
        return options

    def _subscribed(
        self, client: object, user: object, mid: int, codes: list[ReasonCode], more: object
    ) -> None:
        if mid in self._awaited:
            self._awaited.pop(mid)()
        else:
            super()._subscribed(client, user, mid, codes, more)

    def _message(self, client: paho.Client, _user: object, message: paho.MQTTMessage) -> None:
        def acknowledge() -> None:
            self._run_errand(client, lambda client: client.ack(message.mid, message.qos))

        self._on_delivery(message.topic, bytes(message.payload), acknowledge)


def _ignore(_topic: str, _payload: bytes, _retained: bool) -> None:
    """Replace the handler of a filter: all messages go to `on_delivery`."""
