"""The archive page and the score sheets, from a journal on disk, in a real browser."""

from __future__ import annotations

import io
import json
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from browser.fakes import FakeHost
from browser.pages import Pages
from browser.servers import Mosquitto, Served, served
from browser.test_fitness import serious
from scharten.display.context import DaemonParts
from scharten.display.qr import qr_svg
from scharten.games.sheet import ScoreSheet
from scharten.games.sheet_read import read_sheet

KEPT = Path(__file__).parents[1] / "journal" / "kept" / "schema4-evening.sqlite3"


@pytest.fixture
def shown(broker: Mosquitto, tmp_path: Path) -> Iterator[Served]:
    """A display server with the archive of an evening."""
    path = tmp_path / "journal.sqlite3"
    shutil.copy(KEPT, path)
    with served(broker.port, daemon=DaemonParts(path)) as server:
        yield server


def asked(url: str) -> tuple[int, str]:
    """Return status and text of an answer."""
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.long
def test_a_game_of_an_earlier_evening_is_stepped_through(shown: Served, pages: Pages) -> None:
    """The list leads to the game and the arrow keys step through it; its link shows another game at once."""
    games = json.loads(asked(f"{shown.url}/archive/games.json")[1])["games"]
    played = next(game for game in games if game["turns"] > 2)
    page = pages.open(f"{shown.url}/archive?lang=en")
    expect(page.locator(f'a[href="#{played["match"]}"]')).to_contain_text("Scharten, ")
    page.locator(f'a[href="#{played["match"]}"]').click()
    expect(page.locator(".archive-game .move")).to_have_count(played["turns"])
    expect(page.locator(".archive-game .move").last).to_have_class("move white here" if played["turns"] % 2 else
                                                                   "move black here")  # fmt: skip
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".archive-game .move").nth(played["turns"] - 2)).to_contain_class("here")
    pieces = page.locator(".archive-game .piece").count()
    reopened = pages.open(page.url)
    expect(reopened.locator(".archive-game .piece")).to_have_count(pieces)
    reopened.locator("#archive-player").fill("nobody of that name")
    expect(reopened.locator(".archive-list li")).to_have_text("No game found.")


def test_file_and_live_page_show_the_same_sheet(shown: Served, host: FakeHost) -> None:
    """The file and the live page give the sheet that the command line reads: players, date, options, time."""
    games = json.loads(asked(f"{shown.url}/archive/games.json")[1])["games"]
    played = next(game for game in games if game["turns"] > 2)
    status, text = asked(f"{shown.url}/archive/{played['match']}.txt?lang=de")
    read = read_sheet(text)
    assert status == 200 and isinstance(read, ScoreSheet)
    assert len(read.entries) == played["turns"]
    assert {"Date", "Time", "White", "Black", "Match"} <= dict(read.headers).keys()
    host.state(match=played["match"])
    assert settled(f"{shown.url}/sheet?lang=de") == text
    assert asked(f"{shown.url}/sheet?lang=de&delay=5") == (200, text)


def move_mouse(page: Page) -> None:
    """Move the mouse: a wall shows links only to somebody who has one."""
    page.mouse.move(300, 300)
    page.mouse.move(340, 340)


@pytest.mark.long
def test_a_game_is_shared_as_picture_and_animation(shown: Served, pages: Pages, host: FakeHost) -> None:
    """Archive and end card offer a picture and an animation, at most 1 MB, with a frame for each position."""
    games = json.loads(asked(f"{shown.url}/archive/games.json")[1])["games"]
    played = next(game for game in games if game["turns"] > 2)
    host.state(match=played["match"], phase="finished", result="1-0", reason="resigned")
    pages_with_links = (f"archive?lang=en#{played['match']}", "?role=display&lang=en")
    for path in pages_with_links:
        page = pages.open(f"{shown.url}/{path}")
        page.locator("a[data-picture]").first.wait_for(state="attached")
        move_mouse(page)
        frames = {}
        for ending in ("png", "gif"):
            link = page.locator(f'a[data-picture="{ending}"]')
            expect(link).to_be_visible()
            expect(link).to_have_css("text-decoration-line", "none")  # a button, on both pages
            expect(link).to_have_css("border-top-style", "solid")
            with urllib.request.urlopen(f"{shown.url}/{link.get_attribute('href')}") as answer:
                body = answer.read()
                assert answer.headers["Content-Type"] == f"image/{ending}" and len(body) <= 1_000_000
            with Image.open(io.BytesIO(body)) as image:
                frames[ending] = getattr(image, "n_frames", 1)
        assert frames == {"png": 1, "gif": played["turns"] + 1}
    assert asked(f"{shown.url}/archive/nosuch.gif")[0] == 404


def test_a_missing_game_is_reported(shown: Served) -> None:
    """An unknown game or language is answered with 404, a wrong delay with 400."""
    assert asked(f"{shown.url}/archive/none.json")[0] == 404
    assert asked(f"{shown.url}/archive/none.txt?lang=xx")[0] == 404
    assert asked(f"{shown.url}/sheet?delay=never")[0] == 400
    assert asked(f"{shown.url}/sheet?delay=-1")[0] == 400


def test_a_display_without_a_journal_writes_the_sheet_of_the_topic(broker: Mosquitto, host: FakeHost) -> None:
    """A display server without a journal writes `/sheet` from the retained topic. A sheet without headers
    gives 404."""
    now = int(time.time() * 1000)
    entries = [
        {"n": 1, "side": "white", "text": "@e2", "fields": ["e2"], "bed": "F3", "at_ms": now - 120_000, "position": ""},
        {"n": 1, "side": "black", "text": "@- {D20}", "fields": [], "bed": "D20", "at_ms": now, "position": ""},
    ]  # fmt: skip
    headers = {"Event": "Clubavond", "White": "Anna", "Black": "?", "Game": "scharten", "Kind": "loud"}
    whole = {"v": 2, "match": "m1", "headers": headers, "started_ms": now - 162_000, "entries": entries}
    with served(broker.port) as server:
        host.state(match="m1")
        host.publish("sheet", {**whole, "result": None, "reason": None})
        text = settled(f"{server.url}/sheet?lang=nl")
        assert '[Event "Clubavond"]' in text and "1. @e2 {F3} {0:42} @- {D20} {2:00} *" in text
        read = read_sheet(text)
        assert isinstance(read, ScoreSheet) and [game.bed for game in read.entries] == ["F3", "D20"]
        assert "1. @e2 {F3} {0:42} *" in asked(f"{server.url}/sheet?lang=nl&delay=1")[1]
        assert asked(f"{server.url}/sheet?lang=xx")[0] == 404
        host.publish("sheet", {"v": 2, "match": "m1", "entries": []})
        assert "geen notatie" in settled(f"{server.url}/sheet?lang=nl", 404)


def settled(url: str, status: int = 200) -> str:
    """Ask until the answer has this status, since the host's message may still be on its way."""
    for _ in range(300):
        found, text = asked(url)
        if found == status:
            return text
        time.sleep(0.1)
    raise AssertionError(f"{url}: {found} {text}")


def test_the_end_leads_to_the_game_that_ended(host: FakeHost, shown: Served, pages: Pages) -> None:
    """The card's link opens the finished game in the archive. Its code holds that address where phones reach it."""
    games = json.loads(asked(f"{shown.url}/archive/games.json")[1])["games"]
    played = next(game for game in games if game["turns"] > 2)
    host.state(match=played["match"], phase="finished", result="1-0", reason="resignation")
    page = pages.open(f"{shown.url}/?role=display&lang=en")
    expect(page.locator("#end .keep")).to_have_count(1)
    expect(page.locator("#end .qr")).to_have_count(0)  # on this machine alone no phone can follow the link
    expect(page.locator("#end .keep")).to_be_hidden()
    move_mouse(page)
    page.locator("#end .keep").click()
    expect(page.locator(".archive-game .move")).to_have_count(played["turns"])
    status, drawn = asked(f"{shown.url}/archive/{played['match']}.svg")
    assert status == 200 and drawn == qr_svg(f"{shown.url}/archive#{played['match']}")


@pytest.mark.long
def test_it_fits_and_axe_finds_nothing_serious(shown: Served, pages: Pages) -> None:
    """The list and a game in it fit from a phone to 4K, in light and dark."""
    games = json.loads(asked(f"{shown.url}/archive/games.json")[1])["games"]
    page = pages.open(f"{shown.url}/archive?lang=en&theme=light#{games[0]['match']}")
    expect(page.locator(".archive-game .piece").first).to_be_visible()
    for width, height in ((3840, 2160), (1366, 768), (820, 1180), (844, 390), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
    assert serious(page) == []
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert serious(page) == []
