"""Play a short evening on a real daemon and save its journal, which every later version must replay.

PYTHONPATH=tests python tests/journal/keep_evening.py tests/journal/kept/schema3-evening.sqlite3
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from lab.daemon_process import DaemonProcess
from lab.scripted_game import board_listens, play_turn
from scharten.store.files import set_aside


def keep(target: Path) -> None:
    """Play a loud game with darts, moves, a lost dart, a take-back, a pause and a restart, then a resigned
    silent game."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = DaemonProcess(Path(folder) / "data")
        try:
            daemon.start()
            peer = daemon.peer("arbiter")
            board_listens(peer)
            peer.new_game(names={"white": "Anneke", "black": "Bo"})
            for _ in range(24):
                play_turn(peer, seed=1)
            peer.throw(x_mm=0.0, y_mm=0.0)
            peer.wait(lambda state: state["turns"] == 25 and state["phase"] == "turn", what="the lost dart")
            assert peer.ask("take_back", turns=2)["accepted"]
            assert peer.ask("pause")["accepted"] and peer.ask("resume")["accepted"]
            peer.close()
            daemon.kill()
            daemon.start()
            peer = daemon.peer("arbiter")
            peer.wait(lambda state: state["phase"] == "paused")
            assert peer.ask("resume")["accepted"]
            for _ in range(6):
                play_turn(peer, seed=1)
            peer.new_game(kind="silent")
            for _ in range(6):
                play_turn(peer, seed=2)
            assert peer.ask("resign", side="white")["accepted"]
            peer.close()
            daemon.stop()
        finally:
            daemon.end()
        set_aside(target)
        (daemon.folder / "scharten.sqlite3").rename(target)


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
