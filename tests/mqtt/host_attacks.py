"""Attacks on the host through the broker: a running daemon, and every command that must change nothing."""

from __future__ import annotations

import json
import random
import resource
import socket
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from lab.daemon_process import DaemonProcess, Peer, State, wait_for
from lab.trust.rows import Attack
from scharten.contract.messages import COMMAND_TYPES
from scharten.contract.topics import COMMAND_LIMIT

FIELDS: dict[str, dict[str, object]] = {
    "new_game": {},
    "decide_white": {"by": "agreed", "white": "seat1"},
    "move": {"move": "e2e4"},
    "choose_bed": {"bed": "D20"},
    "correct": {"bed": "D20"},
    "add_dart": {"bed": "D20"},
    "take_back": {"turns": 1},
    "confirm": {"request": "none"},
    "answer_draw": {"accept": True},
    "claim_draw": {"rule": "repetition"},
    "touch": {"fields": ["e2"]},
    "set_clock": {"white_ms": 1},
    "set_result": {"result": "1-0"},
    "set_position": {"position": "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"},
    "explain": {"move": "e2e4"},
}
ARBITERS = ("set_clock", "set_result", "set_position", "touch", "adoube")
"""Commands that only the arbiter may send (docs/contract.md, Commands)."""
SEATS_MAY_NOT = ARBITERS
ORGANISERS = ("new_game", "pause", "resume", "explain")
"""All commands that the organiser may send."""
FORBIDDEN = {
    "seat1": SEATS_MAY_NOT,
    "seat2": SEATS_MAY_NOT,
    "table": ARBITERS,
    "arbiter": (),
    "organiser": tuple(kind for kind in COMMAND_TYPES if kind not in ORGANISERS),
}
WITH_SEQ = tuple(
    kind
    for kind in COMMAND_TYPES
    if kind
    in FIELDS.keys() & {"move", "choose_bed", "correct", "add_dart", "take_back", "claim_draw", "touch"}
    or kind in ("announce_throw", "cancel_throw", "ready", "miss", "delete_dart", "adoube")
)
"""Commands that refer to a single `seq`."""


LOG_BYTES = 10_000


def _shape(state: State) -> tuple[object, ...]:
    """Return the part of the state that no attack may change."""
    return tuple(
        state.get(key) for key in ("match", "seq", "position", "phase", "side", "result", "requests")
    )


def _settled(peer: Peer) -> tuple[object, ...]:
    """Return the state after the host has judged everything sent so far."""
    peer.ask("explain", move="e2e4", side="white")
    time.sleep(0.05)
    return _shape(peer.state)


def forbidden_commands(daemon: DaemonProcess) -> Attack:
    """A seat, the table, the arbiter and the organiser send every forbidden type, and every type too late.

    Too late is another game's `match`, or a `seq` that is past or yet to come.
    """
    table = daemon.peer("table")
    table.wait(lambda state: state["phase"] in ("setup", "turn"))
    table.new_game()
    tried = through = 0
    for role in ("seat1", "seat2", "table", "arbiter", "organiser"):
        peer = daemon.peer(role)
        peer.wait(lambda state: state["phase"] == "turn")
        before = _settled(table)
        for kind in COMMAND_TYPES:
            if kind == "explain":
                continue
            wrongs: list[dict[str, object]] = []
            if kind in FORBIDDEN[role]:
                wrongs.append({})
            if kind in WITH_SEQ:
                wrongs.append({"seq": 0 if role == "table" else 999_999})
            if kind != "new_game":
                wrongs.append({"match": "another"})
            for wrong in wrongs:
                tried += 1
                side = {"side": "white"} if role in ("table", "arbiter") else {}
                answer = peer.ask(kind, **{**side, **FIELDS.get(kind, {}), **wrong})
                through += bool(answer["accepted"])
        through += _settled(table) != before
        peer.close()
    table.close()
    return Attack("commands that the role may not give, or too late", tried, through)


def replays(daemon: DaemonProcess, count: int = 10) -> Attack:
    """A played move is sent again with the same id: the first answer returns and no turn is played."""
    table = daemon.peer("table")
    table.wait(lambda state: state["phase"] in ("setup", "turn", "settling"))
    table.new_game()
    move = table.wait(lambda state: bool(state["moves"]))["moves"][0]
    name = uuid4().hex
    seq = table.state["seq"]
    first = table.ask("move", move=move, side="white", id=name, seq=seq)
    position_after = _settled(table)
    through = 0
    for _ in range(count):
        table.answers.pop(name)
        repeated = table.ask("move", move=move, side="white", id=name, seq=seq)
        through += repeated != first or _settled(table) != position_after
    table.close()
    return Attack("replayed commands", count, through)


def random_commands(daemon: DaemonProcess, count: int = 500, seed: int = 1) -> Attack:
    """Mutated and random commands of an unknown game change nothing, and memory stays."""
    chance = random.Random(seed)
    table = daemon.peer("table")
    table.wait(lambda state: state["phase"] in ("setup", "turn", "settling"))
    table.new_game()
    before, memory = _settled(table), resident_kb(daemon)
    started = time.perf_counter()
    for number in range(count):
        kind = chance.choice(COMMAND_TYPES)
        whole = {
            "v": 1,
            "id": uuid4().hex,
            "match": "another",
            "seq": 1,
            "type": kind,
            **FIELDS.get(kind, {}),
        }
        data = bytearray(
            json.dumps(whole if kind != "new_game" else whole | {"options": {"x": number}}).encode()
        )
        for _ in range(chance.randrange(0, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if number % 10 == 0:
            data = bytearray(chance.randbytes(chance.randrange(1, 300)))
        if number % 500 == 0:
            data = bytearray(b"[" * COMMAND_LIMIT)
        table.publish(f"command/{chance.choice(('table', 'table', 'arbiter'))}", bytes(data))
    seconds = time.perf_counter() - started
    changed = _settled(table) != before
    grown = (resident_kb(daemon) - memory) / 1024
    table.close()
    return Attack(
        "random and mutated commands",
        count,
        int(changed),
        f"{count / seconds:.0f} a second, memory grew {grown:.1f} MB",
    )


def hostile_names(daemon: DaemonProcess) -> Attack:
    """Names of markup, control letters and excessive length are published unchanged or refused, never broken."""
    names = ["<script>alert(1)</script>", '"},{"', "\u202e\u0000\u001b[2J", "x" * 41, "x" * 10_000, "𝕏" * 40]
    table = daemon.peer("table")
    table.wait(lambda state: state["phase"] in ("setup", "turn", "settling"))
    through = 0
    for name in names:
        answer = table.ask("new_game", abandon=True, names={"white": name, "black": ""})
        if answer["accepted"]:
            state = table.wait(lambda state, name=name: state["names"]["white"] == name)  # type: ignore[misc]
            through += len(json.dumps(state)) > 32 * 1024
        else:
            through += answer["code"] not in ("malformed", "too_large")
    table.close()
    return Attack("hostile players' names", len(names), through)


def no_descriptors(daemon: DaemonProcess, count: int = 300, seconds: float = 3.0) -> Attack:
    """More connections to the broker than the daemon has descriptors: the log has a line, then play continues."""
    assert daemon.process is not None
    table = daemon.peer("table")
    table.wait(bool)
    before, broker = daemon.log.stat().st_size, daemon.running["broker"]
    limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE)
    in_use = max(int(name.name) for name in Path(f"/proc/{daemon.process.pid}/fd").iterdir()) + 1
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (in_use + 4, limits[1]))
    lines = []
    try:
        for _ in range(count):
            line = socket.socket()
            line.setblocking(False)
            line.connect_ex((broker["host"], broker["port"]))
            lines.append(line)
        wait_for(lambda: b"no further" in daemon.log.read_bytes()[before:], 40, "a line in the log")
        time.sleep(seconds)
    finally:
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, limits)
        for line in lines:
            line.close()
    harm = int(not table.ask("new_game", abandon=True)["accepted"])
    written = daemon.log.read_bytes()[before:]
    harm += len(written) > LOG_BYTES
    table.close()
    newcomer = daemon.peer("table")
    newcomer.wait(bool)
    newcomer.close()
    return Attack("connections without a descriptor for them", count, harm, f"{len(written)} bytes of log")


def resident_kb(daemon: DaemonProcess) -> int:
    """Return the memory of the daemon."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


HOST_ATTACKS: tuple[Callable[[DaemonProcess], Attack], ...] = (
    forbidden_commands,
    replays,
    random_commands,
    hostile_names,
    no_descriptors,
)
