"""Lines recorded from the compiled program (tests/frames, made by firmware/record.py), through the host's parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from scharten.dartboard.lines import board_line, parse_board_line
from scharten.dartboard.link import Gap, HostLink, LineReader, LineReceived, Lost, Reply

FRAMES = sorted((Path(__file__).resolve().parents[1] / "frames").glob("firmware-*.txt"))


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: path.stem)
def test_every_recorded_line_is_parsed_and_written_the_same(path: Path) -> None:
    """Parsing a recorded line and writing it again gives the same bytes."""
    lines = path.read_bytes().splitlines()
    assert len(lines) >= 7
    for raw in lines:
        line = parse_board_line(raw)
        assert line is not None, raw
        assert board_line(line) == raw + b"\n"


@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize("path", FRAMES, ids=lambda path: path.stem)
def test_a_recording_in_pieces_gives_every_event_once(path: Path, size: int) -> None:
    """In pieces of any size each numbered event is accepted once and in order, without a gap."""
    data = path.read_bytes()
    reader, link = LineReader(), HostLink()
    link.opened()
    accepted: list[int] = []
    for start in range(0, len(data), size):
        for line in reader.feed(data[start : start + size]):
            for outcome in link.receive(line):
                assert not isinstance(outcome, Gap | Lost | Reply), outcome
                if isinstance(outcome, LineReceived):
                    accepted.append(outcome.line.seq)
    assert reader.junk == 0
    assert accepted == list(range(1, len(accepted) + 1))
