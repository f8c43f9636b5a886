"""One client's connection: amqtt's protocol handler with a bounded way in and a bounded way out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from amqtt.errors import AMQTTError, MQTTError, ProtocolHandlerError
from amqtt.mqtt.constants import QOS_1, QOS_2
from amqtt.mqtt.disconnect import DisconnectPacket
from amqtt.mqtt.packet import (
    DISCONNECT,
    PINGREQ,
    PUBACK,
    PUBCOMP,
    PUBLISH,
    PUBREC,
    PUBREL,
    SUBSCRIBE,
    UNSUBSCRIBE,
)
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.session import IncomingApplicationMessage

from scharten.mqtt.outbox import Outbox, Outgoing, Room
from scharten.mqtt.packets import (
    BadPacketError,
    Publish,
    decode,
    read_packet,
    reply_bytes,
)
from scharten.mqtt.seldom import Seldom

log = logging.getLogger(__name__)
seldom = Seldom(log)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may take: bytes per packet, seconds, waiting messages; and how many clients there may be."""

    connections: int = 128
    waiting: int = 32
    kept_for_the_house: int = 16
    connect_s: float = 5.0
    connect_bytes: int = 4096
    packet_s: float = 10.0
    packet_bytes: int = 1024 * 1024
    guest_packet_bytes: int = 64 * 1024
    outbox_messages: int = 1000
    outbox_bytes: int = 4 * 1024 * 1024
    in_flight: int = 20
    subscriptions: int = 64
    wrong_secret_s: float = 0.25


class Desk(Protocol):
    """What the broker does for one client."""

    async def received(self, message: IncomingApplicationMessage) -> None:
        """A message from the client, to be passed on if it may write there."""

    async def subscribe(self, topic_filter: str, qos: int) -> int:
        """The QoS granted, or 0x80."""

    def retained(self, topic_filter: str, qos: int) -> None:
        """Offers the client the retained messages of a new subscription."""

    def unsubscribe(self, topic_filter: str) -> None:
        """Ends a subscription."""


class Connection(BrokerProtocolHandler):  # type: ignore[misc]  # amqtt ships no types
    """Reads packets one after the other, each answered before the next; sends from an outbox that has a limit."""

    def open(
        self,
        desk: Desk,
        stream: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        limits: Limits,
        packet_limit: int,
    ) -> None:
        """Takes the broker's desk, the two ends of the socket and the limits, once the client is known."""
        self._desk = desk
        self._stream = stream
        self._transport = writer.transport
        self._limits = limits
        self._packet_limit = packet_limit
        self._writer = writer
        room = Room(limits.outbox_messages, limits.outbox_bytes, limits.in_flight)
        self._outbox = Outbox(writer, room, self.drop)
        self._held: dict[int, IncomingApplicationMessage] = {}
        self.finished = asyncio.Event()

    async def start(self) -> None:
        """Starts reading and sending.

        Not the parent's start: that makes the future of the disconnection after reading has begun, and so forgets a
        DISCONNECT that came at once; and it waits ten seconds for a message of QoS 2 that came at once.
        """
        self._disconnect_waiter = asyncio.get_running_loop().create_future()
        self._reader_ready = asyncio.Event()
        self._reader_task = asyncio.create_task(self._reader_loop())
        # A task that is cancelled before its first step never runs its `finally`.
        await self._reader_ready.wait()

    async def stop(self) -> None:
        """Stops both, and never waits for a peer that does not read."""
        self._outbox.close()
        self._transport.abort()
        await super().stop()

    def drop(self, why: str) -> None:
        """Cuts the line at once; the last will follows, as for every connection that breaks."""
        seldom.warn(
            "drop", "the client %r is dropped: %s", self.session.client_id if self.session else "?", why
        )
        self._transport.abort()

    def offer(self, message: Outgoing) -> None:
        """Sends a message to the client, or keeps it for as long as it reads."""
        self._outbox.offer(message)

    async def handle_disconnect(self, disconnect: DisconnectPacket | None) -> None:
        """Tells the broker how the client left; the first word counts, and None lets the last will speak."""
        if self._disconnect_waiter is not None and not self._disconnect_waiter.done():
            self._disconnect_waiter.set_result(disconnect)

    async def _reader_loop(self) -> None:
        assert self._reader_ready is not None
        self._reader_ready.set()
        try:
            while await self._one_packet():
                pass
        except (BadPacketError, AMQTTError, MQTTError) as error:
            self.drop(f"it sent a bad packet: {error}")
        except TimeoutError:
            self.drop("it fell silent")
        except (asyncio.IncompleteReadError, OSError, ProtocolHandlerError) as error:
            log.debug("a connection broke: %s", error)
        except Exception:
            log.exception("a client is dropped: its packet could not be handled")
        finally:
            await self.handle_connection_closed()
            self._reader_stopped.set()

    async def _one_packet(self) -> bool:
        """Reads and answers one packet; False after DISCONNECT.

        `TimeoutError` after 1.5 keep-alives of silence (MQTT 3.1.1, 3.1.2.10), or when the answer is not read.
        """
        keep_alive = self.session.keep_alive if self.session else 0
        async with asyncio.timeout(keep_alive * 1.5 if keep_alive else None):
            header, body = await read_packet(self._stream, self._packet_limit, self._limits.packet_s)
        packet = await decode(header, body)
        if header.packet_type == DISCONNECT:
            await self.handle_disconnect(packet)
            return False
        handle = self._HANDLERS.get(header.packet_type)
        if handle is None:
            raise BadPacketError("a second CONNECT")
        async with asyncio.timeout(self._limits.packet_s):
            await handle(self, packet)
        return True

    async def _reply(self, kind: int, packet_id: int) -> None:
        self._writer.write(reply_bytes(kind, packet_id))
        await self._writer.drain()

    async def _on_publish(self, packet: Publish) -> None:
        message = IncomingApplicationMessage(
            packet.packet_id, packet.topic, packet.qos, packet.data, packet.retain
        )
        if packet.qos == QOS_2:
            await self._hold(message)
            return
        await self._desk.received(message)
        if packet.qos == QOS_1:
            await self._reply(PUBACK, packet.packet_id)

    async def _hold(self, message: IncomingApplicationMessage) -> None:
        """The first half of QoS 2: kept until PUBREL, so that it is passed on once."""
        if len(self._held) >= self._limits.in_flight:
            raise BadPacketError("too many messages of QoS 2 unfinished")
        self._held[message.packet_id] = message
        await self._reply(PUBREC, message.packet_id)

    async def _on_pubrel(self, packet_id: int) -> None:
        message = self._held.pop(packet_id, None)
        if message is not None:
            await self._desk.received(message)
        await self._reply(PUBCOMP, packet_id)

    async def _on_answered(self, packet_id: int) -> None:
        self._outbox.answered(packet_id)

    async def _on_received(self, packet_id: int) -> None:
        self._outbox.received(packet_id)

    async def _on_subscribe(self, packet: Any) -> None:
        topics = packet.payload.topics
        if not topics or any(qos > QOS_2 or not name for name, qos in topics):
            raise BadPacketError("a SUBSCRIBE without filters, or with a QoS that does not exist")
        granted = [await self._desk.subscribe(name, qos) for name, qos in topics]
        await self.mqtt_acknowledge_subscription(packet.variable_header.packet_id, granted)
        for (name, _), qos in zip(topics, granted, strict=True):
            if qos <= QOS_2:
                self._desk.retained(name, qos)

    async def _on_unsubscribe(self, packet: Any) -> None:
        for name in packet.payload.topics:
            self._desk.unsubscribe(name)
        await self.mqtt_acknowledge_unsubscription(packet.variable_header.packet_id)

    _HANDLERS: ClassVar[dict[int, Callable[[Any, Any], Awaitable[None]]]] = {
        PUBLISH: _on_publish,
        PUBREL: _on_pubrel,
        PUBACK: _on_answered,
        PUBREC: _on_received,
        PUBCOMP: _on_answered,
        SUBSCRIBE: _on_subscribe,
        UNSUBSCRIBE: _on_unsubscribe,
        PINGREQ: BrokerProtocolHandler.handle_pingreq,
    }
