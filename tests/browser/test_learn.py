"""The learn page: a hand can do every exercise, and its texts follow the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from browser.servers import Served
from browser.test_fitness import serious
from scharten.dartboard.beds import ALL_BEDS, BedKind
from scharten.display.generated.lessons import exercises, lessons
from scharten.errors import Problem
from scharten.game.basics import move_from_text
from scharten.games.scharten.board import FIELDS, bed_of, field_name
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.position_text import position_text
from scharten.games.scharten.status import State, status

BY_KEY = {exercise.key: exercise for exercise in exercises()}


@pytest.fixture(scope="module")
def served_lessons() -> dict[str, Any]:
    """The lessons that the server serves as /lessons.json."""
    return json.loads(json.dumps(lessons()))


@pytest.fixture
def learner(pages: Pages, display: Served) -> Iterator[Any]:
    """Open the learn page at an exercise; fail if the browser logged an error."""

    def open_page(
        key: str = "", size: tuple[int, int] = (1280, 800), lang: str = "en", **context: Any
    ) -> Page:
        page = pages.open(f"{display.url}/learn?lang={lang}&theme=light#{key}", size, **context)
        page.locator(f'body[data-lesson="{key or "board.1"}"]').wait_for()
        return page

    yield open_page
    assert not pages.console, pages.console


def test_every_exercise_is_a_position_of_the_rules_with_an_answer(served_lessons: dict[str, Any]) -> None:
    """The rules can read each position. Each task has a right answer and, except for throws, a wrong answer."""
    for exercise in served_lessons["exercises"]:
        own = BY_KEY[exercise["key"]]
        if own.position is not None:
            assert not isinstance(SCHARTEN.read(position_text(own.position), own.options), Problem), own.key
        if exercise["kind"] == "move":
            good = [move for move, answer in exercise["moves"].items() if answer["good"]]
            assert good and len(good) < len(exercise["moves"]), own.key
        elif exercise["kind"] == "tap":
            assert exercise["fields"]
        else:
            effects = {effect for effect, _ in exercise["beds"].values()}
            assert {"placed", "outside_zone", "bull", "off_board"} <= effects, own.key


def test_moves_and_reasons_are_the_rules_own(served_lessons: dict[str, Any]) -> None:
    """Each exercise has all legal moves, and exactly the reasons that `explain` gives."""
    for exercise in served_lessons["exercises"]:
        own = BY_KEY[exercise["key"]]
        if exercise["kind"] != "move" or own.position is None:
            continue
        legal = SCHARTEN.situation(own.position, own.options).moves
        assert set(exercise["moves"]) == set(legal)
        for move, why in exercise["why"].items():
            judged = SCHARTEN.explain(own.position, move_from_text(move), own.options)
            assert (judged.code, dict(judged.args)) == (why["code"], why["args"])


def test_the_lessons_show_what_their_words_say(served_lessons: dict[str, Any]) -> None:
    """The mate is mate, the saving dart is forced, the third foul is the limit, the dotted frame lacks support."""
    by_key = {exercise["key"]: exercise for exercise in served_lessons["exercises"]}
    must = BY_KEY["check.3"]
    assert must.position is not None and status(must.position).state is State.MUST_THROW
    assert by_key["fouls.3"]["fouls_after"] == by_key["fouls.3"]["limit"]
    assert by_key["support.1"]["why"]["c3c6"]["code"] == "no_support"
    assert by_key["support.3"]["why"]["c3c6"]["args"]["support"] == 1
    assert by_key["throw.3"]["why"]["c4c7"]["code"] == "protected"
    assert set(by_key["check.3"]["beds"]) == {str(b) for b in ALL_BEDS if b.kind is not BedKind.SINGLE}


def place_of(bed: str) -> str:
    """Return the field of a bed, with White at the 3 as in the lessons."""
    return next(field_name(field) for field in FIELDS if str(bed_of(field, 3)) == bed)


def do_it(page: Page, exercise: dict[str, Any]) -> None:
    """Do the exercise with the mouse as the task asks."""
    if exercise["kind"] == "tap":
        page.locator(f'#board [data-field="{exercise["fields"][0]}"]').click()
    elif exercise["kind"] == "move":
        move = next(move for move, answer in exercise["moves"].items() if answer["good"])
        page.locator(f'#board [data-field="{move[:2]}"]').click()
        page.locator(f'#board [data-field="{move[2:4]}"]').click()
        if len(move) > 4:
            page.locator(".promotion-choice").first.click()
    else:
        placing = {bed for bed, (effect, _) in exercise["beds"].items() if effect == "placed"}
        wanted = placing if exercise["good"] == "placed" else exercise["beds"].keys() - placing
        easy = [bed for bed in sorted(wanted) if bed[0] in "FL" or bed == "D3"]
        page.locator(f'#board [data-field="{place_of(easy[-1])}"]').click()


@pytest.mark.long
def test_a_learner_goes_through_all_lessons(learner: Any, served_lessons: dict[str, Any]) -> None:
    """A learner does each task by hand, from the first field to the printed board; all lessons are ticked."""
    page = learner(lang="nl")
    for exercise in served_lessons["exercises"]:
        page.locator(f'body[data-lesson="{exercise["key"]}"]').wait_for()
        assert "learn." not in page.locator("#lesson").inner_text()
        do_it(page, exercise)
        expect(page.locator(".lesson-feedback.good")).to_be_visible()
        assert "learn." not in page.locator("#lesson").inner_text()
        page.locator(".lesson-buttons .primary").click()
    page.locator('body[data-lesson="set.1"]').wait_for()
    lessons = page.locator(".lesson-tab").count()
    expect(page.locator(".lesson-tab.done")).to_have_count(lessons)
    page.reload()
    expect(page.locator(".lesson-tab.done")).to_have_count(lessons)  # the ticks stay


def test_a_refused_move_is_explained_with_value_and_support(learner: Any) -> None:
    """A capture without support is framed, refused with the figures, and the piece returns."""
    page = learner("support.1")
    page.locator('#board [data-field="c3"]').click()
    expect(page.locator(".frame.unsupported")).to_have_count(1)
    page.locator('#board [data-field="c6"]').click()
    expect(page.locator(".lesson-feedback")).to_contain_text("c6 is worth 3")
    assert page.locator('.piece[data-at="c3"]').count() == 1


@pytest.mark.long
def test_a_legal_move_that_was_not_asked_for_is_taken_back(learner: Any) -> None:
    """The page shows and names the move, then restarts the exercise; `Show me` does it right."""
    page = learner("ways.2")
    page.locator('#board [data-field="d1"]').click()
    page.locator('#board [data-field="d2"]').click()
    expect(page.locator(".lesson-feedback")).to_contain_text("Kd2 is a legal move")
    expect(page.locator('.piece[data-at="d1"]')).to_have_count(1)
    page.get_by_role("button", name="Show me").click()
    expect(page.locator(".lesson-feedback.good")).to_be_visible()
    expect(page.locator('.piece[data-at="e7"]')).to_have_count(1)


def test_keyboard_and_touch_learn_too(learner: Any) -> None:
    """Arrow keys and Enter find a field; two taps on a phone capture."""
    page = learner("board.2")
    page.locator('#board [data-field="e2"]').focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".lesson-feedback.good")).to_contain_text("e3")
    phone = learner("support.2", size=(390, 844), has_touch=True)
    phone.locator('#board [data-field="c3"]').tap()
    phone.locator('#board [data-field="c6"]').tap()
    expect(phone.locator(".lesson-feedback.good")).to_be_visible()


@pytest.mark.long
def test_it_fits_and_axe_finds_nothing_serious(learner: Any) -> None:
    """From a phone to 4K nothing extends sideways; names, roles and contrast are right."""
    page = learner("board.3")
    for key in ("board.3", "throw.2", "set.1"):
        page.evaluate("key => { location.hash = key; }", key)
        page.locator(f'body[data-lesson="{key}"]').wait_for()
        for width, height in ((360, 740), (820, 1180), (1280, 800), (3840, 2160)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (key, width)
        page.set_viewport_size({"width": 360, "height": 740})
        assert serious(page) == [], key


@pytest.mark.long
def test_it_weighs_less_than_250_kb_and_comes_from_here_alone(learner: Any) -> None:
    """The whole page with its lessons, unpacked, stays below the limit and loads from one address."""
    page = learner("throw.1")
    loaded: set[str] = set()
    page.on("request", lambda request: loaded.add(request.url))
    page.reload(wait_until="networkidle")  # a page of the pool may have been here, and then loads nothing
    origin = page.evaluate("location.origin")
    assert all(name.startswith(origin) for name in loaded)
    sizes = {name: len(page.request.get(name).body()) for name in loaded}
    assert 50_000 < sum(sizes.values()) < 250_000, sizes


@pytest.mark.long
def test_the_boards_to_print_can_be_downloaded(learner: Any) -> None:
    """Every link of the last page leads to a real PDF or SVG."""
    page = learner("set.1")
    links = page.locator(".lesson a[download]")
    for at in range(links.count()):
        answer = page.request.get(urljoin(page.url, str(links.nth(at).get_attribute("href"))))
        assert answer.ok and (answer.body().startswith(b"%PDF") or b"<svg" in answer.body()[:200])
    assert links.count() == 3
