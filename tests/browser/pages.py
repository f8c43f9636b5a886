"""Reuse the pages of one Chromium: creating a page takes three times as long as opening an address."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page

PATIENCE_S = 60
"""How long to wait for a page: the machine may be slow and busy with other tests."""


def until(page: Page, script: str) -> None:
    """Wait until a script returns a true value; the page's policy forbids Playwright's own wait function."""
    deadline = time.monotonic() + PATIENCE_S
    while not page.evaluate(script):
        assert time.monotonic() < deadline, f"waited {PATIENCE_S} s for {script}"
        page.wait_for_timeout(20)


def still(page: Page) -> None:
    """Wait until nothing moves and the frame after the last change is drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))")
    page.evaluate(
        "Promise.allSettled(document.getAnimations().map((animation) => animation.finished)).then(() => 0)"
    )


def ask_for_a_game(page: Page) -> None:
    """Open the dialog of a new game from the first visit or from a running game."""
    page.locator('.board-centre[data-phase]:not([data-phase=""])').wait_for()
    first = page.locator("#play")
    (first if first.count() else page.locator("#new-game")).click()


class Pages:
    """A pool of pages, each in a context of its own; `release` empties them and returns their errors."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[str, list[Page]] = {}
        self._used: list[tuple[str, Page]] = []
        self._errors: list[str] = []
        self.console: list[str] = []

    def open(self, url: str, size: tuple[int, int] = (1280, 800), script: str = "", **context: Any) -> Page:
        """Return a page of that size at that address; `script` runs before each document's scripts."""
        wanted = {"width": size[0], "height": size[1]}
        key = repr((script, sorted(context.items())))
        idle = self._idle.get(key, [])
        if idle:
            page = idle.pop()
            if page.viewport_size != wanted:
                page.set_viewport_size({"width": size[0], "height": size[1]})
        else:
            page = self._made(wanted, script, context)
        self._used.append((key, page))
        page.goto(url)
        return page

    def _made(self, size: Any, script: str, context: dict[str, Any]) -> Page:
        made = self._browser.new_context(viewport=size, **context)
        made.set_default_timeout(PATIENCE_S * 1000)
        if script:
            made.add_init_script(script)
        page = made.new_page()
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", self._on_console)
        return page

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.console.append(message.text)

    def release(self) -> list[str]:
        """Clear the storage of every page in use, close its address, and return the errors of its scripts."""
        for key, page in self._used:
            if page.is_closed():
                page.context.close()
                continue
            page.evaluate("localStorage.clear(); sessionStorage.clear();")
            page.goto("about:blank")
            self._idle.setdefault(key, []).append(page)
        self._used.clear()
        errors, self._errors = self._errors, []
        self.console = []
        return errors
