"""The guest's proof detects a host that counts another dart, or the same dart at another time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scharten.games import GAMES_BY_KEY
from scharten.match.codec import encode_input
from scharten.match.digest import digest
from scharten.match.inputs import Knock, Reading, Receipt
from scharten.match.settings import MatchSettings, Start
from scharten.match.state import begin
from scharten.match.white import Seat
from scharten.remote.messages import GuestReading, Proof
from scharten.remote.proof import ProofKeeper


def judged(folder: Path, sent_ms: int, peak: int, *, dated: bool) -> str:
    """Return the difference between a host's knock of peak 9 at 5,000 ms and the guest board's reading."""
    keeper = ProofKeeper(folder)
    body = {
        "v": 1,
        "id": [7, 1],
        "at_ms": sent_ms,
        "sensor": "board",
        "what": {"what": "knock", "peak": peak},
    }
    keeper.sent(GuestReading.model_validate_json(json.dumps(body)), dated=dated)
    counted = Reading(5_000, 5_000, "board", Knock(9), Receipt(7, 1), place=Seat.SEAT2)
    start = Start(settings=MatchSettings(), id="m1")
    digests = digest(begin(start, GAMES_BY_KEY))
    raw = json.loads(start.model_dump_json())
    keeper.take(Proof(match="m1", n=0, digest=digests, input=encode_input(counted), start=raw))
    assert keeper.have == 1
    return keeper.differs


@pytest.mark.parametrize(
    ("sent_ms", "peak", "dated", "caught"),
    [
        (5_000, 9, True, False),
        (5_001, 9, True, True),
        (5_000, 8, True, True),
        (5_001, 9, False, False),
        (5_001, 8, False, True),
    ],
)
def test_another_dart_is_detected_but_an_earlier_date_of_ours_is_not(
    tmp_path: Path, sent_ms: int, peak: int, dated: bool, caught: bool
) -> None:
    """The dart is always compared; its time only where no earlier process of ours may have sent it."""
    assert bool(judged(tmp_path, sent_ms, peak, dated=dated)) is caught
