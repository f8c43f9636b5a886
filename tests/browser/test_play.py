"""The play page in a real browser, against a host that repeats what the test says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost, snapshot
from browser.scenes import ENTRIES, position, scenes
from browser.servers import Mosquitto, Served, free_port, served

SIZES = {"phone": (360, 740), "tablet": (820, 1180), "4k": (3840, 2160)}
TOUCH = {"has_touch": True, "is_mobile": True}


def field(page: Page, name: str) -> Any:
    """A field of the schartbord."""
    return page.locator(f'#board [data-field="{name}"]')


@pytest.mark.parametrize("size", SIZES)
def test_a_move_by_touch_mouse_drag_and_keyboard(host: FakeHost, opened: Opener, size: str) -> None:
    """The same move four ways, at phone, tablet and 4K size, with the state that the page saw."""
    page = opened(size=SIZES[size], **TOUCH)
    field(page, "e1").tap()
    expect(page.locator(".dot.destination")).to_have_count(5)
    field(page, "e2").tap()
    command = host.heard("move")
    assert (command["role"], command["move"], command["seq"], command["match"]) == ("table", "e1e2", 1, "m1")
    field(page, "e1").click()
    field(page, "d1").click()
    assert host.heard("move")["move"] == "e1d1"
    field(page, "e1").drag_to(field(page, "f2"))
    assert host.heard("move")["move"] == "e1f2"
    field(page, "e1").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert host.heard("move")["move"] == "e1f2"
    assert not host.commands


def test_a_promotion_asks_for_the_piece(host: FakeHost, opened: Opener) -> None:
    """Four moves that differ in their last letter become four drawings to choose from."""
    text = position("Ke1 Pd7 kg8", "w - 17/17 0/0 0/0 9")
    host.state(position=text, moves=["d7d8q", "d7d8r", "d7d8b", "d7d8n"])
    page = opened()
    expect(page.locator(".piece")).to_have_count(3)
    field(page, "d7").click()
    field(page, "d8").click()
    page.get_by_role("button", name="white knight").click()
    assert host.heard("move")["move"] == "d7d8n"
    field(page, "d7").click()
    field(page, "d8").click()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert not host.commands


def test_why_a_capture_lacks_support_is_told_in_words_and_marked(host: FakeHost, opened: Opener) -> None:
    """The page asks the host about each enemy piece, marks what lacks support, and says the figures when tapped."""

    def answer(role: str, command: dict[str, Any]) -> dict[str, Any]:
        if command["type"] != "explain":
            return {"accepted": True}
        args = {"move": command["move"], "legal": False, "why": "not_a_move"}
        if command["move"] == "g3f6":
            args |= {
                "why": "no_support",
                "field": "f6",
                "value": 3,
                "support": 1,
                "needed": 2,
                "supporters": ["f4"],
            }
        return {"accepted": True, "args": args}

    host.answers = answer
    host.publish("state", scenes()["turn"])
    page = opened()
    expect(page.locator(".piece")).to_have_count(29)
    field(page, "g3").click()
    expect(page.locator(".frame.unsupported")).to_have_count(1)
    expect(field(page, "f6")).to_have_attribute("aria-label", re.compile("lacks support"))
    field(page, "f6").click()
    expect(page.locator(".notice.why")).to_have_text(
        "f6 is worth 3: the capture needs support 2, and there is 1."
    )
    assert {command["type"] for _, command in host.commands} == {"explain"}


def test_a_dropped_piece_goes_home_when_the_host_refuses(host: FakeHost, opened: Opener) -> None:
    """A refused move changes nothing on the page and is told in words."""
    host.answers = lambda role, command: {"accepted": False, "code": "stale", "args": {"seq": 9}}
    page = opened()
    home = page.locator('.piece[data-at="e1"]').bounding_box()
    field(page, "e1").drag_to(field(page, "e2"))
    expect(page.locator(".notice.refused")).to_contain_text("The board changed")
    assert page.locator('.piece[data-at="e1"]').bounding_box() == home


def test_the_buttons_of_each_moment(host: FakeHost, opened: Opener) -> None:
    """Announce, lost, cancel, ready, resume: each where it belongs, each with the state that was seen."""
    page = opened()
    page.get_by_role("button", name="White throws a dart").click()
    assert host.heard("announce_throw")["seq"] == 1
    host.state(seq=2, phase="throwing")
    page.get_by_role("button", name="It missed").click()
    assert host.heard("miss")["seq"] == 2
    page.get_by_role("button", name="Don't throw").click()
    host.heard("cancel_throw")
    host.state(seq=3, phase="settling", side="black")
    page.get_by_role("button", name="Dart removed").click()
    host.heard("ready")
    host.state(seq=4, phase="paused", paused_from="turn")
    page.locator("#actions").get_by_role("button", name="Go on").click()
    host.heard("resume")


def test_a_throw_that_is_due_lights_its_zone(host: FakeHost, opened: Opener) -> None:
    """The zone of the thrower, and which fields of it are free, come from the snapshot; beds keep their colour."""
    host.state(seq=2, phase="throwing", shown={"zone": ["a1", "a2"]}, drops=["a2"])
    page = opened()
    expect(page.locator("#board .field.zone")).to_have_count(2)
    expect(page.locator("#board .dot.drop")).to_have_count(1)
    expect(page.locator("#board .zone-line")).to_have_count(1)
    colours = page.locator("#board .field.ring0.red").evaluate_all(
        "fields => [...new Set(fields.map((field) => getComputedStyle(field).fill))]"
    )
    assert len(colours) == 1
    expect(page.locator(".board-centre")).to_contain_text("Anna throws a pawn")


def test_an_open_question_is_answered_by_a_picture(host: FakeHost, opened: Opener) -> None:
    """Two pictures with what each would do; or neither."""
    host.publish("state", scenes()["question"])
    page = opened()
    expect(page.locator(".picture")).to_have_count(2)
    expect(page.locator('.picture[data-bed="F7"]')).to_contain_text("field c2")
    expect(page.locator('.picture[data-bed="T7"]')).to_contain_text("occupied")
    page.locator('.picture[data-bed="T7"]').click()
    assert host.heard("choose_bed")["bed"] == "T7"
    page.get_by_role("button", name="Neither").click()
    assert host.heard("choose_bed")["bed"] is None


def test_the_last_dart_is_put_right_in_two_taps(host: FakeHost, opened: Opener) -> None:
    """Tap the dart, tap a neighbouring bed; deleting, adding and taking back are there too."""
    host.publish("state", scenes()["turn"])
    page = opened(size=SIZES["phone"], **TOUCH)
    page.locator("#last-dart").tap()
    page.locator('.bed-choice[data-bed="T4"]').tap()
    assert host.heard("correct")["bed"] == "T4"
    page.locator("#last-dart").tap()
    page.get_by_role("button", name="There was no dart").tap()
    host.heard("delete_dart")
    page.locator("#last-dart").tap()
    page.get_by_label("Another bed").select_option("add")
    page.locator('.picker [data-bed="BULL"]').tap()
    assert host.heard("add_dart")["bed"] == "BULL"


def test_a_dart_that_did_not_count_asks_whether_something_was_forgotten(
    host: FakeHost, opened: Opener
) -> None:
    """A reading that was shown only can be made to count with one tap."""
    page = opened()
    reading = {"v": 1, "at_ms": 1, "source": "board", "bed": "F7", "beds": ["F7"], "counted": False}
    reading |= {
        "why": "move_forgotten",
        "confidence": 1.0,
        "x_mm": None,
        "y_mm": None,
        "match": "m1",
        "seq": 1,
    }
    host.publish("hits", reading, retain=False)
    expect(page.locator(".doubt")).to_contain_text("nobody pressed throw. Count it for White?")
    page.get_by_role("button", name="It counts: pawn on c2").click()
    assert host.heard("add_dart")["bed"] == "F7"
    expect(page.locator(".doubt")).to_be_hidden()


def test_a_lost_dart_that_suits_the_other_side_asks_too(host: FakeHost, opened: Opener) -> None:
    """The host's hint that a move was perhaps not entered becomes one tap that takes the turn back."""
    lost = {
        "by": "white",
        "text": "@-",
        "move": "@-",
        "fields": [],
        "bed": "F1",
        "x_mm": None,
        "y_mm": None,
        "foul": "outside_zone",
    }
    message = {
        "code": "lost",
        "args": {"side": "white", "foul": "outside_zone", "bed": "F1", "move_forgotten": True},
    }
    host.state(seq=2, side="black", phase="settling", last=lost | {"dart": True}, message=message)
    page = opened()
    expect(page.locator(".doubt")).to_contain_text("suits the other side")
    page.locator(".doubt").get_by_role("button", name="Take back a turn").click()
    assert host.heard("take_back")["turns"] == 1


def test_white_is_found_by_dart_lot_or_agreement(host: FakeHost, opened: Opener) -> None:
    """Whose dart it is stands in the middle of the board; lot and agreement are a tap away."""
    host.publish("state", scenes()["deciding"])
    page = opened()
    expect(page.locator(".board-centre")).to_contain_text("Anna throws")
    page.get_by_role("button", name="Draw lots").click()
    assert host.heard("decide_white")["by"] == "lot"
    page.get_by_role("button", name="Bert has White").click()
    assert host.heard("decide_white")["white"] == "seat2"


def test_the_other_seat_agrees_to_a_request(host: FakeHost, opened: Opener) -> None:
    """The seat that asked waits; the other one has the button."""
    request = {"id": "r1", "by": "seat1", "type": "take_back", "args": {"turns": 1}, "until_ms": 2**42}
    host.state(requests=[request])
    asker = opened("role=seat1&lang=en")
    expect(asker.locator(".ask")).to_contain_text("Anna asks: take back 1")
    expect(asker.locator(".ask button")).to_have_count(0)
    other = opened("role=seat2&lang=en")
    other.get_by_role("button", name="Agree").click()
    command = host.heard("confirm")
    assert (command["role"], command["request"]) == ("seat2", "r1")


def test_a_seat_moves_only_its_own_pieces_on_its_own_turn(host: FakeHost, opened: Opener) -> None:
    """Black's page cannot move while White is to move, and says whose turn it is."""
    page = opened("role=seat2&lang=en")
    field(page, "e1").click()
    expect(page.locator(".notice")).to_contain_text("White's turn")
    expect(page.locator(".dot.destination")).to_have_count(0)
    expect(page.locator("#actions button")).to_have_count(0)


def test_a_display_only_looks(host: FakeHost, opened: Opener) -> None:
    """No buttons that act, no field that can be focused."""
    host.publish("state", scenes()["question"])
    page = opened("role=display&lang=en")
    expect(page.locator("#question")).to_be_visible()
    assert page.locator(".picture:enabled, #new-game, #take-back, .more, .virtual:visible").count() == 0
    field(page, "e2").click(force=True)
    assert page.locator("#board [tabindex]").count() == 0
    assert not host.commands


def test_draws_claims_and_resigning(host: FakeHost, opened: Opener) -> None:
    """The shared table says for which side; resigning asks once more."""
    host.state(seq=2, draw_offer="white")
    page = opened()
    page.get_by_role("button", name="Decline").click()
    assert (host.heard("answer_draw") | {"id": 0})["accept"] is False
    page.get_by_role("button", name="Black: resign").click()
    page.get_by_role("button", name="Offer a draw").click()
    assert host.heard("offer_draw")["side"] == "black"
    page.get_by_role("button", name="White: resign").click()
    page.get_by_label("With my next move").fill("e1e2")
    page.get_by_role("button", name="Claim: fifty").click()
    claim = host.heard("claim_draw")
    assert (claim["rule"], claim["move"]) == ("fifty_moves", "e1e2")
    page.get_by_role("button", name="White: resign").click()
    page.get_by_role("button", name="Resign", exact=True).click()
    assert not host.commands
    page.get_by_role("button", name="Yes, White resigns").click()
    assert host.heard("resign")["side"] == "white"


def after_an_uneven_game() -> dict[str, Any]:
    """A game that is over, in which White might lose more darts than Black."""
    over = scenes()["fogling"]
    options = over["game"]["options"] | {"foul_limit": {"white": 5, "black": 2}}
    return over | {"game": over["game"] | {"options": options}}


def test_a_new_game_with_every_option_and_a_rematch_in_one_tap(host: FakeHost, opened: Opener) -> None:
    """The dialog sends what was chosen; while a game is on it abandons it; a rematch swaps colours and limits."""
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
    order = host.heard("new_game")
    assert (order["abandon"], order["names"]["white"], order["kind"]) == (True, "Cor", "loud")
    assert order["options"]["foul_limit"] == {"white": 5, "black": 3}
    assert order["options"]["zones"] == {"white": ["a1", "b1", "c1"], "black": ["a8"]}
    stages = [{"moves": 40, "minutes": 100}, {"moves": None, "minutes": 15}]
    assert order["clock"] == {"stages": stages, "increment_s": 5}
    host.publish("state", after_an_uneven_game())
    page.locator("#end").get_by_role("button", name="Rematch").click()
    again = host.heard("new_game")
    assert again["names"] == {"white": "Bert", "black": "Anna"}
    assert again["seats"] == {"seat1": "black", "seat2": "white"}
    assert again["options"]["foul_limit"] == {"white": 2, "black": 5}
    assert "abandon" not in again


def test_three_fouls_are_announced_so_that_nobody_misses_it(host: FakeHost, opened: Opener) -> None:
    """Beside the board stands who won and why, on a read-only display too."""
    page = opened("role=display&lang=nl")
    host.publish("state", scenes()["fogling"])
    end = page.locator("#end")
    expect(end).to_contain_text("0-1")
    expect(end).to_contain_text("Bert wint")
    expect(end).to_contain_text("Wit verloor 3 darts op rij")


WHOLE = {"v": 2, "match": "m1", "started_ms": 0, "result": None, "reason": None,
         "headers": {"White": "Anna", "Black": "Bert", "Game": "scharten", "Kind": "loud"}}  # fmt: skip


def test_the_sheet_can_be_read_backwards(host: FakeHost, opened: Opener) -> None:
    """Stepping back shows the position of then, in the letters of this device; the present comes back."""
    first = position("Ke1 Pe2* ke8", "b - 1/0 0/0 0/0 1")
    entries = [ENTRIES[0] | {"position": first}, *ENTRIES[1:]]
    host.publish("state", scenes()["turn"])
    host.publish("sheet", WHOLE | {"start": snapshot()["position"], "entries": entries})
    page = opened("role=table&lang=nl")
    page.locator("#drawer-handle").click()
    expect(page.locator(".moves button")).to_have_count(len(entries))
    expect(page.locator(".moves button").nth(9)).to_have_text("Dxe5")
    page.locator(".moves button").first.click()
    expect(page.locator(".piece")).to_have_count(3)
    expect(page.locator(".board-centre")).to_contain_text("Terugkijken")
    page.get_by_role("button", name="Naar nu").click()
    expect(page.locator(".piece")).to_have_count(29)
    with page.expect_download() as download:
        page.get_by_role("button", name="Downloaden").click()
    text = " ".join(download.value.path().read_text().split())
    assert '[White "Anna"]' in text and "5. P@g3 {T2} Dxe5" in text and "2. @c3 {T7} @- {D20}" in text


def test_the_evenings_games_are_kept(host: FakeHost, opened: Opener) -> None:
    """Each game that ends joins the list with its score; a result that is taken back leaves it."""
    page = opened()
    ended = scenes()["fogling"] | {"names": {"white": "Frits", "black": "Gera"}}
    for match, result in (("g1", "1-0"), ("g2", "½-½"), ("g3", "0-1")):
        host.publish("state", ended | {"match": match, "result": result, "reason": "arbiter"})
        expect(page.locator(".end-result")).to_have_text(result)
    host.publish("state", ended | {"match": "g3", "result": None, "phase": "turn"})
    expect(page.locator("#end")).to_be_hidden()
    host.state(match="g4")
    expect(page.locator("#player-white .player-name")).to_have_text("Anna")
    page.get_by_role("button", name="Tonight").click()
    expect(page.locator(".results tr").filter(has_text="Frits")).to_have_count(2)
    expect(page.locator(".results-score")).to_contain_text("Frits: 1.5")


def test_clocks_count_from_the_snapshot(host: FakeHost, opened: Opener) -> None:
    """The running clock goes down by itself, the other stands; nothing ticks over the wire."""
    clock = {"white_ms": 61_000, "black_ms": 5_000, "running": "white", "stage": 1, "flags": {}}
    page = opened()
    page.evaluate("0")
    now = page.evaluate("Date.now()")
    host.state(seq=2, clock=clock | {"since_ms": now, "stages": {"white": 1, "black": 1}})
    expect(page.locator("#player-black .clock")).to_have_text("0:05.0")
    expect(page.locator("#player-white .clock")).to_have_text(re.compile(r"^0:5[0-9]$"))


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
    """Stuck contacts by bed, or by drive and sense where no bed is known; every warning, in its words."""
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


def test_the_secret_leaves_the_address_bar(host: FakeHost, opened: Opener) -> None:
    """The fragment is kept for a reload in this tab and shown nowhere."""
    page = opened("role=table&lang=en#s3cret")
    assert "s3cret" not in page.url
    assert page.evaluate("sessionStorage.getItem('scharten.secret.table')") == "s3cret"
    assert "s3cret" not in page.content()


def test_an_old_link_says_so_once(host: FakeHost, chromium: Browser, broker: Mosquitto) -> None:
    """A secret of another evening, or a broken one, is refused in words and forgotten: where the role is open, a reload
    gets in."""
    with served(broker.port, open_roles=("table",), role_secrets={"table": "evening"}) as display:
        for old in ("yesterday", "%E0%A4%A", "%"):
            page = chromium.new_page()
            page.goto(f"{display.url}/?role=table&lang=en#{old}")
            expect(page.locator(".link-state")).to_contain_text("not valid (any more)")
            assert page.evaluate("sessionStorage.length") == 0
            page.reload()
            expect(page.locator(".piece")).to_have_count(2)
            expect(page.locator(".link-state")).to_be_hidden()
            page.close()


def test_a_broker_that_comes_back_needs_no_reload(
    host: FakeHost, opened: Opener, broker: Mosquitto, display: Served
) -> None:
    """While it is away the page says so and sends nothing later; afterwards it goes on with the newest state."""
    page = opened()
    broker.stop()
    expect(page.locator(".link-state")).to_contain_text("broker is away")
    page.get_by_role("button", name="White throws a dart").click()
    expect(page.locator(".notice.refused")).to_contain_text("nothing was sent")
    broker.start()
    host.publish("availability", "online", raw=True)
    host.state(seq=7, names={"white": "Dirk", "black": "Ella"})
    expect(page.locator("#player-white .player-name")).to_have_text("Dirk")
    expect(page.locator(".link-state")).to_be_hidden()
    assert not host.commands


def test_every_scene_reads_well_in_every_language(host: FakeHost, opened: Opener) -> None:
    """No raw key, no unfilled place, no `undefined` in any scene."""
    pages = {language: opened(f"role=arbiter&lang={language}") for language in ("en", "nl", "de")}
    for name, state in scenes().items():
        host.publish("state", state)
        for language, page in pages.items():
            expect(page.locator(".board-centre")).to_have_attribute("data-phase", state["phase"])
            text = page.locator("body").inner_text()
            assert not re.search(r"\{\w+|undefined|null|\bNaN\b|\b[a-z]+\.[a-z_]+\b", text), (
                name,
                language,
                text,
            )


def test_a_display_server_that_comes_back_needs_no_reload(
    host: FakeHost, chromium: Browser, broker: Mosquitto
) -> None:
    """The page says that it is cut off, tries again by itself, shows the newest state; nothing was kept to be sent."""
    port = free_port()
    with served(broker.port, port=port, open_roles=("table",)) as first:
        page = chromium.new_page()
        page.goto(f"{first.url}/?lang=en")
        expect(page.locator(".piece")).to_have_count(2)
    expect(page.locator(".link-state")).to_contain_text("No connection")
    page.get_by_role("button", name="White throws a dart").click()
    expect(page.locator(".notice.refused")).to_contain_text("nothing was sent")
    host.state(seq=8, names={"white": "Guus", "black": "Hans"})
    with served(broker.port, port=port, open_roles=("table",)):
        expect(page.locator("#player-white .player-name")).to_have_text("Guus")
        expect(page.locator(".link-state")).to_be_hidden()
        page.close()
    assert not host.commands


def test_a_keypad_beside_the_board_announces_loses_and_readies(host: FakeHost, opened: Opener) -> None:
    """`+` and `-` press the button that the moment has, and do nothing where it has none or a person types."""
    page = opened()
    expect(page.locator('[data-command="announce_throw"]')).to_be_visible()
    page.keyboard.press("-")
    page.keyboard.press("NumpadAdd")
    assert host.heard("announce_throw")["role"] == "table"
    host.state(phase="throwing", seq=2)
    expect(page.locator('[data-command="miss"]')).to_be_visible()
    page.keyboard.press("NumpadSubtract")
    assert host.heard("miss")["seq"] == 2
    host.state(phase="settling", seq=3)
    expect(page.locator('[data-command="ready"]')).to_be_visible()
    page.keyboard.press("+")
    assert host.heard("ready")["seq"] == 3
    assert not host.commands


def test_a_nudged_camera_is_an_alarm_in_words_with_its_cure(host: FakeHost, opened: Opener) -> None:
    """What the camera source says in `health` stands on the page: which camera, that nothing counts, the cure."""
    page = opened()
    detail = "camera 1 was moved: the board lies 9 px from where it was calibrated."
    source = {"name": "camera", "state": "silent", "detail": detail, "since_ms": 0}
    host.publish("health", {"v": 1, "version": "1", "playable": True, "sources": [source]})
    expect(page.get_by_text("Camera 2 was moved or is covered: no dart counts.")).to_be_visible()
    expect(page.get_by_text("run scharten-calibrate camera")).to_be_visible()
    host.publish(
        "health", {"v": 1, "version": "1", "playable": True, "sources": [source | {"state": "found"}]}
    )
    expect(page.get_by_text("Camera 2 was moved")).to_have_count(0)
