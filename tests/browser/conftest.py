"""A real Chromium, a real Mosquitto, a real display server; only the host is a fake that repeats what a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browser.fakes import FakeHost
from browser.servers import Mosquitto, Served, served

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
Opener = Callable[..., Page]
expect.set_options(timeout=20_000)  # the machine may be busy with other tests


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, gone after each module: Playwright's own event loop must not meet other tests'."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed (apt install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A Mosquitto on a free port."""
    mosquitto = Mosquitto(tmp_path_factory.mktemp("broker"))
    yield mosquitto
    mosquitto.stop()


@pytest.fixture(scope="module")
def display(broker: Mosquitto) -> Iterator[Served]:
    """A display server whose roles need no secret, with a virtual dartboard."""
    with served(broker.port, open_roles=("table", "seat1", "seat2", "arbiter"), simulated=True) as server:
        yield server


@pytest.fixture(scope="module")
def module_host(broker: Mosquitto, display: Served) -> Iterator[FakeHost]:
    """The fake host, once per module."""
    fake = FakeHost(broker.port)
    yield fake
    fake.stop()


@pytest.fixture
def host(module_host: FakeHost) -> FakeHost:
    """The fake host at the first turn of a loud game, having heard nothing yet."""
    module_host.commands.clear()
    module_host.throws.clear()
    module_host.answers = lambda role, command: {"accepted": True}
    module_host.publish("sheet", {"v": 1, "match": "", "entries": []})
    module_host.state()
    return module_host


@pytest.fixture
def opened(chromium: Browser, display: Served) -> Iterator[Opener]:
    """Opens pages of the display; fails the test if one of them threw an error."""
    contexts = []
    errors: list[str] = []

    def open_page(
        query: str = "role=table&lang=en", size: tuple[int, int] = (1280, 800), **context: Any
    ) -> Page:
        made = chromium.new_context(viewport={"width": size[0], "height": size[1]}, **context)
        contexts.append(made)
        page = made.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(f"{display.url}/?{query}")
        page.locator(".piece").first.wait_for()
        return page

    yield open_page
    for made in contexts:
        made.close()
    assert not errors, errors
