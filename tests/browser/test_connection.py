"""Data that reaches the page from outside: names, links, warnings, and a connection that breaks and recovers."""

from __future__ import annotations

import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import ENTRIES, scenes
from browser.servers import Mosquitto, Served, served
from browser.test_sizes import COVERED
from lab.ports import free_port
from scharten.system.tls import ensure_tls


@pytest.mark.long
def test_a_hostile_name_is_only_a_name(host: FakeHost, opened: Opener) -> None:
    """Markup in every text that a person or a board can choose stays text."""
    evil = '<img src=x onerror="document.body.dataset.evil=1"><b>x'
    state = scenes()["fogling"] | {"names": {"white": evil, "black": evil}, "sheet": [evil]}
    state |= {"message": {"code": "placed", "args": {"field": evil, "piece": evil, "side": evil}}}
    host.publish("state", state)
    host.publish(
        "sheet", {"v": 1, "match": "m1", "start": "", "entries": [ENTRIES[0] | {"text": evil, "bed": evil}]}
    )
    host.publish("health", {"v": 1, "version": "1", "playable": False, "reason": evil})
    try:
        page = opened()
        expect(page.locator("#player-white .player-name")).to_have_text(evil)
        assert page.locator("img, body b").count() == 0
        assert page.evaluate("document.body.dataset.evil") is None
        expect(page.locator(".link-state")).to_contain_text("<img")
    finally:
        host.publish("health", {"v": 1, "version": "1", "playable": True, "sources": []})


def test_every_display_warns_of_what_is_wrong_with_the_machine(host: FakeHost, opened: Opener) -> None:
    """Stuck contacts are named by bed, or by drive and sense if the bed is unknown. Each warning shows its text."""
    stuck = [{"drive": 1, "sense": 2, "bed": "D20"}, {"drive": 3, "sense": 4, "bed": None}]
    well = {"v": 1, "version": "1", "playable": True, "sources": [{"name": "serial", "state": "found"}]}
    try:
        host.publish("health", well | {"stuck": stuck})
        page = opened("role=display&lang=en")
        expect(page.locator(".link-state")).to_contain_text("stuck: D20, 3/4")
        host.publish("health", well | {"warnings": ["the broker is open", "the journal was damaged"]})
        expect(page.locator(".link-state")).to_contain_text("the broker is open the journal was damaged")
    finally:
        host.publish("health", well)


@pytest.mark.long
def test_an_old_link_leads_to_no_dead_buttons(pages: Pages, display: Served) -> None:
    """A page without access says so and shows no buttons. So does a club link at a board without a club evening."""
    page = pages.open(f"{display.url}/?role=seat3&lang=en")
    expect(page.locator(".link-state")).to_have_text("This display has no such role")
    for selector in ("#new-game", "#dart", "#typing", ".slab .more >> nth=0"):
        expect(page.locator(selector)).to_be_hidden()
    for name in ("evening", "join"):
        page = pages.open(f"{display.url}/{name}?lang=en")
        expect(page.get_by_text("This board hosts no club evening")).to_be_visible()


def test_the_secret_leaves_the_address_bar(host: FakeHost, opened: Opener) -> None:
    """The page keeps the fragment for a reload in this tab and shows it nowhere."""
    page = opened("role=table&lang=en#s3cret")
    assert "s3cret" not in page.url
    assert page.evaluate("sessionStorage.getItem('scharten.secret.table')") == "s3cret"
    assert "s3cret" not in page.content()


@pytest.mark.long
def test_an_old_link_says_so_once(host: FakeHost, pages: Pages, broker: Mosquitto) -> None:
    """The page refuses an expired or broken secret with a message and forgets it. Where the role is open, a
    reload succeeds."""
    with served(broker.port, open_roles=("table",), role_secrets={"table": "evening"}) as display:
        for old in ("yesterday", "%E0%A4%A", "%"):
            page = pages.open(f"{display.url}/?role=table&lang=en#{old}")
            expect(page.locator(".link-state")).to_contain_text("not valid (any more)")
            assert page.evaluate("sessionStorage.length") == 0
            page.reload()
            expect(page.locator(".piece")).to_have_count(2)
            expect(page.locator(".link-state")).to_be_hidden()


@pytest.mark.long
def test_the_bare_address_in_the_network_looks_on(host: FakeHost, pages: Pages, broker: Mosquitto) -> None:
    """A guest sees the game and reads how to sit down. An old link offers to watch."""
    with served(broker.port, role_secrets={"table": "evening"}) as display:
        for query in ("lang=en", "role=table&lang=en#yesterday"):
            page = pages.open(f"{display.url}/?{query}")
            if "role" in query:
                page.get_by_role("link", name="Look on").click()
            expect(page.locator(".piece")).to_have_count(2)
            expect(page.locator(".guest")).to_contain_text("scan a code at the table")
            expect(page.locator(".link-state")).to_be_hidden()
            expect(page.locator("#new-game")).to_have_count(0)
        for name in ("setup", "turn", "throwing", "mate"):
            host.publish("state", scenes()[name])
            expect(page.locator("#board .board-centre")).to_have_attribute(
                "data-phase", scenes()[name]["phase"]
            )
            for width, height in ((320, 640), (390, 844), (844, 390), (1280, 800), (1920, 1080)):
                page.set_viewport_size({"width": width, "height": height})
                still(page)
                assert page.evaluate(COVERED, [".guest"]) == [], (name, width)


@pytest.mark.long
def test_a_broker_that_comes_back_needs_no_reload(
    host: FakeHost, opened: Opener, broker: Mosquitto, display: Served
) -> None:
    """While the broker is away the page says so and queues nothing. Afterwards it continues with the newest state."""
    page = opened()
    broker.stop()
    expect(page.locator(".link-state")).to_contain_text("MQTT broker does not answer")
    page.get_by_role("button", name="Anna throws a dart").click()
    expect(page.locator(".notice.refused")).to_contain_text("nothing was sent")
    broker.start()
    host.publish("availability", "online", raw=True)
    host.state(seq=7, names={"white": "Dirk", "black": "Ella"})
    expect(page.locator("#player-white .player-name")).to_have_text("Dirk")
    expect(page.locator(".link-state")).to_be_hidden()
    assert not host.commands


@pytest.mark.long
def test_a_display_server_that_comes_back_needs_no_reload(
    host: FakeHost, pages: Pages, broker: Mosquitto
) -> None:
    """The page reports that it is cut off, reconnects by itself, and shows the newest state. It queued no commands."""
    port = free_port()
    with served(broker.port, port=port, open_roles=("table",)) as first:
        page = pages.open(f"{first.url}/?lang=en")
        expect(page.locator(".piece")).to_have_count(2)
    expect(page.locator(".link-state")).to_contain_text("No connection")
    page.get_by_role("button", name="Anna throws a dart").click()
    expect(page.locator(".notice.refused")).to_contain_text("nothing was sent")
    host.state(seq=8, names={"white": "Guus", "black": "Hans"})
    with served(broker.port, port=port, open_roles=("table",)):
        expect(page.locator("#player-white .player-name")).to_have_text("Guus")
        expect(page.locator(".link-state")).to_be_hidden()
    assert not host.commands


def test_a_nudged_camera_is_an_alarm_in_words_with_its_cure(host: FakeHost, opened: Opener) -> None:
    """The page shows the camera source's `health`: which camera moved, that no dart counts, and the cure."""
    page = opened()
    detail = "camera 1 was moved: the board lies 9 px from where it was calibrated."
    source = {"name": "camera", "state": "silent", "detail": detail, "since_ms": 0}
    host.publish("health", {"v": 1, "version": "1", "playable": True, "sources": [source]})
    expect(page.get_by_text("Camera 1 was moved or is covered: no dart counts.")).to_be_visible()
    expect(page.get_by_text("run scharten-calibrate camera")).to_be_visible()
    host.publish(
        "health", {"v": 1, "version": "1", "playable": True, "sources": [source | {"state": "found"}]}
    )
    expect(page.get_by_text("Camera 1 was moved")).to_have_count(0)
    board = {"name": "serial", "state": "found", "detail": "", "since_ms": 0}
    host.publish("health", {"v": 1, "version": "1", "playable": True, "sources": [board, source]})
    expect(
        page.get_by_text("The cameras do not see darts (status page): the board continues alone")
    ).to_be_visible()


def remarked(state: str, *sources: dict[str, Any], **remark: Any) -> dict[str, Any]:
    """Return the `health` of cameras with these remarks."""
    camera = {"name": "camera", "state": state, "detail": "in English", "since_ms": 0}
    remarks = [{"args": {}, "words": "in English", **remark}] if remark else []
    return {"v": 2, "version": "1", "playable": True, "sources": [*sources, camera], "remarks": remarks}


def test_what_cameras_have_to_say_stands_on_the_page_in_its_language(host: FakeHost, opened: Opener) -> None:
    """The page shows why cameras report no darts, their remarks, and that a lost sensor is available again."""
    board = {"name": "serial", "state": "found", "detail": "", "since_ms": 0}
    flicker = remarked("silent", code="flicker")
    try:
        host.publish("health", flicker)
        page = opened("role=display&lang=nl")
        expect(page.locator("#trouble")).to_contain_text("De lampen flikkeren")
        expect(page.locator("#trouble")).to_contain_text("Tot dan telt geen dart.")
        host.publish("health", remarked("silent", code="light_changes", args={"by": "lamps"}))
        expect(page.locator("#trouble")).to_have_text(
            "lamps verandert het licht op het bord. Tot dan telt geen dart."
        )
        host.publish("health", remarked("silent", board, code="flicker"))
        expect(page.locator("#trouble")).to_contain_text("het bord gaat alleen verder")
        host.publish("health", remarked("found", code="left_out", args={"cameras": [2]}))
        expect(page.locator("#trouble")).to_contain_text("Camera 2 telt even niet mee")
        host.publish("health", remarked("lost"))
        expect(page.locator("#trouble")).to_contain_text("Geen camera geeft beeld")
        host.publish("health", remarked("found"))
        expect(page.locator("#trouble")).to_be_hidden()
        expect(page.locator(".notice")).to_contain_text("De camera's zien weer darts.")
    finally:
        host.publish("health", remarked("found") | {"sources": []})


def test_the_camera_to_calibrate_is_named_with_a_link_to_it(host: FakeHost, opened: Opener) -> None:
    """The page names the camera in its language, and the link leads to that camera on the set-up page."""
    words = "25 of the last 100 darts were corrected: calibrate camera 2 on /setup"
    calibrate = {"camera": 2, "corrected": 25, "darts": 100, "words": words}
    try:
        host.publish("health", remarked("found") | {"warnings": [words], "calibrate": calibrate})
        page = opened("role=table&lang=de")
        expect(page.locator("#trouble")).to_have_text(
            "25 der letzten 100 Darts wurden berichtigt: kalibriere Kamera 2 auf /setup"
        )
        assert page.locator("#trouble a").get_attribute("href") == "setup?camera=2"
    finally:
        host.publish("health", remarked("found") | {"sources": []})


@pytest.mark.long
def test_where_tls_is_on_the_page_can_be_installed(
    host: FakeHost, pages: Pages, broker: Mosquitto, tmp_path: Path
) -> None:
    """The browser finds a valid manifest and its icons; without TLS the page has no manifest."""
    files = ensure_tls(tmp_path, ["127.0.0.1"])
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(files.certificate, files.key)
    with served(broker.port, open_roles=("table",), ssl_context=secure) as display:
        page = pages.open(f"{display.url}/?lang=en", ignore_https_errors=True)
        expect(page.locator('link[rel="manifest"]')).to_have_count(1)
        found = page.context.new_cdp_session(page).send("Page.getAppManifest")
        assert found["errors"] == [] and '"short_name": "Scharten"' in found["data"]
        for icon in json.loads(found["data"])["icons"]:
            assert page.request.get(urljoin(found["url"], icon["src"])).ok
    with served(broker.port, open_roles=("table",)) as plain:
        page = pages.open(f"{plain.url}/?lang=en")
        expect(page.locator(".piece").first).to_be_visible()
        expect(page.locator('link[rel="manifest"]')).to_have_count(0)
