"""The page of openings in a real browser, with games that the referee played."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from browser.pages import Pages
from browser.servers import Mosquitto, Served, served
from browser.test_archive import asked
from match.driver import Table
from openings.test_command import LINES, chess, finish
from players.evening import ANN, BOB, played, store
from scharten.display.context import DaemonParts
from scharten.game.basics import Side
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

JOURNAL = "scharten.sqlite3"
SIZES = ((360, 740), (844, 390), (820, 1180), (1280, 800), (1920, 1080), (3840, 2160))


def _games() -> list[Table]:
    """Four games of chess with a common start, and three loud ones of Ann and Bob."""
    tables = [chess(number, line, "white") for number, line in enumerate(LINES)]
    for seed in (1, 2, 3):
        table = played(12, 25.0, 40 + seed)
        if table.match.result is None:
            finish(table, "black")
        tables.append(table)
    return tables


@pytest.fixture(scope="module")
def shown(
    broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, list[Table]]]:
    """A display server on a journal with these games."""
    folder: Path = tmp_path_factory.mktemp("openings")
    register = PlayerStore(folder)
    register.save(Player(ANN, Profile(name="Ann"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    tables = _games()
    store(folder / JOURNAL, *tables)
    book = PlayerBook(folder, JOURNAL, GAMES_BY_KEY)
    with served(
        broker.port, open_roles=("table",), daemon=DaemonParts(folder / JOURNAL, players=book)
    ) as server:
        yield server, tables


def _read(page: Page) -> None:
    """Wait until the process has read every game and the page shows the figures."""
    expect(page.locator("#openings [role=status]")).to_have_text("", timeout=60_000)


@pytest.mark.long
def test_the_games_are_followed_turn_by_turn(pages: Pages, shown: tuple[Served, list[Table]]) -> None:
    """From the archive to the openings of chess, a turn down and back: figures match the games, also for one
    player."""
    server, tables = shown
    page = pages.open(f"{server.url}/archive?lang=en#{tables[0].match.id}/0")
    page.locator("#position-link").click()
    _read(page)
    expect(page.locator("#openings h2").first).to_have_text("White to move: 4 games")
    rows = page.locator("#opening-turns li")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("e4")
    expect(rows.first).to_contain_text("2×")
    expect(rows.first).to_contain_text("100 % won, 0 % drawn, 0 % lost")
    rows.first.locator("a").click()
    expect(page.locator("#openings h2").first).to_have_text("Black to move: 2 games")
    expect(page.locator("#opening-turns a")).to_have_text(["c5", "e5"])
    expect(page.locator("#opening-turns li").first).to_contain_text("0 % won, 0 % drawn, 100 % lost")
    page.go_back()
    expect(rows).to_have_count(3)
    page.fill("#opening-player", "Dora")
    page.press("#opening-player", "Enter")
    expect(page.locator("#openings [role=status]")).to_have_text("No finished game had this position.")
    page.goto(f"{server.url}/openings?lang=en&game=fischer_random&kind=silent")
    expect(page.locator("#openings [role=status]")).to_contain_text("many starts")
    assert pages.console == []


@pytest.mark.long
def test_loud_games_show_the_first_fields_by_scatter(pages: Pages, shown: tuple[Served, list[Table]]) -> None:
    """The page lists each side's first pieces. A scatter band without players gives none, Ann's band gives hers."""
    server, tables = shown
    page = pages.open(f"{server.url}/openings?lang=de&game=scharten&kind=loud")
    _read(page)
    fields = Counter[str]()
    for table in tables[4:]:
        own = [turn.short for turn in table.match.turns if turn.side is Side.WHITE]
        fields.update([short[1:] for short in own if short.startswith("@") and short != "@-"][:1])
    expect(page.locator("#opening-placed summary").first).to_have_text("Weiß, Figur 1")
    listed = page.locator("#opening-placed details").first.locator("strong")
    expect(listed).to_have_count(len(fields))
    assert set(listed.all_text_contents()) == set(fields) and fields
    _, text = asked(f"{server.url}/players.json")
    mm = {row["name"]: row["scatter"]["mm"] for row in json.loads(text)["players"]}["Ann"]
    for band, some in ((f"{mm - 1}-{mm + 1}", True), ("150-160", False)):
        _, text = asked(f"{server.url}/openings/turns.json?game=scharten&kind=loud&scatter={band}")
        assert bool(json.loads(text)["placed"]) is some, band


@pytest.mark.long
def test_the_page_answers_before_all_games_are_read(broker: Mosquitto, pages: Pages, tmp_path: Path) -> None:
    """The first answer comes before any game is read and counts the waiting games. Then the figures grow by
    themselves."""
    store(tmp_path / JOURNAL, *(chess(number, LINES[0], "draw") for number in range(3)))
    with served(broker.port, open_roles=("table",), daemon=DaemonParts(tmp_path / JOURNAL)) as server:
        status, text = asked(f"{server.url}/openings/turns.json?game=chess&kind=silent")
        assert status == 200 and json.loads(text)["waiting"] == 3
        page = pages.open(f"{server.url}/openings?lang=en&game=chess&kind=silent")
        _read(page)
        expect(page.locator("#openings h2").first).to_have_text("White to move: 3 games")


def test_an_unreadable_question_is_refused(shown: tuple[Served, list[Table]]) -> None:
    """A scatter without figures, an endless player and an unknown game or kind give 400; the server keeps running."""
    server, _ = shown
    for query in ("scatter=x-y", f"player={'a' * 300}", "game=ludo&kind=silent", "game=chess&kind=shy"):
        assert asked(f"{server.url}/openings/turns.json?{query}")[0] == 400, query
    assert asked(f"{server.url}/openings/turns.json")[0] == 200


@pytest.mark.long
def test_the_page_fits_every_size_and_reads_well(pages: Pages, shown: tuple[Served, list[Table]]) -> None:
    """Nothing is wider than the screen in six sizes, and axe finds no fault in light or dark."""
    server, _ = shown
    for theme in ("light", "dark"):
        page = pages.open(f"{server.url}/openings?lang=nl&game=scharten&kind=loud&theme={theme}")
        _read(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (width, theme)
        found = Axe().run(page, options={"resultTypes": ["violations"]})
        assert found.response["violations"] == [], found.response["violations"]
