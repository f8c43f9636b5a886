"""The simulated board's model and the host's link, joined by a bad line: every event once, in order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.dartboard.lines import Hello, HitLine, Query, ack, query, setting
from scharten.dartboard.link import Dropped, HostLink, LineReader, LineReceived, Lost, Reply
from scharten.dartboard.profile import Contact
from scharten.errors import Problem
from scharten.sensors.simulator.board import RING, HostReader, SimulatedBoard
from scharten.sensors.simulator.player import ScriptPlayer
from scharten.sensors.simulator.script import (
    AtPoint,
    ContactAction,
    InBed,
    Plain,
    Push,
    ScriptLine,
    Tap,
    TouchedContact,
    Wait,
    parse_script,
)


def board(held: frozenset[Contact] = frozenset()) -> SimulatedBoard:
    """Return a board powered at time 0."""
    return SimulatedBoard("test", 8, 11, 77, 0, held)


def damaged(data: bytes, chance: random.Random, rate: float) -> bytes:
    """Return the bytes after a bad line: some changed, some lost."""
    out = bytearray()
    for byte in data:
        dice = chance.random()
        if dice < rate / 2:
            out.append(chance.randrange(256))
        elif dice >= rate:
            out.append(byte)
    return bytes(out)


def test_enter_in_a_terminal_ends_a_line() -> None:
    """A line that a person pastes ends with CR, or CR and LF, and is obeyed once, as our firmware does."""
    for end in (b"\r", b"\r\n"):
        sim = board()
        sim.receive(setting("lamp", 2)[:-1] + end, 0)
        assert sim.settings["lamp"] == 2
        assert sim.take().count(b"$V,lamp,2*") == 1


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.005, 0.02]), st.booleans())
def test_every_event_arrives_once_and_in_order(seed: int, rate: float, away: bool) -> None:
    """Darts over a line that damages up to 2 % of all bytes, with the host away for 5 s, arrive once and in order."""
    chance = random.Random(seed)
    sim, link, reader = board(), HostLink(), LineReader()
    thrown: list[Contact] = []
    got: list[Contact] = []
    link.opened()
    sim.opened(0)
    for now in range(0, 60_000, 10):
        if now % 150 == 0 and now < 20_000:  # under 8 hits a second
            thrown.append(Contact(chance.randrange(8), chance.randrange(11)))
            sim.press(thrown[-1], now)
        sim.tick(now)
        sent = sim.take()
        if away and 5_000 <= now < 10_000:
            continue
        for line in reader.feed(damaged(sent, chance, rate)):
            reply = b""
            for outcome in link.receive(line):
                if isinstance(outcome, LineReceived):
                    assert isinstance(outcome.line, HitLine)
                    got.append(outcome.line.contact)
                    reply += link.stored(outcome.session, outcome.line.seq)
                elif isinstance(outcome, Reply):
                    reply += outcome.data
                else:
                    assert not isinstance(outcome, Lost | Dropped)
            sim.receive(damaged(reply, chance, rate), now)
        if now % 1000 == 0 and not got:
            sim.receive(query(), now)
    assert got == thrown
    assert sim.dropped == 0


def test_numbers_wrap_while_events_wait() -> None:
    """The ring holds 65535 and 0 side by side, and an acknowledgement of 0 covers both."""
    sim = board()
    sim.next_seq = 65534
    for n in range(4):
        sim.press(Contact(n, n), 10)
    assert sim.next_seq == 2
    sim.receive(ack(0), 20)
    assert sim.unacknowledged == 1


def test_a_full_ring_drops_the_newest_and_counts() -> None:
    """The 65th event gets no number; the hello reports one dropped event."""
    sim = board()
    for n in range(RING + 1):
        sim.press(Contact(n % 8, n % 11), n)
    sim.take()
    sim.receive(query(), 100)
    hello = LineReader().feed(sim.take())[0]
    assert isinstance(hello, Hello)
    assert (hello.first_seq, hello.next_seq, hello.dropped) == (1, RING + 1, 1)


def test_contacts_closed_at_power_up_are_stuck() -> None:
    """A contact held at power-up gives a stuck line and no hit; pressing it gives nothing."""
    sim = board(frozenset({Contact(1, 1)}))
    sent = sim.take()
    assert b"$S,1,1,1,1," in sent and b"$H" not in sent
    sim.press(Contact(1, 1), 50)
    assert sim.take() == b""


def test_a_knock_counts_only_without_a_contact_around_it() -> None:
    """A contact within 60 ms before or after suppresses a knock. A soft knock does not count."""
    sim = board()
    sim.take()
    for knock, contact in ((100, 140), (600, 560)):
        for now in sorted((knock, contact)):
            if now == knock:
                sim.knock(500, now)
            else:
                sim.press(Contact(1, 1), now)
        sim.tick(max(knock, contact) + 100)
    sim.knock(10, 900)
    sim.tick(990)
    assert sim.take().count(b"$K") == 0
    sim.knock(500, 2000)
    sim.tick(2059)
    assert b"$K" not in sim.take()
    sim.tick(2060)
    assert b"$K,3,500,2000*" in sim.take()


def test_repeated_queries_are_answered_every_200_ms() -> None:
    """Ten queries in a second get six hellos, 200 ms apart; the last query is answered too."""
    sim = board()
    sim.take()
    hellos = []
    for now in range(1000, 2500, 10):
        if now < 2000 and now % 100 == 0:
            sim.receive(query(), now)
        sim.tick(now)
        hellos += [now] * sim.take().count(b"$I")
    assert hellos == [1000, 1200, 1400, 1600, 1800, 2000]


@given(st.lists(st.binary(max_size=50), max_size=10))
def test_a_query_is_recognized_in_any_noise(chunks: list[bytes]) -> None:
    """A `?` after any junk is a query, and a line after a line feed is a line."""
    reader = HostReader()
    for chunk in chunks:
        reader.feed(chunk)
    assert reader.feed(b"?")[-1] == Query()
    assert len(reader.feed(b"\n" + ack(3))) == 1


def test_every_kind_of_script_line_is_parsed() -> None:
    """Each kind of line becomes its action; comments and empty lines become nothing."""
    text = """
    0 T20            # a comment
    +1.5 12.5,-103
    3 miss
    3.2 bounce_out
    4 button undo
    5 stuck T20
    +0 press 3,7
    +0 knock 200
    +0 wait stored
    1 end
    """
    steps = parse_script(text)
    assert isinstance(steps, tuple)
    deeds = [step.deed for step in steps]
    assert isinstance(deeds[0], InBed)
    assert deeds[1:5] == [AtPoint(12.5, -103), Plain.MISS, Plain.BOUNCE_OUT, Push(2)]
    assert isinstance(deeds[5], TouchedContact) and deeds[5].touch is ContactAction.HOLD
    assert deeds[6:] == [TouchedContact(ContactAction.PRESS, Contact(3, 7)), Tap(200), Wait.STORED, Plain.END]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("T20", 1, "a time and what happens"),
        ("\n0 T21", 2, "'T21' is not a bed"),
        ("0 T20 T19", 1, "nothing may follow"),
        ("5 T20\n4 T20", 2, "earlier than the line before"),
        ("0 button", 1, "needs one word"),
        ("0 button red", 1, "'red' is not a button"),
        ("0 wait long", 1, "cannot be waited for"),
        ("0 stuck 3;7", 1, "nor a contact"),
        ("0 knock hard", 1, "not a strength"),
        ("-1 T20", 1, "a time"),
        ("0 1e3,2", 1, "is not a bed"),
    ],
)
def test_a_wrong_script_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    """The error names the line of the first mistake and describes it."""
    error = parse_script(text)
    assert isinstance(error, Problem)
    assert error.args["line"] == line and words in error.words


def test_a_wait_restarts_the_script_s_time() -> None:
    """Steps come when they are due; after a wait the seconds count from its end."""
    player = ScriptPlayer(
        [
            ScriptLine(1, False, Plain.MISS),
            ScriptLine(0, True, Wait.STORED),
            ScriptLine(0.5, False, Plain.RESET),
            ScriptLine(0.25, True, Plain.END),
        ],
        0,
    )
    assert player.play(999, lambda _: True) == ()
    assert player.play(1000, lambda _: False) == (Plain.MISS,)
    assert player.play(60_000, lambda _: False) == ()
    assert player.play(70_000, lambda _: True) == ()
    assert player.play(70_500, lambda _: True) == (Plain.RESET,)
    assert player.due() == 70_750
    assert player.play(70_750, lambda _: True) == (Plain.END,)
