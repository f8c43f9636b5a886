"""The process of lamps and webhooks: subscribe to `said`, as any display does, and hand events out."""

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
from scharten.errors import detail
from scharten.homes.happenings import SIGNS, HomeEvent, happenings
from scharten.homes.http import HttpOutcome, session
from scharten.homes.lamps import Announce, HomeLamp
from scharten.homes.settings import HomesSection
from scharten.homes.webhooks import Webhook, payload
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import MqttClient
from scharten.mqtt.publisher import announce_light
from scharten.words import LANGUAGES

log = logging.getLogger(__name__)

LONGEST = 16 * 1024
"""Bytes of the longest `said` that is read."""
AT_ONCE = 64
"""Most messages between the connection and the loop; further ones are dropped."""
LEAVE_S = 2.0


class Homes:
    """The lamps and webhooks of a board."""

    def __init__(self, settings: HomesSection, keys: Mapping[str, bytes], topics: Topics) -> None:
        self._settings, self._keys, self._topics = settings, keys, topics
        self.lamps: list[HomeLamp] = []
        self.webhooks: list[Webhook] = []

    @asynccontextmanager
    async def open(self, announce: Announce) -> AsyncIterator[None]:
        """Open lamps and webhooks; `announce` announces changes of the light."""
        async with session(own_network=True) as own, session(own_network=False) as anywhere:
            self.lamps = [HomeLamp(lamp, own, announce) for lamp in self._settings.lamps]
            self.webhooks = [
                Webhook(
                    webhook, self._keys[webhook.name], anywhere if webhook.url.startswith("https") else own
                )
                for webhook in self._settings.webhooks
            ]
            yield

    def hand_out(self, call: Mapping[str, Any]) -> None:
        """Hand the events of a message to all of them; never waits."""
        happened = happenings(call)
        for lamp in self.lamps:
            lamp.show(happened)
        for event in happened if self.webhooks else ():
            body = payload(event, call, self._topics, time.time())
            for webhook in self.webhooks:
                webhook.post(event, body)

    async def run(self, address: BrokerAddress, stopping: Callable[[], bool]) -> None:
        """Serve until `stopping`; then the lamps go back to idle."""
        loop, room = asyncio.get_running_loop(), threading.BoundedSemaphore(AT_ONCE)
        client = MqttClient(address, name="homes")

        def hand_over(call: Mapping[str, Any]) -> None:
            room.release()
            self.hand_out(call)

        def receive(_topic: str, body: bytes, retained: bool) -> None:
            call = None if retained else read_said(body)
            if call is not None and room.acquire(blocking=False):
                loop.call_soon_threadsafe(hand_over, call)

        client.subscribe(self._topics.path(Topic.SAID), receive)
        async with self.open(self.announcing(client)):
            client.start()
            running = [lamp.run for lamp in self.lamps] + [webhook.run for webhook in self.webhooks]
            tasks = [asyncio.create_task(run()) for run in running]
            while not stopping():
                await asyncio.sleep(0.2)
                for task in tasks:
                    if task.done():
                        task.result()  # raises its error: the process ends, and the daemon restarts it
            for task in tasks:
                task.cancel()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.gather(*(lamp.leave() for lamp in self.lamps)), LEAVE_S)
        if lost := sum(webhook.waiting for webhook in self.webhooks):
            log.warning("%d posts of webhooks had not arrived yet and are dropped", lost)
        await asyncio.to_thread(client.stop)

    def announcing(self, client: MqttClient) -> Announce:
        """Return the function that announces changes of the light to the cameras."""
        return lambda by, for_ms: announce_light(
            client, self._topics, by, time.time_ns() // 1_000_000, for_ms
        )

    async def tried(
        self, happened: HomeEvent, announce: Announce
    ) -> list[tuple[Mapping[str, str], HttpOutcome]]:
        """Send this event once to every lamp and webhook, and return the outcomes."""
        async with self.open(announce):
            jobs = [self._try_lamp(lamp, happened) for lamp in self.lamps]
            jobs += [self._try_webhook(webhook, happened) for webhook in self.webhooks]
            return list(await asyncio.gather(*jobs))

    async def _try_lamp(self, lamp: HomeLamp, happened: HomeEvent) -> tuple[Mapping[str, str], HttpOutcome]:
        preset = lamp.settings.presets.get(happened)
        name = lamp.settings.name
        if preset is None:
            return detail("homes_no_preset", name=name, event=happened), HttpOutcome(200)
        outcome = await lamp.change(preset)
        await asyncio.sleep(min(lamp.settings.hold_s, 2.0) if outcome.good else 0)
        back = await lamp.change(lamp.settings.idle)
        return (
            detail("homes_lamp", name=name, preset=preset, idle=lamp.settings.idle),
            outcome if not outcome.good else back,
        )

    async def _try_webhook(
        self, webhook: Webhook, happened: HomeEvent
    ) -> tuple[Mapping[str, str], HttpOutcome]:
        body = payload(happened, {**example(happened), "test": True}, self._topics, time.time())
        what = detail("homes_webhook", name=webhook.settings.name, event=happened)
        return what, await webhook.send("msg_test", body)


def read_said(body: bytes) -> Mapping[str, Any] | None:
    """Read a message of `said`; None if it is malformed or too long."""
    if len(body) > LONGEST:
        return None
    try:
        call = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return call if isinstance(call, dict) and isinstance(call.get("args"), dict) else None


def example(happened: HomeEvent) -> dict[str, Any]:
    """Return a message that shows this event."""
    sign = SIGNS[happened]
    args = {sign.arg: sign.value or "1-0"} if sign.arg else {}
    head = {"v": 2, "match": "", "seq": 0, "code": sign.code or "moved", "args": args}
    return {**head, "important": True, "stop": False, "words": dict.fromkeys(LANGUAGES, "Test.")}
