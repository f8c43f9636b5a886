"""The short lessons of the four games on squares: checked against each game's rules, done by hand in the browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from browser.servers import Served
from scharten.display.generated.square_lessons import TASKS, square_lessons_json
from scharten.game.basics import move_from_text

GAMES = ("chess", "fischer_random", "shatranj", "shakti")


@pytest.fixture
def learner(pages: Pages, display: Served) -> Any:
    """Open a game's lessons."""

    def open_page(game: str, lang: str = "en") -> Page:
        page = pages.open(f"{display.url}/learn?lang={lang}&game={game}")
        page.locator(f'body[data-lesson="{game}.1"]').wait_for()
        return page

    return open_page


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.key)
def test_every_task_has_an_answer_and_a_wrong_move_by_the_rules(task: Any) -> None:
    """Each task has all legal moves, a right and a wrong one, and the reasons that the game gives."""
    lessons = json.loads(square_lessons_json(task.game.key))
    exercise = next(candidate for candidate in lessons["exercises"] if candidate["key"] == task.key)
    position = task.game.read(task.text, task.options)
    assert set(exercise["moves"]) == set(task.game.situation(position, task.options).moves)
    good = [move for move, said in exercise["moves"].items() if said["good"]]
    assert good and len(good) < len(exercise["moves"])
    for move, why in exercise["why"].items():
        judged = task.game.explain(position, move_from_text(move), task.options)
        assert not judged.legal and judged.code == why["code"]


@pytest.mark.parametrize(("game", "lang"), [*zip(GAMES, ("en", "nl", "de", "en"), strict=True)])
def test_a_learner_does_every_task_of_a_game(learner: Any, game: str, lang: str) -> None:
    """Two taps on the game's board play each right move; the page has its language, the end and the other games."""
    page = learner(game, lang)
    for exercise in json.loads(square_lessons_json(game))["exercises"]:
        page.locator(f'body[data-lesson="{exercise["key"]}"]').wait_for()
        move = next(move for move, said in exercise["moves"].items() if said["good"])
        page.locator(f'#board [data-field="{move[:2]}"]').click()
        page.locator(f'#board [data-field="{move[2:4]}"]').click()
        expect(page.locator(".lesson-feedback.good")).to_be_visible()
        assert "learn." not in page.locator("#lesson").inner_text()
        page.locator(".lesson-buttons .primary").click()
    page.locator('body[data-lesson="set.1"]').wait_for()
    assert page.locator(".other-game").count() == len(GAMES)


def test_a_refused_move_is_explained_in_the_games_own_words(learner: Any) -> None:
    """A pawn's capture of nothing is refused: the pawn stays, and the page gives the reason."""
    page = learner("shatranj")
    page.locator('#board [data-field="d4"]').click()
    page.locator('#board [data-field="c5"]').click()
    expect(page.locator(".lesson-feedback")).to_contain_text(
        "A pawn goes there only to take something, and c5 is free"
    )
    assert page.locator('.piece[data-at="d4"]').count() == 1


def test_the_learn_page_leads_to_every_game(pages: Pages, display: Served) -> None:
    """Scharten's lessons link to the four short pages in the same language."""
    page = pages.open(f"{display.url}/learn?lang=nl")
    page.get_by_role("link", name="Schaken").click()
    page.locator('body[data-lesson="chess.1"]').wait_for()
    expect(page.locator(".lesson-tab").first).to_contain_text("Schaken")
