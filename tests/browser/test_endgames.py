"""The page of endgames in a real browser: the table of endings, and a mate trained to its end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from browser.pages import Pages, still
from browser.servers import Mosquitto, Served, served
from browser.test_archive import asked
from browser.test_problems import SIZES, press
from scharten.display.context import DaemonParts
from scharten.endgames.known import known
from scharten.endgames.trainer import judge, read
from scharten.errors import Problem
from scharten.games.scharten.actions import action_of
from scharten.games.scharten.board import Q
from scharten.games.scharten.turns import Turns
from scharten.opponent.table_files import TableFiles
from scharten.play.endgame_board import Men

START = "endgames/Q.json"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one of twenty tables, which takes no time to build."""
    folder = tmp_path_factory.mktemp("endgames")
    TableFiles(folder / "tables").build(Men(Q))
    return folder


@pytest.fixture(scope="module")
def shown(broker: Mosquitto, data: Path) -> Iterator[Served]:
    """A display server with that folder."""
    parts = DaemonParts(journal=data / "scharten.sqlite3")
    with served(broker.port, open_roles=("table",), daemon=parts) as server:
        yield server


def _training(pages: Pages, url: str) -> tuple[Page, dict[str, object]]:
    """Open the page and train the queen ending; return the page with the server's answer."""
    page = pages.open(f"{url}/endgames?lang=en")
    expect(page.locator("#endgames tbody tr")).to_have_count(len(known()))
    with page.expect_response(lambda response: START in response.url) as answer:
        page.locator('[data-men="Q"]').click()
    expect(page.locator("#endgames .task")).to_have_text(re.compile("^Mate in [12]: queen against the king$"))
    return page, answer.value.json()


def test_what_is_known_stands_in_a_table(pages: Pages, shown: Served) -> None:
    """The page lists every ending with its share of wins and longest mate. Only an ending with a table can be
    trained."""
    page = pages.open(f"{shown.url}/endgames?lang=en")
    rows = page.locator("#endgames tbody tr")
    expect(rows).to_have_count(20)
    bishops = next(ending for ending in known() if ending.men == "BB")
    row = rows.filter(has_text="two bishops")
    expect(row).to_contain_text(f"{100 * bishops.won / bishops.positions:.2f} %")
    expect(row.locator("td").nth(1)).to_have_text("32")
    expect(row.locator("button")).to_be_disabled()
    expect(page.locator('[data-men="Q"]')).to_be_enabled()
    expect(rows.first.locator("button")).to_have_count(0)
    expect(page.locator("#endgame-facts")).to_contain_text("in 32 moves at most. With two knights")
    expect(page.locator("#endgames .headline")).to_contain_text("1 of 20 are ready")


def test_a_mate_is_trained_to_its_end(pages: Pages, shown: Served) -> None:
    """The test plays the best move until the defender is mated; the page counts the moves."""
    page, begun = _training(pages, shown.url)
    best, headline = (int(str(begun["left"])) + 1) // 2, page.locator("#endgames .headline")
    for left in reversed(range(best)):
        expect(page.locator("#endgame-show")).to_be_enabled()
        page.locator("#endgame-show").click()
        expect(headline).to_contain_text(f"Mate in {left}." if left else f"Checkmate in {best}.")
    expect(headline).to_have_text(f"Checkmate in {best}. The best was {best}.")
    expect(page.locator("#endgame-show")).to_be_disabled()
    page.locator("#endgame-back").click()
    expect(page.locator("#endgames .headline")).to_contain_text("White to move")


def test_a_lost_win_is_named_and_taken_back(pages: Pages, shown: Served, data: Path) -> None:
    """After a move that loses the forced mate the page says so, blocks the board, and offers to take it back."""
    page, begun = _training(pages, shown.url)
    position, tables = str(begun["position"]), TableFiles(data / "tables")
    start = read(position)
    assert not isinstance(start, Problem)
    moves = [action_of(turn).text for turn in Turns(start).moves()]
    judged = {move: judge(position, move, tables) for move in moves}
    drawing = next(
        m for m, found in judged.items() if not isinstance(found, Problem) and found.left_after is None
    )
    press(page, drawing[:2])
    press(page, drawing[2:4])
    expect(page.locator("#endgames .headline")).to_have_text(f"After {drawing} the game is drawn.")
    expect(page.locator("#endgame-show")).to_be_disabled()
    page.locator("#endgame-back").click()
    expect(page.locator("#endgame-show")).to_be_enabled()
    expect(page.locator("#endgame-back")).to_be_disabled()


def test_wrong_questions_are_refused_with_a_reason(shown: Served) -> None:
    """Junk, a text that is too long, and an ending without a table give 400 and 404, never 500."""
    for question, status in (
        ({"position": "junk", "turn": "e2e4"}, 400),
        ({"position": "x" * 300, "turn": ""}, 400),
        ({"position": "4N15/1k8K9/20/20 w - 17/17 0/0 0/0 40", "turn": ""}, 400),
    ):
        found, text = asked(f"{shown.url}/endgames/turn.json?{urlencode(question)}")
        assert found == status and text.strip(), (question, found)
    for men in ("RQ", "QQQ", "QR"):
        assert asked(f"{shown.url}/endgames/{men}.json")[0] == 404
    assert json.loads(asked(f"{shown.url}/endgames/known.json")[1])["builds"] is True


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_fits_every_screen(pages: Pages, shown: Served, theme: str) -> None:
    """In six sizes nothing extends beyond the side; axe finds no fault."""
    page, _ = _training(pages, shown.url)
    for wide, high in SIZES:
        page.set_viewport_size({"width": wide, "height": high})
        page.goto(f"{shown.url}/endgames?lang=de&theme={theme}")
        page.locator('[data-men="Q"]').click()
        expect(page.locator("#endgames .piece")).to_have_count(3)
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (wide, high)
        box = page.locator("#endgame-board").bounding_box()
        assert box and box["width"] >= min(wide, high) * 0.4, (wide, high, box)
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert found == [], [violation["id"] for violation in found]
