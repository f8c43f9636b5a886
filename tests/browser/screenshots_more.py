"""The pages beside the play page, for `make pictures`: learn, projector, club, status page."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser

from browser.fakes import FakeHost
from browser.scenes import scenes
from browser.test_projector import BENT
from browser.test_status import HEALTH

EVENING = (
    ("turn", "Anna", "Bert"), ("throwing", "Cleo", "Dirk"), ("check", "Eva", "Frits"), ("fogling", "Gijs", "Hanneke"),
    ("start", "", ""), ("settling_lost", "Ivo", "Jet"),
)  # fmt: skip
BENT_KEPT = json.dumps({"corners": BENT, "turn": 0, "mirror": False})


class Room(NamedTuple):
    """A picture: its name, the address, the size, and the first clicks or keys."""

    name: str
    address: str
    size: tuple[int, int]
    clicks: tuple[str, ...] = ()
    key: str = ""


ROOMS = (
    Room("learn", "/learn?lang=en&theme=light#support.1", (1280, 800), ('[data-field="c3"]', '[data-field="c6"]')),
    Room("learn-throw", "/learn?lang=en&theme=dark#throw.2", (1280, 800)),
    Room("learn-phone", "/learn?lang=nl&theme=light#ways.3", (390, 844)),
    Room("learn-set", "/learn?lang=en&theme=light#set.1", (820, 1180)),
    Room("projector", "/?role=display&view=projector&lang=en&theme=light", (1280, 800), key="k"),
    Room("club", "/club?lang=en&theme=light", (1600, 900)),
    Room("club-phone", "/club?lang=nl&theme=dark", (390, 844)),
    Room("overlay", "/overlay?lang=en", (1280, 720)),
    Room("archive", "/archive?lang=en&theme=light", (1366, 768), (".archive-list li a >> nth=0",)),
    Room("archive-phone", "/archive?lang=de&theme=dark", (390, 844), (".archive-list li a >> nth=0",)),
    Room("status", "/status?lang=en&theme=light", (1280, 900)),
)  # fmt: skip


def club_evening(port: int) -> list[FakeHost]:
    """Six boards on the broker, one with a stuck contact, one not connected, one offline."""
    hosts = []
    for number, (scene, white, black) in enumerate(EVENING, 1):
        host = FakeHost(port, f"scharten/home/board{number}")
        state = scenes()[scene] | {"names": {"white": white, "black": black}, "board": f"board{number}"}
        if state["clock"]:
            state["clock"] = state["clock"] | {"since_ms": int(time.time() * 1000)}
        host.publish("state", state | ({"phase": "setup"} if scene == "start" else {}))
        well = {
            "v": 1,
            "playable": True,
            "sources": [{"name": "serial", "state": "lost" if number == 3 else "found"}],
        }
        host.publish("health", HEALTH if number == 1 else well)
        hosts.append(host)
    hosts[-1].publish("availability", "offline", raw=True)
    return hosts


def take_rooms(browser: Browser, url: str, port: int, folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """Take the named pictures in turn; without names take all."""
    hosts = club_evening(port)
    for room in ROOMS:
        if names and room.name not in names:
            continue
        page = browser.new_page(viewport={"width": room.size[0], "height": room.size[1]})
        page.add_init_script(f"localStorage.setItem('scharten.projector', {json.dumps(BENT_KEPT)})")
        page.goto(url + room.address)
        page.locator(".field, .readings, .archive-list a, .overlay .slab").first.wait_for()
        page.wait_for_timeout(900)
        for selector in room.clicks:
            page.locator(selector).click()
        if room.key:
            page.keyboard.press(room.key)
        page.wait_for_timeout(500)
        path = folder / f"display-{room.name}.png"
        page.screenshot(path=str(path))
        page.close()
        yield path
    for host in hosts:
        host.stop()
