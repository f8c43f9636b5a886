"""Handle the packets of connected clients, and route messages to their receivers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from scharten.broker.connection import Connection
from scharten.broker.outbox import Outbox, RoutedMessage
from scharten.broker.packets import (
    ClientPacket,
    Connect,
    Control,
    Filters,
    PacketType,
    Publish,
    ReasonCode,
    Subscription,
)
from scharten.contract.roles import Account, Acl, matches

log = logging.getLogger(__name__)
Denied = Callable[[Account, str], object]
"""Called with an account and a topic that it may not write; must not wait."""


class Session:
    """One client; `will` is None once no message is due at its end."""

    def __init__(self, routing: Routing, account: Account, connect: Connect, connection: Connection) -> None:
        self.account, self.client_id, self.will = account, connect.client_id, connect.will
        self.connection = connection
        self.subscriptions: dict[str, Subscription] = {}
        self.outbox = Outbox(connection, connect.properties)
        self._routing, self._limits = routing, connection.limits
        self._unreleased: dict[int, Publish] = {}
        self.writable = self.outbox.send

    def ended(self) -> None:
        """End with the connection."""
        self.outbox.close()
        self._routing.forget_session(self)

    def handle(self, packet: ClientPacket) -> None:
        """Execute and answer a packet."""
        match packet:
            case Publish():
                self._on_publish(packet)
            case Control(PacketType.PUBACK | PacketType.PUBCOMP, packet_id):
                self.outbox.answered(packet_id)
            case Control(PacketType.PUBREC, packet_id, (reason,)):
                refused = reason >= ReasonCode.UNSPECIFIED_ERROR
                (self.outbox.answered if refused else self.outbox.received)(packet_id)
            case Control(PacketType.PUBREL, packet_id):
                publish = self._unreleased.pop(packet_id, None)
                if publish is not None:
                    self._routing.publish(self, publish)
                known = ReasonCode.SUCCESS if publish else ReasonCode.PACKET_IDENTIFIER_NOT_FOUND
                self._answer(PacketType.PUBCOMP, packet_id, known)
            case Control(PacketType.PINGREQ):
                self.connection.send(Control(PacketType.PINGRESP))
            case Control(PacketType.DISCONNECT, _, (reason,)):
                if reason != ReasonCode.DISCONNECT_WITH_WILL:
                    self.will = None
                self.connection.close()
            case Filters(PacketType.SUBSCRIBE):
                self._on_subscribe(packet)
            case Filters():
                gone = [
                    self.subscriptions.pop(subscription.topic_filter, None)
                    for subscription in packet.subscriptions
                ]
                self._routing.forget_routes()
                codes = (
                    ReasonCode.SUCCESS if subscription else ReasonCode.NO_SUBSCRIPTION_EXISTED
                    for subscription in gone
                )
                self._answer(PacketType.UNSUBACK, packet.packet_id, *codes)

    def _answer(self, kind: PacketType, packet_id: int, *reasons: int) -> None:
        self.connection.send(Control(kind, packet_id, reasons))

    def _on_publish(self, publish: Publish) -> None:
        reason = ReasonCode.SUCCESS
        topic = self._routing.acl.own_topic(self.account, publish.topic)
        publish = publish if topic == publish.topic else replace(publish, topic=topic)
        if not self._routing.acl.may_publish(self.account, publish.topic):
            reason = ReasonCode.NOT_AUTHORIZED
            log.debug("%s may not write %r: dropped", self.account, publish.topic[:100])
            self._routing.denied(self.account, publish.topic)
        elif publish.qos < 2:
            self._routing.publish(self, publish)
        elif len(self._unreleased) < self._limits.in_flight:
            self._unreleased[publish.packet_id] = publish
        else:
            self.connection.drop(ReasonCode.RECEIVE_MAXIMUM_EXCEEDED, "too many are unfinished at QoS 2")
        if publish.qos:
            kind = PacketType.PUBACK if publish.qos == 1 else PacketType.PUBREC
            self._answer(kind, publish.packet_id, reason)

    def _on_subscribe(self, packet: Filters) -> None:
        known = set(self.subscriptions)
        codes = [self._subscribe(subscription) for subscription in packet.subscriptions]
        self._routing.forget_routes()
        self._answer(PacketType.SUBACK, packet.packet_id, *codes)
        for subscription, code in zip(packet.subscriptions, codes, strict=True):
            unwanted = subscription.retain_handling == 2 or (
                subscription.retain_handling == 1 and subscription.topic_filter in known
            )
            if code < ReasonCode.UNSPECIFIED_ERROR and not unwanted:
                self._routing.send_retained(self, subscription)

    def _subscribe(self, wanted: Subscription) -> int:
        """Return the granted QoS or the reason of the refusal."""
        levels, held = wanted.topic_filter.split("/"), self.subscriptions
        if "#" in levels[:-1] or any(len(level) > 1 and ("#" in level or "+" in level) for level in levels):
            return ReasonCode.TOPIC_FILTER_INVALID
        if levels[0] == "$share":
            return ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED
        if not self._routing.acl.may_subscribe(self.account, wanted.topic_filter):
            return ReasonCode.NOT_AUTHORIZED
        if wanted.topic_filter not in held and len(held) >= self._limits.subscriptions:
            return ReasonCode.QUOTA_EXCEEDED
        held[wanted.topic_filter] = wanted
        return wanted.qos


class Routing:
    """The sessions by client id and the retained messages; `denied` gets the writes that were dropped."""

    def __init__(self, acl: Acl, denied: Denied) -> None:
        self.acl, self.denied = acl, denied
        self.sessions: dict[str, Session] = {}
        self._retained: dict[str, RoutedMessage] = {}
        self._remembered = lru_cache(256)(self._receivers)
        self.forget_routes = self._remembered.cache_clear
        """Call this whenever a subscription changes."""

    def forget_session(self, session: Session) -> None:
        """Forget a session that has ended, and publish its will at once, also one with a delay [3.1.2.5]."""
        del self.sessions[session.client_id]
        self.forget_routes()
        if session.will is not None:
            self.publish(session, session.will)

    def publish(self, sender: Session, publish: Publish) -> None:
        """Store a retained message, and offer it once to each subscriber that may read it."""
        message = RoutedMessage(publish)
        if publish.retain and self.acl.may_retain(publish.topic):
            self._retained.pop(publish.topic, None)
            if publish.payload:
                self._retained[publish.topic] = message
        for outbox, qos, as_published in self._remembered(publish.topic, sender):
            outbox.offer(message, qos, publish.retain and as_published)

    def _receivers(self, topic: str, sender: Session) -> list[tuple[Outbox, int, bool]]:
        """Return the subscribers that may read a topic, each with its highest QoS and whether the retain flag stays."""
        found = []
        for session in self.sessions.values():
            filters = [
                subscription
                for subscription in session.subscriptions.values()
                if matches(subscription.topic_filter, topic)
                and not (subscription.no_local and session is sender)
            ]
            if filters and self.acl.may_receive(session.account, topic):
                as_published = any(subscription.retain_as_published for subscription in filters)
                found.append(
                    (session.outbox, max(subscription.qos for subscription in filters), as_published)
                )
        return found

    def send_retained(self, receiver: Session, subscription: Subscription) -> None:
        """Offer the retained messages of a new subscription to its client."""
        for topic, kept in list(self._retained.items()):
            if kept.expired:
                del self._retained[topic]
            elif matches(subscription.topic_filter, topic) and self.acl.may_receive(receiver.account, topic):
                receiver.outbox.offer(kept, subscription.qos, True)
