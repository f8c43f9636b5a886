"""The play page in a real browser, against a host that repeats what the test says."""

from __future__ import annotations

from browser.conftest import Opener
from browser.fakes import FakeHost


def test_a_tapped_piece_shows_where_it_may_go_and_a_second_tap_plays_it(
    host: FakeHost, opened: Opener
) -> None:
    """Two taps on the board send the move with the state that the page saw."""
    page = opened()
    page.locator('[data-field="e1"]').click()
    assert page.locator(".dot.destination").count() == 5
    page.locator('[data-field="e2"]').click()
    command = host.heard("move")
    assert (command["role"], command["move"], command["seq"], command["match"]) == ("table", "e1e2", 1, "m1")
