"""The clients that were let in: what each of their packets does, and who receives which message."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from scharten.contract.roles import Account, Acl, matches
from scharten.mqtt.connection import Connection
from scharten.mqtt.outbox import Outbox, RoutedMessage
from scharten.mqtt.packets import (
    ClientPacket,
    Connect,
    Control,
    Filters,
    PacketType,
    Property,
    Publish,
    ReasonCode,
    Subscription,
)

log = logging.getLogger(__name__)
Denied = Callable[[Account, str], object]
"""Hears which account wrote on a topic that it may not write; must not wait."""


class Session:
    """The packets of one client; `will` is None once nothing is to be published at its end."""

    def __init__(self, routing: Routing, account: Account, connect: Connect, connection: Connection) -> None:
        self.account, self.client_id, self.will = account, connect.client_id, connect.will
        self.connection = connection
        self.subscriptions: dict[str, Subscription] = {}
        self.outbox = Outbox(connection, connect.properties)
        self._routing, self._limits = routing, connection.limits
        self._unreleased: dict[int, Publish] = {}
        self.writable = self.outbox.send

    def ended(self) -> None:
        """The connection is gone."""
        self.outbox.close()
        self._routing.left(self)

    def handle(self, packet: ClientPacket) -> None:
        """Does what a packet asks for, and answers it."""
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
                gone = [self.subscriptions.pop(one.topic_filter, None) for one in packet.subscriptions]
                self._routing.forget_routes()
                codes = (ReasonCode.SUCCESS if one else ReasonCode.NO_SUBSCRIPTION_EXISTED for one in gone)
                self._answer(PacketType.UNSUBACK, packet.packet_id, *codes)

    def _answer(self, kind: PacketType, packet_id: int, *reasons: int) -> None:
        self.connection.send(Control(kind, packet_id, reasons))

    def _on_publish(self, publish: Publish) -> None:
        reason = ReasonCode.SUCCESS
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
        codes = [self._subscribe(one) for one in packet.subscriptions]
        self._routing.forget_routes()
        self._answer(PacketType.SUBACK, packet.packet_id, *codes)
        for one, code in zip(packet.subscriptions, codes, strict=True):
            unwanted = one.retain_handling == 2 or (one.retain_handling == 1 and one.topic_filter in known)
            if code < ReasonCode.UNSPECIFIED_ERROR and not unwanted:
                self._routing.send_retained(self, one)

    def _subscribe(self, wanted: Subscription) -> int:
        """The QoS granted, or why none is."""
        levels, held = wanted.topic_filter.split("/"), self.subscriptions
        if "#" in levels[:-1] or any(len(one) > 1 and ("#" in one or "+" in one) for one in levels):
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
    """The sessions by client id, the retained messages, and who receives what; `denied` hears what was dropped."""

    def __init__(self, acl: Acl, denied: Denied) -> None:
        self.acl, self.denied = acl, denied
        self.sessions: dict[str, Session] = {}
        self._retained: dict[str, RoutedMessage] = {}
        self._remembered = lru_cache(256)(self._receivers)
        self.forget_routes = self._remembered.cache_clear
        """To be called whenever a subscription changes."""

    def left(self, session: Session) -> None:
        """Keeps nothing of a session that is over; a will with a delay speaks at once [3.1.2.5]."""
        del self.sessions[session.client_id]
        self.forget_routes()
        if session.will is not None:
            kept = {**session.will.properties}
            kept.pop(Property.WILL_DELAY, None)
            self.publish(session, replace(session.will, properties=kept))

    def publish(self, sender: Session, publish: Publish) -> None:
        """Keeps a message if it is retained, and offers it once to each client that subscribed and may read it."""
        message = RoutedMessage(publish)
        if publish.retain:
            self._retained.pop(publish.topic, None)
            if publish.payload:
                self._retained[publish.topic] = message
        for outbox, qos, as_published in self._remembered(publish.topic, sender):
            outbox.offer(message, qos, publish.retain and as_published)

    def _receivers(self, topic: str, sender: Session) -> list[tuple[Outbox, int, bool]]:
        """Who subscribed to the topic and may read it, the highest QoS of its filters, and whether retain stays."""
        found = []
        for one in self.sessions.values():
            filters = [
                each
                for each in one.subscriptions.values()
                if matches(each.topic_filter, topic) and not (each.no_local and one is sender)
            ]
            if filters and self.acl.may_receive(one.account, topic):
                as_published = any(each.retain_as_published for each in filters)
                found.append((one.outbox, max(each.qos for each in filters), as_published))
        return found

    def send_retained(self, receiver: Session, subscription: Subscription) -> None:
        """Offers the retained messages of one new subscription to this client only."""
        for topic, kept in list(self._retained.items()):
            if kept.expired:
                del self._retained[topic]
            elif matches(subscription.topic_filter, topic) and self.acl.may_receive(receiver.account, topic):
                receiver.outbox.offer(kept, subscription.qos, True)
