"""A GranBoard over Bluetooth LE, for those who have one: `pip install 'scharten[ble]'`.

Written from what its owners have published; NOT TRIED ON THE DEVICE. The board keeps nothing: a dart thrown while the
connection is away is lost, and there is nothing to acknowledge.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import secrets
import threading
from collections.abc import Callable
from typing import Any

from scharten.dartboard.granboard import NOTIFY, SERVICE, MessageReader, Other
from scharten.dartboard.lines import BUTTON_READY, SEQUENCE, Button, Hit, Knock, Sequenced
from scharten.dartboard.profile import Contact
from scharten.sensors.board_talk import LineReceived, SourceEvent, SourceState, SourceStatus

_RETRY_S = 3.0


class GranBoardSource:
    """The same outside as `SerialSource`. `address` is the Bluetooth address, or "" for the first board found."""

    def __init__(self, address: str, emit: Callable[[SourceEvent], None], clock: Callable[[], int]) -> None:
        self._address, self._emit, self._clock = address, emit, clock
        self._session, self._seq = secrets.randbelow(1 << 31), 0
        self._reader = MessageReader()
        self._told: SourceState | None = None
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="granboard", daemon=True)

    def start(self) -> None:
        """Begin looking for the board; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Disconnect and end the thread."""
        self._loop.call_soon_threadsafe(self._stopped.set)
        if self._thread.ident is not None:
            self._thread.join(10)

    def acknowledge(self, session: int, seq: int) -> None:
        """Nothing: this board keeps no events."""

    def set_lamp(self, lamp: int) -> None:
        """Nothing: how its lights are set is not used."""

    def heard(self, data: bytes) -> None:
        """One notification of the board."""
        for message in self._reader.feed(data):
            self._seq = (self._seq + 1) % SEQUENCE
            now = self._clock()
            self._emit(LineReceived(self._session, _line(message, self._seq), now, now))

    def _run(self) -> None:
        try:
            bleak: Any = importlib.import_module("bleak")
        except ImportError:
            self._tell(
                SourceState.MISSING,
                "Bluetooth support is not installed",
                "Run `pip install 'scharten[ble]'`.",
            )
            return
        self._loop.run_until_complete(self._connect_for_ever(bleak))

    async def _connect_for_ever(self, bleak: Any) -> None:
        while not self._stopped.is_set():
            try:
                await self._listen(bleak)
            except (TimeoutError, OSError, bleak.exc.BleakError) as error:
                self._tell(
                    SourceState.MISSING, f"no GranBoard is connected: {error}", "Wake it, and keep it near."
                )
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
            await client.start_notify(NOTIFY, lambda _sender, data: self.heard(bytes(data)))
            self._tell(
                SourceState.UP, f"GranBoard {client.address} is connected (not tried by this project)", ""
            )
            waits = [asyncio.ensure_future(event.wait()) for event in (gone, self._stopped)]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
        if not self._stopped.is_set():
            self._tell(
                SourceState.MISSING, "the GranBoard's connection was lost", "Keep it near; it is tried again."
            )

    def _tell(self, state: SourceState, words: str, cure: str) -> None:
        if self._told is not state:
            self._told = state
            self._emit(SourceStatus(state, self._address or "bluetooth", words, cure))


def _line(message: Contact | Other, seq: int) -> Sequenced:
    match message:
        case Contact():
            return Hit(seq, message, 0)
        case Other.OUT:
            return Knock(seq, 0, 0)
        case Other.BUTTON:
            return Button(seq, BUTTON_READY, 0)
