"""WLED lamps: show a preset for each event over HTTP, return to idle, and announce each change to the cameras first."""

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
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)

LEAD_S = 0.1
"""Between the message `light` and the change: two pictures of a camera, and the message's way."""
SLOW_S = 0.5
"""A lamp that takes longer to answer may change after the cameras have stopped waiting."""
IDLE_RETRIES_S = (1.0, 5.0, 30.0)
"""When to repeat a failed return to idle."""
Announce = Callable[[str, int], object]
"""Announces a change of the light: by which lamp, and for how many ms from now."""


class HomeLamp:
    """One lamp; `show` never waits, `run` does the work. The newest request counts."""

    def __init__(self, settings: LampSettings, client: ClientSession, announce: Announce) -> None:
        self.settings = settings
        self._client, self._announce = client, announce
        self._wanted: int | None = None
        self._wake = asyncio.Event()
        self._lit = False
        self._warnings = RateLimitedLog(log)

    def show(self, happened: Sequence[HomeEvent]) -> None:
        """Show the most important of these events that the lamp has a preset for."""
        preset = next(
            (self.settings.presets[event] for event in happened if event in self.settings.presets), None
        )
        if preset is not None:
            self._wanted = preset
            self._wake.set()

    async def run(self) -> None:
        """Serve requests for ever."""
        while True:
            await self._wake.wait()
            while self._wake.is_set():
                self._wake.clear()
                if self._wanted is not None:
                    await self.change(self._wanted)
                await self._wait_for_request(self.settings.hold_s)
            await self._return_to_idle()

    async def change(self, preset: int) -> HttpOutcome:
        """Announce the change, then set the lamp; announce it again if the lamp answered late."""
        self._announce_change(LEAD_S)
        await asyncio.sleep(LEAD_S)
        self._lit = self._lit or preset != self.settings.idle
        began = time.monotonic()
        body = json.dumps({"ps": preset}).encode()
        outcome = await post(self._client, f"{self.settings.url}/json/state", body, {})
        if time.monotonic() - began > SLOW_S:
            self._announce_change(0.0)
        if not outcome.good:
            self._warnings.warn("lamp", "the lamp %s: %s", self.settings.name, outcome.words)
        elif preset == self.settings.idle:
            self._lit = False
        return outcome

    def _announce_change(self, lead_s: float) -> None:
        self._announce(f"lamp-{self.settings.name}"[:32], round((lead_s + self.settings.fade_s) * 1000))

    async def leave(self) -> None:
        """Return to idle, if it shows something."""
        if self._lit:
            await self.change(self.settings.idle)

    async def _return_to_idle(self) -> None:
        """Return to idle, also after failures; a new request ends it."""
        for retry_s in (*IDLE_RETRIES_S, 0.0):
            if (await self.change(self.settings.idle)).good or not retry_s:
                return
            await self._wait_for_request(retry_s)
            if self._wake.is_set():
                return

    async def _wait_for_request(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return
