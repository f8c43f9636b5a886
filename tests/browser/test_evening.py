"""An evening at the real daemon: a loud game by the page and its virtual dartboard, over the serial line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Position, expect

from browser.pages import Pages, ask_for_a_game
from conformance.simulated import SimulatedDriver
from lab.daemon_process import FAST, DaemonProcess, wait_for
from lab.scripted_game import board_listens
from scharten.dartboard.beds import parse_bed
from scharten.games.scharten.board import FIELDS, bed_of, field_name
from scharten.sensors.profiles import load_profile


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon for one test: a shared one would offer the limits of the game before."""
    process = DaemonProcess(tmp_path, FAST).start()
    try:
        board_listens(process.peer("table"))
        yield process
    finally:
        process.end()


@pytest.fixture
def evening(pages: Pages, daemon: DaemonProcess) -> Page:
    """The table's page of the daemon."""
    return pages.open(f"{daemon.running['web']}/?lang=en", (1440, 900))


def begin(page: Page) -> None:
    """Start a loud game by the dialog with names and the default limits."""
    ask_for_a_game(page)
    page.get_by_label("White's name").fill("Anna")
    page.get_by_label("Black's name").fill("Bert")
    page.locator("#start-game").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".moves button")).to_have_count(0)
    expect(page.locator("#player-white .player-name")).to_have_text("Anna")
    expect(page.locator("#player-white")).to_have_class("slab white-side at-move")


def throw(page: Page, bed: str) -> None:
    """Press the board once the page takes the next dart."""
    expect(page.locator("#board.takes-darts")).to_have_count(1)
    if bed == "BULL":
        page.locator("#board .board-drawing").click(position=middle(page))
    else:
        field = next(field_name(field) for field in FIELDS if str(bed_of(field, 3)) == bed)
        page.locator(f'#board [data-field="{field}"]').click()


def middle(page: Page) -> Position:
    """Return the middle of the board in px."""
    box = page.locator("#board").bounding_box()
    assert box is not None
    return {"x": box["width"] / 2, "y": box["height"] / 2}


def piece_on(page: Page, field: str) -> str:
    """Return the piece that the board shows on a field."""
    label = page.locator(f'#board [data-field="{field}"]').get_attribute("aria-label") or ""
    return label.split(", ")[1]


@pytest.mark.long
def test_a_loud_game_is_played_lost_by_three_fouls_and_put_right(evening: Page) -> None:
    """The page places pieces, moves one, loses three darts in a row, announces the loss, and corrects the
    last dart."""
    page = evening
    begin(page)
    throw(page, "F17")
    expect(page.locator("#last-dart")).to_contain_text("on f2")
    assert piece_on(page, "f2") == "white pawn"
    throw(page, "F1")
    expect(page.locator("#last-dart")).to_contain_text("on d7")
    page.locator('[data-field="f2"]').click()
    page.locator('[data-field="f4"]').click()
    expect(page.locator(".moves .here")).to_have_text("f4")
    assert (piece_on(page, "f2"), piece_on(page, "f4")) == ("empty", "white pawn")
    throw(page, "T18")
    expect(page.locator("#last-dart")).to_contain_text("on c6")
    for fouls, (white, black) in enumerate([("BULL", "T1"), ("D20", "T4")], start=1):
        throw(page, white)
        expect(page.locator("#player-white .fouls")).to_contain_text(f"{fouls} of 3")
        throw(page, black)
        expect(page.locator("#last-dart")).to_contain_text(" on ")
    expect(page.locator("#board.takes-darts")).to_have_count(1)
    page.locator('#actions [data-command="miss"]').click()
    end = page.locator("#end")
    expect(end).to_be_visible()
    expect(end).to_contain_text("0-1")
    expect(end).to_contain_text("Bert wins")
    expect(end).to_contain_text("lost three darts in a row")
    page.locator("#end-correct").click()
    picker = page.locator(".picker .dartboard [data-bed='F3']")
    picker.click()
    expect(end).to_be_hidden()
    expect(page.locator("#player-white .fouls")).to_contain_text("0 of 3")
    assert piece_on(page, "e2") == "white pawn"
    expect(page.locator("#player-black")).to_have_class("slab black-side at-move")


@pytest.mark.long
def test_a_page_that_comes_late_shows_the_same_game(evening: Page, pages: Pages) -> None:
    """A second, read-only page shows the whole game from the retained snapshot and follows it."""
    page = evening
    begin(page)
    throw(page, "T17")
    expect(page.locator("#last-dart")).to_contain_text("on f3")
    late = pages.open(page.url.replace("?lang=en", "?role=display&lang=nl"))
    expect(late.locator("#player-white .player-name")).to_have_text("Anna")
    expect(late.locator("#last-dart")).to_contain_text("T17")
    assert late.locator(".piece").count() == 3
    throw(page, "T1")
    expect(late.locator("#last-dart")).to_contain_text("T1")
    assert late.locator("#announce, #take-back, #new-game").count() == 0


@pytest.fixture
def hung() -> Iterator[SimulatedDriver]:
    """A board at a serial port instead of the simulated one."""
    board = SimulatedDriver()
    yield board
    board.close()


@pytest.mark.long
def test_a_dart_that_does_not_count_takes_its_foul_back(
    pages: Pages, hung: SimulatedDriver, tmp_path: Path
) -> None:
    """White's dart in Black's half is lost and doubted. The button clears the foul and gives White the turn again."""
    source = f'[source]\nkind = "serial"\n[source.serial]\nport = "{hung.name}"\n'
    daemon = DaemonProcess(tmp_path, FAST + '[board]\nprofile = "simulated"\n' + source).start()
    try:
        page = pages.open(f"{daemon.running['web']}/?role=table&lang=en", (1440, 900))
        peer = daemon.peer("table")
        wait_for(lambda: peer.source == "found", 40, "the board")
        begin(page)
        fouls = page.locator("#player-white .fouls")
        contact = next(
            contact for contact, bed in load_profile("simulated").beds.items() if bed == parse_bed("F1")
        )
        hung.press(contact.drive, contact.sense)
        expect(fouls).to_contain_text("1 of 3 fouls")
        expect(page.locator("#player-black")).to_have_class("slab black-side at-move")
        page.locator("#doubt").get_by_role("button", name="It does not count").click()
        expect(fouls).to_contain_text("0 of 3 fouls")
        expect(page.locator("#player-white")).to_have_class("slab white-side at-move")
        expect(page.locator("#doubt")).to_be_hidden()
        state = peer.wait(lambda state: state["side"] == "white" and not state["turns"])
        assert state["shown"]["fouls"] == {"white": 0, "black": 0}
        peer.close()
    finally:
        daemon.end()
