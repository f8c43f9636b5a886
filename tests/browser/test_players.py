"""The players' pages in a real browser, from a journal and tables on disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect
from typer.testing import CliRunner

from browser.fakes import FakeHost
from browser.servers import Mosquitto, Served, served
from browser.test_archive import asked
from lab.daemon_process import wait_for
from players.evening import ANN, BOB, played, store
from scharten.cli import build
from scharten.display.context import DaemonParts
from scharten.games import GAMES_BY_KEY
from scharten.players import stand_ins
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

JOURNAL = "scharten.sqlite3"


@pytest.fixture(scope="module")
def shown(broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A display server with the darts of Ann and Bob."""
    folder = tmp_path_factory.mktemp("players")
    game = played(30, 25.0)
    game.ok("resign", side="black")
    store(folder / JOURNAL, game)
    register = PlayerStore(folder)
    register.save(Player(ANN, Profile(name="Ann", colour="red"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    book = PlayerBook(folder, JOURNAL, GAMES_BY_KEY)
    with served(broker.port, open_roles=("table", "seat1"), daemon=DaemonParts(players=book)) as server:
        server.folder = folder
        yield server


@pytest.fixture
def page(shown: Served, chromium: Browser) -> Iterator[Page]:
    """The list of players in English; no page may throw an error."""
    errors: list[str] = []
    made = chromium.new_page()
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.goto(f"{shown.url}/players?lang=en")
    expect(made.locator("h2").first).to_be_visible()
    yield made
    made.close()
    assert errors == []


def fetched(shown: Served, path: str) -> dict[str, Any]:
    """Return the server's JSON at an address."""
    status, text = asked(f"{shown.url}{path}")
    assert status == 200
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_player_s_page_shows_the_servers_figures(page: Page, shown: Served) -> None:
    """From the list to a player's page: darts, losses, rings, heat, scatter, games, personal bests, and the files."""
    statistics = fetched(shown, f"/player/{ANN}.json")
    page.get_by_role("link", name="Ann").click()
    darts = statistics["darts"]
    expect(page.locator(".headline")).to_contain_text(f"{darts['placed']} of {darts['thrown']} darts")
    expect(page.locator(".scatter")).to_contain_text(f"{statistics['scatter']['mm']:.0f} mm")
    rings = page.locator('[data-part="rings"] tbody tr')
    expect(rings).to_have_count(len(statistics["rings"]))
    expect(rings.filter(has_text="outer single")).to_contain_text(f"{statistics['rings']['fat']['rate']} %")
    expect(page.locator(".heat-dart")).to_have_count(len(statistics["points"]))
    expect(page.locator(".heat-bed")).to_have_count(len([bed for bed in statistics["beds"] if bed != "MISS"]))
    expect(page.locator('[data-part="months"] .point')).to_have_count(1)
    month = statistics["months"][0]
    *scale, shown_month = page.locator('[data-part="months"] .tick').all_text_contents()
    assert shown_month == month["month"]
    assert (
        scale[0] == "0 mm"
        and int(scale[-1].removesuffix(" mm")) >= month["high"]
        and len(scale) in range(2, 6)
    )
    expect(page.locator('[data-part="against"] tbody tr')).to_have_text("Bob100")
    expect(page.locator('[data-part="bests"]')).to_contain_text(str(statistics["bests"]["placed_in_a_row"]))
    status, rows = asked(f"{shown.url}/player/{ANN}.csv")
    assert status == 200 and rows.count("\n") == darts["thrown"] + 1
    assert asked(f"{shown.url}/player/nobody.json")[0] == 404


@pytest.mark.long
def test_a_player_card_seats_its_player(page: Page, shown: Served, chromium: Browser, host: FakeHost) -> None:
    """The card's code leads to the board. A seat's phone sits down in the player's language; the table asks
    for the seat."""
    PlayerStore(shown.folder).save(Player(ANN, Profile(name="Ann", colour="red", language="nl"), 1))
    page.get_by_role("link", name="Ann").click()
    code = page.locator(".own-card .qr")
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 20
    assert asked(f"{shown.url}/player/nobody.svg")[0] == 404
    card = f"{shown.url}/?card={ANN}"
    phone = chromium.new_page(locale="en-GB")
    phone.goto(f"{card}&role=seat1")
    expect(phone.locator("html")).to_have_attribute("lang", "nl")
    expect(phone.locator("#who")).to_be_visible()
    assert "card=" not in phone.url
    phone.goto(f"{shown.url}/?role=seat1&card=nobody1")
    expect(phone.locator("#notices").get_by_text("Geen speler hier heeft deze kaart")).to_be_visible()
    table = chromium.new_page(locale="en-GB")
    table.goto(f"{card}&role=table")
    table.locator('dialog [data-seat="seat2"]').click()
    expect(table.locator("dialog")).to_have_count(0)
    table.locator("#new-game").click()
    expect(table.locator("#new-black-player")).to_have_value(f"kept-{ANN}")
    expect(table.locator("#new-white-player")).not_to_have_value(f"kept-{ANN}")
    phone.close()
    table.close()


def test_the_table_adds_changes_and_deletes_a_player(page: Page, shown: Served) -> None:
    """The page reports a taken name, shows no empty boxes without darts, and removes the deleted player's page."""
    page.locator("#add-player").click()
    page.locator("#profile-name").fill("Ann")
    page.locator("#keep-player").click()
    expect(page.locator(".link-state")).to_contain_text("Another player has that name")
    page.locator("#add-player").click()
    page.locator("#profile-name").fill("Cas van Dam")
    page.locator("#profile-colour").select_option("blue")
    page.locator("#profile-picture").set_input_files(
        Path(__file__).parents[2] / "hardware_docs/images/display-play.png"
    )
    page.locator("#keep-player").click()
    page.get_by_role("link", name="Cas van Dam").click()
    expect(page.locator("#edit-player")).to_be_visible()
    for part in ("rings", "lost", "heat", "months", "head", "purposes"):
        expect(page.locator(f'[data-part="{part}"]')).to_have_count(0)
    page.locator("#edit-player").click()
    page.locator("#profile-initials").fill("C")
    page.locator("#keep-player").click()
    expect(page.locator(".token.big img")).to_be_visible()

    def kept() -> dict[str, Any] | None:
        people = fetched(shown, "/players.json")["players"]
        return next(
            (person for person in people if (person["name"], person["initials"]) == ("Cas van Dam", "C")),
            None,
        )

    person = wait_for(kept, 40, "the server to keep the new initials")
    assert person["colour"] == "blue" and person["picture"].startswith("data:image/jpeg")
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#delete-player").click()
    page.wait_for_url("**/players")
    assert [person["name"] for person in fetched(shown, "/players.json")["players"]] == ["Ann", "Bob"]
    assert asked(f"{shown.url}/player/{person['id']}.json")[0] == 404


def test_a_display_changes_no_player(shown: Served, chromium: Browser) -> None:
    """The server refuses changes from a display, whatever the page offers."""
    page = chromium.new_page()
    page.goto(f"{shown.url}/players?lang=en&role=display")
    page.locator("#add-player").click()
    page.locator("#profile-name").fill("Eve")
    page.locator("#keep-player").click()
    expect(page.locator(".link-state")).to_contain_text("may not")
    assert "Eve" not in json.dumps(fetched(shown, "/players.json"))
    page.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "language"), [((390, 800), "de"), ((1280, 800), "nl")], ids=["phone", "desktop"]
)
def test_the_pages_fit_and_are_accessible(
    shown: Served, chromium: Browser, size: tuple[int, int], language: str
) -> None:
    """On phones and desktops, in every language, nothing is cut off at the side, and axe finds nothing."""
    page = chromium.new_page(viewport={"width": size[0], "height": size[1]})
    for path in ("/players", f"/player/{ANN}"):
        page.goto(f"{shown.url}{path}?lang={language}")
        expect(page.locator('[data-part="rings"]')).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    page.close()


@pytest.mark.long
def test_names_do_not_wait_for_figures(
    shown: Served, chromium: Browser, host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While figures are being computed the list shows the names and a note, and a new game offers every player."""
    done = threading.Event()
    for query in ("overview", "all"):
        monkeypatch.setattr(PlayerBook, query, lambda book: done.wait(60) and [])
    try:
        page = chromium.new_page()
        page.goto(f"{shown.url}/players?lang=en")
        expect(page.get_by_role("link", name="Bob")).to_be_visible()
        expect(page.locator(".link-state")).to_contain_text("Working out the figures")
        page.goto(f"{shown.url}/?role=table&lang=en")
        page.locator("#new-game").click()
        expect(page.locator("#new-white-player")).to_contain_text("Bob")
        page.close()
    finally:
        done.set()


@pytest.mark.long
def test_a_new_game_knows_who_plays(shown: Served, chromium: Browser, host: FakeHost) -> None:
    """A registered player fills in the name, a typed name finds the player, and a phone seats its player.
    Limits are evened out."""
    host.commands.clear()
    host.state(names={"white": "", "black": ""}, players={"seat1": None, "seat2": None})
    phone = chromium.new_page()
    phone.goto(f"{shown.url}/?role=seat1&lang=en")
    phone.locator("#who").click()
    phone.locator(f'[data-player="{BOB}"]').click()
    expect(phone.locator("dialog")).to_have_count(0)
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{shown.url}/?role=table&lang=en")
    page.locator("#new-game").click()
    expect(page.locator("#new-white-name")).to_have_value("Bob")
    expect(page.locator("#new-white-player")).to_have_value(f"kept-{BOB}")
    page.locator("#new-black-name").fill("Ann")
    page.locator("#new-black-name").press("Tab")
    expect(page.locator("#new-black-player")).to_have_value(f"kept-{ANN}")
    page.locator("#new-kind").select_option("loud")
    page.locator("#even-out").click()
    expect(page.locator("#even-out + .help")).to_contain_text("to lose by lost darts")
    page.locator("#start-game").click()
    expect(page.locator("dialog")).to_have_count(0)
    role, command = host.commands[-1]
    assert role == "table" and command["players"] == {"seat1": BOB, "seat2": ANN}
    assert command["names"] == {"white": "Bob", "black": "Ann"}
    assert command["computers"] == {"seat1": None, "seat2": None}
    phone.close()
    page.close()


@pytest.mark.long
def test_a_reviewed_game_shows_head_beside_hand(page: Page, shown: Served) -> None:
    """Without a review there is no head. After `scharten review` the player's page shows the server's figures
    by month."""
    page.get_by_role("link", name="Ann").click()
    expect(page.locator('[data-part="months"]')).to_be_visible()
    expect(page.locator('[data-part="head"]')).to_have_count(0)
    game = next(game for game in fetched(shown, f"/player/{ANN}.json")["games"] if game["result"])
    result = CliRunner().invoke(build("review"), ["review", game["match"], "--data", str(shown.folder)])
    assert result.exit_code == 0, result.output
    head = fetched(shown, f"/player/{ANN}.json")["head"]
    page.reload()
    expect(page.locator('[data-part="head"] .point')).to_have_count(1)
    expect(page.locator('[data-part="head"] p')).to_contain_text(f"{head['points']:g} points in 100 turns")
    expect(page.locator('[data-part="head"] tbody td').first).to_have_text(str(head["turns"]))


@pytest.mark.long
def test_the_computer_plays_like_a_player_who_agreed(
    shown: Served, chromium: Browser, host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player agrees in the profile. Then a new game offers the stand-in with the scatter, or shows how many
    darts it needs."""
    host.commands.clear()
    host.state(names={"white": "", "black": ""}, players={"seat1": None, "seat2": None})
    page = chromium.new_page(viewport={"width": 1280, "height": 900})

    def agree(agrees: bool) -> None:
        page.goto(f"{shown.url}/players?player={BOB}&lang=en")
        page.locator("#edit-player").click()
        expect(page.locator("#profile-stand-in")).to_be_checked(checked=not agrees)
        page.locator("#profile-stand-in").set_checked(agrees)
        page.locator("#keep-player").click()
        expect(page.locator("dialog")).to_have_count(0)
        wait_for(
            lambda: len(fetched(shown, "/players/stand-ins.json")["players"]) == agrees, 60, "the answer"
        )

    def option() -> Locator:
        page.goto(f"{shown.url}/?role=table&lang=en")
        page.locator("#new-game").click()
        return page.locator(f'#new-black-player option[value="as-{BOB}"]')

    expect(option()).to_have_count(0)
    agree(True)
    few = option()
    expect(few).to_contain_text(f"like Bob: needs {stand_ins.LEAST_DARTS} darts, has ")
    expect(few).to_be_disabled()
    monkeypatch.setattr(stand_ins, "LEAST_DARTS", 1)
    [bob] = fetched(shown, "/players/stand-ins.json")["players"]
    expect(option()).to_have_text(f"like Bob, {round(bob['mm'])} mm")
    page.locator("#new-black-player").select_option(f"as-{BOB}")
    page.locator("#start-game").click()
    expect(page.locator("dialog")).to_have_count(0)
    _, command = host.commands[-1]
    assert command["stand_ins"] == {"seat1": None, "seat2": {"player": BOB, "mm": bob["mm"]}}
    assert command["computers"] == {"seat1": None, "seat2": bob["level"]}
    assert command["players"]["seat2"] is None
    host.state(computers=command["computers"], stand_ins=command["stand_ins"])
    expect(page.locator("body")).to_contain_text(f"the computer like Bob, {round(bob['mm'])} mm")
    host.state(computers={"seat1": None, "seat2": None}, stand_ins={"seat1": None, "seat2": None})
    agree(False)
    expect(option()).to_have_count(0)
    page.close()
