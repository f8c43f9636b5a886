"""The lines of protocol.md: recorded lines, damaged lines, and every value in both directions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.lines import (
    MAX_LINE,
    NOTICES,
    Ack,
    BoardLine,
    ButtonLine,
    ForeignHello,
    Heartbeat,
    Hello,
    HitLine,
    HitNotice,
    KnockLine,
    Notice,
    Setting,
    StuckLine,
    ack,
    board_line,
    crc,
    frame,
    parse_board_line,
    parse_host_line,
    setting,
)
from scharten.dartboard.link import LineReader
from scharten.dartboard.profile import Contact
from scharten.sensors.simulator.board import SETTINGS

SEQ = st.integers(0, 65535)
T = st.integers(0, 2**32 - 1)
CONTACTS = st.builds(Contact, st.integers(0, 15), st.integers(0, 15))
NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,16}", fullmatch=True)
LINES: st.SearchStrategy[BoardLine] = st.one_of(
    st.builds(
        Hello,
        st.from_regex(r"[0-9]\.[0-9]\.[0-9]", fullmatch=True),
        NAMES,
        st.integers(1, 16),
        st.integers(1, 16),
        T,
        SEQ,
        SEQ,
        SEQ,
        T,
    ),
    st.builds(HitLine, SEQ, CONTACTS, T),
    st.builds(KnockLine, SEQ, st.integers(0, 1023), T),
    st.builds(ButtonLine, SEQ, st.integers(0, 2), T),
    st.builds(StuckLine, SEQ, CONTACTS, st.booleans(), T),
    st.builds(Heartbeat, T),
    st.builds(Setting, st.sampled_from(["knock_threshold", "lamp"]), st.integers(0, 1023)),
    st.builds(Notice, st.sampled_from([*NOTICES, *HitNotice]), SEQ),
)


def test_the_checksum_is_the_published_one() -> None:
    """CRC-16/CCITT-FALSE of the catalogue's check string is 0x29B1."""
    assert crc(b"123456789") == 0x29B1


@given(LINES)
def test_every_line_survives_the_wire(line: BoardLine) -> None:
    """Writing and reading any line of the board gives the same value in at most 96 bytes."""
    raw = board_line(line)
    assert len(raw) <= MAX_LINE
    assert LineReader().feed(raw) == (line,)


def test_the_host_s_lines_are_read_back() -> None:
    """The board's reader gets the same values from `$A` and `$C`."""
    assert parse_host_line(ack(65535).rstrip(b"\n")) == Ack(65535)
    assert parse_host_line(setting("lamp", 2).rstrip(b"\n")) == Setting("lamp", 2)


def test_the_checksum_is_read_in_either_case() -> None:
    """A checksum in lower case is also valid."""
    body, check = frame("P,12345").rstrip(b"\n").split(b"*")
    assert parse_board_line(body + b"*" + check.lower()) == Heartbeat(12345)


ODD = [
    "H,1,2,3",
    "H,1,2,3,4,5",
    "H,65536,2,3,4",
    "H,-1,2,3,4",
    "H,+1,2,3,4",
    "H, 1,2,3,4",
    "H,1,256,3,4",
    "H,1,2,3,4294967296",
    "S,1,2,3,2,4",
    "P",
    "P,",
    "P,99999999999",
    "X,1",
    "",
    "V,Lamp,1",
    "N,ghosts",
    "N,ghosts,65536",
    "N,ghosts,1,2",
    "I",
    "I,1,fw,board,8,11,1,1,1,0",
    "I,1,fw,a board,8,11,1,1,1,0,0",
    "I,x,fw,board,8,11,1,1,1,0,0",
]


@pytest.mark.parametrize("body", ODD)
def test_a_sound_checksum_does_not_excuse_an_odd_line(body: str) -> None:
    """Lines with a right checksum but wrong fields are dropped whole."""
    assert parse_board_line(frame(body).rstrip(b"\n")) is None


def test_another_protocol_is_known_by_its_first_number() -> None:
    """A hello of version 2 is recognised whatever else it holds, and the problem names both versions."""
    line = parse_board_line(frame("I,2,something,new").rstrip(b"\n"))
    assert line == ForeignHello(2)
    assert "protocol 2" in line.words and "protocol 1" in line.words


@given(LINES, st.integers(0, 95), st.integers(1, 255))
def test_a_wrong_byte_is_always_noticed(line: BoardLine, place: int, change: int) -> None:
    """Any changed byte in the body or checksum makes the line unreadable or leaves its value unchanged."""
    raw = bytearray(board_line(line)[:-1])
    place %= len(raw)
    raw[place] ^= change
    assert parse_board_line(bytes(raw)) in (None, line)  # a checksum in the other case is equal


@pytest.mark.long
@given(st.lists(LINES, max_size=12), st.binary(max_size=40), st.data())
def test_lines_are_found_however_the_bytes_are_cut(
    lines: list[BoardLine], junk: bytes, data: st.DataObject
) -> None:
    """Split anywhere, with junk before each line, the reader returns the same lines in the same order."""
    clean = junk.replace(b"\n", b"")
    stream = b"".join(clean + board_line(line) for line in lines)
    reader, found, rest = LineReader(), [], stream
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += reader.feed(rest[:size])
        rest = rest[size:]
    assert found == lines
    assert reader.junk == len(clean) * len(lines)


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_junk_never_breaks_the_reader(chunks: list[bytes]) -> None:
    """After any junk, the first whole line after a line feed is read."""
    reader = LineReader()
    for chunk in chunks:
        reader.feed(chunk)
    assert reader.feed(b"\n" + board_line(Heartbeat(7))) == (Heartbeat(7),)


def test_two_megabytes_of_junk_leave_nothing_behind() -> None:
    """2 MB without a line end are dropped at once: the buffer holds at most 95 bytes, and the next line is read."""
    reader = LineReader()
    for _ in range(512):
        assert reader.feed(b"$H,1,2" * 683) == ()
        assert len(reader._pending) < MAX_LINE
    assert reader.feed(b"\n" + board_line(Heartbeat(7))) == (Heartbeat(7),)
    assert reader.junk > 2_000_000


def test_half_a_line_is_forgotten_when_the_port_is_opened_again() -> None:
    """The reader never joins half a line from the old port to a line from the new port."""
    reader = LineReader()
    raw = board_line(Heartbeat(7))
    reader.feed(raw[:5])
    reader.reset()
    assert reader.feed(raw[5:]) == ()
    assert reader.feed(raw) == (Heartbeat(7),)


DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_the_document_s_examples_are_sound() -> None:
    """Every whole line in the protocol's document has the right checksum and the value shown beside it."""
    examples = [
        line.strip().encode()
        for line in DOCUMENT.read_text().splitlines()
        if re.match(r" {4,}\$[A-Z],", line)
    ]
    assert len(examples) > 10
    for example in examples:
        assert parse_board_line(example) or parse_host_line(example), example
    types = {type(parse_board_line(example)) for example in examples}
    assert types >= {Hello, HitLine, KnockLine, ButtonLine, StuckLine, Heartbeat, Setting, Notice}


def test_the_document_s_notices_are_those_with_texts() -> None:
    """The table of notices has the keys of `NOTICES`, and the notices of contacts closed beside a hit."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert set(rows) == {*NOTICES, *HitNotice}


def test_the_document_s_settings_are_those_of_the_boards() -> None:
    """The table of settings has the keys and ranges of the simulated board."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) to (\d+) \|", DOCUMENT.read_text(), re.MULTILINE)
    assert {key: (int(low), int(high)) for key, low, high in rows} == {
        key: (low, high) for key, (_, low, high) in SETTINGS.items()
    }
