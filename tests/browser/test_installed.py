"""The wheel in a separate environment, without the checkout: a game through its page."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.pages import Pages
from browser.test_evening import begin, piece_on, throw
from lab.daemon_process import DaemonProcess

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The Python of an empty environment with this checkout's wheel and the dependencies of the tests."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "-o", str(tmp_path / "dist"), str(ROOT)],
        check=True, capture_output=True, timeout=200,
    )  # fmt: skip
    place = tmp_path / "empty"
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    # A path file names folders whose own path files, the checkout's among them, are not read.
    (packages / "shared.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("site-packages"))
    )
    wheel = next((tmp_path / "dist").glob("*.whl"))
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index",
         "--ignore-installed", str(wheel)],
        check=True, timeout=100,
    )  # fmt: skip
    return python


@pytest.mark.long
def test_a_game_begins_through_the_page_of_the_installed_wheel(
    installed: Path, tmp_path: Path, pages: Pages
) -> None:
    """The wheel has page, profiles, firmware images and commands: a dart on its board places a piece."""
    where = "import scharten, scharten_calibration as c; print(scharten.__file__, c.__file__)"
    found = subprocess.run(
        [str(installed), "-c", where], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert str(ROOT) not in found.stdout and found.stdout.count(str(tmp_path)) == 2
    images = Path(found.stdout.split()[1]).parent / "images"
    assert {path.name for path in images.iterdir()} >= {"mega2560.hex", "pico.uf2", "uno.hex"}
    daemon = DaemonProcess(tmp_path / "data", python=str(installed)).start()
    try:
        page = pages.open(f"{daemon.running['web']}/?lang=en", (1440, 900))
        begin(page)
        throw(page, "F17")
        expect(page.locator("#last-dart")).to_contain_text("on f2")
        assert piece_on(page, "f2") == "white pawn"
    finally:
        daemon.end()
