"""The board's end of the line beyond the conformance suite: wrap, floods, half lines, damaged memory."""

from __future__ import annotations

import random

import pytest

from firmware.driver import Board, brief, events, hellos
from scharten.dartboard.lines import HitLine, Notice, Setting, ack, frame, query, setting


@pytest.mark.long
def test_numbers_wrap_at_16_bits(core: Board) -> None:
    """After 65535 comes 0; acknowledgements and the order of events continue across the wrap."""
    seen = 0
    last = 0
    touches = [
        (n, down, (11 * (1 - down) + 24 * i) * 1000) for i in range(20) for n in range(3) for down in (1, 0)
    ]
    sixty = [f"button {n} {down} {at_us}" for n, down, at_us in touches]
    while seen < 65600:
        core.tell_all(sixty)
        core.run(20 * 24 + 120)
        numbers = {event.seq for event in events(core.take())}
        assert {(seen + i) % 65536 for i in range(1, 61)} <= numbers
        seen += 60
        last = seen % 65536
        core.send(ack(last))
    core.run(10)
    core.take()
    core.send(query())
    core.run(20)
    (hello,) = hellos(core.take())
    assert (hello.first_seq, hello.next_seq, hello.dropped) == (last + 1, last + 1, 0)


def test_2_mb_of_junk_and_then_a_hit(core: Board) -> None:
    """Any bytes at full speed change nothing, and the next hit and acknowledgement count."""
    junk = random.Random(5).randbytes(2_000_000).replace(b"?", b"!")
    for start in range(0, len(junk), 40_000):
        core.send(junk[start : start + 40_000])
        core.run(3600)
    assert {said.text[:2] for said in core.take()} == {"$P"}
    core.press(2, 3, 1)
    core.run(100)
    (hit,) = events(core.take())
    core.send(b"\n" + ack(hit.seq))
    core.run(50)
    core.take()
    core.run(600)
    assert events(core.take()) == []


@pytest.mark.avr
def test_junk_at_full_speed_does_not_stop_the_scan(mega: Board) -> None:
    """The compiled program sees a dart while junk comes in at 115200 baud."""
    mega.send(random.Random(6).randbytes(6500).replace(b"?", b"!"))
    for i in range(4):
        mega.press(i, i, 20 + 120 * i, 1)
    mega.run(500)
    assert [brief(event) for event in events(mega.take())] == ["H 0,0", "H 1,1", "H 2,2", "H 3,3"]


def test_a_full_board_reports_its_losses_when_it_has_room(core: Board) -> None:
    """Hits beyond the 64th are counted; once the host has stored some, a hello reports the number lost."""
    for i in range(70):
        core.press(i % 8, i % 7, 1 + 130 * i)
    core.run(70 * 130 + 50)
    core.take()
    core.send(ack(10))
    core.run(50)
    (hello,) = hellos(core.take())
    assert (hello.first_seq, hello.next_seq, hello.dropped) == (11, 65, 6)


def test_many_stuck_contacts_leave_room_for_hits(core: Board) -> None:
    """A shorted cable (60 contacts closed at power-up) fills at most 48 places; an unaffected line still hits."""
    for drive in range(6):
        for sense in range(10):
            core.contact(drive, sense, True)
    core.run(0.1)
    core.power(3)
    core.run(1000)
    core.press(7, 10, 1)
    core.run(100)
    reported = [brief(event) for event in events(core.take())]
    assert reported.count("H 7,10") == 1
    assert len(reported) == 49 and sum(line.endswith("stuck") for line in reported) == 48


@pytest.mark.parametrize("body", ["A", "A,", "A,x", "A,1,2", "A,70000", "A,-1", "C,lamp", "C,,", "Z,1", ""])
def test_a_sound_checksum_around_nonsense_changes_nothing(core: Board, body: str) -> None:
    """Lines with a right checksum and a wrong body are ignored (`$C` with a known key shows the current value)."""
    core.press(1, 1, 1)
    core.run(50)
    core.send(frame(body))
    core.run(20)
    core.take()
    core.run(300)
    assert [brief(event) for event in events(core.take())] == ["H 1,1"]


def test_a_question_needs_no_line_feed_or_clean_line(core: Board) -> None:
    """`?` after half a line and without a line feed is answered, since a person may type it."""
    core.send(b"$A,12?")
    core.run(30)
    said = core.take()
    assert len(hellos(said)) == 1
    assert sum(item.text.startswith("$V") for item in said) == 6


def test_a_storm_of_questions_does_not_delay_the_newest_events(core: Board) -> None:
    """`?` every 10 ms with 60 stored events: five answers a second, and all 60 events are sent each time."""
    for i in range(60):
        core.press(i % 8, i % 7, 1 + 130 * i)
    core.run(60 * 130)
    core.run(300)
    core.take()
    for _ in range(100):
        core.send(b"?")
        core.run(10)
    said = core.take()
    assert 4 <= len(hellos(said)) <= 6
    sent = [item.line.seq for item in said if isinstance(item.line, HitLine)]
    assert sent.count(60) >= 3 and sent.count(1) <= 6


def _notices(board: Board) -> list[tuple[str, int]]:
    lines = [item.line for item in board.take()]
    return [(line.key, line.count) for line in lines if isinstance(line, Notice)]


def test_possible_ghosts_are_reported(core: Board) -> None:
    """Four contacts at once in a rectangle give no hit and one notice; a good dart gives no notice."""
    for drive, sense in ((2, 2), (2, 6), (7, 2), (7, 6)):
        core.press(drive, sense, 1, 20)
    core.run(120)
    core.press(1, 1, 1)
    core.run(400)
    assert _notices(core) == [("ghosts", 1), ("alone", 1)]
    core.send(query())
    core.run(60)
    assert _notices(core) == [("ghosts", 1), ("alone", 1)], "sent again after a hello"


def test_a_contact_that_closes_beside_a_hit_is_reported(core: Board) -> None:
    """No other contact: alone. Another contact late in the vote or after it: clear. An equally frequent
    contact: neither."""
    stories: list[tuple[list[tuple[int, int]], list[tuple[float, float]], str]] = [
        ([(2, 2)], [(1, 12)], "alone"),
        ([(2, 2), (3, 3)], [(1, 12), (5, 12)], "clear"),
        ([(2, 2), (3, 3)], [(1, 12), (60, 12)], "clear"),
        ([(2, 2), (3, 3)], [(1, 12), (1.2, 12)], ""),
        ([(2, 2), (2, 3)], [(1, 12), (95, 2)], "clear"),
        ([(2, 2)], [(1, 12)], "alone"),
    ]
    for number, (contacts, times, key) in enumerate(stories, 1):
        for (drive, sense), (delay_ms, closed) in zip(contacts, times, strict=True):
            core.press(drive, sense, delay_ms, closed)
        core.run(200)
        core.send(ack(number))
        core.run(300)
        lines = [item.line for item in core.take()]
        reported = [(line.key, line.count) for line in lines if isinstance(line, Notice)]
        assert reported == ([(key, number)] if key else []), number
        assert sum(isinstance(line, HitLine) for line in lines) == 1


def test_a_hit_that_the_piezo_did_not_feel_is_reported(core: Board) -> None:
    """Only while the piezo is active: not without a threshold, with a knock before or after, or while it
    rests above it."""
    core.press(2, 2, 1)
    core.run(400)
    assert _notices(core) == [("alone", 1)]
    core.set("knock_threshold", 60)
    for number, (blow, reported) in enumerate([(None, True), (1, False), (30, False), (None, True)], 2):
        core.press(2, 2, 10)
        if blow is not None:
            core.knock(blow)
        core.run(200)
        core.send(ack(number))
        core.run(300)
        assert (("unheard", number) in _notices(core)) is reported, number
    core.knock(1, volts=4.9, decay_ms=2000)
    core.run(2200)
    core.press(2, 2, 1)
    core.run(300)
    assert ("unheard", 6) not in _notices(core)


def test_a_stuck_contact_does_not_count_beside_a_hit(core: Board) -> None:
    """A stuck contact is ignored as for hits; while it is only jammed, a hit is not alone."""
    core.contact(6, 6, True)
    core.run(300)
    core.press(2, 2, 1)
    core.run(400)
    assert _notices(core) == [("alone", 1), ("clear", 2)]
    core.send(ack(2))
    core.run(2500)
    core.press(2, 2, 1)
    core.run(400)
    assert _notices(core) == [("alone", 4)], "number 3 says that it is stuck"


def test_a_piezo_that_rests_above_its_threshold_is_reported(core: Board) -> None:
    """A notice is sent after 2 s of noise and when it ends; a knock that rings for 50 ms gives none."""
    core.set("knock_threshold", 60)
    core.knock(1)
    core.run(400)
    assert _notices(core) == []
    core.knock(1, volts=4.9, decay_ms=2000)
    core.run(2600)
    assert _notices(core) == [("piezo_rests", 1)]
    core.set("knock_threshold", 1023)
    core.run(400)
    assert _notices(core) == [("piezo_rests", 0)]


@pytest.mark.avr
def test_bytes_without_a_stop_bit_are_counted(mega: Board) -> None:
    """The UART's error flags count: three bad bytes are reported as three."""
    mega.tell("spoil 3")
    mega.run(300)
    assert _notices(mega) == [("line_errors", 3)]


def test_the_size_of_the_matrix_is_a_setting(core: Board) -> None:
    """`$C,drives` resizes the matrix: the hello has the new size, contacts inside hit, those outside are ignored."""
    core.press(7, 10, 1)
    core.run(100)
    core.send(ack(1))
    core.run(60)
    core.take()
    core.send(setting("drives", 5) + setting("senses", 9))
    core.run(150)
    said = core.take()
    assert {item.line for item in said} >= {Setting("drives", 5), Setting("senses", 9)}
    assert (hellos(said)[-1].drives, hellos(said)[-1].senses) == (5, 9)
    core.press(7, 10, 1)
    core.press(4, 8, 150)
    core.run(300)
    assert [brief(event) for event in events(core.take())] == ["H 4,8"]
    core.send(setting("drives", 8) + setting("senses", 11))
    core.run(150)
    core.press(7, 10, 1)
    core.run(60)
    assert [brief(event) for event in events(core.take())][-1] == "H 7,10"


@pytest.mark.parametrize("key", ["drives", "senses"])
def test_a_matrix_beyond_the_pins_is_refused(core: Board, key: str) -> None:
    """0 lines, or more lines than pins, change nothing; the answer shows the current value."""
    core.send(setting(key, 0) + setting(key, 17))
    core.run(60)
    said = core.take()
    assert [item.line for item in said if isinstance(item.line, Setting)] == [
        Setting(key, getattr(core, key))
    ] * 2
    assert hellos(said) == []
