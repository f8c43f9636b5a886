"""WLED lamps: a preset for a happening over HTTP, back to idle afterwards, each change told to the cameras first."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Sequence

from aiohttp import ClientSession

from scharten.homes.happenings import HomeEvent
from scharten.homes.http import HttpOutcome, post
from scharten.homes.settings import LampSettings
from scharten.mqtt.limits import RateLimitedLog

log = logging.getLogger(__name__)

LEAD_S = 0.1
"""Between the message `light` and the change: two pictures of a camera, and the message's way."""
SLOW_S = 0.5
"""A lamp that takes longer to answer may have changed long after its cameras were told."""
IDLE_AGAIN_S = (1.0, 5.0, 30.0)
"""When a lamp that did not go back to idle is asked again."""
Announce = Callable[[str, int], object]
"""Says that the light changes: by which lamp, and for how many ms from now."""


class HomeLamp:
    """One lamp; `show` never waits, `run` does the work. The newest wish counts."""

    def __init__(self, settings: LampSettings, client: ClientSession, announce: Announce) -> None:
        self.settings = settings
        self._client, self._announce = client, announce
        self._wanted: int | None = None
        self._wake = asyncio.Event()
        self._lit = False
        self._warnings = RateLimitedLog(log)

    def show(self, happened: Sequence[HomeEvent]) -> None:
        """Show the weightiest of these that the lamp has a preset for."""
        preset = next((self.settings.presets[one] for one in happened if one in self.settings.presets), None)
        if preset is not None:
            self._wanted = preset
            self._wake.set()

    async def run(self) -> None:
        """Show what is wished, for ever."""
        while True:
            await self._wake.wait()
            while self._wake.is_set():
                self._wake.clear()
                if self._wanted is not None:
                    await self.change(self._wanted)
                await self._idle_or_wish(self.settings.hold_s)
            await self._rest()

    async def change(self, preset: int) -> HttpOutcome:
        """Tell the cameras, then the lamp; one that took its time may change only now, so they are told again."""
        self._tell_cameras(LEAD_S)
        await asyncio.sleep(LEAD_S)
        self._lit = self._lit or preset != self.settings.idle
        began = time.monotonic()
        body = json.dumps({"ps": preset}).encode()
        outcome = await post(self._client, f"{self.settings.url}/json/state", body, {})
        if time.monotonic() - began > SLOW_S:
            self._tell_cameras(0.0)
        if not outcome.good:
            self._warnings.warn("lamp", "the lamp %s: %s", self.settings.name, outcome.words)
        elif preset == self.settings.idle:
            self._lit = False
        return outcome

    def _tell_cameras(self, lead_s: float) -> None:
        self._announce(f"lamp-{self.settings.name}"[:32], round((lead_s + self.settings.fade_s) * 1000))

    async def leave(self) -> None:
        """Go back to idle, if it shows something."""
        if self._lit:
            await self.change(self.settings.idle)

    async def _rest(self) -> None:
        """Go back to idle, also when the lamp is deaf for a while; a new wish ends it."""
        for again_s in (*IDLE_AGAIN_S, 0.0):
            if (await self.change(self.settings.idle)).good or not again_s:
                return
            await self._idle_or_wish(again_s)
            if self._wake.is_set():
                return

    async def _idle_or_wish(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return
