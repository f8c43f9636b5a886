"""The set-up for a new user: the real daemon, a board on a separate port, photographs for cameras."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from browser.test_fitness import serious
from conformance.simulated import SimulatedDriver
from lab.daemon_process import DaemonProcess
from lab.scenes.pictures import RANGES, make_rig, picture
from scharten.dartboard.beds import parse_bed
from scharten.sensors.profiles import load_profile
from scharten.vision.calibrate.clicks import wires_of
from scharten.vision.model import to_pixels
from scharten.vision.rig import parse_rig
from vision.photographs import eyes_of, photo_set, sets_of

FIRST = "# by a person\n[web]\nport = 0\n"


@pytest.fixture
def new(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon that the test sets up."""
    process = DaemonProcess(tmp_path / "new", FIRST).start()
    yield process
    process.end()


@pytest.fixture
def setup(pages: Pages, new: DaemonProcess) -> Page:
    """Open the page on the machine itself or, once the network is let in, with the table's link."""
    link = f"#{new.secrets['table']}" if "0.0.0.0" in new.config.read_text() else ""
    page = pages.open(f"{new.running['web']}/setup?lang=en&theme=light{link}", (1000, 900))
    expect(page.locator(".findings li").first).to_be_visible()
    return page


def saved(page: Page) -> None:
    """Press Save and wait until the daemon has restarted with the new configuration."""
    page.locator("#save").click()
    expect(page.locator("#done")).to_be_visible()


@pytest.fixture
def untouched(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon without any set-up, for one test."""
    process = DaemonProcess(tmp_path, FIRST).start()
    yield process
    process.end()


@pytest.mark.long
@pytest.mark.parametrize("pressed", ["#play-now", 'nav [data-page="play"]'])
def test_the_first_page_leads_there_and_a_game_is_one_click_away(
    pages: Pages, untouched: DaemonProcess, pressed: str
) -> None:
    """The bare address opens the set-up, unlike a role's link or a display's. A user who plays first, by
    button or navigation, is not sent there again."""
    url = untouched.running["web"]
    for query in ("role=table", "role=display"):
        page = pages.open(f"{url}/?{query}&lang=en")
        page.locator(".board-centre[data-phase]").wait_for()
        assert "/setup" not in page.url
    page = pages.open(f"{url}/?lang=en")
    page.locator(pressed).click()
    page.locator("#play").wait_for()
    assert "/setup" not in page.url
    if pressed == "#play-now":
        expect(
            page.locator("#new-white-name")
        ).to_be_focused()  # the dialog asks for the names at once, and only once
    page.reload()
    page.locator("#play").wait_for()
    page.locator("#settings").click()
    page.locator("dialog").get_by_role("link", name="Setup").click()
    expect(page.locator('[data-step="source"]')).to_be_visible()
    expect(page.locator("#play-now")).to_have_count(0)


SLOW = """const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  if (!text.includes('"look"')) send.call(this, text);
  else window.go = () => send.call(this, text);
};"""
"""Holds back the page's question about the machine's devices."""


@pytest.mark.long
def test_a_slow_machine_leaves_no_empty_page(pages: Pages, new: DaemonProcess) -> None:
    """While the machine is examined the page says so; then the result replaces the message. The first visit
    plays without waiting for it."""
    page = pages.open(f"{new.running['web']}/setup?lang=en", script=SLOW)
    expect(page.locator("#setup")).to_have_text("Looking for boards, cameras and programs on this machine…")
    page.evaluate("window.go()")
    expect(page.locator('[data-step="source"]')).to_be_visible()
    expect(page.get_by_text("Looking for boards")).to_have_count(0)
    page = pages.open(f"{new.running['web']}/?lang=en", script=SLOW)
    expect(page.locator("#setup")).to_contain_text("Looking for boards")
    page.locator("#play-now").click()
    expect(page.locator("#start-game")).to_be_visible()


@pytest.mark.long
def test_it_is_for_the_table_and_the_arbiter(pages: Pages, new: DaemonProcess) -> None:
    """A seat reads who may set up, and sees nothing else."""
    page = pages.open(f"{new.running['web']}/setup?role=seat1&lang=en")
    expect(page.locator("#save")).to_have_count(0)
    expect(page.locator("#header .link-state")).to_contain_text("for the table and the arbiter")


@pytest.mark.long
def test_it_fits_a_telephone_speaks_three_languages_and_axe_finds_nothing(
    pages: Pages, new: DaemonProcess, setup: Page
) -> None:
    """Each choice fits 390 px in both themes; Dutch and German texts, findings too, are right."""
    setup.set_viewport_size({"width": 390, "height": 844})
    for kind in ("serial", "camera", "both", "granboard", "simulated"):
        setup.locator(f'input[name="kind"][value="{kind}"]').check()
        assert setup.evaluate("document.documentElement.scrollWidth") <= 390
    setup.locator('input[name="kind"][value="serial"]').check()
    assert serious(setup) == []
    setup.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert serious(setup) == []
    for language, title, finding in (
        ("nl", "Inrichten", "gegevensmap"),
        ("de", "Einrichten", "Datenordner"),
    ):
        page = pages.open(f"{new.running['web']}/setup?lang={language}", (390, 844))
        expect(page.locator("#header h1")).to_contain_text(title)
        expect(page.locator('[data-code="folder"]')).to_contain_text(finding)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_cure_is_a_button(new: DaemonProcess, setup: Page) -> None:
    """A press copies the games, and the finding reports the copy."""
    setup.locator('[data-cure="back_up"]').click()
    expect(setup.locator('[data-code="copy"]')).to_contain_text("newest copy of the data folder")
    assert len(list((new.folder / "backups").glob("*/scharten.sqlite3"))) == 1


def test_each_finding_stands_beside_its_mark(setup: Page) -> None:
    """Each finding has one mark, with its text to the right at one edge."""
    lefts = setup.locator(".findings .mark + span").evaluate_all(
        "all => all.map((one) => Math.round(one.getBoundingClientRect().left))"
    )
    marks = setup.locator(".findings .mark").evaluate_all(
        "all => all.map((one) => Math.round(one.getBoundingClientRect().right))"
    )
    assert len(lefts) > 3 and len(set(lefts)) == 1 and 0 < lefts[0] - max(marks) < 20, (lefts, marks)


@pytest.mark.long
def test_a_wrong_name_is_refused_and_a_club_is_named(new: DaemonProcess, setup: Page) -> None:
    """A refusal keeps the input and saves nothing, also for a GranBoard without its library. The corrected
    name saves."""
    before = new.config.read_text()
    setup.locator("summary", has_text="MQTT").click()
    setup.locator("#field-board\\.id").fill("Our Board!")
    setup.locator("#field-board\\.club").fill("De Bulle")
    setup.locator("#save").click()
    expect(setup.locator(".save .said")).to_contain_text("board.id")
    assert new.config.read_text() == before
    setup.locator("#field-board\\.id").fill("cellar")
    setup.locator('input[name="kind"][value="granboard"]').check()
    setup.locator("#save").click()
    expect(setup.locator(".save .said")).to_contain_text("pip install 'bleak")
    assert new.config.read_text() == before
    setup.locator('input[name="kind"][value="simulated"]').check()
    saved(setup)
    assert 'club = "De Bulle"' in new.config.read_text() and new.config.read_text().startswith(
        "# by a person"
    )
    setup.locator("#done a").click()
    expect(setup.locator("#header h1")).to_have_text("De Bulle")


@pytest.mark.long
def test_an_electronic_board_is_found_mapped_and_played_on(new: DaemonProcess, setup: Page) -> None:
    """A board at a port identifies itself. The wizard asks for beds and takes presses; after saving, its
    darts count."""
    board = SimulatedDriver()
    try:
        setup.locator('input[name="kind"][value="serial"]').check()
        setup.locator("summary", has_text="Another port").click()
        setup.locator("#field-port").fill(board.name)
        setup.locator("#field-port").press("Tab")
        expect(setup.locator('[data-step="source"] .said').first).to_contain_text("8 × 11 lines")
        setup.locator("#map").click()
        beds = {bed: contact for contact, bed in load_profile("simulated").beds.items()}
        for number in range(3):
            asked = setup.locator(".press")
            expect(asked).to_have_text(["Press F20", "Press L20", "Press F3"][number])
            contact = beds[parse_bed(asked.inner_text().split()[1])]  # type: ignore[index]
            board.press(contact.drive, contact.sense)
            time.sleep(0.45)  # the same contact within 400 ms is the same press
        expect(setup.locator(".press")).to_have_text("Press L3")
        assert setup.locator(".dartboard .bed.free").count() == 3
        setup.locator('[data-word="back"]').click()
        expect(setup.locator(".press")).to_have_text("Press F3")
        setup.locator('[data-word="quit"]').click()
        expect(setup.locator('[data-step="source"] .said').first).to_contain_text("Stopped.")
        setup.locator("#field-profile").select_option("reference-8x11")
        saved(setup)
        assert f'port = "{board.name}"' in new.config.read_text()
        peer = new.peer()
        deadline = time.monotonic() + 40
        while peer.source != "found" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert peer.source == "found"
        peer.close()
    finally:
        board.close()


@pytest.mark.long
def test_the_wizard_speaks_the_page_s_language(pages: Pages, new: DaemonProcess) -> None:
    """On a Dutch page of an English daemon the reason for a refused press and the end are Dutch."""
    board = SimulatedDriver()
    try:
        page = pages.open(f"{new.running['web']}/setup?lang=nl")
        page.locator('input[name="kind"][value="serial"]').check()
        page.locator("summary", has_text="Een andere poort").click()
        page.locator("#field-port").fill(board.name)
        page.locator("#field-port").press("Tab")
        expect(page.locator('[data-step="source"] .said').first).to_contain_text("8 × 11")
        page.locator("#map").click()
        beds = {bed: contact for contact, bed in load_profile("simulated").beds.items()}
        for number, (pressed, awaited) in enumerate((("F20", "F20"), ("L20", "L20"), ("F20", "F3"))):
            expect(page.locator(".press")).to_contain_text(awaited)
            contact = beds[parse_bed(pressed)]  # type: ignore[index]
            time.sleep(0.45 if number else 0)  # the same contact within 400 ms is the same press
            board.press(contact.drive, contact.sense)
        expect(page.locator(".mapping .bad")).to_contain_text("Dat klopt niet.")
        expect(page.locator(".mapping .bad")).to_contain_text("dat is het contact van F20; druk op")
        page.locator('[data-word="quit"]').click()
    finally:
        board.close()


@pytest.mark.long
def test_a_camera_is_calibrated_by_a_tap(new: DaemonProcess, setup: Page) -> None:
    """The page refuses a wrong place with a reason. The double 20 shows the rings over the picture; saving
    uses the camera."""
    kept = new.folder / "recordings"
    kept.mkdir(exist_ok=True)
    folder = sets_of("rendered").single
    empty, (x, y) = photo_set(folder).rig[0]
    (bull,) = to_pixels(eyes_of(folder)[0].model, np.zeros((1, 2)))
    shutil.copy(empty, kept / "left.png")
    setup.locator('input[name="kind"][value="camera"]').check()
    setup.locator("#look-again").click()
    setup.locator('.choice input[type="checkbox"]').check()
    expect(setup.locator("#camera-1")).to_contain_text("Camera 1: left.png")
    shot = setup.locator("svg.shot")
    expect(shot).to_be_visible()
    setup.locator("#save").click()
    expect(setup.locator(".save .said")).to_contain_text("left.png")
    box = shot.bounding_box()
    assert box is not None
    scale = box["width"] / 800
    shot.click(position={"x": bull[0] * scale, "y": bull[1] * scale})
    expect(setup.locator(".camera .bad")).to_contain_text("not the double 20")
    shot.click(position={"x": x * scale, "y": y * scale})
    expect(setup.locator(".camera .said")).to_contain_text("The board was found, within 0.")
    saved(setup)
    assert "recordings/left.png" in new.config.read_text()
    assert (new.folder / "profiles" / "cameras.toml").is_file()
    expect(setup.locator('[data-code="calibration"]')).to_contain_text("1 cameras")


def odd_board(path: Path) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """Render a board in colours that no finder knows; return the pixels of its double 20 and of its four wires."""
    chance = np.random.default_rng([11, 0])
    palette = ((200, 60, 120), (60, 200, 220), (60, 160, 60), (220, 120, 40))
    rig = make_rig(chance, replace(RANGES, palette=palette), cameras=1)
    cv2.imwrite(str(path), picture(rig, 0, (), chance))
    turns = np.radians([9.0, 99.0, 189.0, 279.0])
    rim = 170 * np.column_stack([np.sin(turns), np.cos(turns), np.zeros(4)])
    return rig.cameras[0].d20, [(float(x), float(y)) for x, y in rig.cameras[0].camera.pixels(rim)]


@pytest.mark.long
def test_a_board_in_other_colours_is_calibrated_by_four_wires(new: DaemonProcess, setup: Page) -> None:
    """After its colours fail, the page asks for four wires. It refuses wrong ones and saves the right ones."""
    kept = new.folder / "recordings"
    kept.mkdir(exist_ok=True)
    double, wires = odd_board(kept / "odd.png")
    setup.locator('input[name="kind"][value="camera"]').check()
    setup.locator("#look-again").click()
    setup.locator(".choice", has_text="odd.png").locator("input").check()
    camera = setup.locator(".camera[data-device$='odd.png']")
    shot = camera.locator("svg.shot")

    def tap(x: float, y: float) -> None:
        box = shot.bounding_box()
        assert box is not None
        shot.click(position={"x": x * box["width"] / 800, "y": y * box["width"] / 800})

    expect(shot).to_be_visible()
    tap(*double)
    expect(camera.locator(".bad")).to_be_visible()
    camera.get_by_role("button", name="Mark four wires instead").click()
    words = camera.get_by_role("status")
    for number, wire in enumerate(reversed(wires), 1):
        expect(words).to_contain_text(f"Wire {number} of 4")
        tap(*wire)
    expect(camera.locator(".bad")).to_contain_text("do not go round the board")
    expect(words).to_contain_text("Wire 1 of 4: tap where the wire between 20 and 1")
    tap(*wires[0])
    tap(*double)
    expect(words).to_contain_text("between 3 and 19")
    camera.get_by_role("button", name="Take back the last mark").click()
    expect(words).to_contain_text("between 6 and 10")
    expect(camera.locator(".mark")).to_have_count(1)
    expect(shot).to_be_focused()
    moves = [round((wire - start) / 4) for wire, start in zip(wires[1], wires[0], strict=True)]
    for key, count in (("ArrowRight", moves[0]), ("ArrowDown", moves[1])):
        for _ in range(abs(count)):
            shot.press(key if count > 0 else {"ArrowRight": "ArrowLeft", "ArrowDown": "ArrowUp"}[key])
    shot.press("Enter")
    expect(words).to_contain_text("between 3 and 19")
    tap(*wires[2])
    expect(words).to_contain_text("between 11 and 14")
    tap(*wires[3])
    expect(words).to_contain_text("The board was found, within 0.")
    assert serious(setup) == []
    saved(setup)
    rig = parse_rig((new.folder / "profiles" / "cameras.toml").read_text())
    assert isinstance(rig, tuple) and rig[0].device.endswith("odd.png")
    assert np.hypot(*(np.array(wires_of(rig[0].model)) - wires).T).max() < 3
    assert np.hypot(*(np.array(rig[0].d20) - double)) < 3


def test_the_network_is_let_in_and_the_page_stays_in(new: DaemonProcess, setup: Page) -> None:
    """Links with codes for telephones appear; the table stays connected although it now needs its secret."""
    setup.locator('input[name="join"][value="network"]').check()
    saved(setup)
    expect(setup.locator(".phones img.qr")).to_have_count(3)
    assert 'host = "0.0.0.0"' in new.config.read_text()
    setup.locator("#done a").click()
    expect(setup.locator(".board-centre[data-phase]")).to_be_visible()


@pytest.mark.long
def test_the_play_page_lets_phones_in(new: DaemonProcess, pages: Pages) -> None:
    """By default one press opens the page to the network and shows the codes; the table stays the table."""
    page = pages.open(f"{new.running['web']}/?role=table&lang=en")
    page.locator(".board-centre[data-phase]").wait_for()
    page.locator("#phones").click()
    expect(page.locator("dialog .phone-link")).to_have_count(0)
    page.locator("#share-board").click()
    expect(page.locator("dialog img.qr")).to_have_count(3)
    expect(page.locator("#share-board")).to_be_hidden()
    assert 'host = "0.0.0.0"' in new.config.read_text()
    page.reload()
    expect(page.locator("#play")).to_be_visible()
