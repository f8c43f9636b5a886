"""The host's end of the line: no event twice, none out of order, none acknowledged too early."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.board_clock import BoardClock
from scharten.dartboard.lines import ForeignHello, Heartbeat, Hello, HitLine, Setting, ack, query
from scharten.dartboard.link import (
    ANSWER_MS,
    LAST_RESORT_MS,
    SETTLE_MS,
    Alive,
    Dropped,
    Duplicate,
    Gap,
    Greeted,
    HostLink,
    LineReceived,
    LinkState,
    Lost,
    Refused,
    Reply,
    Speech,
    ahead,
)
from scharten.dartboard.profile import Contact


def hello(session: int = 7, first: int = 1, following: int = 1, dropped: int = 0, t_ms: int = 0) -> Hello:
    """Return a hello of an 8 x 11 board."""
    return Hello("1.0.0", "test", 8, 11, session, first, following, dropped, t_ms)


def hit(seq: int) -> HitLine:
    """Return a hit whose contact also carries its number."""
    return HitLine(seq % 65536, Contact(seq % 8, seq % 11), seq)


def greeted(session: int = 7, first: int = 1, state: LinkState | None = None) -> HostLink:
    """Return a link that has received a hello."""
    link = HostLink(state)
    link.opened()
    link.receive(hello(session, first, first))
    return link


def test_nothing_counts_before_the_board_s_hello() -> None:
    """A hit before the hello is not accepted. The host asks once, and again after a heartbeat."""
    link = HostLink()
    link.opened()
    assert link.receive(hit(1)) == (Reply(query()),)
    assert link.receive(hit(2)) == ()
    assert link.receive(Heartbeat(1000)) == (Alive(1000), Reply(query()))
    assert link.receive(hit(3)) == ()


def test_a_lost_hello_is_requested_at_each_resend() -> None:
    """Events without a hello lead to one question each time that the board starts again from the oldest."""
    link = HostLink()
    link.opened()
    rounds = [[link.receive(hit(seq)) for seq in (4, 5, 7)] for _ in range(3)]
    assert rounds == [[(Reply(query()),), (), ()]] * 3


def test_hits_are_accepted_once_and_acknowledged_only_when_stored() -> None:
    """A repeated hit is silent until it is stored; from then on each repeat is acknowledged."""
    link = greeted()
    assert link.receive(hit(1)) == (LineReceived(7, hit(1)),)
    assert link.receive(hit(1)) == (Duplicate(7, 1),)
    assert link.stored(7, 1) == ack(1)
    assert link.receive(hit(1)) == (Duplicate(7, 1), Reply(ack(1)))


def test_an_event_that_was_not_accepted_is_not_acknowledged() -> None:
    """A number ahead of the accepted ones, or from another session, gives no acknowledgement."""
    link = greeted()
    assert link.stored(7, 1) == b""
    link.receive(hit(1))
    assert link.stored(8, 1) == b""
    assert link.stored(7, 1) == ack(1)


def test_a_late_store_never_takes_an_acknowledgement_back() -> None:
    """Storing 2 and then reporting 1 acknowledges 2 both times."""
    link = greeted()
    link.receive(hit(1))
    link.receive(hit(2))
    assert link.stored(7, 2) == ack(2)
    assert link.stored(7, 1) == ack(2)


def test_a_gap_is_requested_once() -> None:
    """Hits after a missing hit wait for it. The host sends `?` once until the board answers or a second passes."""
    link = greeted()
    assert link.receive(hit(2)) == (Gap(1, 2), Reply(query()))
    assert link.receive(hit(3)) == (Gap(1, 3),)
    link.receive(Heartbeat(1000))
    assert link.receive(hit(2)) == (Gap(1, 2), Reply(query()))
    assert link.receive(hello(following=4)) == (Greeted(hello(following=4), False),)
    assert link.receive(hit(1)) == tuple(LineReceived(7, hit(seq)) for seq in (1, 2, 3))
    assert link.receive(hit(2)) == (Duplicate(7, 2),)


def test_after_progress_the_next_gap_is_requested_at_once() -> None:
    """A bad line may also lose the hello: the next accepted event shows that the board is sending again."""
    link = greeted()
    link.receive(hit(1))
    assert Reply(query()) in link.receive(hit(3))
    assert link.receive(hit(2)) == (LineReceived(7, hit(2)), LineReceived(7, hit(3)))
    assert Reply(query()) in link.receive(hit(5))


def test_waiting_events_are_dropped_for_another_session_or_count() -> None:
    """After a new port, a new session, or a hello without the number yet, the waiting events are requested again."""
    for greeting in (hello(session=8), hello(following=3)):
        link = greeted()
        link.receive(hit(3))
        link.receive(greeting)
        assert _accepted(link.receive(hit(1)) + link.receive(hit(2))) == [1, 2]
    link = greeted()
    link.receive(hit(2))
    link.opened()
    link.receive(hello(following=3))
    assert _accepted(link.receive(hit(1))) == [1]


def test_early_events_are_accepted_when_the_missing_ones_are_gone() -> None:
    """The board no longer has 1 and 2: the waiting 3 is accepted at once. Events 64 or more ahead are not held."""
    link = greeted()
    link.receive(hit(3))
    link.receive(hit(65))
    assert _accepted(link.receive(hello(first=3, following=66))) == [3]
    assert _accepted(outcome for seq in range(4, 65) for outcome in link.receive(hit(seq))) == [*range(4, 65)]


def test_lost_events_are_reported_and_skipped() -> None:
    """When the board no longer has 1 to 3, the link reports three lost events and accepts the fourth."""
    link = greeted()
    outcomes = link.receive(hello(first=4, following=6))
    assert outcomes == (Greeted(hello(first=4, following=6), False), Lost(1, 3))
    assert link.receive(hit(4)) == (LineReceived(7, hit(4)),)


def test_a_full_ring_is_reported_once_for_each_loss() -> None:
    """When the dropped counter grows, the link reports the new losses and the total."""
    link = greeted()
    assert Dropped(2, 2, 7) in link.receive(hello(dropped=2))
    assert Dropped(2, 2, 7) not in link.receive(hello(dropped=2))
    assert Dropped(3, 5, 7) in link.receive(hello(dropped=5))


def test_a_new_session_begins_from_scratch() -> None:
    """After the board lost its memory its first number counts again, and old acknowledgements are not sent."""
    link = greeted()
    link.receive(hit(1))
    assert link.receive(hello(session=8))[0] == Greeted(hello(session=8), True)
    assert link.stored(7, 1) == b""
    assert link.receive(hit(1)) == (LineReceived(8, hit(1)),)


def test_a_session_that_goes_backwards_is_a_new_one() -> None:
    """A board that knows less than the host saw of its session has restarted, whatever session id it sends."""
    link = HostLink(LinkState(7, 40))
    assert link.receive(hello(following=2))[0] == Greeted(hello(following=2), True)
    assert link.receive(hit(1)) == (LineReceived(7, hit(1)),)


def test_the_host_remembers_across_its_own_restart() -> None:
    """A line stored before the host's restart is a duplicate after it, and is acknowledged at once."""
    link = HostLink(LinkState(session=7, stored=5, dropped=1))
    link.opened()
    assert link.receive(hello(first=5, following=8, dropped=1)) == (
        Greeted(hello(first=5, following=8, dropped=1), False),
    )
    assert link.receive(hit(5)) == (Duplicate(7, 5), Reply(ack(5)))
    assert link.receive(hit(6)) == (LineReceived(7, hit(6)),)


def test_numbers_wrap_from_65535_to_0() -> None:
    """The wrap is an ordinary step for accepting, duplicates, gaps and acknowledgements."""
    link = greeted(first=65534)
    for seq in (65534, 65535, 65536, 65537):
        assert link.receive(hit(seq)) == (LineReceived(7, hit(seq)),)
    assert link.stored(7, 65535) == ack(65535)
    assert link.stored(7, 1) == ack(1)
    assert link.stored(7, 65535) == ack(1)
    assert link.receive(hit(65535)) == (Duplicate(7, 65535), Reply(ack(1)))
    assert link.receive(hit(4))[0] == Gap(2, 4)


@given(st.integers(0, 65535), st.integers(-32768, 32767))
def test_ahead_is_the_signed_distance_on_the_ring(seq: int, step: int) -> None:
    """Anywhere on the ring, a number `step` further is `step` ahead."""
    assert ahead((seq + step) % 65536, seq) == step


def test_another_protocol_is_refused_and_stays_refused() -> None:
    """The link accepts nothing from a board of another version until a hello of this version comes."""
    link = greeted()
    assert link.receive(ForeignHello(2)) == (Refused(ForeignHello(2)),)
    assert link.receive(hit(1)) == (Reply(query()),)
    assert link.receive(hit(2)) == ()
    link.receive(hello())
    assert link.receive(hit(1)) == (LineReceived(7, hit(1)),)


def test_settings_pass_through() -> None:
    """The host reports the board's answer to a setting unchanged."""
    assert greeted().receive(Setting("lamp", 2)) == (Setting("lamp", 2),)


def test_the_host_never_speaks_first() -> None:
    """The host sends nothing until a line comes; then it sends the latest waiting line of each kind."""
    speech = Speech()
    speech.opened(1000)
    for now in range(1000, 1000 + LAST_RESORT_MS, 500):
        assert speech.say("lamp", b"lamp%d" % now, now) == b""
        assert speech.say("ack", b"ack%d" % now, now) == speech.last_resort(now) == b""
    assert speech.received(12_900) == b"lamp12500ack12500"
    assert speech.received(12_950) == b""
    assert speech.say("ack", b"at once", 12_950 + ANSWER_MS) == b"at once"


def test_the_host_is_silent_while_a_boot_loader_may_listen() -> None:
    """RESET in play: a tenth of a second after the last line the host falls silent until the program sends a line."""
    speech = Speech()
    speech.opened(0)
    speech.received(5000)
    assert speech.say("lamp", b"lamp", 5001 + ANSWER_MS) == b""
    assert speech.received(7300) == b"lamp"


def test_a_line_from_before_the_reset_is_not_answered() -> None:
    """A line that comes as soon as the port opens may be older than the reset that the opening caused."""
    speech = Speech()
    speech.opened(0)
    assert speech.received(SETTLE_MS - 1) == speech.say("ask", query(), SETTLE_MS - 1) == b""
    assert speech.received(1700) == query()


def test_after_12_s_of_silence_the_host_asks_at_most_every_12_s() -> None:
    """The last resort for a board that never sends first; a boot loader that received `?` has 9 s to give up."""
    speech = Speech()
    speech.opened(0)
    asked = [now for now in range(0, 60_000, 250) if speech.last_resort(now) == query()]
    assert asked == [12_000, 24_000, 36_000, 48_000]
    speech.received(50_000)
    assert [now for now in range(50_000, 63_000, 250) if speech.last_resort(now)] == [62_000]


def test_a_new_port_forgets_the_lines_for_the_old_one() -> None:
    """The host discards the lines held for one board when it opens the next."""
    speech = Speech()
    speech.say("ack", b"old", 0)
    speech.opened(1000)
    assert speech.received(2000) == b""


def _accepted(outcomes: Iterable[object]) -> list[int]:
    return [outcome.line.seq for outcome in outcomes if isinstance(outcome, LineReceived)]


@given(st.integers(0, 65535), st.lists(st.integers(-6, 6), max_size=60))
def test_each_event_is_accepted_once_and_in_order(first: int, jumps: list[int]) -> None:
    """Hits may come late, early, twice or never: the accepted hits are consecutive from the first."""
    link = greeted(first=first)
    accepted: list[int] = []
    for jump in jumps:
        following = first + len(accepted) + jump
        accepted += _accepted(link.receive(hit(following % 65536)))
    assert accepted == [(first + n) % 65536 for n in range(len(accepted))]


def test_an_old_hit_has_the_time_at_which_it_happened() -> None:
    """A hit sent again ten minutes later is dated ten minutes back, to within a heartbeat's delay."""
    clock = BoardClock().updated(5_000, 1_000_005).updated(6_000, 1_001_020).updated(605_000, 1_600_003)
    assert clock.happened(5_400, 1_600_900) == 1_000_403


def test_the_board_s_clock_may_wrap() -> None:
    """A hit just before the 32-bit clock wraps, read just after, is dated just before."""
    before = 2**32 - 400
    clock = BoardClock().updated(before, 50_000).updated(600, 51_000)
    assert clock.happened(before + 100, 51_010) == 50_100
    assert clock.happened(700, 51_200) == 51_100


def test_a_hit_from_before_the_board_s_reset_is_dated_to_the_reset() -> None:
    """After a reset the clock is near zero; a stored hit with a large stamp is not dated in the future."""
    clock = BoardClock().updated(90_000, 500_000).updated(100, 503_100)
    assert clock.happened(90_500, 503_200) == 503_000
    assert clock.happened(200, 503_200) == 503_200


def test_no_hit_is_dated_after_its_arrival() -> None:
    """A stamp slightly ahead of the estimate is dated to its arrival; so is a stamp without a heartbeat."""
    assert BoardClock().updated(1_000, 10_000).happened(1_500, 10_100) == 10_100
    assert BoardClock().happened(123, 10_100) == 10_100


@given(
    st.integers(0, 2**32 - 1),
    st.integers(10**12, 2 * 10**12),
    st.lists(st.integers(0, 40), min_size=1, max_size=20),
    st.integers(0, 10**8),
)
def test_dates_are_right_to_within_the_least_delay(
    board: int, host: int, delays: list[int], ago: int
) -> None:
    """With heartbeats delayed by up to 40 ms a past event is dated late by at most the least delay."""
    clock = BoardClock()
    now = 0
    for now, delay in enumerate(delays):
        clock = clock.updated((board + now * 1000) % 2**32, host + now * 1000 + delay)
    when = now * 1000 - ago
    dated = clock.happened((board + when) % 2**32, host + now * 1000 + 50)
    assert 0 <= dated - (host + when) <= min(delays[-3:])
