"""The status page: the state of the machine, for the arbiter only."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.fakes import FakeHost
from browser.pages import Pages, until
from browser.servers import Mosquitto, Served, served
from browser.test_fitness import serious
from browser.test_fonts import FONTS, set_font
from scharten.display.context import DaemonParts
from scharten.display.redaction import HIDDEN, redacted
from scharten.words import text

SECRET = "an-arbiters-secret"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
    "05000158b0a4d80000000049454e44ae426082"
)
NOW = int(time.time() * 1000)


def reading(bed: str, confidence: float, why: str = "") -> dict[str, Any]:
    """Return a reading as `hits` and `health` carry it."""
    return {
        "v": 1, "at_ms": NOW, "source": "board", "bed": bed, "beds": [bed], "counted": not why, "why": why,
        "confidence": confidence, "x_mm": None, "y_mm": None, "drive": 3, "sense": 9, "match": "m1", "seq": 3,
    }  # fmt: skip


HEALTH: dict[str, Any] = {
    "v": 1, "version": "9.9", "playable": True, "reason": None, "cure": None, "started_ms": NOW - 3_600_000,
    "sources": [{"name": "serial", "state": "found", "detail": "/dev/ttyACM0, firmware 1.2", "since_ms": NOW}],
    "stuck": [{"drive": 2, "sense": 7, "bed": "T19"}], "dropped": 4,
    "readings": [reading("T20", 1.0), reading("F5", 0.62, "not_announced")],
    "warnings": ["Anyone may command on this broker."],
    "broker": {"connected": True, "words": "connected to 127.0.0.1:1883"},
    "journal": {"path": "journal.db", "bytes": 123456}, "line": {"frames": 812, "spoilt": 3},
    "cameras": [{"name": "camera 1", "state": "found", "fps": 30}],
}  # fmt: skip


@pytest.fixture(scope="module")
def guarded(broker: Mosquitto) -> Iterator[Served]:
    """A display server whose arbiter has a secret, with pictures and a configuration to report."""
    with served(
        broker.port,
        role_secrets={"arbiter": SECRET},
        daemon=DaemonParts(
            pictures=lambda: {"camera 1": PIXEL, "camera 1 overlay": PIXEL},
            settings=lambda: {
                "config": {"broker": {"url": "embedded", "password_file": "/x"}, "note": f"({SECRET})"}
            },
        ),
    ) as server:  # fmt: skip
        yield server


@pytest.fixture
def machine(host: FakeHost, guarded: Served) -> Iterator[FakeHost]:
    """A host with a machine's state to report."""
    host.publish("health", HEALTH)
    yield host
    host.publish("health", {"v": 1, "version": "1", "playable": True, "sources": []})


@pytest.fixture
def room(pages: Pages, guarded: Served, machine: FakeHost) -> Page:
    """The status page, opened with the arbiter's link."""
    page = pages.open(f"{guarded.url}/status?lang=en&theme=light#secret={SECRET}", (1280, 900))
    page.locator(".readings").wait_for()
    return page


def test_it_shows_sources_readings_contacts_and_versions(room: Page, machine: FakeHost) -> None:
    """Each part shows in words what `health` reports. When play stops, the reason and the cure are at the top."""
    for part, words in {
        "play": "The board is ready to play.", "sources": "serial board: connected", "board": "drive 2, sense 7",
        "broker": "connected to 127.0.0.1:1883", "journal": "journal.db, 121 kB", "cameras": "camera 1",
    }.items():  # fmt: skip
        expect(room.locator(f'[data-part="{part}"]')).to_contain_text(words)
    expect(room.locator('[data-part="play"]')).to_contain_text("Anyone may command")
    rows = room.locator(".readings tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("62 %")
    expect(rows.nth(0)).to_contain_text("Nobody announced a throw.")
    expect(rows.nth(1)).to_contain_text("T20")
    machine.publish(
        "health", HEALTH | {"playable": False, "reason": "The disk is full.", "cure": "Make room."}
    )
    expect(room.locator('[data-part="play"]')).to_contain_text("The disk is full.")
    expect(room.locator('[data-part="play"]')).to_contain_text("Make room.")
    machine.publish("availability", "offline", raw=True)
    expect(room.locator('[data-part="play"]')).to_contain_text("The referee is not running.")
    machine.publish("availability", "online", raw=True)


def test_another_language_shows_the_reason_of_a_source(
    pages: Pages, guarded: Served, machine: FakeHost
) -> None:
    """In Dutch the page translates a source's reason and the cameras' remarks, without English details."""
    board = {
        "name": "serial",
        "state": "silent",
        "detail": "nothing came",
        "reason": "silent",
        "since_ms": NOW,
    }
    camera = {"name": "camera", "state": "silent", "detail": "in English", "since_ms": NOW}
    remarks = [{"code": "hangs", "args": {}, "words": "in English"}]
    machine.publish("health", HEALTH | {"sources": [board, camera], "remarks": remarks})
    page = pages.open(f"{guarded.url}/status?lang=nl&theme=light#secret={SECRET}", (1280, 900))
    sources = page.locator('[data-part="sources"]')
    expect(sources).to_contain_text(text("nl", "source.silent"))
    expect(sources).to_contain_text(text("nl", "remark.hangs"))
    expect(sources).not_to_contain_text("nothing came")
    expect(sources).not_to_contain_text("in English")


def test_the_cameras_last_pictures_are_shown(room: Page) -> None:
    """Each camera's picture and its overlay, as real images."""
    images = room.locator(".pictures-row img")
    expect(images).to_have_count(2)
    until(
        room,
        "[...document.querySelectorAll('.pictures-row img')].every((i) => i.complete && i.naturalWidth === 1)",
    )
    expect(room.locator(".pictures-row figcaption").first).to_have_text("camera 1")


def test_the_diagnostics_come_without_secrets(room: Page) -> None:
    """The file has health, state, versions and the configuration, without any secret, even inside a sentence."""
    with room.expect_download() as waiting:
        room.locator("#diagnostics").click()
    text = waiting.value.path().read_text(encoding="utf-8")
    report = json.loads(text)
    assert (
        report["health"]["version"] == "9.9"
        and report["state"]["match"] == "m1"
        and report["versions"]["python"]
    )
    assert report["config"]["note"] == f"({HIDDEN})" and report["config"]["broker"]["password_file"] == HIDDEN
    assert SECRET not in text


def test_without_the_arbiters_secret_nothing_is_shown(pages: Pages, guarded: Served) -> None:
    """The page names its owner and shows no part; its addresses answer 401 without a secret or with a wrong one."""
    page = pages.open(f"{guarded.url}/status?lang=en")
    expect(page.locator("#header .link-state")).to_contain_text("for the arbiter")
    expect(page.locator("#status")).to_be_hidden()
    for path in ("/status/pictures", "/status/picture/camera%201", "/status/diagnostics"):
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert page.request.get(guarded.url + path, headers=headers).status == 401
    good = {"Authorization": f"Bearer {SECRET}"}
    assert page.request.get(guarded.url + "/status/picture/none", headers=good).status == 404


@pytest.mark.long
def test_it_fits_and_axe_finds_nothing_serious(room: Page) -> None:
    """From a phone to 4K, in the widest common font and a narrower one, and in the dark."""
    for font in FONTS:
        set_font(room, font)
        for width, height in ((3840, 2160), (820, 1180), (360, 740)):
            room.set_viewport_size({"width": width, "height": height})
            assert room.evaluate("document.documentElement.scrollWidth") <= width
    assert serious(room) == []
    room.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert serious(room) == []


def test_redaction_reaches_every_depth() -> None:
    """Values of names that mean a secret are hidden, known secrets are hidden in texts, the rest stays."""
    report = {
        "a": [{"API_Token": "x", "b": "has s3cret inside"}], "passwords": ["p"], "secure": True, "n": 4,
        "password": "", "url": "mqtts://anna:pw@host:8883/",
    }  # fmt: skip
    assert redacted(report, ["s3cret"]) == {
        "a": [{"API_Token": HIDDEN, "b": f"has {HIDDEN} inside"}], "passwords": HIDDEN, "secure": True, "n": 4,
        "password": "", "url": f"mqtts://{HIDDEN}@host:8883/",
    }  # fmt: skip
