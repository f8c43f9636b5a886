"""The score sheet, the end and the evening's games on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost, snapshot
from browser.scenes import ENTRIES, position, scenes


def test_three_fouls_in_a_row_are_announced_on_a_display(host: FakeHost, opened: Opener) -> None:
    """The result, the winner and the reason stand beside the board of a read-only display."""
    page = opened("role=display&lang=nl")
    host.publish("state", scenes()["fogling"])
    end = page.locator("#end")
    expect(end).to_contain_text("0-1")
    expect(end).to_contain_text("Bert wint")
    expect(end).to_contain_text("Anna verloor drie darts op rij")


WHOLE = {"v": 2, "match": "m1", "started_ms": 0, "result": None, "reason": None,
         "headers": {"White": "Anna", "Black": "Bert", "Game": "scharten", "Kind": "loud"}}  # fmt: skip


@pytest.mark.long
def test_the_sheet_can_be_read_backwards(host: FakeHost, opened: Opener) -> None:
    """Stepping back shows the earlier position in this device's letters; one step returns to the present."""
    first = position("Ke1 Pe2* ke8", "b - 1/0 0/0 0/0 1")
    entries = [ENTRIES[0] | {"position": first}, *ENTRIES[1:]]
    host.publish("state", scenes()["turn"])
    host.publish("sheet", WHOLE | {"start": snapshot()["position"], "entries": entries})
    page = opened("role=table&lang=nl")
    expect(page.locator(".moves button")).to_have_count(len(entries))
    expect(page.locator(".moves button").nth(9)).to_have_text("Dxe5")
    page.locator(".moves button").first.click()
    expect(page.locator(".piece")).to_have_count(3)
    expect(page.locator(".board-centre")).to_contain_text("Terugkijken")
    page.get_by_role("button", name="Terug naar de partij").click()
    expect(page.locator(".piece")).to_have_count(29)
    page.locator("#drawer-handle").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Downloaden").click()
    text = " ".join(download.value.path().read_text().split())
    assert '[White "Anna"]' in text and "5. P@g3 {T2} Dxe5" in text and "2. @c3 {T7} @- {D20}" in text


@pytest.mark.long
def test_the_evenings_games_are_listed(host: FakeHost, opened: Opener) -> None:
    """Each finished game joins the list with its score; a result that is taken back leaves it."""
    page = opened()
    ended = scenes()["fogling"] | {"names": {"white": "Frits", "black": "Gera"}}
    for match, result in (("g1", "1-0"), ("g2", "½-½"), ("g3", "0-1")):
        host.publish("state", ended | {"match": match, "result": result, "reason": "arbiter"})
        expect(page.locator(".end-result")).to_have_text(result)
    host.publish("state", ended | {"match": "g3", "result": None, "phase": "turn"})
    expect(page.locator("#end")).to_be_hidden()
    host.state(match="g4")
    expect(page.locator("#player-white .player-name")).to_have_text("Anna")
    page.get_by_role("button", name="Results").click()
    expect(page.locator(".results tr").filter(has_text="Frits")).to_have_count(2)
    expect(page.locator(".results-score")).to_contain_text("Frits: 1.5")


def test_mate_stays_in_view_with_its_lines(host: FakeHost, opened: Opener) -> None:
    """The end shows lines from the checking piece and its supporters to the king, with one frame of check."""
    host.publish("state", scenes()["check"] | {"phase": "finished", "result": "0-1", "reason": "checkmate"})
    page = opened()
    expect(page.locator("#end")).to_contain_text("checkmate")
    checkers = scenes()["check"]["shown"]["checkers"]
    supporters = sum(len(checker["supporters"]) for checker in checkers)
    expect(page.locator("#board .support-line.checking")).to_have_count(len(checkers))
    expect(page.locator("#board .support-line.helping")).to_have_count(supporters)
    expect(page.locator("#board .frame.check")).to_have_count(1)
    assert len(checkers) >= 1 and supporters >= 1
