"""The two ends of the connection as values: ids, order, floods, silence, clocks, letters and links."""

from __future__ import annotations

import random

import pytest

from scharten.errors import Problem
from scharten.remote.guest_side import AGAIN_MS, GuestSide
from scharten.remote.host_side import AWAY_MS, BURST, WINDOW, HostSide, Numbers, Verdict
from scharten.remote.invitation import LAPSES_MS, Invitation, Link, read_link
from scharten.remote.letters import ALPHABET, derive_keys, letters_from, read_letters
from scharten.remote.messages import READING_BYTES, GuestReading, Taken, read
from scharten.remote.offset import MINUTE_MS, ClockOffset

PIN = "A" * 43


def reading(number: int, session: int = 7) -> GuestReading:
    """Return a dart in F18 with this id."""
    what = {
        "what": "dart",
        "beds": [["F18", 1.0]],
        "x_mm": None,
        "y_mm": None,
        "bounced": False,
        "contact": [1, 2],
    }
    body = {"id": (session, number), "at_ms": 1000 + number, "sensor": "board", "what": what}
    return GuestReading.model_validate(body, strict=False)


def test_lost_answers_and_reordered_resends_count_every_reading_once() -> None:
    """A connection that drops, delays and repeats messages at random delivers each reading once and in order."""
    for seed in range(40):
        chance, now = random.Random(seed), 0
        guest, host = GuestSide(), HostSide()
        counted: list[int] = []
        for number in range(1, 60):
            guest = guest.with_reading(reading(number))
        while guest.waiting:
            now += chance.randrange(400, 4000)
            if chance.random() < 0.1:
                guest = guest.reconnected()
            guest, due = guest.due(now, 100)
            for message in due:
                if chance.random() < 0.3:
                    break  # the connection broke here: nothing after it arrives
                name = (message.id[0], message.id[1])
                host, verdict = host.judged(name, now)
                if verdict is Verdict.NEW and chance.random() < 0.1:
                    host = host.not_taken(name)  # the referee's inbox was full
                elif verdict is Verdict.NEW:
                    counted.append(message.id[1])
                if (
                    verdict in (Verdict.NEW, Verdict.WAITING)
                    and name in host.in_hand
                    and chance.random() < 0.7
                ):
                    host = host.stored(name)
                if verdict is Verdict.TAKEN or (
                    name[1] in host.taken.get(7, Numbers()) and chance.random() < 0.7
                ):
                    guest = guest.taken(name)
        assert counted == list(range(1, 60)), seed


def test_a_replayed_reading_is_always_recognised() -> None:
    """Every number in the journal stays used, also an old one; in another session the number is new."""
    host = HostSide()
    for number in range(2 * WINDOW):
        host = host.stored((7, number))
    assert all(host.judged((7, number), 0)[1] is Verdict.TAKEN for number in (0, WINDOW, 2 * WINDOW - 1))
    assert host.judged((8, 0), 0)[1] is Verdict.NEW
    assert host.judged((7, 2 * WINDOW), 0)[1] is Verdict.NEW


def test_a_flood_is_cut_off_without_losing_the_order() -> None:
    """After a burst readings are refused, and those behind a refused reading wait until it comes again."""
    host, verdicts = HostSide(), []
    for number in range(BURST + 10):
        host, verdict = host.judged((7, number), 0)
        verdicts.append(verdict)
    assert verdicts == [Verdict.NEW] * BURST + [Verdict.TOO_MANY] * 10
    host, verdict = host.judged((7, BURST + 5), 60_000)
    assert verdict is Verdict.TOO_MANY
    assert host.judged((8, 1), 60_000)[1] is Verdict.NEW  # the board has restarted
    host, verdict = host.judged((7, BURST), 60_000)
    assert verdict is Verdict.NEW


def test_silence_is_noticed_once() -> None:
    """Five seconds without a sign of life make a connected guest silent, but not a guest that never came."""
    assert not HostSide().is_silent(AWAY_MS * 9)
    host = HostSide().signal(1000)
    assert not host.is_silent(1000 + AWAY_MS - 1)
    assert host.is_silent(1000 + AWAY_MS)
    assert not host.lost().is_silent(1000 + 2 * AWAY_MS)


@pytest.mark.parametrize(("age_ms", "forged"), [(-1000, 1), (0, 0), (1900, 0), (9000, 1)])
def test_impossible_times_are_counted(age_ms: int, forged: int) -> None:
    """On a steady connection a time in the future or long ago is reported."""
    assert HostSide().signal(100_000).with_time(100_100 - age_ms, 100_100).forged == forged


def test_a_late_time_after_a_cut_is_not_reported() -> None:
    """A dart thrown during a cut of the connection arrives late, but its time is genuine."""
    assert HostSide().signal(100_000).with_time(101_000, 130_000).forged == 0


def test_readings_are_resent_in_order_until_accepted() -> None:
    """A reading without an answer is sent again with all after it; an accepted reading never."""
    guest = GuestSide().with_reading(reading(1)).with_reading(reading(2)).with_reading(reading(2))
    guest, due = guest.due(0, 0)
    assert [message.id[1] for message in due] == [1, 2]
    assert guest.due(AGAIN_MS - 1, 0)[1] == ()
    guest = guest.taken((7, 1)).with_reading(reading(3))
    assert [message.id[1] for message in guest.due(AGAIN_MS, 0)[1]] == [2, 3]


def test_a_second_verdict_has_the_time_of_the_first() -> None:
    """The host finds a revised dart by its time, although the measured offset has changed since."""
    guest, first = GuestSide().host_time(500, 40)
    assert guest.host_time(500, 90)[1] == first == 540
    assert guest.host_time(501, 90)[1] == 591


def test_the_quickest_round_trip_of_a_minute_sets_the_clock() -> None:
    """With 300 ms delay and jitter each way the offset is right within 20 ms, and follows a step of the clock."""
    for seed in range(20):
        chance, offset, ahead, now = random.Random(seed), ClockOffset(), 3_600_000, 10_000
        for _ in range(240):
            out, back = 300 + chance.randrange(40), 300 + chance.randrange(40)
            out += 800 if chance.random() < 0.05 else 0
            offset = offset.with_sample(now, now + out + ahead, now + out + back)
            now += 500
        assert abs(offset.offset_ms - ahead) <= 20, seed
        assert len(offset.samples) <= MINUTE_MS // 500
        for _ in range(130):
            offset = offset.with_sample(now, now + 300 + ahead + 77, now + 600)
            now += 500
        assert offset.offset_ms == ahead + 77


def test_letters_and_links_are_read_as_people_write_them() -> None:
    """Spaces, small letters and missing parts are accepted; other text is refused with a message."""
    assert read_letters(" abcd-efgh ") == "ABCDEFGH"
    assert read_letters("ABCDEFGO") is None
    assert set(letters_from(random.Random(1).getrandbits(64))) <= set(ALPHABET)
    link = Link("haarlem.example", 8884, "ABCDEFGH", PIN)
    assert read_link(str(link)) == link
    assert read_link("192.168.1.5/abcd efgh") == Link("192.168.1.5", 8884, "ABCDEFGH")
    assert read_link(str(Link("fe80::1", 1, "ABCDEFGH"))) == Link("fe80::1", 1, "ABCDEFGH")
    for wrong in ("", "x" * 5000, "http://a/ABCDEFGH", "a:70000/ABCDEFGH", "a/ABCDEFG", "a/ABCDEFGH#short"):
        assert isinstance(read_link(wrong), Problem), wrong


def test_keys_depend_on_the_letters_and_on_the_certificate() -> None:
    """A machine in between, with another certificate, gets a password that the host refuses."""
    first = derive_keys("ABCDEFGH", PIN)
    assert first == derive_keys("ABCDEFGH", PIN)
    assert len({first.password, first.proof, derive_keys("ABCDEFGH", "B" * 43).password}) == 3
    assert derive_keys("ABCDEFGJ", PIN).password != first.password


def test_an_invitation_lapses_unless_it_was_accepted() -> None:
    """An hour, or a clock that was set back, ends an unused invitation; a used invitation stays with its game."""
    invitation = Invitation("ABCDEFGH", "seat2", 1_000)
    assert not invitation.lapsed(1_000 + LAPSES_MS - 1)
    assert invitation.lapsed(1_000 + LAPSES_MS)
    assert invitation.lapsed(0)
    assert not invitation.accepted("digest", "Bob").lapsed(1_000 + 9 * LAPSES_MS)


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"[]", b"{", b"\xff", b'{"v": 1}', b'{"v": 2, "reading": [1, 2]}', b"[" * 5000,
        b'{"v": 1, "reading": [1, -2]}', b'{"v": 1, "reading": [1, 1e400]}', b'{"v": 1, "more": 1}', b" " * 5000,
    ],
)  # fmt: skip
def test_an_invalid_message_is_a_problem(payload: bytes) -> None:
    """For any bytes the reader returns a value that names the problem; another version is named as such."""
    found = read(payload, GuestReading, READING_BYTES)
    assert isinstance(found, Problem)
    assert (found.code == "version") == (b'"v": 2' in payload)
    assert isinstance(read(Taken(reading=[1, 2]).encoded(), Taken, READING_BYTES), Taken)
