"""A silent connection: no page shows an old position as current."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browser.fakes import FakeHost
from browser.pages import until
from browser.servers import Mosquitto, served, served_club
from browser.silent_proxy import SilentProxy
from scharten.display.access import Limits

LIMITS = Limits(alive_s=0.2)
SILENT = "Nothing has come over the connection for a while"
GREYED = "getComputedStyle(document.querySelector({})).filter + getComputedStyle(document.querySelector({})).opacity"
BOARDS = {
    "?role=table&lang=en": (".board-place", "#trouble"),
    "?role=display&lang=en": (".board-place", "#trouble"),
    "overlay?lang=en": ("#overlay", "#overlay .last"),
    "club?lang=en": (".mini", ".link-state"),
    "club?tv&lang=en": (".mini", ".link-state"),
}
"""For each page that shows a game: the element that turns grey and the element with the reason."""
COUNT = """
const Plain = window.WebSocket;
window.received = 0;
window.WebSocket = class extends Plain {
  constructor(...args) {
    super(...args);
    this.addEventListener("message", () => (window.received += 1));
  }
};
"""


@pytest.fixture(scope="module")
def proxy(broker: Mosquitto) -> Iterator[SilentProxy]:
    """A display server behind a proxy; the server sends a heartbeat every 0.2 s."""
    proxy = SilentProxy()
    with served(broker.port, open_roles=("table",), origins=(proxy.url,), limits=LIMITS) as display:
        proxy.target = display.server.port
        yield proxy
        proxy.stop()


@pytest.fixture
def context(chromium: Browser, proxy: SilentProxy) -> Iterator[BrowserContext]:
    """Pages whose clocks the test sets; afterwards the proxy passes everything again."""
    with chromium.new_context() as context:
        context.set_default_timeout(60_000)
        context.add_init_script(COUNT)
        context.clock.install()
        yield context
        proxy.silent = False


def wait_for_message(page: Page) -> None:
    """Wait for the server's next message."""
    page.evaluate("window.received = 0")
    until(page, "window.received > 0")


def look(page: Page, selector: str) -> str:
    """Return the style that greys an element."""
    return str(page.evaluate(GREYED.replace("{}", repr(selector))))


@pytest.mark.long
def test_a_page_that_receives_nothing_shows_it_and_recovers(
    host: FakeHost, context: BrowserContext, proxy: SilentProxy
) -> None:
    """After 20 s without a byte the page is grey with the reason. With bytes it shows the newest state
    without a reload."""
    pages, fresh = {}, {}
    for address, (board, _) in BOARDS.items():
        pages[address] = page = context.new_page()
        page.goto(f"{proxy.url}/{address}")
        expect(page.locator("#overlay, .piece, .mini .piece").first).to_be_visible()
        expect(page.get_by_text("Connecting")).to_be_hidden()
        fresh[address] = look(page, board)
    proxy.silent = True
    context.clock.fast_forward(21_000)
    for address, (board, words) in BOARDS.items():
        expect(pages[address].locator(words)).to_contain_text(SILENT)
        assert look(pages[address], board) != fresh[address], address
    context.clock.fast_forward(30_000)  # a second attempt hangs like the first connection
    host.state(seq=9, names={"white": "Dirk", "black": "Ella"})
    proxy.silent = False
    context.clock.fast_forward(30_000)
    for address, (board, _) in BOARDS.items():
        expect(pages[address].get_by_text(SILENT)).to_be_hidden()
        expect(pages[address].get_by_text("Dirk").first).to_be_visible()
        assert look(pages[address], board) == fresh[address], address


def test_a_quiet_game_is_not_a_silent_line(
    host: FakeHost, context: BrowserContext, proxy: SilentProxy
) -> None:
    """A board without events does not turn grey: the server sends heartbeats."""
    assert Limits().alive_s <= 10, "a page waits 20 s, so that one sign of life may be late"
    page = context.new_page()
    page.goto(f"{proxy.url}/?role=table&lang=en")
    expect(page.locator(".piece")).to_have_count(2)
    for _ in range(3):
        wait_for_message(page)
        context.clock.fast_forward(15_000)
    wait_for_message(page)
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("body")).not_to_have_class("cut-off")


def test_offline_counts_at_once(host: FakeHost, context: BrowserContext, proxy: SilentProxy) -> None:
    """When the browser reports offline the page is grey with the reason at once; later it shows the newest state."""
    page = context.new_page()
    page.goto(f"{proxy.url}/?role=table&lang=en")
    expect(page.locator(".piece")).to_have_count(2)
    context.set_offline(True)
    expect(page.locator("#trouble")).to_have_text("This device is offline: what you see may be old")
    expect(page.locator("body.cut-off")).to_have_count(1)
    host.state(seq=9, names={"white": "Dirk", "black": "Ella"})
    context.set_offline(False)
    expect(page.locator("#player-white .player-name")).to_have_text("Dirk")
    expect(page.locator("body.cut-off")).to_have_count(0)


def test_a_members_phone_reports_a_silent_line_too(
    chromium: Browser, broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A member's page turns grey, its card below the heading gives the reason, and it recovers by itself."""
    proxy, folder = SilentProxy(), tmp_path_factory.mktemp("club")
    with ExitStack() as stack:
        stack.callback(proxy.stop)
        club = stack.enter_context(
            served_club(broker.port, folder, {"member": "m"}, origins=(proxy.url,), limits=LIMITS)
        )
        proxy.target = urlsplit(club.url).port or 0
        context = stack.enter_context(chromium.new_context())
        context.clock.install()
        page = context.new_page()
        page.goto(f"{proxy.url}/join?lang=en#m")
        expect(page.locator("#join .card")).to_have_count(1)
        page.set_viewport_size({"width": 1920, "height": 1080})
        heading, card = page.locator("h1").bounding_box(), page.locator("#join .card").bounding_box()
        assert heading and card and abs(heading["x"] - card["x"]) < 1
        proxy.silent = True
        context.clock.fast_forward(21_000)
        expect(page.locator(".link-state")).to_contain_text(SILENT)
        expect(page.locator("#join.cut-off")).to_have_count(1)
        proxy.silent = False
        context.clock.fast_forward(30_000)
        expect(page.locator(".link-state")).to_be_hidden()
        expect(page.locator("#join.cut-off")).to_have_count(0)
