"""`make -C firmware` and `scharten-calibrate flash`, run as a builder runs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from firmware.driver import FIRMWARE, make
from scharten.errors import SchartenError
from scharten_calibration import flash, pico_drive
from scharten_calibration.cli import build

FRESH_PTY = 100
"""More than all tests have open at a time."""

KEPT = FIRMWARE.parent / "calibration" / "scharten_calibration" / "images"
IMAGES = ("mega2560.hex", "uno.hex", "pico.uf2")

pytestmark = [pytest.mark.avr, pytest.mark.usefixtures("tools")]


def _flash(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scharten_calibration", "flash", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _refused(*arguments: str) -> str:
    """Run the command in this process and return its error."""
    done = CliRunner().invoke(build(), ["flash", *arguments])
    assert isinstance(done.exception, SchartenError), done.output
    return str(done.exception)


@pytest.fixture
def avrdude(tmp_path: Path) -> Path:
    """A folder with a stand-in for avrdude that records its arguments."""
    tool = tmp_path / "avrdude"
    tool.write_text('#!/bin/sh\necho "called: $*"\nexit ${AVRDUDE_ENDS:-0}\n')
    tool.chmod(0o755)
    return tmp_path


@pytest.fixture
def port() -> Iterator[str]:
    """A pty as a serial port.

    The kernel gives the lowest free number again. A host of another test that waits for its lost board opens a reused
    number and locks it, so this pty has a number that was free before.
    """
    *others, ours = [os.openpty() for _ in range(FRESH_PTY)]
    for end in (end for pair in others for end in pair):
        os.close(end)
    yield os.ttyname(ours[1])
    for end in ours:
        os.close(end)


def test_every_board_is_built_and_its_size_printed() -> None:
    """The output has one line for each board, and each fits its memory."""
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


@pytest.mark.long
@pytest.mark.parametrize(
    ("board", "chip", "programmer"), [("mega2560", "atmega2560", "wiring"), ("uno", "atmega328p", "arduino")]
)
def test_an_arduino_is_flashed_by_avrdude(
    avrdude: Path, port: str, board: str, chip: str, programmer: str
) -> None:
    """avrdude gets the chip, the programmer, the port and an existing hex file; no compiler is on the path."""
    run = _flash("--port", port, "--board", board, PATH=str(avrdude) + ":/bin:/usr/bin")
    (called,) = [line for line in run.stdout.splitlines() if line.startswith("called: ")]
    given = re.search(
        rf"-p {chip} -c {programmer} -b 115200 -D -P {port} -U flash:w:(\S+/{board}\.hex):i", called
    )
    assert given, called
    assert Path(given[1]).read_text().startswith(":") and run.returncode == 0


@pytest.mark.long
def test_an_obstacle_to_flashing_an_arduino_is_named(
    avrdude: Path, port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each obstacle has its cure: no port, a wrong name, a port of an unknown board, an unknown board, no
    avrdude, an avrdude that fails."""
    assert "No board was found" in _refused("--board", "uno")
    assert "There is no port /dev/no-such-port" in _refused("--port", "/dev/no-such-port")
    assert "--board" in _refused("--port", port)
    assert "mega2560, uno, pico" in _refused("--port", port, "--board", "nano")
    with monkeypatch.context() as nowhere:
        nowhere.setenv("PATH", "/nowhere")
        assert "sudo apt install avrdude" in _refused("--port", port, "--board", "uno")
    path = str(avrdude) + ":/bin:/usr/bin"
    failed = _flash("--port", port, "--board", "uno", PATH=path, AVRDUDE_ENDS="1")
    assert failed.returncode == 1 and "10 µF" in failed.stderr


@pytest.mark.long
def test_an_old_nano_is_flashed_at_its_own_speed(avrdude: Path, port: str, tmp_path: Path) -> None:
    """After silence at 115,200 baud the boot loader is tried at 57,600, with the image that the caller names."""
    (avrdude / "avrdude").write_text(
        '#!/bin/sh\necho "called: $*"\ncase "$*" in *"-b 57600"*) exit 0;; esac\nexit 1\n'
    )
    own = tmp_path / "own.hex"
    own.write_text(":00000001FF\n")
    path = str(avrdude) + ":/bin:/usr/bin"
    run = _flash("--port", port, "--board", "uno", "--image", str(own), PATH=path)
    bauds = re.findall(rf"called: .* -b (\d+) .*flash:w:{own}:i", run.stdout)
    assert (run.returncode, bauds) == (0, ["115200", "57600"]), run.stdout + run.stderr


@pytest.mark.long
def test_without_an_image_the_cure_is_named(tmp_path: Path) -> None:
    """An installation without images names the missing image and how to give another."""
    package = tmp_path / "scharten_calibration"
    ours = FIRMWARE.parent / "calibration" / "scharten_calibration"
    shutil.copytree(ours, package, ignore=shutil.ignore_patterns("images"))
    port = tmp_path / "port"
    port.touch()
    run = _flash("--port", str(port), "--board", "uno", PYTHONPATH=str(tmp_path))
    assert run.returncode == 1 and "no image uno.hex" in run.stderr and "--image" in run.stderr


@pytest.mark.long
def test_an_image_is_never_half_written(tmp_path: Path) -> None:
    """A reader of an image always gets a whole file, although another make rebuilds it."""
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
    """A compiler that accepts the option, which LTO needs from avr-gcc 8 on, gets it; an older compiler does not."""
    compiler = tmp_path / "avr-gcc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *-mno-gas-isr-prologues*) exit {int(not accepts)};; esac\n')
    compiler.chmod(0o755)
    command = ["make", "-n", "-B", "-C", str(FIRMWARE), f"BUILD={tmp_path}", f"{tmp_path}/uno.elf"]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    recipe = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert ("-flto" in recipe) and ("-mno-gas-isr-prologues" in recipe) == accepts


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The build hook of the wheel, with a stand-in for its builder's interface."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = spec_from_file_location("wheel_images", FIRMWARE / "wheel_images.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ImagesHook()


def test_the_images_of_the_release_match_the_sources() -> None:
    """The images in the repository equal those that the named compilers build from these sources."""
    make("images")
    named = re.findall(r"(\S+gcc) ([\d.]+)", (KEPT / "SHA256SUMS").read_text().splitlines()[0])
    ours = [(name, _output(name, "-dumpversion")) for name, _ in named]
    if ours != named:
        pytest.skip(f"the images were built with {named}, this machine has {ours}")
    for image in IMAGES:
        assert (KEPT / image).read_bytes() == (FIRMWARE / "build" / image).read_bytes(), (
            "make -C firmware keep"
        )
    assert subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=KEPT, capture_output=True).returncode == 0


@pytest.mark.parametrize("harm", ["missing", "changed", "no sums"])
def test_a_wheel_with_a_wrong_image_is_not_built(
    hook: Any, harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing or changed image stops the build with its name, unless the check is switched off."""
    copy = tmp_path / "calibration" / "scharten_calibration" / "images"
    shutil.copytree(KEPT, copy)
    hook.root = str(tmp_path)
    hook.initialize("standard", {})
    if harm == "missing":
        (copy / "uno.hex").unlink()
    elif harm == "changed":
        (copy / "uno.hex").write_bytes((copy / "uno.hex").read_bytes()[:-1])
    else:
        (copy / "SHA256SUMS").unlink()
    with pytest.raises(ValueError, match="SHA256SUMS" if harm == "no sums" else "uno.hex"):
        hook.initialize("standard", {})
    monkeypatch.setenv("SCHARTEN_WITHOUT_FIRMWARE", "1")
    hook.initialize("standard", {})


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An unmounted drive of a Pico, and stand-ins for `mount`, `umount` and `udisksctl`."""
    (bin_, device, mounts) = (tmp_path / name for name in ("bin", "device", "mounts"))
    bin_.mkdir()
    device.mkdir()
    mounts.touch()
    (device / "INFO_UF2.TXT").write_text("UF2 Bootloader")
    scripts = {
        "mount": 'test "$*" = "-t vfat -o sync $DEVICE $6" && rmdir "$6" && ln -s "$DEVICE" "$6"',
        "umount": 'rm "$2" && mkdir "$2" && echo "$*" > "$DEVICE/unmounted"',
        "udisksctl": 'echo "/dev/sdx1 $DEVICE vfat rw 0 0" > "$MOUNTS"',
    }
    for name, script in scripts.items():
        (bin_ / name).write_text(f"#!/bin/sh\n{script}\n")
        (bin_ / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    for name, path in (("DEVICE", device), ("MOUNTS", mounts)):
        monkeypatch.setenv(name, str(path))
        monkeypatch.setattr(pico_drive, name, path)
    monkeypatch.setattr(pico_drive, "DESKTOP_S", 0.3)
    return device


def test_a_pico_is_flashed_by_copying_to_its_drive(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drive that a desktop has mounted gets the image; without a Pico the error names the cure."""
    (drive.parent / "mounts").write_text(f"/dev/sdx1 {drive} vfat rw 0 0\n")
    said: list[str] = []
    flash.run_flash(None, "pico", said.append)
    assert (drive / "pico.uf2").read_bytes() == (KEPT / "pico.uf2").read_bytes()
    assert "Pico has the firmware now" in said[-1] and not (drive / "unmounted").exists()
    shutil.rmtree(drive)
    with pytest.raises(SchartenError, match="drive is missing"):
        flash._by_drive(KEPT / "pico.uf2", None, print)


@pytest.mark.parametrize("user", [0, 1000])
def test_a_pico_is_flashed_where_no_desktop_mounts_it(
    drive: Path, user: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root mounts and unmounts the drive. Another user asks udisks, and without it gets the cure: sudo."""
    monkeypatch.setattr(os, "geteuid", lambda: user)
    flash.run_flash(None, "pico", print)
    assert (drive / "pico.uf2").read_bytes() == (KEPT / "pico.uf2").read_bytes()
    assert (drive / "unmounted").exists() == (user == 0)
    (drive.parent / "mounts").write_text("")
    (drive.parent / "bin" / ("mount" if user == 0 else "udisksctl")).write_text(
        "#!/bin/sh\necho no >&2; exit 32\n"
    )
    with pytest.raises(SchartenError, match="cannot be mounted: no" if user == 0 else "no desktop"):
        flash.run_flash(None, "pico", print)


@pytest.mark.long
def test_the_board_plays_live_and_the_bench_starts() -> None:
    """`make -C firmware live` prints a port and obeys typed commands; the bench knows its parts."""
    make("all", "sim")
    typed = "press 3,7\nnonsense\nquit\n"
    live = subprocess.run([sys.executable, FIRMWARE / "live.py"], input=typed, capture_output=True, text=True)
    assert live.returncode == 0, live.stderr
    port, *answers = live.stdout.splitlines()
    assert port.startswith("the board is at /dev/pts/")
    assert [line.split("  ")[0] for line in answers] == ["press D,S"]
    assert "noise" in _output(sys.executable, str(FIRMWARE / "bench.py"), "--help")
