"""A broker that dies, stands still or refuses, under a daemon with a board: darts count on, displays say why."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scharten.bench.room import Daemon, Peer, wait_for
from scharten.sinks.journal import JournalReader
from trust.board_trouble import PATIENCE_S, LiveBoard, at_the_board, bed_of_field, healthz
from trust.kills import Mosquitto

pytestmark = pytest.mark.mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker of our own, on a port that stays the same."""
    if not (shutil.which("mosquitto") or Path("/usr/sbin/mosquitto").exists()):
        pytest.skip("mosquitto is missing: install the package mosquitto")
    one = Mosquitto(tmp_path)
    one.start()
    yield one
    one.kill()


def darts_stored(daemon: Daemon) -> int:
    """How many lines of the board the journal holds, read while the daemon writes."""
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    rows = [json.loads(row.body) for one in reader.matches() for row in reader.inputs(one.id)]
    reader.close()
    return sum(bool(row.get("line")) for row in rows)


def plays_on(daemon: Daemon, board: LiveBoard, peer: Peer) -> None:
    """A dart into a free bed reaches the journal although nobody can be told."""
    before = darts_stored(daemon)
    board.hit(bed_of_field(sorted(peer.state["placements"])[-1]))
    wait_for(lambda: darts_stored(daemon) == before + 1, PATIENCE_S, "the dart in the journal")


def test_play_goes_on_whatever_the_broker_does(broker: Mosquitto, tmp_path: Path) -> None:
    """Killed, standing still, refusing: each dart is stored, `/healthz` is red with the reason, and the state is
    published again on return; a command for the state before is stale."""
    with at_the_board(tmp_path, broker.config) as (daemon, board, peer):
        wait_for(lambda: healthz(daemon)[0] == 200, PATIENCE_S, "a green healthz")

        broker.kill()
        wait_for(lambda: healthz(daemon)[0] == 503, PATIENCE_S, "a red healthz")
        assert "broker" in healthz(daemon)[1]
        old = peer.state
        plays_on(daemon, board, peer)
        broker.start()
        peer.wait(lambda state: state["turns"] == 1, PATIENCE_S, "the state after the broker's death")
        late = peer.ask("miss", side="black", seq=old["seq"])
        assert (late["accepted"], late["code"]) == (False, "stale")
        wait_for(lambda: healthz(daemon)[0] == 200, PATIENCE_S, "healthz to be green again")

        assert broker.process is not None
        os.kill(broker.process.pid, signal.SIGSTOP)
        try:
            plays_on(daemon, board, peer)
            wait_for(lambda: healthz(daemon)[0] == 503, 30, "the silent broker to be noticed")
        finally:
            os.kill(broker.process.pid, signal.SIGCONT)
        peer.wait(lambda state: state["turns"] == 2, PATIENCE_S, "the state after the standstill")

        broker.kill()
        broker.open_to_all = False
        broker.start()
        wait_for(lambda: "uthori" in healthz(daemon)[1], PATIENCE_S, "the refusal in healthz")
        wait_for(lambda: "refuses" in daemon.log.read_text(), PATIENCE_S, "the refusal in the log")
        plays_on(daemon, board, peer)
        broker.kill()
        broker.open_to_all = True
        broker.start()
        peer.wait(lambda state: state["turns"] == 3, PATIENCE_S, "the state after the refusal")
        wait_for(lambda: healthz(daemon)[0] == 200, PATIENCE_S, "healthz to be green at the end")
