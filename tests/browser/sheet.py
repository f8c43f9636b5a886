"""`make screenshots`: every page and moment in each size, theme and language, into build/screenshots, with an index.

Run as `python tests/browser/sheet.py [--only NAME,...] [--sizes 390x844,...] [--themes dark] [--languages nl]`.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import CHROMIUM, FLAGS  # noqa: E402  (the tests' folder is not installed)
from browser.fakes import FakeHost  # noqa: E402
from browser.pages import still  # noqa: E402
from browser.scenes import ENTRIES, NO_DART, scenes  # noqa: E402
from browser.servers import Mosquitto, served, served_club  # noqa: E402
from browser.test_archive import KEPT  # noqa: E402
from browser.test_beside import squares, throw_on_squares  # noqa: E402
from browser.test_club_evening import NAMES, SECRETS, add_members, link  # noqa: E402
from browser.test_idle import PAIR  # noqa: E402
from lab.daemon_process import FAST, DaemonProcess  # noqa: E402
from scharten.club.server import ClubServer  # noqa: E402
from scharten.display.context import DaemonParts  # noqa: E402
from scharten.games import GAMES_BY_KEY  # noqa: E402
from scharten.players.book import PlayerBook  # noqa: E402

OUT = ROOT / "build" / "screenshots"
SIZES = ("320x640", "390x844", "820x1180", "1280x800", "1920x1080", "3840x2160")
READY_MS = 120_000
"""How long to wait for a review: the daemon computes it on the first request."""
THEMES = ("light", "dark")
LANGUAGES = ("en", "nl", "de")
AT_TWO_BOARDS = ("throwing", "question", "chess_throw")
ON_THE_WALL = (
    *("setup", "turn", "throwing", "question", "settling_lost", "mate", "fogling", "chess_throw"),
    *(f"away_{name}" for name in AT_TWO_BOARDS),
)
SIDE_PAGES = (
    "home",
    "practice",
    "problems",
    "openings",
    "endgames",
    "learn",
    "club",
    "overlay",
    "components",
    "no-such-page",
)
OPENED = {
    "new-game": "#new-game", "settings": "#settings", "phones": "#phones", "correct": "#last-dart",
    "requests": "#player-white .more", "drawer": "#drawer-handle",
}  # fmt: skip
"""Selectors of the buttons that open a dialog or drawer of the play page, by the picture's name."""


class Moment(NamedTuple):
    """A picture's name, the state of the board, the page's path or address, what is pressed there, the next pair.

    The page is ready once it has an element of the selector `ready`.
    """

    name: str
    state: dict[str, Any]
    path: str
    pressed: str = ""
    pair: dict[str, Any] | None = None
    ready: str = "body"


def moments(match: str, over: str, club: ClubServer, daemon: str) -> Iterator[Moment]:
    """Every moment of the play page, the wall's, then the other pages.

    `match` and `over` are games of the archive, `over` a finished one; `daemon` is the address of a whole daemon,
    which has players, its own set-up and reviews.
    """
    states = scenes() | {"chess": squares(kind="silent"), "chess_throw": throw_on_squares()}
    states["silent"] = states["turn"] | {"kind": "silent", "can": NO_DART}
    states["chess"] |= {"can": NO_DART}
    states |= {f"away_{name}": states[name] | {"away": "seat2"} for name in AT_TWO_BOARDS}
    for name, state in states.items():
        yield Moment(f"play-{name}", state, "/?role=table")
    for name in ON_THE_WALL:
        yield Moment(f"wall-{name}", states[name], "/?role=display")
    for name in ("setup", "mate"):
        yield Moment(f"wall-next-{name}", states[name], "/?role=display", pair=PAIR)
    for name in SIDE_PAGES:
        yield Moment(name, states["turn"], f"/{name}?role=table")
    for name, pressed in OPENED.items():
        yield Moment(f"opened-{name}", states["turn"], "/?role=table", pressed)
    yield Moment("status", states["turn"], "/status?role=arbiter")
    for name, path, ready in (
        ("players", "players", "table"),
        ("setup", "setup", "[data-step=source]"),
        ("review", f"review/{over}", "#review svg"),
    ):
        yield Moment(name, states["turn"], f"{daemon}/{path}?role=table", ready=ready)
    for name in ("archive", "print"):
        yield Moment(name, states["turn"], f"/{name}?role=table#{match}")
    yield Moment("evening", states["turn"], club.link("organiser"))
    yield Moment("join", states["turn"], club.link("member"))
    yield Moment("tv", states["turn"], f"{club.url}/club?tv")


def whole_daemon(folder: Path) -> DaemonProcess:
    """Start a daemon with the games of the archive and two registered players."""
    folder.mkdir()
    shutil.copy(KEPT, folder / "scharten.sqlite3")
    book = PlayerBook(folder, "scharten.sqlite3", GAMES_BY_KEY)
    for name in ("Anna Jansen", "Jan-Willem de Vries"):
        book.save({"name": name})
    return DaemonProcess(folder, FAST).start()


def organised(page: Page, club: ClubServer) -> None:
    """Hold an evening: a season, four members, and their first round."""
    page.goto(link(club, "organiser"))
    page.click("#new-season")
    page.fill("#season-name", "Autumn")
    page.click(".sheet-dialog form button.primary")
    page.locator(".sheet-dialog").wait_for(state="detached")
    page.get_by_role("heading", name="Autumn").wait_for()  # the season draws the members' form again
    add_members(page)
    page.click("#open-evening")
    for name in NAMES:
        page.get_by_label(name, exact=True).check()
    page.click("#pair")
    page.locator("[data-part=round] tbody tr").first.wait_for()


def take(page: Page, url: str, host: FakeHost, moment: Moment, chosen: argparse.Namespace) -> Iterator[Path]:
    """One moment in all sizes, themes and languages: the page is opened once for each language."""
    state = dict(moment.state)
    if state["clock"]:
        state["clock"] = state["clock"] | {"since_ms": int(time.time() * 1000)}
    host.publish("state", state)
    host.publish("next", {"v": 2, "pair": moment.pair})
    path, _, fragment = moment.path.partition("#")
    for language in chosen.languages:
        page.goto("about:blank")
        address = path if path.startswith("http") else url + path
        page.goto(f"{address}&lang={language}" + (f"#{fragment}" if fragment else ""))
        page.locator(moment.ready).first.wait_for(state="attached", timeout=READY_MS)
        page.wait_for_timeout(600)
        if moment.pressed:
            page.locator(moment.pressed).click()
        for size, theme in product(chosen.sizes, chosen.themes):
            width, height = map(int, size.split("x"))
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
            still(page)
            picture = OUT / f"{moment.name}-{size}-{theme}-{language}.png"
            page.screenshot(path=str(picture))
            yield picture


def index(pictures: list[Path]) -> None:
    """Write a page with all pictures, each a link to its full size."""
    figures = "\n".join(
        f'<a href="{html.escape(path.name)}"><img loading="lazy" src="{html.escape(path.name)}" height="240"'
        f' alt="{html.escape(path.stem)}" title="{html.escape(path.stem)}"></a>'
        for path in pictures
    )
    (OUT / "index.html").write_text(f"<!doctype html>\n<title>Screenshots</title>\n{figures}\n")


def main() -> None:
    """Take the pictures that the arguments choose."""
    parser = argparse.ArgumentParser(description=__doc__)

    def listed(text: str) -> tuple[str, ...]:
        return tuple(text.split(","))

    parser.add_argument("--only", type=listed, default=(), help="names of moments, or their beginnings")
    parser.add_argument("--sizes", type=listed, default=SIZES)
    parser.add_argument("--themes", type=listed, default=THEMES)
    parser.add_argument("--languages", type=listed, default=LANGUAGES)
    chosen = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    os.environ["SCHARTEN_DEVELOPMENT"] = "1"  # serves the page of components
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        broker = Mosquitto(folder)
        stack.callback(broker.stop)
        journal = DaemonParts(Path(shutil.copy(KEPT, folder)))
        open_roles = ("table", "arbiter")
        display = stack.enter_context(
            served(broker.port, open_roles=open_roles, simulated=True, daemon=journal)
        )
        club = stack.enter_context(served_club(broker.port, folder / "club", SECRETS))
        daemon = whole_daemon(folder / "daemon")
        stack.callback(daemon.end)
        host = FakeHost(broker.port)
        stack.callback(host.stop)
        host.publish("sheet", {"v": 1, "match": "m1", "start": "", "entries": ENTRIES})
        with urlopen(f"{display.url}/archive/games.json", timeout=40) as answer:
            over, match = (game["match"] for game in json.load(answer)["games"])
        playwright = stack.enter_context(sync_playwright())
        page = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS).new_page()
        wanted = [
            found
            for found in moments(match, over, club, daemon.running["web"])
            if not chosen.only or found.name.startswith(chosen.only)
        ]
        if any(found.path.startswith(club.url) for found in wanted):
            organised(page, club)
        pictures = [picture for moment in wanted for picture in take(page, display.url, host, moment, chosen)]
        index(pictures)
        print(f"{len(pictures)} pictures: {OUT / 'index.html'}")


if __name__ == "__main__":
    main()
