"""The first visit, the new-game dialog, and the pages of seats on phones."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import LAST, scenes
from browser.servers import Served


def test_a_first_visit_shows_learn_and_play(host: FakeHost, opened: Opener) -> None:
    """Three large pictures, and no slabs before there are players."""
    host.state(phase="setup", match="", names={"white": "", "black": ""})
    page = opened()
    expect(page.locator("#actions .tile strong")).to_have_text(["Play", "Practise", "Learn"])
    expect(page.locator("#player-white")).to_be_hidden()
    page.locator("#play").click()
    expect(page.locator("#start-game")).to_be_visible()


def test_every_way_to_begin_is_in_view(host: FakeHost, opened: Opener) -> None:
    """The three pictures and the computer stand whole below each other, also on a phone held sideways, in
    letters of at least 11 px."""
    host.publish("state", scenes()["setup"])
    page = opened("role=table&lang=de", (844, 390))
    expect(page.locator(".tile")).to_have_count(3)
    for size in ((844, 390), (667, 375), (1280, 800), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        bottom = 0.0
        for choice in page.locator(".tile, #play-computer").all():
            box = choice.bounding_box()
            assert box and box["y"] >= bottom and box["y"] + box["height"] <= size[1], (size, box)
            bottom = box["y"] + box["height"]
            assert choice.evaluate("e => e.scrollHeight <= e.clientHeight + 2"), size
        sizes = page.locator(".tile strong").evaluate_all(
            "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
        )
        assert min(sizes) >= 11, sizes


def test_the_computer_is_prepared_before_it_is_asked(host: FakeHost, pages: Pages, display: Served) -> None:
    """The first page makes the server start the computer's process; a turn that allows advice starts the adviser's."""
    sent: list[str] = []
    host.state(phase="setup", match="", names={"white": "", "black": ""})
    page = pages.open("about:blank")
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.goto(f"{display.url}/?role=table&lang=en")
    expect(page.locator("#play")).to_be_visible()
    assert any('"prepare"' in text and '"computer"' in text for text in sent), sent
    host.state()
    expect(page.locator("#advice")).to_be_visible()
    assert any('"prepare"' in text and '"adviser"' in text for text in sent), sent


def test_the_page_names_the_game(host: FakeHost, opened: Opener) -> None:
    """The top line and the heading above the moves show the game, and whether darts are thrown."""
    host.state()
    page = opened()
    for place in ("#header h1", "#sheet h2"):
        expect(page.locator(place).first).to_have_text("Scharten, loud")


def test_a_game_begins_on_one_screen_and_is_remembered(host: FakeHost, opened: Opener) -> None:
    """At 1366x768 Start is in view without scrolling. Names, clock and rules return in the next dialog."""
    host.state(phase="setup", match="", names={"white": "", "black": ""})
    page = opened(size=(1366, 768))
    page.locator("#play").click()
    dialog = page.locator("dialog")
    assert dialog.evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    page.get_by_label("White's name").fill("Cor")
    page.get_by_label("Clock", exact=True).select_option("blitz")
    page.get_by_text("More rules").click()
    page.get_by_label("White's fouls").fill("5")
    page.locator("#start-game").click()
    order = host.next_command("new_game")
    assert order["clock"]["increment_s"] == 5 and "abandon" not in order
    expect(dialog).to_have_count(0)
    page.locator("#play").click()
    expect(page.get_by_label("Clock", exact=True)).to_have_value("blitz")
    expect(page.locator("#known-names option")).to_have_attribute("value", "Cor")
    page.get_by_text("More rules").click()
    expect(page.get_by_label("White's fouls")).to_have_value("5")


def test_two_names_and_enter_begin_a_game(host: FakeHost, opened: Opener) -> None:
    """The first name has the focus, Tab leads to the second, and Enter begins the game."""
    host.state(phase="setup", match="", names={"white": "", "black": ""})
    page = opened("role=table&lang=en&new")
    expect(page.locator("#new-white-name")).to_be_focused()
    assert "new" not in page.evaluate("[...new URLSearchParams(location.search).keys()]")
    page.keyboard.type("Cor")
    page.keyboard.press("Tab")
    page.keyboard.type("Dirk")
    page.keyboard.press("Enter")
    assert host.next_command("new_game")["names"] == {"white": "Cor", "black": "Dirk"}
    expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("drawn", "hand", "white"), [(0, "left", "Dirk"), (0, "right", "Cor"), (1, "left", "Cor")]
)
def test_a_hand_with_a_hidden_pawn_decides_who_has_white(
    host: FakeHost, opened: Opener, drawn: int, hand: str, white: str
) -> None:
    """The player who picks the hand with the pawn has Black; seat, name and foul limit follow the player."""
    host.state(phase="setup", match="", names={"white": "", "black": ""})
    page = opened()
    page.evaluate("drawn => { crypto.getRandomValues = (array) => array.fill(drawn); }", drawn)
    page.locator("#play").click()
    page.get_by_label("White's name").fill("Cor")
    page.get_by_label("Black's name").fill("Dirk")
    page.get_by_text("More rules").click()
    page.get_by_label("Who has White").select_option("hands")
    page.get_by_label("White's fouls").fill("5")
    page.locator("#start-game").click()
    page.locator(f'[data-hand="{hand}"]').click()
    expect(page.get_by_text(f"{white} has White.")).to_be_visible()
    assert not host.commands
    page.locator("#start-hands").click()
    order = host.next_command("new_game")
    seats = {"Cor": "seat1", "Dirk": "seat2"}
    assert order["names"]["white"] == white and order["seats"][seats[white]] == "white"
    limits = {"white": 5, "black": 3} if white == "Cor" else {"white": 3, "black": 5}
    assert order["options"]["foul_limit"] == limits
    assert order["options"]["white_by"] == "agreed"


def test_an_error_among_the_folded_rules_is_shown(host: FakeHost, opened: Opener) -> None:
    """Start unfolds the rules and sends nothing."""
    page = opened()
    page.locator("#new-game").click()
    page.get_by_text("More rules").click()
    page.get_by_label("White's fouls").fill("1000")
    page.get_by_text("More rules").click()
    page.locator("#start-game").click()
    expect(page.get_by_label("White's fouls")).to_be_visible()
    assert not host.commands


@pytest.mark.long
def test_black_sees_the_board_turned_and_anyone_may_flip_it(host: FakeHost, opened: Opener) -> None:
    """On Black's phone the black king is below and the slab names Black. The button turns the board for any role."""
    page = opened("role=seat2&lang=en", (390, 844))

    def below(letter: str, than: str) -> bool:
        upper, lower = (page.locator(f'.piece[data-at="{field}"]').bounding_box() for field in (letter, than))
        assert upper is not None and lower is not None
        return upper["y"] > lower["y"]

    assert below("e8", "e1")
    expect(page.locator("#player-black .you")).to_have_text("you are Black")
    page.locator("#flip").click()
    assert below("e1", "e8")
    table = opened("role=table&lang=en")
    table.locator("#flip").click()
    expect(table.locator("body")).to_have_class("play-page turned")


def test_a_request_can_be_declined(host: FakeHost, opened: Opener) -> None:
    """The other seat declines the request."""
    request = {"id": "r1", "by": "seat1", "type": "take_back", "args": {"turns": 1}, "until_ms": 2**42}
    host.state(requests=[request])
    page = opened("role=seat2&lang=en")
    page.locator(".ask").get_by_role("button", name="No", exact=True).click()
    answer = host.next_command("confirm")
    assert (answer["request"], answer["accept"]) == ("r1", False)


def test_a_move_taken_back_can_be_played_again(host: FakeHost, opened: Opener) -> None:
    """Redo offers the taken-back move until another turn is played; it never offers a dart."""
    moved = LAST | {
        "by": "white",
        "text": "Kd1",
        "move": "e1d1",
        "fields": ["e1", "d1"],
        "bed": None,
        "dart": False,
    }
    host.state(turns=0)
    page = opened()
    host.state(seq=2, turns=1, side="black", last=moved)
    expect(page.locator("#take-back")).to_be_enabled()
    host.state(seq=3, turns=0)
    page.locator("#redo").click()
    assert host.next_command("move")["move"] == "e1d1"
    host.state(seq=4, turns=1, side="black", last=moved | {"move": "e1f1"})
    expect(page.locator("#redo")).to_be_hidden()
    host.state(seq=5, turns=0)
    expect(page.locator("#redo")).to_be_visible()
    host.state(seq=6, turns=1, side="black", last=moved | {"dart": True, "move": "@f2"})
    expect(page.locator("#redo")).to_be_hidden()
    expect(page.locator("#take-back")).to_be_enabled()
    host.state(seq=7, turns=0)
    expect(page.locator("#take-back")).to_be_disabled()
    expect(page.locator("#redo")).to_be_hidden()


def test_a_browser_that_keeps_no_screen_awake_is_reported(host: FakeHost, opened: Opener) -> None:
    """The page without a wake lock (no secure connection) warns once that the screen may turn dark."""
    page = opened(script="Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    expect(page.locator(".notice.wake")).to_contain_text("may turn dark")


@pytest.mark.long
def test_the_table_hands_out_links_or_says_why_not(host: FakeHost, opened: Opener) -> None:
    """On this machine only, the dialog says how to open the board to phones. A seat has no such button."""
    host.publish("state", scenes()["turn"])
    page = opened()
    page.locator("#phones").click()
    expect(page.locator("dialog")).to_contain_text("scharten run --lan")
    expect(opened("role=seat1&lang=en").locator("#phones")).to_have_count(0)


def after_an_uneven_game() -> dict[str, Any]:
    """Return a finished game in which White may lose more darts than Black."""
    over = scenes()["fogling"]
    options = over["game"]["options"] | {"foul_limit": {"white": 5, "black": 2}}
    return over | {"game": over["game"] | {"options": options}}


@pytest.mark.long
def test_a_new_game_with_every_option_and_a_rematch_in_one_tap(host: FakeHost, opened: Opener) -> None:
    """The dialog sends the chosen options and abandons a running game. A rematch swaps colours and limits."""
    page = opened()
    page.locator("#new-game").click()
    expect(page.locator(".warning")).to_contain_text("abandons")
    page.get_by_label("White's name").fill("Cor")
    page.get_by_text("More rules").click()
    page.get_by_label("White's fouls").fill("5")
    page.get_by_label("Zones").select_option("own")
    page.get_by_label("White's fields").fill("a1 b1, c1")
    page.get_by_label("Black's fields").fill("a8")
    page.get_by_label("Clock", exact=True).select_option("own")
    page.get_by_label("Minutes each").fill("40/100 15")
    page.get_by_role("button", name="Start the game").click()
    order = host.next_command("new_game")
    assert (order["abandon"], order["names"]["white"], order["kind"]) == (True, "Cor", "loud")
    assert order["options"]["foul_limit"] == {"white": 5, "black": 3}
    assert order["options"]["zones"] == {"white": ["a1", "b1", "c1"], "black": ["a8"]}
    stages = [{"moves": 40, "minutes": 100}, {"moves": None, "minutes": 15}]
    assert order["clock"] == {"stages": stages, "increment_s": 5}
    host.publish("state", after_an_uneven_game())
    page.locator("#end").get_by_role("button", name="Rematch").click()
    rematch = host.next_command("new_game")
    assert rematch["names"] == {"white": "Bert", "black": "Anna"}
    assert rematch["seats"] == {"seat1": "black", "seat2": "white"}
    assert rematch["options"]["foul_limit"] == {"white": 2, "black": 5}
    assert "abandon" not in rematch
