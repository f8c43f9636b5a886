"""One client of the embedded broker after its CONNECT: reads its packets one after the other, each answered first."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Protocol

from scharten.contract.roles import Account, matches
from scharten.errors import Problem
from scharten.mqtt.codec import Decoder, encode, reason_of
from scharten.mqtt.limits import Limits, RateLimitedLog
from scharten.mqtt.outbox import Message, Outbox
from scharten.mqtt.packets import (
    Ack,
    BrokerPacket,
    ClientPacket,
    Connect,
    Disconnect,
    Kind,
    Ping,
    Property,
    Publish,
    Reason,
    Subscribe,
    Subscription,
    SubscriptionAck,
    Unsubscribe,
    Version,
)

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)
_CHUNK = 64 * 1024


class Router(Protocol):
    """What the broker does for one client."""

    def may_publish(self, account: Account, topic: str) -> bool:
        """Whether the account may write there."""

    def may_subscribe(self, account: Account, topic_filter: str) -> bool:
        """Whether the filter could bring the account anything."""

    def publish(self, sender: ClientConnection, publish: Publish) -> None:
        """Keeps a message if it is retained, and passes it on."""

    def send_retained(self, receiver: ClientConnection, subscription: Subscription) -> None:
        """Offers the retained messages of a subscription."""

    def subscriptions_changed(self) -> None:
        """What was known about who receives what is no longer true."""


class PacketStream:
    """A client's packets; each must be whole within `packet_s` of its beginning."""

    def __init__(self, reader: asyncio.StreamReader, limit: int, packet_s: float) -> None:
        self.decoder = Decoder(limit)
        self._reader, self._packet_s = reader, packet_s

    async def next(self, within_s: float | None = None) -> ClientPacket | Problem | None:
        """The next packet, waited for at most `within_s`; None at the end. `TimeoutError`, `OSError`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s if within_s else None
        begun = False
        while (packet := self.decoder.next()) is None:
            if self.decoder.unfinished and not begun:
                begun = True
                whole = loop.time() + self._packet_s
                deadline = min(deadline, whole) if deadline else whole
            async with asyncio.timeout_at(deadline):
                data = await self._reader.read(_CHUNK)
            if not data:
                return None
            self.decoder.feed(data)
        return packet


class ClientConnection:
    """Subscriptions, outbox and reader of one client; `will` is None once nothing is to be published at its end."""

    def __init__(
        self, router: Router, account: Account, connect: Connect, writer: asyncio.StreamWriter, limits: Limits
    ) -> None:
        self.account, self.client_id, self.will = account, connect.client_id, connect.will
        self.finished = asyncio.Event()
        self._subscriptions: dict[str, Subscription] = {}
        self._router, self._version, self._limits = router, connect.version, limits
        self._writer, self._transport = writer, writer.transport
        # 3.1.2.10: one and a half keep-alives of silence are the end.
        self._silence_s = connect.keep_alive_s * 1.5 or None
        self._unreleased: dict[int, Publish] = {}
        self._dropped = False
        wants = {key: value for key, value in connect.properties if isinstance(value, int)}
        self.outbox = Outbox(
            writer,
            limits,
            self.drop,
            connect.version,
            in_flight=wants.get(Property.RECEIVE_MAXIMUM, 0xFFFF),
            largest=wants.get(Property.MAXIMUM_PACKET_SIZE, 1 << 32),
        )

    async def run(self, stream: PacketStream) -> None:
        """Serves the client until it leaves or is dropped."""
        try:
            while not self._dropped:
                packet = await stream.next(self._silence_s)
                if packet is None:
                    return None
                if isinstance(packet, Problem):
                    return self.drop(reason_of(packet), f"it sent a bad packet: {packet}")
                if isinstance(packet, Disconnect):
                    if packet.reason != Reason.DISCONNECT_WITH_WILL:
                        self.will = None
                    return None
                async with asyncio.timeout(self._limits.packet_s):
                    await self._handle(packet)
        except TimeoutError:
            self.drop(Reason.KEEP_ALIVE_TIMEOUT, "it fell silent")
        except OSError as error:
            log.debug("a connection broke: %s", error)

    def drop(self, reason: Reason, words: str) -> None:
        """Closes the connection, and says why in the log."""
        warnings.warn("drop", "the client %r is dropped: %s", self.client_id, words)
        self.close(reason)

    def close(self, reason: Reason) -> None:
        """Closes the connection at once, in MQTT 5 with the reason; the last will follows."""
        self._dropped = True
        if self._version is Version.V5 and not self._transport.get_write_buffer_size():
            self._writer.write(encode(Disconnect(reason), self._version))
            self._writer.close()
        else:
            self._transport.abort()  # nothing waits for a client that does not read

    def delivery(self, topic: str, own: bool) -> tuple[int, bool] | None:
        """The QoS and whether the retain flag stays, over all filters that match; None when none does."""
        found = [
            one
            for one in self._subscriptions.values()
            if not (own and one.no_local) and matches(one.topic_filter, topic)
        ]
        if not found:
            return None
        return max(one.qos for one in found), any(one.retain_as_published for one in found)

    async def _handle(self, packet: ClientPacket) -> None:
        match packet:
            case Publish():
                await self._on_publish(packet)
            case Ack():
                await self._on_ack(packet)
            case Subscribe():
                await self._on_subscribe(packet)
            case Unsubscribe():
                gone = [self._subscriptions.pop(one, None) for one in packet.topic_filters]
                self._router.subscriptions_changed()
                codes = tuple(0 if one else Reason.NO_SUBSCRIPTION_EXISTED for one in gone)
                await self._send(SubscriptionAck(Kind.UNSUBACK, packet.packet_id, codes))
            case _:
                await self._send(Ping())

    async def _on_publish(self, publish: Publish) -> None:
        allowed = self._router.may_publish(self.account, publish.topic)
        reason = Reason.SUCCESS if allowed else Reason.NOT_AUTHORIZED
        if not allowed:
            log.debug("%s may not write %r: dropped", self.account, publish.topic[:100])
        if publish.qos == 2:
            if allowed:
                if len(self._unreleased) >= self._limits.in_flight:
                    self.drop(Reason.RECEIVE_MAXIMUM_EXCEEDED, "too many messages of QoS 2 are unfinished")
                    return
                self._unreleased[publish.packet_id] = publish
            await self._send(Ack(Kind.PUBREC, publish.packet_id, reason))
            return
        if allowed:
            self._router.publish(self, publish)
        if publish.qos:
            await self._send(Ack(Kind.PUBACK, publish.packet_id, reason))
        # A sender whose packets are all here already must not keep the others waiting.
        await asyncio.sleep(0)

    async def _on_ack(self, ack: Ack) -> None:
        if ack.kind is Kind.PUBREL:
            publish = self._unreleased.pop(ack.packet_id, None)
            if publish is not None:
                self._router.publish(self, publish)
            reason = Reason.SUCCESS if publish else Reason.PACKET_IDENTIFIER_NOT_FOUND
            await self._send(Ack(Kind.PUBCOMP, ack.packet_id, reason))
        elif ack.kind is Kind.PUBREC and ack.reason < Reason.UNSPECIFIED_ERROR:
            self.outbox.received(ack.packet_id)
        else:
            self.outbox.answered(ack.packet_id)

    async def _on_subscribe(self, packet: Subscribe) -> None:
        known = set(self._subscriptions)
        codes = tuple(self._subscribe(one) for one in packet.subscriptions)
        self._router.subscriptions_changed()
        await self._send(SubscriptionAck(Kind.SUBACK, packet.packet_id, codes))
        for one, code in zip(packet.subscriptions, codes, strict=True):
            unwanted = one.retain_handling == 2 or (one.retain_handling == 1 and one.topic_filter in known)
            if code < Reason.UNSPECIFIED_ERROR and not unwanted:
                self._router.send_retained(self, one)

    def _subscribe(self, wanted: Subscription) -> int:
        """The QoS granted, or why none is."""
        levels = wanted.topic_filter.split("/")
        if "#" in levels[:-1] or any(len(one) > 1 and ("#" in one or "+" in one) for one in levels):
            return Reason.TOPIC_FILTER_INVALID
        if levels[0] == "$share":
            return Reason.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED
        if not self._router.may_subscribe(self.account, wanted.topic_filter):
            return Reason.NOT_AUTHORIZED
        held = self._subscriptions
        if wanted.topic_filter not in held and len(held) >= self._limits.subscriptions:
            return Reason.QUOTA_EXCEEDED
        held[wanted.topic_filter] = wanted
        return wanted.qos

    async def _send(self, packet: BrokerPacket) -> None:
        self._writer.write(encode(packet, self._version))
        await self._writer.drain()


def delivered(message: Message, qos: int, retain: bool) -> Message:
    """The message as one receiver gets it: at the lower QoS of the two."""
    publish = message.publish
    qos = min(publish.qos, qos)
    if (qos, retain) == (publish.qos, publish.retain):
        return message
    return replace(message, publish=replace(publish, qos=qos, retain=retain))
