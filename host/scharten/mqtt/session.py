"""A client that was let in: its subscriptions, and what each of its packets does."""

from __future__ import annotations

import logging
from typing import Protocol

from scharten.contract.roles import Account, Acl, matches
from scharten.mqtt.connection import Connection
from scharten.mqtt.outbox import Outbox
from scharten.mqtt.packets import (
    ClientPacket,
    Connect,
    Disconnect,
    PacketType,
    Ping,
    Property,
    Publish,
    PublishAck,
    ReasonCode,
    Subscribe,
    Subscription,
    SubscriptionAck,
    Unsubscribe,
)

log = logging.getLogger(__name__)


class Router(Protocol):
    """What the broker does for its sessions."""

    def publish(self, sender: Session, publish: Publish) -> None:
        """Keeps a message if it is retained, and passes it on."""

    def send_retained(self, receiver: Session, subscription: Subscription) -> None:
        """Offers the retained messages of a subscription."""

    def subscriptions_changed(self) -> None:
        """What was known about who receives what is no longer true."""

    def left(self, session: Session) -> None:
        """The session is over."""


class Session:
    """The packets of one client; `will` is None once nothing is to be published at its end."""

    def __init__(
        self, router: Router, acl: Acl, account: Account, connect: Connect, connection: Connection
    ) -> None:
        self.account, self.client_id, self.will = account, connect.client_id, connect.will
        self.connection = connection
        self._router, self._acl, self._limits = router, acl, connection.limits
        self._subscriptions: dict[str, Subscription] = {}
        self._unreleased: dict[int, Publish] = {}
        wants = {key: value for key, value in connect.properties if isinstance(value, int)}
        self.outbox = Outbox(
            connection.transport,
            self._limits,
            connection.drop,
            connect.version,
            in_flight=wants.get(Property.RECEIVE_MAXIMUM, 0xFFFF),
            largest=wants.get(Property.MAXIMUM_PACKET_SIZE, 1 << 32),
        )

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

    def writable(self) -> None:
        """The client reads again."""
        self.outbox.send()

    def ended(self) -> None:
        """The connection is gone."""
        self.outbox.close()
        self._router.left(self)

    def handle(self, packet: ClientPacket) -> None:
        """Does what a packet asks for, and answers it."""
        match packet:
            case Publish():
                self._on_publish(packet)
            case PublishAck():
                self._on_ack(packet)
            case Subscribe():
                self._on_subscribe(packet)
            case Unsubscribe():
                gone = [self._subscriptions.pop(one, None) for one in packet.topic_filters]
                self._router.subscriptions_changed()
                codes = tuple(0 if one else ReasonCode.NO_SUBSCRIPTION_EXISTED for one in gone)
                self.connection.send(SubscriptionAck(PacketType.UNSUBACK, packet.packet_id, codes))
            case Disconnect():
                if packet.reason != ReasonCode.DISCONNECT_WITH_WILL:
                    self.will = None
                self.connection.close()
            case _:
                self.connection.send(Ping())

    def _on_publish(self, publish: Publish) -> None:
        allowed = self._acl.may_publish(self.account, publish.topic)
        reason = ReasonCode.SUCCESS if allowed else ReasonCode.NOT_AUTHORIZED
        if not allowed:
            log.debug("%s may not write %r: dropped", self.account, publish.topic[:100])
        if publish.qos == 2:
            if allowed and len(self._unreleased) >= self._limits.in_flight:
                words = "too many messages of QoS 2 are unfinished"
                self.connection.drop(ReasonCode.RECEIVE_MAXIMUM_EXCEEDED, words)
                return
            if allowed:
                self._unreleased[publish.packet_id] = publish
            self.connection.send(PublishAck(PacketType.PUBREC, publish.packet_id, reason))
            return
        if allowed:
            self._router.publish(self, publish)
        if publish.qos:
            self.connection.send(PublishAck(PacketType.PUBACK, publish.packet_id, reason))

    def _on_ack(self, ack: PublishAck) -> None:
        if ack.kind is PacketType.PUBREL:
            publish = self._unreleased.pop(ack.packet_id, None)
            if publish is not None:
                self._router.publish(self, publish)
            reason = ReasonCode.SUCCESS if publish else ReasonCode.PACKET_IDENTIFIER_NOT_FOUND
            self.connection.send(PublishAck(PacketType.PUBCOMP, ack.packet_id, reason))
        elif ack.kind is PacketType.PUBREC and ack.reason < ReasonCode.UNSPECIFIED_ERROR:
            self.outbox.received(ack.packet_id)
        else:
            self.outbox.answered(ack.packet_id)

    def _on_subscribe(self, packet: Subscribe) -> None:
        known = set(self._subscriptions)
        codes = tuple(self._subscribe(one) for one in packet.subscriptions)
        self._router.subscriptions_changed()
        self.connection.send(SubscriptionAck(PacketType.SUBACK, packet.packet_id, codes))
        for one, code in zip(packet.subscriptions, codes, strict=True):
            unwanted = one.retain_handling == 2 or (one.retain_handling == 1 and one.topic_filter in known)
            if code < ReasonCode.UNSPECIFIED_ERROR and not unwanted:
                self._router.send_retained(self, one)

    def _subscribe(self, wanted: Subscription) -> int:
        """The QoS granted, or why none is."""
        levels = wanted.topic_filter.split("/")
        if "#" in levels[:-1] or any(len(one) > 1 and ("#" in one or "+" in one) for one in levels):
            return ReasonCode.TOPIC_FILTER_INVALID
        if levels[0] == "$share":
            return ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED
        if not self._acl.may_subscribe(self.account, wanted.topic_filter):
            return ReasonCode.NOT_AUTHORIZED
        held = self._subscriptions
        if wanted.topic_filter not in held and len(held) >= self._limits.subscriptions:
            return ReasonCode.QUOTA_EXCEEDED
        held[wanted.topic_filter] = wanted
        return wanted.qos
