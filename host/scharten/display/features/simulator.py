"""The virtual dartboard: darts that a page throws at the simulated board."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scharten.contract.roles import throw_topic
from scharten.contract.topics import Topic
from scharten.display.feature import Feature, Handler, Payload, Welcome
from scharten.display.page import Page


class SimulatorFeature(Feature):
    """Publishes a page's darts, where the board is simulated."""

    def welcome(self, role: str) -> Welcome:
        return Welcome({"simulated": self.context.simulated})

    def topics(self) -> Mapping[str, Handler]:
        return {Topic.THROW.value: self._throw}

    def _throw(self, page: Page, payload: Payload) -> str | None:
        topic = throw_topic(page.role)
        if topic is None or not self.context.simulated:
            return "not_allowed"
        if payload.pop("practice", False) and not self._practising():
            return "no_practice"  # the dart would land in the game that is under way
        return None if self.bus.link.publish(topic, payload) else "no_broker"

    def _practising(self) -> bool:
        """Whether an exercise waits for a dart."""
        practice = json.loads(self.bus.last.get(Topic.STATE, "{}")).get("practice")
        return bool(practice) and not practice["over"]


feature = SimulatorFeature
