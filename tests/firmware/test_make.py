"""`make -C firmware` and `scharten-calibrate flash` as a builder types them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from firmware.driver import FIRMWARE, make
from scharten.errors import SchartenError
from scharten_calibration import flash
from scharten_calibration.cli import build

FRESH_PTY = 100
"""More than all tests have open at a time."""

pytestmark = [pytest.mark.avr, pytest.mark.usefixtures("tools")]


def _flash(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scharten_calibration", "flash", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def _refused(*arguments: str) -> str:
    """Return the error of the command, run in this process."""
    done = CliRunner().invoke(build(), ["flash", *arguments])
    assert isinstance(done.exception, SchartenError), done.output
    return str(done.exception)


@pytest.fixture
def avrdude(tmp_path: Path) -> Path:
    """A folder with a stand-in for avrdude, which says how it was called."""
    tool = tmp_path / "avrdude"
    tool.write_text('#!/bin/sh\necho "called: $*"\nexit ${AVRDUDE_ENDS:-0}\n')
    tool.chmod(0o755)
    return tmp_path


@pytest.fixture
def port() -> Iterator[str]:
    """A pty as a serial port, beside built images.

    The kernel gives the lowest free number again. A host of another test that waits for its lost board opens a reused
    number and locks it, so this pty has a number that was free before.
    """
    make("images")
    *others, ours = [os.openpty() for _ in range(FRESH_PTY)]
    for end in (end for pair in others for end in pair):
        os.close(end)
    yield os.ttyname(ours[1])
    for end in ours:
        os.close(end)


def test_every_board_is_built_and_its_size_printed() -> None:
    """One line for each board, within its memory."""
    make("images")
    reported = subprocess.run(
        ["make", "-C", str(FIRMWARE), "images"], capture_output=True, text=True, check=True
    )
    lines = re.findall(
        r"^(\w+) +(\d+x\d+) +flash +(\d+) of (\d+) bytes, RAM +(\d+) of (\d+) bytes", reported.stdout, re.M
    )
    assert [(board, size) for board, size, *_ in lines] == [
        ("mega2560", "16x16"),
        ("uno", "8x8"),
        ("pico", "8x11"),
    ]
    for _, _, used, room, ram, all_ram in lines:
        assert 0 < int(used) < int(room) and 0 < int(ram) < int(all_ram)


@pytest.mark.parametrize(
    ("board", "chip", "programmer"), [("mega2560", "atmega2560", "wiring"), ("uno", "atmega328p", "arduino")]
)
def test_an_arduino_is_flashed_by_avrdude(
    avrdude: Path, port: str, board: str, chip: str, programmer: str
) -> None:
    """avrdude is given the chip, the programmer, the port and a hex file that exists; no compiler is on the path."""
    run = _flash("--port", port, "--board", board, PATH=str(avrdude) + ":/bin:/usr/bin")
    (called,) = [line for line in run.stdout.splitlines() if line.startswith("called: ")]
    given = re.search(
        rf"-p {chip} -c {programmer} -b 115200 -D -P {port} -U flash:w:(\S+/{board}\.hex):i", called
    )
    assert given, called  # of the firmware's folder, or of an installed wheel
    assert Path(given[1]).read_text().startswith(":") and run.returncode == 0


def test_what_keeps_an_arduino_from_being_flashed_is_said(
    avrdude: Path, port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each obstacle has its cure: no port, a wrong name, a port of an unknown board, an unknown board, no avrdude, an
    avrdude that fails."""
    assert "no board was found" in _refused("--board", "uno")
    assert "there is no port /dev/no-such-port" in _refused("--port", "/dev/no-such-port")
    assert "--board" in _refused("--port", port)
    assert "mega2560, uno, pico" in _refused("--port", port, "--board", "nano")
    with monkeypatch.context() as nowhere:
        nowhere.setenv("PATH", "/nowhere")
        assert "sudo apt install avrdude" in _refused("--port", port, "--board", "uno")
    path = str(avrdude) + ":/bin:/usr/bin"
    failed = _flash("--port", port, "--board", "uno", PATH=path, AVRDUDE_ENDS="1")
    assert failed.returncode == 1 and "10 µF" in failed.stderr


def test_without_an_image_the_cure_is_named(tmp_path: Path) -> None:
    """A package without images says where they come from."""
    package = tmp_path / "scharten_calibration"
    shutil.copytree(FIRMWARE.parent / "calibration" / "scharten_calibration", package)
    port = tmp_path / "port"
    port.touch()
    run = _flash("--port", str(port), "--board", "uno", PYTHONPATH=str(tmp_path))
    assert (
        run.returncode == 1 and "no image uno.hex" in run.stderr and "make -C firmware images" in run.stderr
    )


def test_an_image_is_never_half_written(tmp_path: Path) -> None:
    """A reader of an image sees a whole file at any moment, although another make builds it again."""
    shutil.copytree(FIRMWARE, firmware := tmp_path / "firmware", ignore=shutil.ignore_patterns("build"))
    command = ["make", "-s", "-B", "-C", str(firmware), "build/uno.hex"]
    subprocess.run(command, check=True)
    image, builds = firmware / "build" / "uno.hex", subprocess.Popen(command)
    while builds.poll() is None:
        assert image.read_text().endswith(":00000001FF\n")
    assert builds.returncode == 0
    assert not list(image.parent.glob("*.[0-9]*")), "nothing stays behind"


@pytest.mark.parametrize("accepts", [True, False])
def test_avr_gcc_14_gets_the_option_against_gas_prologues(tmp_path: Path, accepts: bool) -> None:
    """The option that LTO needs from avr-gcc 8 on is given to a compiler that accepts it, and to no older one."""
    compiler = tmp_path / "avr-gcc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *-mno-gas-isr-prologues*) exit {int(not accepts)};; esac\n')
    compiler.chmod(0o755)
    command = ["make", "-n", "-B", "-C", str(FIRMWARE), f"BUILD={tmp_path}", f"{tmp_path}/uno.elf"]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    recipe = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert ("-flto" in recipe) and ("-mno-gas-isr-prologues" in recipe) == accepts


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The build hook of the wheel, with stand-ins for the builder that calls it."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = spec_from_file_location("wheel_images", FIRMWARE / "wheel_images.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    hook = module.ImagesHook()
    hook.root, hook.warned = str(FIRMWARE.parent), []
    hook.app = SimpleNamespace(display_warning=hook.warned.append)
    return hook


def test_the_wheel_brings_every_image(hook: Any) -> None:
    """The hook builds the images and adds each to the package where `flash` looks for it."""
    added: dict[str, dict[str, str]] = {"force_include": {}}
    hook.initialize("standard", added)
    places = added["force_include"]
    assert sorted(places.values()) == [
        f"scharten_calibration/images/{n}" for n in ("mega2560.hex", "pico.uf2", "uno.hex")
    ]
    assert all(Path(built).stat().st_size > 10_000 for built in places)


def test_a_wheel_without_compilers_is_built_all_the_same(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them there is a warning that names them, and no image."""
    monkeypatch.setenv("PATH", "/nowhere")
    added: dict[str, dict[str, str]] = {"force_include": {}}
    hook.initialize("standard", added)
    assert added == {"force_include": {}} and "avr-gcc" in hook.warned[0]


def test_a_pico_is_flashed_by_copying_to_its_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mounted drive with INFO_UF2.TXT gets the image; without one the cure is named."""
    make("images")
    drive = tmp_path / "RPI-RP2"
    drive.mkdir()
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sdx1 {drive} vfat rw 0 0\n")
    monkeypatch.setattr(flash, "MOUNTS", mounts)
    with pytest.raises(SchartenError, match="drive is not there"):
        flash._by_drive(FIRMWARE / "build" / "pico.uf2", None, print)
    (drive / "INFO_UF2.TXT").write_text("UF2 Bootloader")
    said: list[str] = []
    flash.run_flash(None, "pico", said.append)
    assert (drive / "pico.uf2").read_bytes() == (FIRMWARE / "build" / "pico.uf2").read_bytes()
    assert "Pico has the firmware now" in said[-1]
