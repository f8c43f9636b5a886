"""The serial ports of this machine: identify a board by its USB numbers, and by its hello."""

from __future__ import annotations

import os
import queue
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from serial.tools import list_ports

from scharten.dartboard.lines import Hello
from scharten.dartboard.profile import MAX_LINES, BoardProfile
from scharten.errors import SchartenError
from scharten.sensors.board_talk import PortEvent, PortState, PortStatus
from scharten.sensors.serial import SerialLine

USB_IDS = {
    (0x2341, 0x0010): "mega2560", (0x2341, 0x0042): "mega2560", (0x2341, 0x0242): "mega2560",
    (0x2A03, 0x0010): "mega2560", (0x2A03, 0x0042): "mega2560",
    (0x2341, 0x0001): "uno", (0x2341, 0x0043): "uno", (0x2341, 0x0243): "uno", (0x2A03, 0x0043): "uno",
    (0x2E8A, 0x000A): "pico",
}  # fmt: skip
"""USB numbers that identify a board. A board with a CH340 or CP2102 has none of its own."""
NAMES = {"mega2560": "Arduino Mega 2560", "uno": "Arduino Uno", "pico": "Raspberry Pi Pico"}
NAMES_BY_UDEV = Path("/dev/serial")
HELLO_S = 6.0
"""A Mega restarts when its port is opened, and sends its hello two seconds later."""


@dataclass(frozen=True)
class Port:
    """A port by its lasting name; `board` as in `USB_IDS` or "", `title` is its USB name."""

    path: str
    board: str
    title: str


def ports() -> tuple[Port, ...]:
    """Every serial port on USB."""
    infos = [info for info in list_ports.comports() if info.vid is not None]
    # Devices with these numbers and serial number share one name in by-id, and any of them may have it after a restart.
    devices = Counter((info.vid, info.pid, info.serial_number) for info in infos)
    found = []
    for info in infos:
        alone = devices[info.vid, info.pid, info.serial_number] == 1
        name = _lasting_names("by-id" if alone else "by-path").get(os.path.realpath(info.device), info.device)
        board = USB_IDS.get((info.vid, info.pid or 0), "")
        title = f"{info.product or info.description or info.name} ({info.vid:04x}:{info.pid or 0:04x})"
        found.append(Port(name, board, title))
    return tuple(found)


def _lasting_names(kind: str) -> dict[str, str]:
    """The lasting name of each device in this folder: by its serial number, or by the plug that it hangs at."""
    return {os.path.realpath(path): str(path) for path in sorted((NAMES_BY_UDEV / kind).glob("*"))}


_REFUSALS: Final = {"no_right": "port_closed", "busy": "port_busy", "missing": "no_port"}
"""The code of the error by the reason of a port."""


def hello_of(port: str, baud: int, patience_s: float = HELLO_S) -> Hello:
    """Read the hello of the board at this port; `SchartenError` when none comes."""
    events: queue.Queue[PortEvent] = queue.Queue()
    anything = BoardProfile("any", MAX_LINES, MAX_LINES, True, {}, {})
    line = SerialLine(port, baud, anything, events.put, lambda: time.time_ns() // 1_000_000)
    until = time.monotonic() + patience_s
    line.start()
    try:
        while (left := until - time.monotonic()) > 0:
            try:
                event = events.get(timeout=left)
            except queue.Empty:
                break
            if isinstance(event, PortStatus) and event.state is PortState.UP and event.hello is not None:
                return event.hello
            if isinstance(event, PortStatus) and event.state in (
                PortState.MISSING,
                PortState.BUSY,
                PortState.REFUSED,
            ):
                code = _REFUSALS.get(event.reason, "board_refused")
                raise SchartenError.coded(code, port=port, why=event.words)
    finally:
        line.stop()
    raise SchartenError.coded("no_hello", port=port)
