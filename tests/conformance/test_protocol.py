"""protocol.md, rule by rule, on every board that claims to speak it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from conformance.driver import Driver, Listener, only
from scharten.dartboard.lines import (
    ButtonLine,
    Heartbeat,
    Hello,
    HitLine,
    KnockLine,
    Notice,
    Setting,
    StuckLine,
    ack,
    frame,
    query,
    setting,
)
from scharten.dartboard.profile import Contact

RING = 64
SETTINGS = {"knock_threshold", "knock_window_ms", "vote_window_ms", "lamp"}


def greet(host: Listener) -> Hello:
    """Ask who is there, and take the answer."""
    host.wait(60)
    host.send(query())
    return host.until_some(Hello)[-1]


def spread(count: int, board: Driver) -> list[Contact]:
    """Return this many contacts, each different from the one before."""
    return [Contact(n % board.drives, n * 3 % board.senses) for n in range(count)]


def press(board: Driver, contact: Contact) -> None:
    """A dart in a contact, and time enough for the contact to be open again before the next."""
    board.press(contact.drive, contact.sense)
    board.advance(board.rest_ms)


def test_a_question_is_answered_with_hello_and_all_settings(host: Listener) -> None:
    """`?` brings a hello of protocol 1 and then every setting as it is."""
    host.wait(60)
    host.send(query())
    lines = host.until(lambda lines: {item.key for item in only(lines, Setting)} >= SETTINGS)
    hello = only(lines, Hello)[-1]
    assert hello.protocol == 1
    assert (hello.drives, hello.senses) == (host.driver.drives, host.driver.senses)
    assert (hello.first_seq, hello.next_seq, hello.dropped) == (1, 1, 0)


def test_a_heartbeat_comes_every_second(host: Listener) -> None:
    """Heartbeats come a second apart by the board's own clock, and have no number."""
    greet(host)
    beats = host.until_some(Heartbeat, 3, 4500)
    steps = [late.t_ms - early.t_ms for early, late in pairwise(beats)]
    assert all(950 <= step <= 1100 for step in steps), steps


def test_a_dart_is_one_hit_with_the_first_number(host: Listener) -> None:
    """A contact that closes gives one hit: number 1, its own lines, stamped by the board's clock."""
    hello = greet(host)
    host.driver.press(3, 7)
    host.wait(150)
    hits = {hit.seq: hit for hit in only(host.lines, HitLine)}
    assert list(hits) == [1]
    assert hits[1].contact == Contact(3, 7)
    assert hello.t_ms <= hits[1].t_ms <= hello.t_ms + 3000


def test_what_is_not_acknowledged_is_sent_again(host: Listener) -> None:
    """A hit comes again 250 ms after it was last sent, unchanged, until it is acknowledged, and then no more."""
    greet(host)
    host.driver.press(1, 2)
    hits = host.until_some(HitLine, 3, 2000)
    assert len(set(hits)) == 1
    host.send(ack(hits[0].seq))
    host.wait(50)
    assert only(host.wait(800), HitLine) == []


def test_sending_again_does_not_wait_for_silence(host: Listener) -> None:
    """While new hits keep coming the oldest is still sent again: its timer is not the newest one's."""
    greet(host)
    for contact in spread(12, host.driver):
        press(host.driver, contact)
        host.wait(60)
    host.wait(100)
    assert sum(hit.seq == 1 for hit in only(host.lines, HitLine)) >= 3


def test_an_acknowledgement_covers_all_before_it(host: Listener) -> None:
    """Acknowledging the third of four leaves only the fourth to be sent again."""
    greet(host)
    for contact in spread(4, host.driver):
        press(host.driver, contact)
    host.wait(100)
    host.send(ack(3))
    host.wait(60)
    second = only(host.wait(700), HitLine)
    assert {hit.seq for hit in second} == {4}


def test_an_acknowledgement_beyond_what_was_issued_is_ignored(host: Listener) -> None:
    """Acknowledging number 9 when only 1 was issued forgets nothing."""
    greet(host)
    host.driver.press(1, 2)
    host.until_some(HitLine)
    host.send(ack(9))
    host.wait(60)
    assert {hit.seq for hit in only(host.wait(700), HitLine)} == {1}


def test_a_damaged_acknowledgement_is_ignored(host: Listener) -> None:
    """With one wrong digit in the checksum, or none at all, nothing is forgotten; a whole one then works."""
    greet(host)
    host.driver.press(1, 2)
    host.until_some(HitLine)
    whole = ack(1)
    host.send(whole[:-2] + (b"0" if whole[-2:-1] != b"0" else b"1") + b"\n")
    host.send(b"$A,1\n")
    host.wait(60)
    assert only(host.wait(600), HitLine) != []
    host.send(whole)
    host.wait(60)
    assert only(host.wait(600), HitLine) == []


def test_a_checksum_in_lower_case_is_as_good(host: Listener) -> None:
    """`$A` with a lower-case checksum acknowledges."""
    greet(host)
    host.driver.press(1, 2)
    host.until_some(HitLine)
    body, check = ack(1).split(b"*")
    host.send(body + b"*" + check.lower())
    host.wait(60)
    assert only(host.wait(600), HitLine) == []


@pytest.mark.parametrize("asked", [b"?\n", b"?", b"?\r\n"], ids=["line feed", "alone", "carriage return"])
def test_a_question_is_answered_with_and_without_a_line_end(host: Listener, asked: bytes) -> None:
    """This host sends `?` and a line feed, older ones sent it alone: either is answered, and the next line is read."""
    host.send(asked)
    assert host.until_some(Hello)[0].protocol == 1
    host.wait(1100)
    host.send(asked + setting("lamp", 2))
    assert Setting("lamp", 2) in host.until(lambda lines: Setting("lamp", 2) in lines)


def test_junk_before_a_line_does_no_harm(host: Listener) -> None:
    """Junk, half a line and a line too long, and the next line is read all the same."""
    greet(host)
    host.driver.press(1, 2)
    host.until_some(HitLine)
    host.send(b"\x00\xff$A,1" + b"$" + b"x" * 150 + b"\n" + b"$A,")
    host.wait(100)
    host.send(ack(1))
    host.wait(60)
    assert only(host.wait(600), HitLine) == []


def test_a_question_brings_everything_unacknowledged_in_order(host: Listener) -> None:
    """After `?` come hello, with what is kept, and then the kept events from the oldest on."""
    greet(host)
    for contact in spread(5, host.driver):
        press(host.driver, contact)
    host.wait(60)
    host.send(ack(2))
    host.wait(60)
    host.send(query())
    lines = host.until(lambda lines: any(isinstance(line, Hello) for line in lines))
    lines += host.wait(150)
    hello = only(lines, Hello)[0]
    assert (hello.first_seq, hello.next_seq) == (3, 6)
    later = only(lines[lines.index(hello) :], HitLine)
    assert [hit.seq for hit in later][:3] == [3, 4, 5]


@pytest.mark.long
def test_a_full_ring_counts_what_it_drops(host: Listener) -> None:
    """Of 70 hits nobody acknowledges, 64 are kept with their numbers and 6 are counted; numbers have no hole."""
    greet(host)
    for contact in spread(RING + 6, host.driver):
        press(host.driver, contact)
        host.wait(1)
    host.wait(100)
    host.send(query())
    hello = host.until_some(Hello)[0]
    assert (hello.first_seq, hello.next_seq, hello.dropped) == (1, RING + 1, 6)
    host.send(ack(RING))
    host.wait(100)
    press(host.driver, Contact(0, 0))
    host.wait(100)
    assert only(host.lines, HitLine)[-1].seq == RING + 1


def test_each_button_has_its_own_number(host: Listener) -> None:
    """Miss, ready and undo are 0, 1 and 2, each with its own number."""
    greet(host)
    for number in (0, 1, 2):
        host.driver.button(number)
        host.wait(150)
    pushed = {button.seq: button.button for button in only(host.lines, ButtonLine)}
    assert pushed == {1: 0, 2: 1, 3: 2}


def test_a_knock_without_a_contact_is_an_event(host: Listener) -> None:
    """A knock alone is reported after the knock window; a knock with a dart that scores is not."""
    greet(host)
    host.driver.knock()
    knocks = host.until_some(KnockLine)
    assert knocks[0].seq == 1 and knocks[0].peak > 0
    host.send(ack(1))
    host.wait(200)
    host.driver.press(2, 2)
    host.driver.knock()
    host.wait(400)
    assert {knock.seq for knock in only(host.lines, KnockLine)} == {1}
    assert only(host.lines, HitLine)[0].seq == 2


def test_a_stuck_contact_is_reported_once_and_gives_no_more_hits(host: Listener) -> None:
    """Held for over 2 s a contact is stuck, the others go on, and when it opens it is free."""
    greet(host)
    host.driver.hold(4, 4)
    stuck = host.until_some(StuckLine, 1, 4000)
    assert stuck[0].stuck and stuck[0].contact == Contact(4, 4)
    press(host.driver, Contact(1, 1))
    host.wait(100)
    host.driver.release(4, 4)
    host.until(lambda lines: any(isinstance(line, StuckLine) and not line.stuck for line in lines))
    numbered = {line.seq: line for line in host.lines if isinstance(line, HitLine | StuckLine)}
    story = [(type(numbered[seq]), numbered[seq].contact) for seq in sorted(numbered)]
    four, first = Contact(4, 4), Contact(1, 1)
    assert story == [(HitLine, four), (StuckLine, four), (HitLine, first), (StuckLine, four)]
    press(host.driver, four)
    assert host.until_some(HitLine)[-1].contact in (four, first)


def test_what_may_be_a_ghost_is_a_notice_and_no_hit(host: Listener) -> None:
    """Two jammed contacts on a line and a dart beside them: no hit, `$N,ghosts`, and again after the next hello."""
    greet(host)
    host.driver.hold(0, 0)
    host.driver.hold(0, 1)
    host.until(lambda lines: len({line.contact for line in only(lines, StuckLine)}) == 2, 4000)
    before = {line.seq for line in only(host.lines, HitLine)}
    host.driver.press(1, 0)
    reported = host.until_some(Notice)[-1]
    assert reported.key == "ghosts" and reported.count >= 1
    host.wait(400)
    assert {line.seq for line in only(host.lines, HitLine)} == before
    host.send(query())
    assert reported in host.until_some(Notice)


def test_a_hit_beside_which_nothing_else_closed_is_a_notice(host: Listener) -> None:
    """`$N,alone` with the number of the hit, and again after a hello; none of two contacts that close at once."""
    greet(host)
    host.driver.press(2, 3)
    first = host.until_some(HitLine)[0]
    alone = Notice("alone", first.seq)
    host.until(lambda lines: alone in lines)
    host.send(query())
    host.until(lambda lines: alone in lines)
    for contact in ((4, 4), (5, 6)):
        host.driver.hold(*contact)
    host.wait(600)
    for contact in ((4, 4), (5, 6)):
        host.driver.release(*contact)
    assert {line.count for line in only(host.lines, Notice) if line.key == "alone"} == {first.seq}
    host.wait(200)
    host.driver.press(2, 3)
    last = host.until_some(HitLine)[-1]
    host.until(lambda lines: Notice("alone", last.seq) in lines)


def test_settings_are_set_and_answered(host: Listener) -> None:
    """`$C` is answered by `$V` with the value as it is now, and kept until the next hello."""
    greet(host)
    for key, value in (("knock_threshold", 99), ("knock_window_ms", 80), ("vote_window_ms", 4), ("lamp", 2)):
        host.send(setting(key, value))
        answers = host.until_some(Setting)
        assert Setting(key, value) in answers
    host.wait(60)
    host.send(query())
    lines = host.until(lambda lines: {item.key for item in only(lines, Setting)} >= SETTINGS)
    assert Setting("knock_threshold", 99) in lines and Setting("lamp", 2) in lines


def test_what_cannot_be_set_changes_nothing(host: Listener) -> None:
    """A value out of range, an unknown key and a value that is no number leave all settings as they are."""
    greet(host)
    host.wait(100)
    before = {item.key: item.value for item in only(host.lines, Setting)}
    host.send(setting("lamp", 99) + setting("colour", 3) + frame("C,lamp,two") + frame("C,lamp"))
    host.wait(100)
    host.send(query())
    lines = host.until(lambda lines: {item.key for item in only(lines, Setting)} >= SETTINGS)
    assert {item.key: item.value for item in only(lines, Setting)} == before


def test_session_and_events_survive_a_reset(host: Listener) -> None:
    """The reset that opening a port causes loses nothing: same session, same numbers, the same events again."""
    hello = greet(host)
    for contact in spread(3, host.driver):
        press(host.driver, contact)
    host.wait(60)
    kept = {hit.seq: hit.contact for hit in only(host.lines, HitLine)}
    host.driver.reset()
    host.wait(300)
    host.send(query())
    lines = host.until(lambda lines: any(isinstance(line, Hello) for line in lines))
    lines += host.wait(200)
    later = only(lines, Hello)[-1]
    assert (later.session, later.first_seq, later.next_seq) == (hello.session, 1, 4)
    assert {hit.seq: hit.contact for hit in only(lines, HitLine)} == kept


def test_a_contact_closed_at_power_up_is_stuck_not_hit(host: Listener) -> None:
    """A contact that is closed when the board starts is reported as stuck, and is never a hit."""
    greet(host)
    host.driver.hold(5, 1)
    host.until_some(HitLine)
    host.send(ack(1))
    host.wait(100)
    host.driver.reset()
    host.wait(300)
    host.send(query())
    stuck = host.until_some(StuckLine)
    assert stuck[0].stuck and stuck[0].contact == Contact(5, 1)
    assert {hit.seq for hit in only(host.lines, HitLine)} == {1}
