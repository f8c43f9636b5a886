"""Play on a running daemon and report about it: python -m lab.deb_player turns 6.

`state` prints the current game and its position, `inputs` the number of inputs in the journal.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

from lab.daemon_process import Peer
from lab.scripted_game import board_listens, play_turn

DATA = Path("/var/lib/scharten")


def _arbiter() -> Peer:
    reported = json.loads((DATA / "running.json").read_text())
    secrets = json.loads((DATA / "secrets.json").read_text())
    root = f"{reported['prefix']}/{reported['club']}/{reported['board']}"
    return Peer(reported["broker"]["host"], reported["broker"]["port"], root, "arbiter", secrets["arbiter"])


def turns(count: int) -> str:
    """Start a game and play this many turns."""
    peer = _arbiter()
    board_listens(peer)
    peer.new_game(names={"white": "Ilse", "black": "Cas"}, options={"settle_ms": 0})
    for _ in range(count):
        play_turn(peer, seed=1)
    peer.close()
    return f"{count} turns"


def state() -> str:
    """Print the current game and its position."""
    peer = _arbiter()
    reported = peer.wait(lambda item: bool(item["match"]), what="a game")
    peer.close()
    return f"{reported['match']} {reported['position']}"


def inputs() -> str:
    """Print the number of inputs in the journal."""
    with sqlite3.connect(f"file:{DATA / 'scharten.sqlite3'}?mode=ro", uri=True) as journal:
        return str(journal.execute("SELECT count(*) FROM inputs").fetchone()[0])


if __name__ == "__main__":
    words = sys.argv[1:]
    print(turns(int(words[1])) if words[0] == "turns" else state() if words[0] == "state" else inputs())
