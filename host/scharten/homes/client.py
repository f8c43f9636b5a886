"""The process of the homes: hears `said` as any display does, and hands it to lamps and webhooks."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from scharten.contract.topics import Topic, Topics
from scharten.homes.happenings import SIGNS, HomeEvent, happenings
from scharten.homes.http import HttpOutcome, session
from scharten.homes.lamps import Announce, HomeLamp
from scharten.homes.settings import HomesSection
from scharten.homes.webhooks import Webhook, payload
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import MqttClient
from scharten.mqtt.light import announce_light

log = logging.getLogger(__name__)

LONGEST = 16 * 1024
"""Bytes of the longest `said` that is read."""
AT_ONCE = 64
"""Messages between the connection and the loop; more are dropped."""
LEAVE_S = 2.0


class Homes:
    """The lamps and webhooks of a board."""

    def __init__(self, settings: HomesSection, keys: Mapping[str, bytes], topics: Topics) -> None:
        self._settings, self._keys, self._topics = settings, keys, topics
        self.lamps: list[HomeLamp] = []
        self.webhooks: list[Webhook] = []

    @asynccontextmanager
    async def open(self, announce: Announce) -> AsyncIterator[None]:
        """Make them ready to be told; `announce` says that the light changes."""
        async with session(own_network=True) as own, session(own_network=False) as anywhere:
            self.lamps = [HomeLamp(one, own, announce) for one in self._settings.lamps]
            self.webhooks = [
                Webhook(one, self._keys[one.name], anywhere if one.url.startswith("https") else own)
                for one in self._settings.webhooks
            ]
            yield

    def tell(self, said: Mapping[str, Any]) -> None:
        """Tell all of them what has happened; never waits."""
        happened = happenings(said)
        for lamp in self.lamps:
            lamp.show(happened)
        for one in happened if self.webhooks else ():
            body = payload(one, said, self._topics, time.time())
            for webhook in self.webhooks:
                webhook.tell(one, body)

    async def run(self, address: BrokerAddress, stopping: Callable[[], bool]) -> None:
        """Serve until `stopping`; then the lamps go back to idle."""
        loop, room = asyncio.get_running_loop(), threading.BoundedSemaphore(AT_ONCE)
        client = MqttClient(address, name="homes")

        def hand_over(said: Mapping[str, Any]) -> None:
            room.release()
            self.tell(said)

        def heard(_topic: str, body: bytes, retained: bool) -> None:
            said = None if retained else read_said(body)
            if said is not None and room.acquire(blocking=False):
                loop.call_soon_threadsafe(hand_over, said)

        client.subscribe(self._topics.of(Topic.SAID), heard)
        async with self.open(self.announcing(client)):
            client.start()
            running = [one.run for one in self.lamps] + [one.run for one in self.webhooks]
            tasks = [asyncio.create_task(run()) for run in running]
            while not stopping():
                await asyncio.sleep(0.2)
                for task in tasks:
                    if task.done():
                        task.result()  # what should never end has failed: this process ends, and is started again
            for task in tasks:
                task.cancel()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.gather(*(one.leave() for one in self.lamps)), LEAVE_S)
        if lost := sum(one.waiting for one in self.webhooks):
            log.warning("%d posts of webhooks had not arrived yet and are dropped", lost)
        await asyncio.to_thread(client.stop)

    def announcing(self, client: MqttClient) -> Announce:
        """What tells the cameras."""
        return lambda by, for_ms: announce_light(
            client, self._topics, by, time.time_ns() // 1_000_000, for_ms
        )

    async def tried(self, happened: HomeEvent, announce: Announce) -> list[tuple[str, HttpOutcome]]:
        """Show and post this once everywhere, whatever each is told otherwise; gives how it went."""
        async with self.open(announce):
            jobs = [self._try_lamp(one, happened) for one in self.lamps]
            jobs += [self._try_webhook(one, happened) for one in self.webhooks]
            return list(await asyncio.gather(*jobs))

    async def _try_lamp(self, lamp: HomeLamp, happened: HomeEvent) -> tuple[str, HttpOutcome]:
        preset = lamp.settings.presets.get(happened)
        name = f"lamp {lamp.settings.name}"
        if preset is None:
            return f"{name}: has no preset for {happened}", HttpOutcome(200)
        outcome = await lamp.change(preset)
        await asyncio.sleep(min(lamp.settings.hold_s, 2.0) if outcome.good else 0)
        back = await lamp.change(lamp.settings.idle)
        return (
            f"{name}: preset {preset}, and back to {lamp.settings.idle}",
            outcome if not outcome.good else back,
        )

    async def _try_webhook(self, webhook: Webhook, happened: HomeEvent) -> tuple[str, HttpOutcome]:
        body = payload(happened, {**example(happened), "test": True}, self._topics, time.time())
        return f"webhook {webhook.settings.name}: {happened}", await webhook.send("msg_test", body)


def read_said(body: bytes) -> Mapping[str, Any] | None:
    """A message of `said`; None for what is none, or is too long."""
    if len(body) > LONGEST:
        return None
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) and isinstance(said.get("args"), dict) else None


def example(happened: HomeEvent) -> dict[str, Any]:
    """A message that shows this."""
    sign = SIGNS[happened]
    args = {sign.arg: sign.value or "1-0"} if sign.arg else {}
    words = dict.fromkeys(("en", "nl", "de"), "Test.")
    code = sign.code or "moved"
    return {
        "v": 2,
        "match": "",
        "seq": 0,
        "code": code,
        "args": args,
        "important": True,
        "stop": False,
        "words": words,
    }
