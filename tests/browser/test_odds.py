"""The odds of the next dart in a real browser: off by default, on the drawn board and on the real board."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.pages import Pages
from lab.daemon_process import FAST, DaemonProcess, wait_for
from lab.scripted_game import board_listens


@pytest.mark.long
@pytest.mark.browser
def test_each_free_bed_is_as_bright_as_the_chance_to_hit_it(tmp_path: Path, pages: Pages) -> None:
    """With a whole daemon: no odds at first. The setting asks the adviser each turn, and a likelier bed is
    brighter."""
    daemon = DaemonProcess(tmp_path, FAST).start()
    try:
        peer = daemon.peer("table")
        board_listens(peer)
        peer.new_game(kind="loud")
        page = pages.open(f"{daemon.running['web']}/?lang=en", (1280, 900))
        expect(page.locator("#board .piece")).to_have_count(2)
        nothing = peer.last["advice"]
        assert nothing["advice"] is None
        page.locator("#settings").click()
        page.locator("#set-odds").click()
        lit = page.locator("#board .odds path")
        expect(lit.first).to_be_attached(timeout=60_000)
        fields = {field["field"]: field["hit"] for field in peer.last["advice"]["advice"]["fields"]}
        assert len(fields) == lit.count() > 10
        for at in range(lit.count()):
            name = str(lit.nth(at).get_attribute("data-odds"))
            assert float(str(lit.nth(at).get_attribute("fill-opacity"))) == pytest.approx(
                0.85 * fields[name], abs=0.001
            )
        turns = peer.state["turns"]
        peer.throw(x_mm=0.0, y_mm=-77.0)
        peer.wait(lambda state: state["turns"] == turns + 1, what="the dart")
        wait_for(lambda: peer.last["advice"]["side"] == "black", 60, "the advice for Black")
        theirs = {field["field"] for field in peer.last["advice"]["advice"]["fields"]} - fields.keys()
        expect(page.locator(f'#board .odds [data-odds="{theirs.pop()}"]')).to_be_attached()
        lit_count = lit.count()
        assert lit_count == len(peer.last["advice"]["advice"]["fields"])
        page.goto(f"{daemon.running['web']}/?lang=en&view=light")
        real = page.locator(".light .lit-odds")
        expect(real).to_have_count(lit_count, timeout=60_000)
        by_bed = {field["bed"]: field["hit"] for field in peer.last["advice"]["advice"]["fields"]}
        for at in range(lit_count):
            bed, share = (real.nth(at).get_attribute(name) for name in ("data-bed", "fill-opacity"))
            assert float(str(share)) == pytest.approx(by_bed[str(bed)], abs=0.001)
        assert page.locator(".lit-aim").count() == 0
        peer.close()
    finally:
        daemon.end()
