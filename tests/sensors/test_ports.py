"""Lasting names of serial ports: chosen once on the set-up page, valid after every restart."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scharten.sensors import ports as module
from scharten.sensors.ports import ports


def device(folder: Path, name: str, vid: int | None, pid: int, serial_number: str | None = None) -> Any:
    """Return a device as pyserial lists it."""
    (folder / name).touch()
    return SimpleNamespace(
        device=str(folder / name), name=name, vid=vid, pid=pid, serial_number=serial_number,
        product=None, description="USB Serial",
    )  # fmt: skip


def test_a_port_is_named_by_the_serial_number_of_its_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lasting name stays when the tty changes. An FTDI chip's ids name no board, so its board name is empty."""
    name = tmp_path / "by-id" / "usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0"
    name.parent.mkdir()
    monkeypatch.setattr(module, "NAMES_BY_UDEV", tmp_path)
    for tty in ("ttyUSB0", "ttyUSB1"):
        infos = [
            device(tmp_path, tty, 0x0403, 0x6001, "A50285BI"),
            device(tmp_path, "ttyACM0", 0x2341, 0x0042, "6493"),
            device(tmp_path, "ttyS0", None, 0),
        ]
        monkeypatch.setattr(module.list_ports, "comports", lambda infos=infos: infos)
        name.unlink(missing_ok=True)
        name.symlink_to(f"../{tty}")
        assert [(port.path, port.board) for port in ports()] == [
            (str(name), ""), (str(tmp_path / "ttyACM0"), "mega2560")
        ]  # fmt: skip


def test_chips_without_a_serial_number_are_named_by_their_plug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two CH340 share one name in by-id, so each gets its name in by-path. A single one keeps its name in by-id."""
    by_id, by_path = tmp_path / "by-id", tmp_path / "by-path"
    by_id.mkdir()
    by_path.mkdir()
    monkeypatch.setattr(module, "NAMES_BY_UDEV", tmp_path)
    infos = [device(tmp_path, f"ttyUSB{n}", 0x1A86, 0x7523) for n in range(2)]
    (by_id / "usb-1a86_USB_Serial-if00-port0").symlink_to("../ttyUSB1")
    for n in range(2):
        (by_path / f"usb-0:{n + 1}:1.0-port0").symlink_to(f"../ttyUSB{n}")
    monkeypatch.setattr(module.list_ports, "comports", lambda: infos)
    assert [Path(port.path).parent.name for port in ports()] == ["by-path", "by-path"]
    assert len({port.path for port in ports()}) == 2
    infos.pop(0)
    assert [port.path for port in ports()] == [str(by_id / "usb-1a86_USB_Serial-if00-port0")]
