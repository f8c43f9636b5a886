"""`make pictures`: each view in a real Chromium, for looking at, and the best of them for the README.

Run as `python tests/browser/screenshots.py [FOLDER]`; without a folder the best ones go into hardware_docs/images.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import CHROMIUM, FLAGS  # noqa: E402  (the tests' folder is not installed)
from browser.fakes import FakeHost  # noqa: E402
from browser.scenes import ENTRIES, scenes  # noqa: E402
from browser.screenshots_more import take_rooms  # noqa: E402
from browser.servers import Mosquitto, served  # noqa: E402
from browser.test_archive import KEPT  # noqa: E402
from scharten.display.context import DaemonParts  # noqa: E402


class View(NamedTuple):
    """A picture: its name, the scene, the size, the page's query, and the first clicks."""

    name: str
    scene: str
    size: tuple[int, int]
    query: str
    clicks: tuple[str, ...] = ()


VIEWS = (
    View("play", "turn", (1600, 900), "lang=en&theme=light", ('[data-field="g3"]',)),
    View("throw", "throwing", (1600, 900), "lang=en&theme=dark"),
    View("check", "check", (1280, 800), "lang=en&theme=light"),
    View("question", "question", (1280, 800), "lang=en&theme=light"),
    View("correct", "settling_lost", (820, 1180), "lang=en&theme=light", ("#last-dart",)),
    View("fouls", "fogling", (1600, 900), "role=display&lang=en&theme=light"),
    View("contrast", "turn", (1280, 800), "lang=en&theme=contrast"),
    View("new-game", "start", (820, 1180), "lang=en&theme=light", ("#new-game",)),
    View("phone", "throwing", (390, 844), "lang=nl&theme=light"),
    View("wall", "turn", (3840, 2160), "role=display&lang=en&theme=dark"),
    View("end", "fogling", (1366, 768), "lang=en&theme=dark"),
    View("drawer", "turn", (1366, 768), "lang=en&theme=light", ("#drawer-handle",)),
    View("new-game-table", "start", (1366, 768), "lang=en&theme=light", ("#new-game",)),
    View("phone-wide", "turn", (844, 390), "lang=en&theme=light"),
    View("tablet", "turn", (820, 1180), "lang=de&theme=dark"),
    View("first", "setup", (1366, 768), "lang=en&theme=light"),
    View("mate", "mate", (1920, 1080), "role=display&lang=en&theme=dark"),
    View("black", "turn", (390, 844), "role=seat2&lang=en&theme=dark"),
    View("asked", "asked", (390, 844), "role=seat2&lang=de&theme=light"),
    View("deciding", "deciding", (1366, 768), "lang=en&theme=light"),
    View("paused", "paused", (1366, 768), "lang=en&theme=dark"),
    View("room", "settling_lost", (1920, 1080), "role=display&lang=nl&theme=dark"),
)
ROLES = ("table", "arbiter", "seat1", "seat2")
BEST_ROOMS = ("learn", "projector", "club", "status")
BEST = ("play", "throw", "question", "fouls", "phone")


def lens(role: str, command: dict[str, Any]) -> dict[str, Any]:
    """The host's answers about captures by g3: one lacks support, one has it."""
    about: dict[str, Any] = {"value": 3, "needed": 2, "legal": command.get("move") == "g3e6"}
    if command.get("move") == "g3f6":
        about |= {"why": "no_support", "field": "f6", "support": 1, "supporters": ["f4"]}
    elif about["legal"]:
        about |= {"field": "e6", "support": 2, "supporters": ["f4", "c4"]}
    return {"accepted": True, "args": about}


def take(browser: Browser, url: str, host: FakeHost, view: View, folder: Path) -> None:
    """Take one picture."""
    state = scenes()[view.scene]
    if state["clock"]:
        state["clock"] |= {"since_ms": int(time.time() * 1000)}
    host.publish("state", state)
    page = browser.new_page(viewport={"width": view.size[0], "height": view.size[1]})
    page.goto(f"{url}/?{view.query}")
    page.locator(".piece").first.wait_for()
    page.locator(f'.board-centre[data-phase="{state["phase"]}"]').wait_for()
    for selector in view.clicks:
        page.locator(selector).click()
    page.wait_for_timeout(1500 if view.clicks else 500)
    page.screenshot(path=str(folder / f"display-{view.name}.png"))
    page.close()


def main(folder: Path, views: tuple[View, ...], rooms: tuple[str, ...] = ()) -> None:
    """Write the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        broker = Mosquitto(Path(temporary))
        journal = Path(shutil.copy(KEPT, temporary))
        with (
            served(broker.port, open_roles=ROLES, simulated=True, daemon=DaemonParts(journal)) as display,
            sync_playwright() as playwright,
        ):
            host = FakeHost(broker.port)
            host.answers = lens
            host.publish("sheet", {"v": 1, "match": "m1", "start": "", "entries": ENTRIES})
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
            for view in views:
                take(browser, display.url, host, view, folder)
                print(folder / f"display-{view.name}.png")
            host.stop()
            for path in take_rooms(browser, display.url, broker.port, folder, rooms):
                print(path)
            browser.close()
        broker.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]), VIEWS)
    else:
        main(
            ROOT / "hardware_docs" / "images", tuple(view for view in VIEWS if view.name in BEST), BEST_ROOMS
        )
