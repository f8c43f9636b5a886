"""The page of problems in a real browser: solving by presses, typing, keys and a dart; records and the wall."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from browser.fakes import FakeHost
from browser.pages import still
from browser.scenes import scenes
from browser.servers import Mosquitto, Served, served
from browser.test_archive import asked
from lab.daemon_process import DaemonProcess
from lab.scripted_game import aim_at_bed
from players.evening import ANN
from scharten.display.context import DaemonParts
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import bed_of, parse_field
from scharten.players.book import PlayerBook
from scharten.players.problems import ProblemBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore
from scharten.problems.bundled import bundled
from scharten.problems.line import Opened, Puzzle, opened
from scharten.problems.solve import Solver

JOURNAL = "scharten.sqlite3"
ASK = """async ([problem, played, turn, player]) => {
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws");
    await new Promise((done) => { socket.onmessage = done; socket.onopen = () =>
        socket.send(JSON.stringify({v: 1, role: "table"})); });
    const payload = {v: 1, id: "asked", problem, played, turn, by: "press", player};
    return new Promise((done) => {
        socket.onmessage = ({data}) => {
            const {payload: reply} = JSON.parse(data);
            if (reply.id === "asked") done(reply.tried);
        };
        socket.send(JSON.stringify({topic: "problems", payload}));
    });
}"""
"""Send a turn of a problem, as a page does."""
SIZES = ((360, 740), (844, 390), (820, 1180), (1280, 800), (1920, 1080), (3840, 2160))

HIT: dict[str, Any] = {
    "v": 1, "at_ms": 1, "source": "serial", "beds": [], "probabilities": [1.0], "counted": False,
    "confidence": 1.0, "x_mm": None, "y_mm": None, "drive": None, "sense": None, "seen_ms": None,
    "revises": False, "opinions": [], "place": None, "match": "", "seq": 1,
}  # fmt: skip
"""A dart of the real board, without bed and reason."""


def _puzzle(task: str, game: str) -> Puzzle:
    return next(puzzle for puzzle in bundled() if str(puzzle.task) == task and puzzle.game == game)


def _bed(key: str) -> str:
    field = parse_field(key[1:])
    assert field is not None
    return str(bed_of(field, 3))


@pytest.fixture(scope="module")
def shown(broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A display server with the player Ann and a data folder."""
    folder = tmp_path_factory.mktemp("problems")
    PlayerStore(folder).save(Player(ANN, Profile(name="Ann"), 1))
    book = PlayerBook(folder, JOURNAL, GAMES_BY_KEY)
    parts = DaemonParts(journal=folder / JOURNAL, players=book)
    with served(broker.port, open_roles=("table", "seat1"), daemon=parts) as server:
        yield server


def _opened(page: Page, url: str, puzzle: Puzzle, player: str = "") -> None:
    """Open the page at one problem, whose first answer names it."""
    status, text = asked(f"{url}/problems/{puzzle.id}.json")
    assert status == 200
    day = json.dumps({"v": 1, "day": 1, "problem": json.loads(text), "solved": []})
    page.route(
        "**/problems/day.json*", lambda route: route.fulfill(body=day, content_type="application/json")
    )
    page.goto(f"{url}/problems?lang=en&player={player}")
    expect(page.locator("#problem-player")).to_have_value(player)
    expect(page.locator("#problems .piece").first).to_be_visible()


@pytest.fixture
def page(chromium: Browser, host: FakeHost) -> Iterator[Page]:
    """A page that may not throw an error."""
    errors: list[str] = []
    made = chromium.new_page()
    made.on("pageerror", lambda error: errors.append(str(error)))
    yield made
    made.close()
    assert errors == []


def _solve(page: Page, puzzle: Puzzle) -> None:
    """Solve a problem for Ann: the key, then turns that the solver finds."""
    case = opened(puzzle, GAMES_BY_KEY)
    assert isinstance(case, Opened)
    tried = page.evaluate(ASK, [puzzle.id, [], puzzle.key, ANN])
    while not tried["solved"]:
        position = case.position
        for turn in tried["played"]:
            position = dict(case.board.reached(position))[turn]
        left = puzzle.task.moves - len(tried["played"]) // 2
        turn = Solver(case.board).forcing(position, left)[0]
        tried = page.evaluate(ASK, [puzzle.id, tried["played"], turn, ANN])


def press(page: Page, field: str) -> None:
    """Press a field of the board, whatever element is on top."""
    box = page.locator(f'[data-field="{field}"]').bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.browser
def test_a_mate_is_solved_by_pressing(page: Page, shown: Served) -> None:
    """The page names a wrong turn. The key solves the problem, and record and rating show it."""
    puzzle = _puzzle("mate1", "chess")
    _opened(page, shown.url, puzzle, ANN)
    side = "White" if " w " in puzzle.position else "Black"
    expect(page.locator("#problems .task")).to_have_text(f"{side} to move: mate in 1")
    press(page, puzzle.key[:2])
    expect(page.locator(f'[data-field="{puzzle.key[:2]}"].chosen')).to_have_count(1)
    press(page, puzzle.key[2:4])
    expect(page.locator("#problems .headline")).to_have_text("Solved.")
    expect(page.locator("#problems")).to_contain_text(re.compile(r"Rating \d+ ± \d+\. Solved \d+ of"))
    _, text = asked(f"{shown.url}/problems/{puzzle.id}.json?player={ANN}")
    assert json.loads(text)["state"] == "solved"


def _walk(page: Page, field: str) -> None:
    """Move to a field of a square board with the arrow keys."""
    goal = page.locator(f'[data-field="{field}"]').first.bounding_box()
    assert goal
    for _ in range(16):
        x, y = page.evaluate("(box => [box.x, box.y])(document.activeElement.getBoundingClientRect())")
        right, down = goal["x"] - x, goal["y"] - y
        if abs(right) > goal["width"] / 2:
            page.keyboard.press("ArrowRight" if right > 0 else "ArrowLeft")
        elif abs(down) > goal["height"] / 2:
            page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    assert page.evaluate("document.activeElement.dataset.field") == field


@pytest.mark.browser
def test_a_mate_is_solved_with_the_keyboard(page: Page, shown: Served) -> None:
    """The arrow keys move from the field that Tab reaches, and Enter chooses the man and its target."""
    puzzle = _puzzle("mate1", "fischer_random")
    _opened(page, shown.url, puzzle, ANN)
    page.locator('#problems [data-field][tabindex="0"]').focus()
    for field in (puzzle.key[:2], puzzle.key[2:4]):
        _walk(page, field)
        page.keyboard.press("Enter")
    expect(page.locator("#problems .headline")).to_have_text("Solved.")


@pytest.mark.browser
def test_a_mate_in_two_is_typed_to_its_end(page: Page, shown: Served) -> None:
    """All typed: the page names a wrong turn and answers the key, and the mate ends the problem."""
    puzzle = _puzzle("mate2", "shatranj")
    _opened(page, shown.url, puzzle, ANN)
    _, text = asked(f"{shown.url}/problems/{puzzle.id}.json")
    wrong = next(move for move in json.loads(text)["moves"] if move != puzzle.key)
    for typed, said in ((wrong, f"{wrong} is not the key"), ("zz", "No turn of this position")):
        page.fill("#problem-typed", typed)
        page.press("#problem-typed", "Enter")
        expect(page.locator("#problems .headline")).to_contain_text(said)
    expect(page.locator("#problem-show")).to_be_visible()
    page.wait_for_timeout(1000)
    page.fill("#problem-typed", puzzle.key)
    page.press("#problem-typed", "Enter")
    expect(page.locator("#problems .headline")).to_contain_text("Right. The answer is")
    page.locator("#problem-show").click()
    expect(page.locator("#problems .headline")).to_have_text(f"The key is {puzzle.key}.")
    expect(page.locator("#problem-show")).to_be_hidden()


@pytest.mark.browser
def test_a_real_dart_solves_a_loud_problem(page: Page, shown: Served, host: FakeHost) -> None:
    """Without a running game a dart elsewhere misses; a dart in the key's bed solves the problem and shows
    the odds."""
    puzzle = _puzzle("dart1", "scharten")
    _opened(page, shown.url, puzzle, ANN)
    expect(page.locator("#problems .task")).to_contain_text("one dart to mate")
    host.publish("hits", {**HIT, "bed": _bed(puzzle.key), "why": ""}, retain=False)
    host.publish("hits", {**HIT, "bed": "BULL", "why": "not_started"}, retain=False)
    expect(page.locator("#problems .headline")).to_contain_text("not there")
    host.publish("hits", {**HIT, "bed": _bed(puzzle.key), "why": "not_started"}, retain=False)
    expect(page.locator("#problems .headline")).to_have_text("Solved.")
    expect(page.locator("#problems")).to_contain_text(re.compile(r"At your scatter of \d"))


@pytest.mark.browser
def test_a_dart_during_a_judgement_is_reported(
    page: Page, shown: Served, host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dart does not count, and the page asks for it again. Thrown again it solves the problem."""
    puzzle, judged, attempt = _puzzle("dart1", "scharten"), threading.Event(), ProblemBook.attempt

    def slowly(book: ProblemBook, *given: Any) -> Any:
        assert judged.wait(60)
        return attempt(book, *given)

    monkeypatch.setattr(ProblemBook, "attempt", slowly)
    _opened(page, shown.url, puzzle)
    hit: dict[str, Any] = {**HIT, "why": "not_started"}
    host.publish("hits", {**hit, "bed": "BULL"}, retain=False)
    host.publish("hits", {**hit, "bed": _bed(puzzle.key)}, retain=False)
    expect(page.locator("#problems")).to_contain_text("came too early and did not count")
    judged.set()
    expect(page.locator("#problems .headline")).to_contain_text("not there")
    expect(page.locator("#problems")).to_contain_text("Throw it again")
    host.publish("hits", {**hit, "bed": _bed(puzzle.key)}, retain=False)
    expect(page.locator("#problems .headline")).to_have_text("Solved.")
    expect(page.locator("#problems")).not_to_contain_text("too early")


@pytest.mark.browser
def test_a_dart_at_the_simulated_board_solves_a_problem(page: Page, daemon: DaemonProcess) -> None:
    """During a game the page of a whole daemon says that darts count there. After the game a dart solves."""
    puzzle = _puzzle("dart1", "scharten")
    peer = daemon.peer("arbiter")
    peer.wait(lambda state: "match" in state, what="the board")
    peer.new_game(game="chess", kind="silent", clock=None)
    _opened(page, daemon.running["web"], puzzle)
    expect(page.locator("#problem-darts-go")).to_contain_text("not here")
    assert peer.ask("resign", side="white")["accepted"]
    expect(page.locator("#problem-darts-go")).to_contain_text("counts here")
    target = aim_at_bed(_bed(puzzle.key))
    peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
    expect(page.locator("#problems .headline")).to_have_text("Solved.")
    expect(page.locator("#problems")).to_contain_text("At a guest's scatter of 30 mm")
    peer.close()


@pytest.mark.browser
def test_the_idle_wall_shows_the_days_problem_and_its_solver(
    page: Page, shown: Served, host: FakeHost
) -> None:
    """Before a game the wall shows the day's position and task. A solver's name appears at once and survives
    a reload."""
    host.publish("state", scenes()["setup"])
    day = json.loads(asked(f"{shown.url}/problems/day.json")[1])["problem"]
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{shown.url}/?role=display&lang=en")
    game = {"scharten": "Scharten", "chess": "Chess"}.get(day["game"], "")
    expect(page.locator(".idle-problem small").first).to_contain_text(f"Problem of the day: {game}")
    drawn = page.locator(".idle-position .piece")
    expect(drawn).to_have_count(sum(letter.isalpha() for letter in day["position"].split(" ")[0]))
    expect(page.locator(".idle-problem .solved")).to_have_count(0)
    _solve(page, next(puzzle for puzzle in bundled() if puzzle.id == day["id"]))
    expect(page.locator(".idle-problem .solved")).to_have_text("Solved today by Ann")
    page.reload()
    expect(page.locator(".idle-problem .solved")).to_have_text("Solved today by Ann")


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_fits_every_screen(page: Page, shown: Served, theme: str) -> None:
    """In six sizes nothing extends beyond the side, and the board is whole and large; axe finds no fault."""
    _opened(page, shown.url, _puzzle("mate2", "scharten"), ANN)
    for wide, high in SIZES:
        page.set_viewport_size({"width": wide, "height": high})
        page.goto(f"{shown.url}/problems?lang=de&theme={theme}&player={ANN}")
        expect(page.locator("#problems .piece").first).to_be_visible()
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (wide, high)
        box = page.locator("#problem-board").bounding_box()
        assert box and box["width"] >= min(wide, high) * 0.4, (wide, high, box)
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert found == [], [violation["id"] for violation in found]
