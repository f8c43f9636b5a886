"""A GranBoard over Bluetooth LE, for those who have one: needs the library bleak.

Written from what its owners have published; NOT TRIED ON THE DEVICE. The board keeps nothing: a dart thrown while the
connection is away is lost, and there is nothing to acknowledge.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
from typing import Any, Final

from scharten.dartboard.granboard import NOTIFY, SERVICE, MessageReader, Other
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.errors import Problem
from scharten.match.inputs import (
    Button,
    ButtonName,
    Knock,
    Observed,
    Reading,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import GRANBOARD, KeepsNothing, SensorSetup, dart_of_contact
from scharten.sensors.settings import GranBoardAddress
from scharten.system.worker import Worker

_RETRY_S = 3.0
_BEAT_S = 0.5
NO_BLUETOOTH: Final = Problem(
    "no_bluetooth", "Bluetooth support is not installed.", cure="Run `.venv/bin/pip install 'bleak>=1'`."
)


def missing_library() -> Problem | None:
    """Return what this machine lacks for a GranBoard, or None."""
    return None if importlib.util.find_spec("bleak") else NO_BLUETOOTH


class GranBoardSensor(KeepsNothing):
    """A GranBoard as a sensor."""

    def __init__(self, setup: SensorSetup, address: GranBoardAddress) -> None:
        self._profile = load_profile(setup.profile, setup.folder)
        self._address, self._emit, self._now_ms = address.root, setup.emit, setup.now_ms
        self._reader = MessageReader()
        self._state: SensorState | None = None
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self.workers = (Worker("granboard", self._run),)

    def start(self) -> None:
        """Begin looking for the board; returns at once."""
        self.workers[0].start()

    def stop(self, *, for_good: bool) -> None:
        """Disconnect and end the thread."""
        self._loop.call_soon_threadsafe(self._stopped.set)
        self.workers[0].join(10)

    def on_notification(self, data: bytes) -> None:
        """One notification of the board."""
        for message in self._reader.feed(data):
            now = self._now_ms()
            self._emit(Reading(now, now, GRANBOARD, _observed(message, self._profile)))

    def _run(self) -> None:
        self._loop.call_soon(self._beat)
        self.workers[0].blocked = True  # the library may load for seconds
        try:
            bleak: Any = importlib.import_module("bleak")
        except ImportError:
            self._tell(SensorState.LOST, str(NO_BLUETOOTH), NO_BLUETOOTH.code)
            self._loop.run_until_complete(self._stopped.wait())
            return
        self._loop.run_until_complete(self._connect_for_ever(bleak))

    def _beat(self) -> None:
        self.workers[0].rounds, self.workers[0].blocked = self.workers[0].rounds + 1, False
        self._loop.call_later(_BEAT_S, self._beat)

    async def _connect_for_ever(self, bleak: Any) -> None:
        while not self._stopped.is_set():
            try:
                await self._listen(bleak)
            except (TimeoutError, OSError, bleak.exc.BleakError) as error:
                words = f"no GranBoard is connected: {error}. Wake it, and keep it near."
                self._tell(SensorState.LOST, words, "granboard_missing")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), _RETRY_S)

    async def _listen(self, bleak: Any) -> None:
        device = self._address or await bleak.BleakScanner.find_device_by_filter(
            lambda _device, seen: SERVICE in seen.service_uuids
        )
        if device is None:
            raise OSError("none was found")
        gone = asyncio.Event()
        async with bleak.BleakClient(device, disconnected_callback=lambda _client: gone.set()) as client:
            await client.start_notify(NOTIFY, lambda _sender, data: self.on_notification(bytes(data)))
            words = f"GranBoard {client.address} is connected (not tried by this project)"
            self._tell(SensorState.FOUND, words)
            waits = [asyncio.ensure_future(event.wait()) for event in (gone, self._stopped)]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
        if not self._stopped.is_set():
            words = "the GranBoard's connection was lost. Keep it near; it is tried again."
            self._tell(SensorState.LOST, words, "granboard_lost")

    def _tell(self, state: SensorState, detail: str, reason: str = "") -> None:
        if self._state is not state:
            self._state = state
            self._emit(SensorNews(self._now_ms(), GRANBOARD, SensorChanged(state, detail, reason)))


def _observed(message: Contact | Other, profile: BoardProfile) -> Observed:
    match message:
        case Contact():
            return dart_of_contact(message, profile)
        case Other.OUT:
            return Knock(0)
        case Other.BUTTON:
            return Button(ButtonName.READY)
