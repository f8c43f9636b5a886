"""A real Chromium, a real Mosquitto, a real display server; only the host is a fake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browser.fakes import FakeHost
from browser.pages import PATIENCE_S, Pages
from browser.servers import Mosquitto, Served, served
from lab.daemon_process import FAST, DaemonProcess
from lab.scripted_game import board_listens

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
Opener = Callable[..., Page]
expect.set_options(timeout=PATIENCE_S * 1000)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Debian's headless Chromium, for these tests only: Playwright's event loop must not meet other tests' loops."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed (apt install chromium-headless-shell)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def pool(chromium: Browser) -> Pages:
    """The pool of pages for all browser tests."""
    return Pages(chromium)


@pytest.fixture
def pages(pool: Pages) -> Iterator[Pages]:
    """Open pages; fail the test if a script of a page threw an error."""
    yield pool
    errors = pool.release()
    assert not errors, errors


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A Mosquitto on a free port."""
    mosquitto = Mosquitto(tmp_path_factory.mktemp("broker"))
    yield mosquitto
    mosquitto.stop()


@pytest.fixture(scope="package")
def display(broker: Mosquitto) -> Iterator[Served]:
    """A display server whose roles need no secret, with a virtual dartboard."""
    with served(broker.port, open_roles=("table", "seat1", "seat2", "arbiter"), simulated=True) as server:
        yield server


@pytest.fixture(scope="package")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A real daemon with its simulated board for tests that begin games. A new game abandons the last."""
    process = DaemonProcess(tmp_path_factory.mktemp("daemon"), FAST).start()
    try:
        board_listens(process.peer("table"))
        yield process
    finally:
        process.end()


@pytest.fixture(scope="package")
def only_host(broker: Mosquitto, display: Served) -> Iterator[FakeHost]:
    """The fake host that all browser tests share."""
    fake = FakeHost(broker.port)
    yield fake
    fake.stop()


@pytest.fixture
def host(only_host: FakeHost) -> FakeHost:
    """The fake host at the first turn of a loud game, without commands."""
    only_host.commands.clear()
    only_host.throws.clear()
    only_host.answers = lambda role, command: {"accepted": True}
    only_host.publish("health", {"v": 1, "version": "1", "playable": True, "sources": []})
    only_host.publish("sheet", {"v": 1, "match": "", "entries": []})
    only_host.state()
    return only_host


@pytest.fixture(scope="package")
def wired_display(broker: Mosquitto) -> Iterator[Served]:
    """A display server of a board with a real dartboard, not a simulated one."""
    with served(broker.port, open_roles=("table",)) as server:
        yield server


@pytest.fixture
def wired(pages: Pages, wired_display: Served) -> Opener:
    """Open the table's page of a board with a real dartboard: players throw and remove the darts by hand."""

    def open_page(query: str = "role=table&lang=en") -> Page:
        page = pages.open(f"{wired_display.url}/?{query}")
        page.locator(".piece").first.wait_for()
        return page

    return open_page


@pytest.fixture
def opened(pages: Pages, display: Served) -> Iterator[Opener]:
    """Open the play page; fail the test if the browser logged an error."""

    def open_page(
        query: str = "role=table&lang=en", size: tuple[int, int] = (1280, 800), **context: Any
    ) -> Page:
        page = pages.open(f"{display.url}/?{query}", size, **context)
        page.locator(".piece").first.wait_for()
        return page

    yield open_page
    assert not pages.console, pages.console
