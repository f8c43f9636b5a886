"""A club evening on real pages: the organiser ticks and pairs, a phone finds its board, the TV shows everything."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.fakes import FakeHost
from browser.servers import Mosquitto, served_club
from browser.test_fitness import serious
from scharten.club.server import ClubServer
from scharten.club.store import ClubStore
from scharten.tournament.entries import ENTRIES

pytestmark = pytest.mark.browser
SECRETS = {"organiser": "organiser-secret", "member": "member-secret"}
MANY_LINES = """async () => {
    const { Slides } = await import("./js/club/slides.js");
    const place = document.querySelector("#slide");
    const slides = new Slides(place, () => {});
    slides.hold(false);
    const pairings = Array.from({ length: 11 }, (_, n) => ({ table: n + 1, board: "board" + n, left: null, result: null,
        names: { white: "Annemarie van der Berg " + n, black: "Bartholomeus Kuijpers " + n } }));
    const unpaired = [{ name: "Zoe", why: "bye" }];
    const rounds = [{ number: 1, tonight: true, pairings, unpaired }];
    slides.take({ season: { name: "S" }, table: [], start_list: [], rounds }, []);
    slides.turn(1);
    return [...place.querySelectorAll("li")].map((line) => {
        const { top, bottom, left, right } = line.getBoundingClientRect();
        const [board, names, colour] = line.children;
        return { place: [top, bottom, left, right], width: names.clientWidth,
            cut: [board, colour].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth) };
    });
}"""
PRESS_MS = 200
NAMES = ("Anna", "Bram", "Carla", "Dirk")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A separate Mosquitto: a club counts every board that other tests left on their broker."""
    mosquitto = Mosquitto(tmp_path_factory.mktemp("broker"))
    yield mosquitto
    mosquitto.stop()


@pytest.fixture(scope="module")
def club(broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClubServer]:
    """The club's server."""
    with served_club(broker.port, tmp_path_factory.mktemp("club"), SECRETS) as server:
        yield server


@pytest.fixture(scope="module")
def boards(broker: Mosquitto) -> Iterator[list[FakeHost]]:
    """Two boards without a game, which begin each game that the club requests."""
    hosts = [FakeHost(broker.port, f"scharten/home/board{number}") for number in (1, 2)]
    for number, host in enumerate(hosts, 1):
        host.answers = lambda role, command, number=number: {"accepted": True, "match": f"m{number}"}
        host.publish("health", {"v": 2, "playable": True})
        host.state(match="", phase="setup", names={"white": "", "black": ""})
    yield hosts
    for host in hosts:
        host.stop()


def opened(chromium: Browser, address: str, size: tuple[int, int]) -> Page:
    """A page in a separate context; an error on it fails the test."""
    page = chromium.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    page.goto(address)
    return page


def link(club: ClubServer, role: str, language: str = "en") -> str:
    """Return the link of a role in a language."""
    return club.link(role).replace("?", f"?lang={language}&theme=light&")


def add_members(page: Page) -> None:
    """Add four members by the form, the second with a personal foul limit. A press takes as long as a hand's, and
    the next name can be typed at once."""
    for number, name in enumerate(NAMES):
        if number:
            expect(page.locator("#member-name")).to_be_focused()
        page.fill("#member-name", name)
        page.fill("#member-rating", str(2000 - number))
        page.fill("#member-limit", "5" if name == "Bram" else "")
        page.click("[data-part=members] button", delay=PRESS_MS)
        expect(page.locator(".present li")).to_have_count(number + 1)


@pytest.mark.long
def test_an_evening_from_ticking_to_the_ranking(
    chromium: Browser, club: ClubServer, boards: list[FakeHost]
) -> None:
    """The organiser pairs the ticked members. Boards get names and limits, phones and TV the call, the table
    the result."""
    page = opened(chromium, link(club, "organiser"), (1280, 900))
    page.click("#new-season")
    page.fill("#season-name", "Autumn")
    page.click(".sheet-dialog form button.primary")
    expect(page.locator(".sheet-dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="Autumn")).to_be_visible()
    add_members(page)
    page.click("#open-evening")
    for name in NAMES[:3]:
        page.get_by_label(name, exact=True).check()
    phone = opened(chromium, link(club, "member"), (390, 800))
    phone.select_option("#who", label="Dirk")
    phone.click("#here")
    expect(page.get_by_label("Dirk", exact=True)).to_be_checked()
    box = page.locator("#pair").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    for choice in ("#here + button", "#here"):  # news of the evening arrives during the press
        phone.click(choice)
        expect(phone.locator(choice)).to_have_attribute("aria-pressed", "true")
    page.wait_for_timeout(PRESS_MS)
    page.mouse.up()
    begun = [host.next_command("new_game") for host in boards]
    assert {name for begun_game in begun for name in begun_game["names"].values()} == set(NAMES)
    assert [begun_game["role"] for begun_game in begun] == ["organiser"] * 2
    bram = next(begun_game for begun_game in begun if "Bram" in begun_game["names"].values())
    side = next(side for side, name in bram["names"].items() if name == "Bram")
    assert bram["options"]["foul_limit"][side] == 5
    called = re.compile(r"You have (White|Black) against \w+\. Board: board[12]\.$")
    expect(phone.locator(".call.now")).to_have_text(called)
    assert serious(page) == []
    assert serious(phone) == []
    for number, (host, begun_game) in enumerate(zip(boards, begun, strict=True), 1):
        players = {"seat1": begun_game["players"]["white"], "seat2": begun_game["players"]["black"]}
        host.state(
            match=f"m{number}",
            names=begun_game["names"],
            players=players,
            board=f"board{number}",
            turns=3,
            seq=4,
        )
    until = time.monotonic() + 60
    while [board.state.get("phase") for board in club.service.boards.values()] != ["turn"] * 2:
        assert time.monotonic() < until, club.service.boards
        time.sleep(0.02)
    show_tv(chromium, club)
    show_other_languages(chromium, club)
    for number, (host, begun_game) in enumerate(zip(boards, begun, strict=True), 1):
        more = {"phase": "finished", "result": "1-0", "reason": "resignation", "seq": 9}
        host.state(match=f"m{number}", names=begun_game["names"], board=f"board{number}", **more)
    for table in (1, 2):  # Pair asks for confirmation while a pair has no result
        expect(page.locator(f"[data-part=round] tr[data-table='{table}'] select").last).to_have_value("1-0")
    first = page.locator("[data-part=table] tbody tr").first
    expect(first).to_contain_text("1 / 0 / 0")
    use_organisers_actions(page, club, *boards)
    phone.context.close()
    page.context.close()


def use_organisers_actions(page: Page, club: ClubServer, board: FakeHost, other: FakeHost) -> None:
    """A double click draws one round and is no fault. The organiser takes back and corrects rounds, frees a board, and
    confirms closing."""
    heading = page.locator("[data-part=round] h2")
    for host in (board, other):
        host.publish("availability", "offline", raw=True)
    until = time.monotonic() + 40
    while any(view.online for view in club.service.boards.values()):
        assert time.monotonic() < until
        time.sleep(0.02)
    page.locator("#pair").evaluate("(pair) => { pair.click(); pair.click(); }")
    note = page.locator("[data-part=actions] .problem")
    expect(note).to_have_text("That round is drawn already.")
    plain = page.locator("[data-part=actions]").evaluate("(part) => getComputedStyle(part).color")
    expect(note).to_have_css("color", plain)
    expect(heading).to_have_text("Round 2")
    page.locator("#withdraw").click()
    expect(heading).to_have_text("Round 1")
    assert len(club.service.club.season.rounds) == 1
    board.publish("availability", "online", raw=True)
    board.state(match="guests", names={"white": "Guest", "black": "Other"}, turns=2, seq=3)
    expect(page.locator(".held")).to_contain_text("board1 still has the game Guest")
    board.commands.clear()
    page.locator(".held .end-game").click()
    expect(page.locator(".held")).to_have_count(0)
    page.locator("#pair").click()
    expect(heading).to_have_text("Round 2")
    repeated = board.next_command("new_game")
    assert repeated["abandon"] is True
    players = {"seat1": repeated["players"]["white"], "seat2": repeated["players"]["black"]}
    about = {"match": "m9", "names": repeated["names"], "players": players}
    board.state(**about, turns=0, seq=1, started_ms=time.time_ns() // 1_000_000)
    until = time.monotonic() + 40
    while "m9" not in {pairing.match for pairing in club.service.club.season.rounds[1].pairings}:
        assert time.monotonic() < until
        time.sleep(0.02)
    page.wait_for_timeout(500)  # the page has this news too
    expect(page.locator("#withdraw")).to_be_visible()
    board.state(**about, turns=1, seq=2)
    expect(page.locator("#withdraw")).to_have_count(0)
    page.get_by_label("Round shown").select_option("1")
    expect(heading).to_have_text("Round 1")
    page.get_by_label("Result 1", exact=True).select_option("-/+")
    expect(page.locator("[data-part=table] tbody tr").filter(has_text="0 / 0 / 0")).to_have_count(2)
    assert club.service.club.season.rounds[0].pairings[0].result == "-/+"
    page.locator("#close-evening").click()
    expect(page.locator(".sheet-dialog")).to_contain_text("2 games have no result yet.")
    assert serious(page) == []
    page.locator("[data-choice='evening.close.adjourn']").click()
    expect(page.locator("#open-evening")).to_be_visible()
    assert all(pairing.adjourned for pairing in club.service.club.season.rounds[1].pairings)


def show_tv(chromium: Browser, club: ClubServer) -> None:
    """The TV shows pairings, names, each board and the ranking in turn, in letters that can be read from five
    metres.

    25 mm on a screen of 685 mm (55 inches) are 3.6 % of the height; capitals are 0.7 of a font's size.
    """
    tv = opened(chromium, f"{club.url}/club?lang=en&theme=light", (1920, 1080))
    expect(tv.locator("#slide li").first).to_contain_text("board1")
    height = tv.evaluate("parseFloat(getComputedStyle(document.querySelector('#slide li')).fontSize)")
    assert height / 1080 >= 0.036
    assert tv.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(tv.locator(".club-card")).to_have_count(2)
    seen = []
    for _ in range(5):
        seen.append(tv.locator("#slide h2").inner_text() if tv.locator("#slide").is_visible() else "board")
        if seen[-1] == "board":
            box = tv.locator(".club-card.shown .mini").bounding_box()
            assert box is not None
            assert box["height"] > 600
        tv.keyboard.press("ArrowRight")
    assert [("board" if begun_game == "board" else begun_game.split("·")[-1].strip()) for begun_game in seen] == [
        "by board", "by name", "board", "board", "Ranking",
    ]  # fmt: skip
    lines = tv.evaluate(MANY_LINES)
    assert len(lines) == 23, "everybody stands on one slide"
    places = [line["place"] for line in lines]
    assert all(
        0 < top < bottom <= 1080 and 0 <= left < right <= 1920 for top, bottom, left, right in places
    ), lines
    assert len({left for _, _, left, _ in places}) == 2, "two columns"
    assert not any(line["cut"] for line in lines), "board and colour are whole"
    assert all(line["width"] > 450 for line in lines), [line["width"] for line in lines]
    assert tv.locator("#hold").get_attribute("aria-pressed") == "true"
    assert serious(tv) == []
    tv.context.close()


def show_other_languages(chromium: Browser, club: ClubServer) -> None:
    """On a phone the organiser's page in Dutch and German scrolls no pairing sideways; headings stand above
    columns."""
    for language, words in (("nl", "Maak de indeling"), ("de", "Paarungen auslosen")):
        page = opened(chromium, link(club, "organiser", language), (390, 800))
        expect(page.locator("#pair")).to_have_text(words)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(
            "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)"
            "(document.querySelector('[data-part=round] .scroll'))"
        )
        heads, cells = (
            page.locator(f"[data-part=round] tr:first-child {begun_game}") for begun_game in ("th", "td")
        )
        assert heads.count() == cells.count() == 5
        for head, cell in zip(heads.all(), cells.all(), strict=True):
            assert abs(head.bounding_box()["x"] - cell.bounding_box()["x"]) < 1  # type: ignore[index]
        page.context.close()


@pytest.mark.long
def test_a_recovered_file_is_reported_on_every_page(
    chromium: Browser, broker: Mosquitto, tmp_path: Path
) -> None:
    """The club's file lacks an entry that its mark names: organiser, phone and TV report it in each language."""
    store = ClubStore(tmp_path / "club.sqlite3")
    for number in range(3):
        member = {"type": "member", "key": f"p{number}", "name": f"P {number}"}
        assert store.take(ENTRIES.validate_python(member), 1) is None
    store.close()
    with closing(sqlite3.connect(tmp_path / "club.sqlite3")) as db, db:
        db.execute("DELETE FROM entries WHERE n = 3")
    with served_club(broker.port, tmp_path, SECRETS) as server:
        for address, words in (
            (link(server, "organiser"), "1 entry is lost, 2 were recovered"),
            (link(server, "member", "nl"), "1 regel is kwijt, 2 zijn teruggehaald"),
            (f"{server.url}/club?lang=de", "1 Eintrag fehlt, 2 wurden gerettet"),
        ):
            page = opened(chromium, address, (800, 700))
            expect(page.get_by_text(words)).to_be_visible(timeout=40_000)
            page.context.close()
