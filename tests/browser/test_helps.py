"""Small helps on the play page: named levels, the shield of an unmoved piece, a board that follows the turn."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import SILENT, FakeHost
from scharten.play.levels import LEVELS


def test_the_levels_have_names_and_their_scatter(host: FakeHost, opened: Opener) -> None:
    """Each level of the computer shows its strength in words and its scatter."""
    page = opened()
    page.locator("#new-game").click()
    options = page.locator("#new-black-player option[value]:not([value=''])")
    expect(options).to_have_count(len(LEVELS))
    expect(options.nth(2)).to_have_text("the computer 3 · a beginner, 42 mm")
    words = options.all_inner_texts()
    assert len({text.split("·")[1] for text in words}) == len(LEVELS)
    for text, level in zip(words, LEVELS.values(), strict=True):
        assert text.endswith(f", {level.scatter.x_mm:g} mm")


def test_the_shield_of_an_unmoved_piece_explains_itself(host: FakeHost, opened: Opener) -> None:
    """The shield explains itself under the mouse and to a screen reader; a moved piece has none."""
    host.state(position=SILENT.replace("R*", "R"), shown={"protected": ["a2"]})
    page = opened()
    pawn, rook = (page.locator(f'#board [data-field="{field}"]') for field in ("b2", "a1"))
    expect(pawn.locator("title")).to_contain_text("it cannot be captured")
    expect(pawn).to_have_attribute(
        "aria-label",
        "b2, white pawn, in the zone, has not moved since it came onto the board: it cannot be captured",
    )
    expect(rook.locator("title")).to_have_count(0)
    expect(page.locator('.piece.unmoved[data-at="b2"]')).to_have_count(1)
    expect(page.locator('.piece.unmoved[data-at="a1"]')).to_have_count(0)


@pytest.mark.long
def test_the_board_turns_to_the_side_to_move_where_that_is_chosen(host: FakeHost, opened: Opener) -> None:
    """With the setting on a shared tablet Black's turn shows Black below. Without it, or on a seat's page,
    nothing turns."""
    page, seat = opened(), opened("role=seat1&lang=en")
    host.state(seq=2, side="black", names={"white": "A", "black": "B"})
    expect(page.locator("#player-black .player-name")).to_have_text("B")
    expect(page.locator("body.turned")).to_have_count(0)
    for shown in (page, seat):
        shown.locator("#settings").click()
        shown.locator("#set-turn").check()
        shown.keyboard.press("Escape")
    host.state(seq=3, side="black", names={"white": "A", "black": "C"})
    expect(page.locator("body.turned")).to_have_count(1)
    expect(seat.locator("#player-black .player-name")).to_have_text("C")
    expect(seat.locator("body.turned")).to_have_count(0)
    host.state(seq=4, side="white")
    expect(page.locator("body.turned")).to_have_count(0)
