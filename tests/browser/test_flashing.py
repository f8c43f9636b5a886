"""The set-up page loads the firmware through the boot loaders that Arduinos leave the factory with, run in simavr.

Web Serial itself needs a person who chooses a port: here the page's port is a stub, and all behind it is real.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from firmware.driver import BUILD, make, need
from lab.daemon_process import DaemonProcess

pytestmark = pytest.mark.avr
IMAGES = Path(__file__).parents[2] / "calibration/scharten_calibration/images"
LOADERS = Path("/usr/share/arduino/hardware/arduino/avr/bootloaders")
CHIPS = {
    "mega2560": ("atmega2560", LOADERS / "stk500v2/stk500boot_v2_mega2560.hex"),
    "uno": ("atmega328p", LOADERS / "optiboot/optiboot_atmega328.hex"),
}
STUB = """Object.defineProperty(navigator, "serial", { value: { requestPort: async () => ({
  open: async () => {},
  close: async () => {},
  setSignals: ({ dataTerminalReady }) => dataTerminalReady ? window.board("reset") : null,
  readable: new ReadableStream({
    async pull(out) {
      while (!this.ended) {
        const bytes = await window.board("said");
        if (bytes.length) return out.enqueue(Uint8Array.from(bytes));
      }
    },
    cancel() { this.ended = true; },
  }, { highWaterMark: 0 }),
  writable: new WritableStream({ write: (bytes) => window.board("receive", [...bytes]) }),
}) } });"""


PLUGGED: dict[Page, Arduino] = {}
"""The board at each page. Pages are reused and keep their exposed functions."""


class Arduino:
    """A board with its boot loader and an empty flash."""

    def __init__(self, kind: str, flash: Path) -> None:
        mcu, loader = CHIPS[kind]
        self._flash = flash
        self._process = subprocess.Popen(
            [str(BUILD / "loader"), mcu, str(loader), str(flash)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
        )  # fmt: skip

    def plug(self, page: Page) -> None:
        """Connect the board to the stub."""

        def call(act: str, *data: list[int]) -> object:
            return getattr(PLUGGED[page], act)(*data)

        if page not in PLUGGED:
            page.expose_function("board", call)
        PLUGGED[page] = self

    def reset(self) -> None:
        """Reset the board, as an edge of DTR does."""
        self._process.send_signal(signal.SIGUSR1)

    def receive(self, data: list[int]) -> None:
        """Pass the host's bytes to the board."""
        assert self._process.stdin is not None
        self._process.stdin.write(bytes(data))

    def said(self) -> list[int]:
        """Return the board's bytes after waiting for them a little."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], 0.02)
        return list(os.read(self._process.stdout.fileno(), 4096)) if ready else []

    def flash(self) -> bytes:
        """Stop the board and return the contents of its flash."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
        return self._flash.read_bytes() if self._flash.exists() else b""

    def end(self) -> None:
        """Stop the board."""
        self._process.kill()
        self._process.wait()


@pytest.fixture
def arduino(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arduino]:
    """A board of the kind that the test names."""
    need("mega2560")
    if not LOADERS.exists():
        pytest.skip("the boot loaders of Arduino are missing: make tools ARGS=all")
    make("build/loader")
    board = Arduino(request.param, tmp_path / "flash")
    yield board
    board.end()


def open_setup(pages: Pages, daemon: DaemonProcess, script: str = STUB) -> Page:
    """Open the part of the set-up that loads firmware."""
    page = pages.open(f"{daemon.running['web']}/setup?lang=en", script=script)
    page.locator('input[name="kind"][value="serial"]').check()
    page.locator("#flashing summary").click()
    return page


def binary(image: Path) -> bytes:
    """Return the bytes of an Intel HEX file, by objcopy."""
    return subprocess.run(
        ["avr-objcopy", "-I", "ihex", "-O", "binary", str(image), "/dev/stdout"],
        capture_output=True,
        check=True,
    ).stdout


@pytest.mark.long
@pytest.mark.parametrize(("arduino", "kind"), [(kind, kind) for kind in CHIPS], indirect=["arduino"])
def test_a_browser_loads_the_firmware(
    pages: Pages, daemon: DaemonProcess, arduino: Arduino, kind: str
) -> None:
    """After one press the flash holds the shipped image byte for byte, and the page says so."""
    page = open_setup(pages, daemon)
    arduino.plug(page)
    page.locator(f"#flash-{kind}").click()
    said = page.locator("#flashing .said")
    expect(said).to_contain_text("has the firmware now", timeout=180_000)
    wanted = binary(IMAGES / f"{kind}.hex")
    assert len(wanted) > 10_000 and arduino.flash()[: len(wanted)] == wanted


@pytest.mark.long
@pytest.mark.parametrize("arduino", ["uno"], indirect=True)
def test_another_arduino_stays_as_it_is(pages: Pages, daemon: DaemonProcess, arduino: Arduino) -> None:
    """An Uno does not answer as a Mega does. The page says what to do, and the flash stays erased."""
    page = open_setup(pages, daemon)
    arduino.plug(page)
    page.locator("#flash-mega2560").click()
    expect(page.locator("#flashing .said")).to_contain_text("No boot loader answered", timeout=60_000)
    assert set(arduino.flash()[:0x7E00]) == {0xFF}


@pytest.mark.long
def test_without_web_serial_the_page_says_what_else_to_do(pages: Pages, daemon: DaemonProcess) -> None:
    """The page shows no button that does nothing; any browser can download a Pico's file."""
    page = open_setup(pages, daemon, "delete Navigator.prototype.serial;")
    expect(page.locator("#flashing")).to_contain_text("scharten-calibrate flash")
    expect(page.locator("#flash-uno")).to_have_count(0)
    with page.expect_download() as download:
        page.locator('#flashing a[download="pico.uf2"]').click()
    assert Path(download.value.path()).read_bytes() == (IMAGES / "pico.uf2").read_bytes()
