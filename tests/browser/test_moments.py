"""The buttons, questions and texts of each moment of a game."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import still
from browser.scenes import scenes

MISSED = '#actions [data-command="miss"]'
TOUCH = {"has_touch": True, "is_mobile": True}


@pytest.mark.long
def test_a_seat_calls_only_its_own_dart_missed(host: FakeHost, opened: Opener) -> None:
    """Only the page of the throwing seat has the button."""
    host.state(seq=2, phase="throwing")
    for seat, count in (("seat1", 1), ("seat2", 0)):
        page = opened(f"role={seat}&lang=en")
        page.locator(".piece").first.wait_for()
        expect(page.locator(MISSED)).to_have_count(count)


@pytest.mark.long
def test_the_buttons_of_each_moment(host: FakeHost, wired: Opener) -> None:
    """Announce, lost, cancel, ready and resume each appear in their moment and send the `seq` that the page shows."""
    page = wired()
    page.get_by_role("button", name="Anna throws a dart").click()
    assert host.next_command("announce_throw")["seq"] == 1
    host.state(seq=2, phase="throwing")
    page.get_by_role("button", name="Missed").click()
    assert host.next_command("miss")["seq"] == 2
    page.get_by_role("button", name="Don't throw").click()
    host.next_command("cancel_throw")
    host.state(seq=3, phase="settling", side="black")
    page.get_by_role("button", name="Dart removed").click()
    host.next_command("ready")
    host.state(seq=4, phase="paused", paused_from="turn")
    page.locator("#actions").get_by_role("button", name="Resume").click()
    host.next_command("resume")


@pytest.mark.long
def test_a_throw_that_is_due_lights_its_zone(host: FakeHost, opened: Opener) -> None:
    """The snapshot gives the thrower's zone and its free fields; beds keep their colour."""
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


@pytest.mark.long
def test_an_open_question_is_answered_by_a_picture(host: FakeHost, opened: Opener) -> None:
    """Two pictures show what each answer would do, beside "neither". No command button or zone
    is shown."""
    host.publish("state", scenes()["question"])
    page = opened()
    expect(page.locator(".picture")).to_have_count(2)
    expect(page.locator('.picture[data-bed="F7"]')).to_contain_text("field c2")
    expect(page.locator('.picture[data-bed="T7"]')).to_contain_text("occupied")
    expect(page.locator("[data-command], #advice, #board .field.zone")).to_have_count(0)
    page.locator('.picture[data-bed="T7"]').click()
    assert host.next_command("choose_bed")["bed"] == "T7"
    page.get_by_role("button", name="Neither").click()
    assert host.next_command("choose_bed")["bed"] is None


@pytest.mark.long
def test_every_answer_is_in_view_on_a_phone_held_sideways(host: FakeHost, opened: Opener) -> None:
    """Without scrolling each picture is as tall as a finger is wide, and nothing covers the last button."""
    host.publish("state", scenes()["question"])
    page = opened(size=(844, 390))
    expect(page.locator(".picture .dartboard")).to_have_count(2)
    expect(page.locator(".picture-none")).to_have_count(1)
    for answer in page.locator(".picture, .picture-none").all():
        box = answer.bounding_box()
        assert box is not None
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        assert answer.evaluate("(e, {x, y}) => e.contains(document.elementFromPoint(x, y))", middle)
    for picture in page.locator(".picture .dartboard").all():
        box = picture.bounding_box()
        assert box is not None and box["height"] >= 60


@pytest.mark.long
def test_the_last_dart_is_put_right_in_two_taps(host: FakeHost, opened: Opener) -> None:
    """A tap on the dart and one on a neighbouring bed correct it. Deleting, adding and taking back are offered too."""
    host.publish("state", scenes()["turn"])
    page = opened(size=(360, 740), **TOUCH)
    page.locator("#last-dart").tap()
    page.locator('.bed-choice[data-bed="T4"]').tap()
    assert host.next_command("correct")["bed"] == "T4"
    page.locator("#last-dart").tap()
    page.get_by_role("button", name="There was no dart").tap()
    host.next_command("delete_dart")
    page.locator("#last-dart").tap()
    page.get_by_label("Another bed").select_option("add")
    page.locator('.picker [data-bed="BULL"]').tap()
    assert host.next_command("add_dart")["bed"] == "BULL"


def test_a_dart_that_did_not_count_asks_whether_something_was_forgotten(
    host: FakeHost, wired: Opener
) -> None:
    """One tap makes a reading count that was only shown."""
    page = wired()
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
    expect(page.locator(".doubt")).to_contain_text("nobody announced a throw. Count it for Anna?")
    page.get_by_role("button", name="It counts: pawn on c2").click()
    assert host.next_command("add_dart")["bed"] == "F7"
    expect(page.locator(".doubt")).to_be_hidden()


@pytest.mark.long
def test_an_unclear_change_is_shown_while_no_dart_is_due(host: FakeHost, wired: Opener) -> None:
    """The page says that something changed. A person enters the dart or says that no dart came."""
    page = wired("role=table&lang=nl")
    unclear = {
        "v": 2,
        "at_ms": 1,
        "source": "camera",
        "bed": None,
        "beds": [],
        "counted": False,
        "confidence": 0.0,
    }
    unclear |= {"why": "not_announced", "x_mm": None, "y_mm": None, "match": "m1", "seq": 1}
    host.publish("hits", unclear, retain=False)
    expect(page.locator(".doubt")).to_contain_text(
        "Er veranderde iets op het bord, maar de camera's zien niet wat."
    )
    page.get_by_role("button", name="Het was een dart").click()
    page.locator('dialog .picker [data-bed="D3"]').click()
    assert host.next_command("add_dart")["bed"] == "D3"
    host.publish("hits", unclear | {"at_ms": 2}, retain=False)
    page.get_by_role("button", name="Er kwam geen dart").click()
    expect(page.locator(".doubt")).to_be_hidden()
    assert not host.commands


def test_a_lost_dart_that_suits_the_other_side_asks_too(host: FakeHost, wired: Opener) -> None:
    """The host suspects that a move was not entered; one tap takes the turn back."""
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
    page = wired()
    expect(page.locator(".doubt")).to_contain_text("would suit the other side")
    page.locator(".doubt").get_by_role("button", name="It does not count").click()
    assert host.next_command("take_back")["turns"] == 1


def test_white_is_found_by_dart_lot_or_agreement(host: FakeHost, opened: Opener) -> None:
    """The middle of the board names the thrower; lot and agreement each take one tap."""
    host.publish("state", scenes()["deciding"])
    page = opened()
    expect(page.locator(".board-centre")).to_contain_text("Anna throws")
    page.get_by_role("button", name="Draw lots").click()
    assert host.next_command("decide_white")["by"] == "lot"
    page.get_by_role("button", name="Bert has White").click()
    assert host.next_command("decide_white")["white"] == "seat2"


@pytest.mark.long
def test_clocks_count_from_the_snapshot(host: FakeHost, opened: Opener) -> None:
    """The running clock counts down in the page without messages; the other clock stands."""
    clock = {"white_ms": 61_000, "black_ms": 5_000, "running": "white", "stage": 1, "flags": {}}
    page = opened()
    page.evaluate("0")
    now = page.evaluate("Date.now()")
    host.state(seq=2, clock=clock | {"since_ms": now, "stages": {"white": 1, "black": 1}})
    expect(page.locator("#player-black .clock")).to_have_text("0:05.0")
    expect(page.locator("#player-white .clock")).to_have_text(re.compile(r"^0:5[0-9]$"))


@pytest.mark.long
def test_every_scene_reads_well_in_every_language(host: FakeHost, opened: Opener) -> None:
    """No scene shows a raw key, an unfilled placeholder or `undefined`."""
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


COLOURS = {"en": "White|Black", "nl": "Wit|Zwart", "de": "Weiß|Schwarz"}
SAID = ".centre-text, .centre-small, .moment, #actions button, #end h2, #end .end-reason, .ask p"
"""Where a page names the players; the draw for White names the colour itself."""


@pytest.mark.long
def test_sentences_use_names_and_two_pages_the_same_words(host: FakeHost, opened: Opener) -> None:
    """Where players have names no sentence uses their colour. The wall's hub has the table's first sentences."""
    for language, colours in COLOURS.items():
        table = opened(f"role=table&lang={language}")
        wall = opened(f"role=display&lang={language}")
        for name, state in scenes().items():
            if name in ("setup", "deciding"):
                continue
            host.publish("state", state)
            for page in (table, wall):
                expect(page.locator(".board-centre")).to_have_attribute("data-phase", state["phase"])
            still(table)
            still(wall)
            said = [text for page in (table, wall) for text in page.locator(SAID).all_inner_texts()]
            assert said and [text for text in said if re.search(colours, text)] == [], (language, name)
            hubs = [page.locator(".centre-text, .centre-small").all_text_contents() for page in (table, wall)]
            assert hubs[1] and hubs[1] == hubs[0][: len(hubs[1])], (language, name)


@pytest.mark.long
def test_a_pause_is_shown_as_long_as_it_lasts(host: FakeHost, opened: Opener) -> None:
    """A seat, also on a telephone, reads where to resume; a wall reads that the game is paused."""
    host.state(seq=4, phase="paused", paused_from="turn")
    seat = opened("role=seat1&lang=en", (390, 844))
    expect(seat.locator(".moment")).to_have_text("Paused. Resume from the table or the arbiter's page.")
    expect(seat.locator(".moment")).to_be_visible()
    expect(opened("role=display&lang=en").locator(".moment")).to_have_text("Paused.")
