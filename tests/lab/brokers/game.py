"""A game on a real broker with a board's accounts; one node of a cluster is killed in the middle."""

from __future__ import annotations

import secrets
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from lab.brokers.accounts import PASSWORDS, TOPICS, write_passwords
from lab.brokers.process import Running
from lab.daemon_process import DaemonProcess, Peer, State
from scharten.club_broker.mosquitto import username
from scharten.contract.roles import Account

PATIENCE_S = 150.0
"""A player gives up after waiting this long for an answer."""
MOVES = 6
"""Moves before a node is killed, and as many after it."""
SETTLED_S = 3.0
"""A NATS cluster takes seconds for each subscription; earlier messages reach no subscriber."""
CONFIG = """
[game]
settle_ms = 0
[broker]
url = "mqtt://127.0.0.1:{port}"
credentials = "{credentials}"
[web]
port = 0
"""


class Row(NamedTuple):
    """A row of the table: the trial, whether it works, and the fault or the measurement."""

    title: str
    works: bool
    detail: str


def game(broker: Running, *, seen_elsewhere: bool) -> Row:
    """Play with the host at the first node and a player at the last, which is killed; the player continues at
    another.

    If other nodes do not see the board, all clients use the first node, and none is killed.
    """
    nodes = broker.nodes
    theirs = len(nodes) - 1 if seen_elsewhere else 0
    what = "a game of which the player's node is killed" if theirs else "a game at one node"
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        passwords = write_passwords(folder / "secrets")
        config = CONFIG.format(port=nodes[0].port, credentials=passwords)
        daemon = DaemonProcess(folder / "data", config).start()
        try:
            _ = daemon.running
            slowest = _play(nodes[theirs].port, first=True)
            if theirs:
                nodes[theirs].kill()
            died = time.monotonic()
            slowest = max(slowest, _play(nodes[max(0, theirs - 1)].port, first=False))
            took = time.monotonic() - died
        except AssertionError as error:
            return Row(what, False, str(error).partition("; the last state")[0])
        finally:
            daemon.end()
    later = f", those after the kill in {took:.1f} s" if theirs else ""
    return Row(what, True, f"all {2 * MOVES} moves played, the slowest in {slowest:.1f} s{later}")


def _play(port: int, *, first: bool) -> float:
    """Play some moves at this node; return the longest time of a move."""
    name = username(TOPICS.board, Account.TABLE)
    topics = ("state", "answer/table")
    peer, slowest = Peer("127.0.0.1", port, TOPICS.root, "table", PASSWORDS[name], name, topics), 0.0
    try:
        peer.wait(lambda state: "phase" in state, PATIENCE_S, "the first state")
        time.sleep(SETTLED_S)
        if first:
            peer.new_game(kind="silent", game="chess", options={"white_by": "agreed"})
        begun = 0 if first else MOVES
        state = peer.wait(lambda state: state["turns"] >= begun, PATIENCE_S, "the state")
        goal = state["turns"] + MOVES
        while state["turns"] < goal:
            began = time.monotonic()
            move = sorted(state["moves"])[state["turns"] % len(state["moves"])]
            _reported(peer, state, move)
            turns = state["turns"]
            state = peer.wait(lambda state, n=turns: state["turns"] > n, PATIENCE_S, "the next state")  # type: ignore[misc]
            slowest = max(slowest, time.monotonic() - began)
    finally:
        peer.close()
    return slowest


def _reported(peer: Peer, state: State, move: str) -> None:
    """Play a move as a person at a screen does: repeat it with the same id until an answer comes."""
    reported, began = secrets.token_hex(8), time.monotonic()
    while True:
        try:
            answer = peer.ask("move", id=reported, move=move, side=state["side"], seq=state["seq"], seconds=5)
        except AssertionError:
            assert time.monotonic() - began < PATIENCE_S, f"no answer to a move in {PATIENCE_S:.0f} s"
            continue
        assert answer["accepted"] or answer["code"] == "stale", answer
        return
