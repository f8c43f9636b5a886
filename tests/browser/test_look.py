"""The throw's pictures on every page: on request, with a question, and as a file for the arbiter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.fakes import FakeHost, snapshot
from browser.pages import still, until
from browser.servers import Mosquitto, Served, served
from browser.test_fitness import serious
from browser.test_status import PIXEL, SECRET
from scharten.dartboard.beds import Bed
from scharten.display.context import DaemonParts

AT_MS = 1_795_190_400_000
THROW: dict[str, Any] = {
    "at_ms": AT_MS, "news": "dart", "segment": "F20", "beds": [["F20", 0.62], ["T20", 0.38]], "truth": "T20",
    "match": "m1", "cameras": 2, "x_mm": 1.0, "y_mm": 110.0,
}  # fmt: skip
HIT: dict[str, Any] = {
    "v": 1, "at_ms": AT_MS, "source": "camera", "bed": "F20", "beds": ["F20", "T20"], "counted": True, "why": "",
    "confidence": 0.62, "x_mm": 1.0, "y_mm": 110.0, "drive": None, "sense": None, "match": "m1", "seq": 1,
}  # fmt: skip
QUESTION = {"code": "which_bed", "side": "white", "choices": [
    {"bed": "F20", "effect": "placed", "field": "c7"}, {"bed": "T20", "effect": "occupied", "field": "c7"}],
    "probabilities": [0.62, 0.38]}  # fmt: skip


EARLIER: dict[str, Any] = THROW | {"at_ms": AT_MS - 60_000, "cameras": 1, "numbers": [2], "truth": None}

SCALE = "new DOMMatrix(document.querySelector('#look img').style.transform).a"
# Parts of the pictures that are not wholly within the window.
OUTSIDE = """() => [...document.querySelectorAll("#look :is(figure, button, .look-result, h2)")].filter((part) => {
    const { x, y, right, bottom, width, height } = part.getBoundingClientRect();
    return !width || !height || x < -1 || y < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
}).map((part) => part.className || part.tagName)"""
OPINIONS = (("board", "T20"), ("camera", "F20"))


class Kept:
    """A stand-in for the saved throws: two throws, each of two cameras."""

    def list(self, match: str) -> list[dict[str, Any]]:
        return [THROW, EARLIER] if match == "m1" else []

    def about(self, at_ms: int) -> dict[str, Any] | None:
        return {AT_MS: THROW, EARLIER["at_ms"]: EARLIER}.get(at_ms)

    def picture(self, at_ms: int, camera: int) -> bytes | None:
        known = self.about(at_ms)
        return PIXEL if known and camera < known["cameras"] else None

    def packed(self, at_ms: int) -> bytes | None:
        return b"PK" if at_ms == AT_MS else None

    def gift(self, at_ms: int, bed: Bed) -> bytes | None:
        return f"PK gift in {bed}".encode() if at_ms == AT_MS else None


@pytest.fixture(scope="module")
def server(broker: Mosquitto) -> Iterator[Served]:
    """A display server with a camera's throws."""
    with served(
        broker.port, role_secrets={"arbiter": SECRET}, open_roles=("table",), daemon=DaemonParts(throws=Kept())
    ) as server:  # fmt: skip
        yield server


@pytest.fixture
def host(broker: Mosquitto, server: Served) -> Iterator[FakeHost]:
    """A host with a running game."""
    host = FakeHost(broker.port)
    host.publish("state", snapshot())
    yield host
    host.stop()


@pytest.fixture
def pages(chromium: Browser, server: Served, host: FakeHost) -> Iterator[tuple[Page, Page]]:
    """The table's page and the wall's page."""
    opened = []
    for role in ("table", "display"):
        page = chromium.new_page()
        page.goto(f"{server.url}/?lang=en&role={role}")
        page.locator("#board svg").first.wait_for()
        opened.append(page)
    yield opened[0], opened[1]
    for page in opened:
        page.close()


def hit(host: FakeHost, pages: tuple[Page, Page], **changes: Any) -> None:
    """Publish a reading of the cameras until the table's page has it."""
    end = time.monotonic() + 30
    host.publish("hits", HIT | changes, retain=False)
    while not pages[0].locator("#look-offer").is_visible() and time.monotonic() < end:
        host.publish("hits", HIT | changes, retain=False)
        pages[0].wait_for_timeout(200)


def test_the_table_shows_a_throw_again_on_every_page(pages: tuple[Page, Page], host: FakeHost) -> None:
    """One tap shows both cameras' pictures, each bed's probability and a person's answer; another tap closes it."""
    table, wall = pages
    hit(host, pages)
    table.get_by_role("button", name="Show the throw").click()
    for page in pages:
        expect(page.locator("#look img")).to_have_count(2)
        expect(page.locator("#look .look-beds li").first).to_contain_text("62.0 %")
        expect(page.locator("#look")).to_contain_text("It was")
        until(page, "[...document.querySelectorAll('#look img')].every((i) => i.naturalWidth === 1)")
    assert wall.locator("#look button").count() == 0, "who only looks on cannot close it"
    table.locator("#look").get_by_role("button", name="Close").click()
    expect(wall.locator("#look")).to_be_hidden()


def test_a_question_about_a_bed_opens_the_throw(pages: tuple[Page, Page], host: FakeHost) -> None:
    """Table and wall show the throw as long as the question is open."""
    hit(host, pages, why="in_doubt", counted=False)
    host.publish("state", snapshot(question=QUESTION, seq=2))
    for page in pages:
        expect(page.locator("#look img")).to_have_count(2)
    pages[0].locator("#look").get_by_role("button", name="Close").click()
    expect(pages[0].locator("#look")).to_be_hidden()
    expect(pages[1].locator("#look img")).to_have_count(2)
    host.publish("state", snapshot(seq=3))
    expect(pages[1].locator("#look")).to_be_hidden()


@pytest.mark.long
def test_a_late_page_shows_the_throw_too(pages: tuple[Page, Page], host: FakeHost) -> None:
    """After a reload a page offers the last throw, and shows a question's throw or the throw shown on all pages."""
    table, wall = pages
    hit(host, pages)
    table.reload()
    table.get_by_role("button", name="Show the throw").click()
    expect(wall.locator("#look img")).to_have_count(2)
    wall.reload()
    expect(wall.locator("#look img")).to_have_count(2)
    table.locator("#look").get_by_role("button", name="Close").click()
    hit(host, pages, why="in_doubt", counted=False)
    host.publish("state", snapshot(question=QUESTION, seq=2))
    for page in pages:
        page.reload()
        expect(page.locator("#look img")).to_have_count(2)


@pytest.mark.long
def test_all_of_it_is_in_sight_on_every_screen(pages: tuple[Page, Page], host: FakeHost) -> None:
    """Pictures, probabilities and every button fit in the window on a phone, a table, a wall and a projector."""
    table, wall = pages
    hit(host, pages)
    table.get_by_role("button", name="Show the throw").click()
    expect(table.locator("#look figure")).to_have_count(2)
    expect(wall.locator("#look figure")).to_have_count(2)
    for page, sizes in ((table, ((390, 844), (844, 390), (1024, 768))), (wall, ((1920, 1080), (1080, 1920)))):
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            assert page.evaluate(OUTSIDE) == [], (width, height)
    assert table.evaluate(SCALE) == 2.5
    table.locator("#look figure button").first.click()
    assert table.evaluate(SCALE) == 1, "a tap shows the whole board"
    wall.goto(f"{wall.url}&view=projector")
    expect(wall.locator("#look figure")).to_have_count(2)
    assert wall.evaluate(OUTSIDE) == []


def test_a_step_leads_to_earlier_throws(pages: tuple[Page, Page], host: FakeHost) -> None:
    """Every page steps from the game's last throw to the throw before it, but not past the first."""
    table, wall = pages
    hit(host, pages)
    table.get_by_role("button", name="Show the throw").click()
    expect(wall.locator("#look")).to_contain_text("2 of 2")
    table.get_by_role("button", name="The throw before").click()
    for page in pages:
        expect(page.locator("#look")).to_contain_text("1 of 2")
        expect(page.locator("#look figcaption")).to_have_text(["Camera 2"])
    expect(table.get_by_role("button", name="The throw before")).to_be_disabled()
    table.get_by_role("button", name="The throw after").click()
    expect(wall.locator("#look")).to_contain_text("2 of 2")


def test_a_question_shows_the_opinion_of_each_sensor(pages: tuple[Page, Page], host: FakeHost) -> None:
    """The question shows the bed of the board and of the cameras, or that the cameras saw no dart."""
    felt, seen = ({"source": source, "bed": bed, "probability": 0.98} for source, bed in OPINIONS)
    host.publish("state", snapshot(question=QUESTION | {"opinions": [felt, seen]}, seq=2))
    for page in pages:
        expect(page.locator("#question .opinions")).to_contain_text("The board reported")
        expect(page.locator("#question .opinions")).to_contain_text("(98 %)")
    none = {"source": "camera", "bed": None, "probability": 1.0}
    host.publish("state", snapshot(question=QUESTION | {"opinions": [felt, none]}, seq=3))
    expect(pages[0].locator("#question .opinions")).to_contain_text(
        "The cameras saw no dart.", timeout=30_000
    )


def test_an_unclear_change_is_asked_with_a_whole_dartboard(pages: tuple[Page, Page], host: FakeHost) -> None:
    """A question without beds says that something changed; one tap answers that no dart came."""
    table, _ = pages
    host.publish("state", snapshot(question=QUESTION | {"choices": [], "probabilities": []}, seq=2))
    expect(table.locator("#question")).to_contain_text("cannot tell what")
    expect(table.locator("#question .dartboard")).to_be_visible()
    table.get_by_role("button", name="No dart came").click()
    assert host.next_command("choose_bed", 30)["bed"] is None


def test_a_takeout_that_hangs_can_be_ended_by_hand(pages: tuple[Page, Page], host: FakeHost) -> None:
    """Ten seconds after a dart without an empty board the page says so, and offers to continue."""
    table, _ = pages
    table.clock.install()
    host.publish("state", snapshot(phase="settling", seq=2, turns=1))
    expect(table.locator("#actions")).to_contain_text("Dart removed")
    table.clock.fast_forward(10_100)
    table.get_by_role("button", name="Continue: the board is empty").click()
    assert host.next_command("ready", 30)["role"] == "table"
    late = snapshot(phase="settling", seq=3, turns=2, since_phase_ms=int(1000 * time.time()) - 20_000)
    host.publish("state", late)
    for page in pages:
        page.reload()
    expect(pages[1].locator("#actions")).to_contain_text("The cameras have not seen the board empty")


def test_the_file_of_a_throw_is_for_the_arbiter(pages: tuple[Page, Page], server: Served) -> None:
    """Every page may read the board's pictures, only the arbiter the cameras' files. Other throws give 404."""
    ask = pages[0].request
    gift = f"/throw/{AT_MS}/gift.zip?bed=T20&licence=CC0-1.0"
    for path, status in {
        gift: 401, f"/throw/{AT_MS}.json": 200, "/throws/m1.json": 200, f"/throw/{AT_MS}/1.jpg": 200,
        f"/throw/{AT_MS}/2.jpg": 404, "/throw/7.json": 404, f"/throw/{AT_MS}.zip": 401,
    }.items():  # fmt: skip
        assert ask.get(server.url + path).status == status, path
    arbiter = {"Authorization": f"Bearer {SECRET}"}
    assert ask.get(f"{server.url}/throw/{AT_MS}.zip", headers=arbiter).body() == b"PK"
    assert ask.get(server.url + gift, headers=arbiter).body() == b"PK gift in T20"
    for changed in (gift.replace("T20", "T21"), gift.replace("CC0-1.0", "none"), f"/throw/{AT_MS}/gift.zip"):
        assert ask.get(server.url + changed, headers=arbiter).status == 400, changed


@pytest.mark.long
def test_a_throw_is_given_to_the_project_after_its_bed_and_licence(
    chromium: Browser, server: Served, host: FakeHost
) -> None:
    """The arbiter's page names the bed, takes another by a tap, and waits for the licence before it saves the file."""
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    try:
        page.goto(f"{server.url}/?lang=en&role=arbiter#{SECRET}")
        page.locator("#board svg").first.wait_for()
        hit(host, (page, page))
        page.get_by_role("button", name="Show the throw").click()
        give = page.get_by_role("button", name="Give this throw to the project")
        expect(give).to_be_visible()
        assert serious(page) == [], "its buttons are light on the dark panel"
        give.click()
        dialog = page.get_by_role("dialog", name="A throw for the project")
        expect(dialog.locator(".gift-bed")).to_have_text("The dart was in: T20.")
        save = dialog.get_by_role("button", name="Save the file")
        expect(save).to_be_disabled()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        dialog.get_by_text("It was in another bed").click()
        dialog.get_by_role("button", name="Off the board").click()
        expect(dialog.locator(".gift-bed")).to_contain_text("Miss")
        dialog.get_by_text("These pictures are mine").click()
        assert serious(page) == []
        with page.expect_download() as saving:
            save.click()
        assert saving.value.suggested_filename == "scharten-gift.zip"
        assert saving.value.path().read_bytes() == b"PK gift in MISS"
        expect(dialog).to_have_count(0)
    finally:
        page.close()
