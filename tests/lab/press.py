"""The table page: the time from a press to its effect on the screen, and its memory over a thousand turns."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scharten.errors import SchartenError

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

PRESS_MS, HEAP_KB = 40.0, 400.0
"""p95 of Chrome's Event Timing, from the press to the next picture; growth of the heap over a thousand turns."""
UNREPORTED_MS = 16.0
"""Event Timing reports no shorter events: such an event counts as this long."""
WAIT_S = 60.0
OBSERVE = """() => {
  window.presses = new Map();
  new PerformanceObserver((list) => {
    for (const event of list.getEntries()) if (event.interactionId)
      presses.set(event.interactionId, Math.max(event.duration, presses.get(event.interactionId) ?? 0));
  }).observe({ type: "event", durationThreshold: 16 });
}"""


def press_times(page: Page, presses: int) -> list[float]:
    """Press fields of the table's board; return the milliseconds from each press to the picture that shows it."""
    page.evaluate(OBSERVE)
    board = page.locator("#board").bounding_box()
    assert board is not None
    chance = random.Random(3)
    for _ in range(presses):
        page.mouse.click(
            board["x"] + board["width"] * chance.uniform(0.15, 0.85),
            board["y"] + board["height"] * chance.uniform(0.15, 0.85),
        )
        page.wait_for_timeout(60)
    page.wait_for_timeout(300)  # the last events are reported with a delay
    reported = [float(duration) for duration in page.evaluate("[...presses.values()]")]
    return reported + [UNREPORTED_MS] * (presses - len(reported))


def heap_growth(
    page: Page, publish: Callable[[dict[str, Any]], None], turn: Callable[[int], dict[str, Any]], turns: int
) -> float:
    """Play turns, and return how many kB the page's heap has grown after a garbage collection."""
    session = page.context.new_cdp_session(page)
    _play(page, publish, turn, range(1, 101))  # caches fill in the first turns
    before = _heap_kb(session)
    _play(page, publish, turn, range(101, 101 + turns))
    return _heap_kb(session) - before


def _play(
    page: Page, publish: Callable[[dict[str, Any]], None], turn: Callable[[int], dict[str, Any]], turns: range
) -> None:
    for number in turns:
        publish(turn(number) | {"names": {"white": f"turn {number}", "black": ""}})
        if number % 10 == 0 or number == turns[-1]:
            _wait_for_name(page, f"turn {number}")


def _wait_for_name(page: Page, name: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while page.locator("#player-white .name").text_content() != name:
        if time.monotonic() > deadline:
            raise SchartenError(f"The page did not draw {name} within {WAIT_S:.0f} s.", "Run it again.")
        page.wait_for_timeout(5)


def _heap_kb(session: CDPSession) -> float:
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1000
