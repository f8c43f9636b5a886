"""The clients that were let in: what each of their packets does, and who receives which message."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from scharten.contract.roles import Account, Acl, matches
from scharten.mqtt.connection import Connection
from scharten.mqtt.outbox import Outbox, RoutedMessage
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
Denied = Callable[[Account, str], object]
"""Hears which account wrote on a topic that it may not write; must not wait."""
_ROUTES = 256
"""How many topics are remembered with who receives them."""


class Session:
    """The packets of one client; `will` is None once nothing is to be published at its end."""

    def __init__(self, routing: Routing, account: Account, connect: Connect, connection: Connection) -> None:
        self.account, self.client_id, self.will = account, connect.client_id, connect.will
        self.connection = connection
        self._routing, self._limits = routing, connection.limits
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
        self._routing.left(self)

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
                self._routing.subscriptions_changed()
                codes = tuple(0 if one else ReasonCode.NO_SUBSCRIPTION_EXISTED for one in gone)
                self.connection.send(SubscriptionAck(PacketType.UNSUBACK, packet.packet_id, codes))
            case Disconnect():
                if packet.reason != ReasonCode.DISCONNECT_WITH_WILL:
                    self.will = None
                self.connection.close()
            case _:
                self.connection.send(Ping())

    def _on_publish(self, publish: Publish) -> None:
        allowed = self._routing.acl.may_publish(self.account, publish.topic)
        reason = ReasonCode.SUCCESS if allowed else ReasonCode.NOT_AUTHORIZED
        if not allowed:
            log.debug("%s may not write %r: dropped", self.account, publish.topic[:100])
            self._routing.denied(self.account, publish.topic)
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
            self._routing.publish(self, publish)
        if publish.qos:
            self.connection.send(PublishAck(PacketType.PUBACK, publish.packet_id, reason))

    def _on_ack(self, ack: PublishAck) -> None:
        if ack.kind is PacketType.PUBREL:
            publish = self._unreleased.pop(ack.packet_id, None)
            if publish is not None:
                self._routing.publish(self, publish)
            reason = ReasonCode.SUCCESS if publish else ReasonCode.PACKET_IDENTIFIER_NOT_FOUND
            self.connection.send(PublishAck(PacketType.PUBCOMP, ack.packet_id, reason))
        elif ack.kind is PacketType.PUBREC and ack.reason < ReasonCode.UNSPECIFIED_ERROR:
            self.outbox.received(ack.packet_id)
        else:
            self.outbox.answered(ack.packet_id)

    def _on_subscribe(self, packet: Subscribe) -> None:
        known = set(self._subscriptions)
        codes = tuple(self._subscribe(one) for one in packet.subscriptions)
        self._routing.subscriptions_changed()
        self.connection.send(SubscriptionAck(PacketType.SUBACK, packet.packet_id, codes))
        for one, code in zip(packet.subscriptions, codes, strict=True):
            unwanted = one.retain_handling == 2 or (one.retain_handling == 1 and one.topic_filter in known)
            if code < ReasonCode.UNSPECIFIED_ERROR and not unwanted:
                self._routing.send_retained(self, one)

    def _subscribe(self, wanted: Subscription) -> int:
        """The QoS granted, or why none is."""
        levels = wanted.topic_filter.split("/")
        if "#" in levels[:-1] or any(len(one) > 1 and ("#" in one or "+" in one) for one in levels):
            return ReasonCode.TOPIC_FILTER_INVALID
        if levels[0] == "$share":
            return ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED
        if not self._routing.acl.may_subscribe(self.account, wanted.topic_filter):
            return ReasonCode.NOT_AUTHORIZED
        held = self._subscriptions
        if wanted.topic_filter not in held and len(held) >= self._limits.subscriptions:
            return ReasonCode.QUOTA_EXCEEDED
        held[wanted.topic_filter] = wanted
        return wanted.qos


class Routing:
    """The sessions by client id, the retained messages, and who receives what; `denied` hears what was dropped."""

    def __init__(self, acl: Acl, denied: Denied = lambda account, topic: None) -> None:
        self.acl, self.denied = acl, denied
        self.sessions: dict[str, Session] = {}
        self._retained: dict[str, RoutedMessage] = {}
        self._routes: dict[str, list[tuple[Session, tuple[int, bool]]]] = {}

    def left(self, session: Session) -> None:
        """Keeps nothing of a session that is over; a will with a delay speaks at once [3.1.2.5]."""
        del self.sessions[session.client_id]
        self.subscriptions_changed()
        if session.will is not None:
            kept = tuple(one for one in session.will.properties if one[0] is not Property.WILL_DELAY)
            self.publish(session, replace(session.will, properties=kept))

    def publish(self, sender: Session, publish: Publish) -> None:
        """Keeps a message if it is retained, and offers it once to each client that subscribed and may read it."""
        topic, message = publish.topic, RoutedMessage.of(publish)
        if publish.retain:
            self._retained.pop(topic, None)
            if publish.payload:
                self._retained[topic] = message
        for receiver, wanted in self._receivers(topic):
            own = receiver is sender
            if own_wanted := receiver.delivery(topic, True) if own else wanted:
                qos, as_published = own_wanted
                receiver.outbox.offer(message.delivered(qos, publish.retain and as_published))

    def _receivers(self, topic: str) -> list[tuple[Session, tuple[int, bool]]]:
        """Who subscribed to the topic and may read it, and how; remembered until a subscription changes."""
        known = self._routes.get(topic)
        if known is None:
            if len(self._routes) >= _ROUTES:
                self._routes.clear()
            known = self._routes[topic] = [
                (one, wanted)
                for one in self.sessions.values()
                if (wanted := one.delivery(topic, False)) and self.acl.may_receive(one.account, topic)
            ]
        return known

    def subscriptions_changed(self) -> None:
        """Forgets who receives what."""
        self._routes.clear()

    def send_retained(self, receiver: Session, subscription: Subscription) -> None:
        """Offers the retained messages of one new subscription to this client only."""
        for topic, kept in list(self._retained.items()):
            if kept.expired:
                del self._retained[topic]
            elif matches(subscription.topic_filter, topic) and self.acl.may_receive(receiver.account, topic):
                receiver.outbox.offer(kept.delivered(subscription.qos, True))
