"""Files that a club installs: the unit, the rules of udev, the list of packages, messages to systemd."""

import importlib.util
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from lab.packages import sbom
from lab.programs import program
from lab.trust.parts import EXPOSURE_AIM, exposure_of_the_unit
from scharten.daemon.systemd import Notifier, Stopping
from scharten.display.metrics import Metrics

DEPLOY = Path(__file__).parents[2] / "deploy"

ROOT = Path(__file__).parents[2]


def test_the_unit_is_closed_down(capsys: pytest.CaptureFixture[str]) -> None:
    """systemd's own judgement of the unit is 'OK' (an exposure below 3.0), so nothing needless is open to it."""
    exposure = exposure_of_the_unit()
    with capsys.disabled():
        print(f"deploy/scharten.service: exposure {exposure:.1f} (aim below {EXPOSURE_AIM})")
    assert exposure < EXPOSURE_AIM


DRIVERS = {"ttyACM": "cdc_acm", "ttyUSB": "usbserial", "video4linux": "videodev", "pts": None}
"""The module of the kernel that brings each kind of device; None if the kernel always has it."""


def test_the_unit_knows_a_board_that_is_plugged_in_after_the_start() -> None:
    """systemd drops an allowed kind of device that the kernel does not know yet: each module is loaded before."""
    words = (DEPLOY / "scharten.service").read_text()
    allowed = re.findall(r"^DeviceAllow=char-(\S+)", words, re.MULTILINE)
    assert set(allowed) == set(DRIVERS)
    for key in ("Wants", "After"):
        named = " ".join(re.findall(rf"^{key}=(.*)$", words, re.MULTILINE)).split()
        for module in filter(None, DRIVERS.values()):
            assert f"modprobe@{module}.service" in named


@pytest.mark.parametrize("fault", [False, True])
@pytest.mark.parametrize("service", ["scharten", "scharten-club", "scharten-archive"])
def test_systemd_reads_each_unit_without_a_complaint(service: str, fault: bool, tmp_path: Path) -> None:
    """`systemd-analyze verify` prints nothing about a unit whose program exists; a misspelt key it names."""
    words = (DEPLOY / f"{service}.service").read_text()
    words = words.replace("/opt/scharten/.venv/bin/scharten", "/bin/true")
    words = words.replace(
        "Documentation=file:///opt/scharten", "Documentation=file:///usr/share/doc/scharten"
    )
    if fault:
        words = words.replace("ProtectSystem=", "ProtectSytem=")
    (unit := tmp_path / f"{service}.service").write_text(words)
    shutil.copy(DEPLOY / "scharten-retry@.timer", tmp_path)
    command = [program("systemd-analyze", "systemd"), "verify", "--man=no", str(unit)]
    shown = subprocess.run(command, capture_output=True, text=True)
    if fault:
        assert "ProtectSytem" in shown.stderr
    else:
        assert (shown.returncode, shown.stderr) == (0, "")


def test_every_figure_that_the_page_of_running_names_exists() -> None:
    """deploy/README.md names only figures that `/metrics` gives."""
    named = re.findall(r"`(scharten_\w+)", (DEPLOY / "README.md").read_text())
    metrics = Metrics()
    metrics.refused.labels("origin").inc()
    metrics.host(True, {"sources": [{"name": "serial", "state": "found"}]})
    text = metrics.text().decode()
    assert len(named) >= 9 and [name for name in named if f"\n{name}" not in text] == []


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_learns_ready_and_alive(tmp_path: Path, abstract: bool) -> None:
    """A real notify socket, of a file or abstract, receives what systemd's protocol asks for."""
    name = f"@scharten-{tmp_path.name}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind("\0" + name[1:] if abstract else name)
        line.settimeout(2)
        notifier = Notifier(name, "10000000")
        notifier.ready("plays")
        notifier.alive()
        notifier.restarting()
        notifier.stopping()
        received = [
            b"WATCHDOG_USEC=10000000\nREADY=1\nSTATUS=plays",
            b"WATCHDOG=1",
            b"WATCHDOG_USEC=120000000",
        ]
        assert [line.recv(99) for _ in range(4)] == [*received, b"STOPPING=1"]
        unwatched = Notifier(name, "0")
        unwatched.restarting()  # a watchdog that the unit has not is not wound up
        unwatched.ready("plays")
        assert line.recv(99) == b"READY=1\nSTATUS=plays"
    assert notifier.watchdog_s == 10
    notifier.alive()  # the socket is gone: nothing happens


BOARDS = {
    "Arduino Mega": ("2341", "0042"), "Arduino Mega R3": ("2341", "0010"), "Mega of arduino.org": ("2a03", "0042"),
    "Mega of 2020": ("2341", "0242"), "Arduino Uno": ("2341", "0043"), "Uno of 2020": ("2341", "0243"),
    "Raspberry Pi Pico": ("2e8a", "000a", "Scharten"),
}  # fmt: skip
CHIPS = {
    "CH340": ("1a86", "7523"), "CH341": ("1a86", "5523"), "CH343": ("1a86", "55d3"), "CH9102": ("1a86", "55d4"),
    "FT232": ("0403", "6001"), "FT231X": ("0403", "6015"), "CP210x, a Zigbee stick too": ("10c4", "ea60"),
    "PL2303": ("067b", "2303"), "Pico with another program": ("2e8a", "000a", "Raspberry Pi"),
}  # fmt: skip


def rules_for(vendor: str, product: str, maker: str = "") -> list[str]:
    """The rules that a device with these numbers and this maker's string meets."""
    seen = {"idVendor": vendor, "idProduct": product, "manufacturer": maker}
    return [
        line
        for line in (DEPLOY / "99-scharten.rules").read_text().splitlines()
        if not line.startswith("#")
        and all(
            seen[key] in values.split("|") for key, values in re.findall(r'ATTRS\{(\w+)\}=="([^"]+)"', line)
        )
    ]


@pytest.mark.parametrize("name", [*BOARDS, *CHIPS])
def test_only_a_board_of_its_own_numbers_gets_the_lasting_name(name: str) -> None:
    """An Arduino or a Pico becomes /dev/scharten-board, other chips do not; no modem manager probes them."""
    met = rules_for(*(BOARDS | CHIPS)[name])
    linked = [line for line in met if 'SYMLINK+="scharten-board", GROUP="dialout", MODE="0660"' in line]
    assert len(linked) == (name in BOARDS)
    assert any('ENV{ID_MM_DEVICE_IGNORE}="1"' in line for line in met)


def test_other_devices_of_these_makers_are_left_alone() -> None:
    """A vendor's other products, a debug probe of the Pico's maker too, meet no rule that links them."""
    for vendor, product in (("2e8a", "000c"), ("1a86", "8010"), ("0403", "6014"), ("10c4", "8a2a")):
        assert not any("SYMLINK" in line for line in rules_for(vendor, product))


def test_the_list_of_parts_has_every_locked_package_with_its_digests() -> None:
    """`make sbom`: CycloneDX 1.5 with a package URL and the digests of the lock for each, the same text each time."""
    lock, project = ((ROOT / name).read_text() for name in ("requirements.lock", "pyproject.toml"))
    made = sbom(lock, project)
    parts: Any = made["components"]
    assert made == sbom(lock, project) and (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.5")
    assert len(parts) == sum("==" in line and not line.startswith(" ") for line in lock.splitlines())
    assert len({part["purl"] for part in parts}) == len(parts)
    digests = [
        item["value"] for part in parts for item in part["properties"] if item["name"].endswith("sha256")
    ]
    assert len(digests) == lock.count("--hash=sha256:")
    assert {"aiohttp", "paho-mqtt", "pydantic"} <= {part["name"] for part in parts}


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    """A version that nobody has tried is not installed by chance."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = [
        *project["project"]["dependencies"],
        *(item for extra in project["project"]["optional-dependencies"].values() for item in extra),
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    assert [
        item for item in named if not re.match(r"[A-Za-z0-9_.-]+(\[\w+\])?>=[\d.]+,<[\d.]+(;|$)", item)
    ] == []


@pytest.mark.parametrize("lock", ["requirements.lock", "tests/requirements.lock"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_parts_of_a_lock_are_the_lock(lock: str, count: int) -> None:
    """Installed by several pips at once: every entry with all its digests in one part, none of which is idle."""
    spec = importlib.util.spec_from_file_location("install_locked", DEPLOY / "install_locked.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (ROOT / lock).read_text()
    parts = module.split(text, count)
    entries = [entry for part in parts for entry in part]
    assert len(parts) == count and sorted("".join(entries).splitlines()) == sorted(text.splitlines())
    assert len(set(entries)) == len(entries) and all("--hash=sha256:" in entry for entry in entries)
    weights = [sum(entry.count("--hash") for entry in part) for part in parts]
    assert max(weights) < 1.2 * min(weights)


def test_who_is_asked_to_end_while_being_asked_to_is_not_stuck() -> None:
    """A signal comes at every line of the handling of another one, as when a whole group is ended."""
    stopping, second = Stopping(), []

    def interrupt(frame: FrameType, what: str, _: object) -> Callable[..., object]:
        if what == "line" and len(second) < 50:
            second.append(frame.f_lineno)
            stopping.ask()
        return interrupt

    sys.settrace(interrupt)
    try:
        stopping.ask()
    finally:
        sys.settrace(None)
    assert second and stopping.requested() and stopping.wait(0)
