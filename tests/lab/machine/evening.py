"""An evening at the whole machine: a board, a game, darts, and the journal's record of them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from lab.daemon_process import Peer, State, wait_for
from lab.machine.board import UsbBoard
from lab.machine.chips import MEGA, Chip
from lab.machine.qemu import Machine
from lab.machine.usbip import Server
from lab.scripted_game import Throw, aim, next_action
from scharten.games.scharten.board import bed_of, parse_field

PLAYABLE = ("turn", "throwing", "settling")
DATA = "/var/lib/scharten"
WAIT_S = 400.0
"""The longest wait for any event: an emulated machine beside other programs is slow."""
FACTS = (
    "p=$(systemctl show scharten --value -p MainPID); test $p != 0"
    f""" && cd {DATA} && grep -q '"pid": '$p running.json && cat running.json && echo && cat secrets.json"""
)
"""Show the files that this start of the service wrote about itself, once they exist."""
STORED = f"""
import json, sqlite3
journal = sqlite3.connect("file:{DATA}/scharten.sqlite3?mode=ro", uri=True)
bodies = [json.loads(body) for (body,) in journal.execute("SELECT body FROM inputs ORDER BY n")]
print(json.dumps([[*item["contact"], *item["receipt"]] for item in bodies if item.get("what") == "dart"]))
print(journal.execute("PRAGMA integrity_check").fetchone()[0])
"""


@dataclass
class Finding:
    """The result of a row: tries, darts lost, duplicated and refused, and the times to play again."""

    tries: int = 1
    lost: int = 0
    doubled: int = 0
    refused: int = 0
    again_s: list[float] = field(default_factory=list)
    note: str = ""

    @property
    def harmless(self) -> bool:
        """Whether nothing was lost, duplicated or refused; the times are those of an emulated machine, and not
        judged."""
        return not (self.lost or self.doubled or self.refused)


class Evening:
    """A machine with one board, and a game that continues through everything a row does."""

    def __init__(self, machine: Machine, chip: Chip = MEGA) -> None:
        self.machine = machine
        self.server = Server()
        self.board = UsbBoard(self.server, "1-1", chip)
        self.found = Finding()
        self.pace_s = 0.0
        """Between a state and the dart or move that follows."""
        self._acts = 0
        """Darts and moves of this game that should each have made a turn."""
        self._peer: Peer | None = None

    def begin(self, turns: int = 3, plugged: bool = False) -> None:
        """Plug the board in unless it is, begin a game and play some turns."""
        if not plugged:
            self.plug()
        self.wait_for_board()
        self.peer.new_game(WAIT_S, names={"white": "Ilse", "black": "Cas"})
        self._acts = 0
        self.play(turns)

    @property
    def peer(self) -> Peer:
        """The arbiter's connection to the broker in the machine."""
        if self._peer is None:
            self._peer = self._connected()
        return self._peer

    def _connected(self) -> Peer:
        """Connect once this boot's service has written where it listens."""

        def facts() -> dict[str, Any] | None:
            shown = self.machine.sh(FACTS, check=False)
            if not shown:
                time.sleep(1)
                return None
            decoder = json.JSONDecoder()
            reported, end = decoder.raw_decode(shown)
            return {"reported": reported, "secrets": decoder.raw_decode(shown[end:].lstrip())[0]}

        known = wait_for(facts, WAIT_S * 3, "the service")
        reported = known["reported"]
        root = f"{reported['prefix']}/{reported['club']}/{reported['board']}"
        port = self.machine.forward(reported["broker"]["port"])
        return Peer("127.0.0.1", port, root, "arbiter", known["secrets"]["arbiter"])

    def reconnect(self) -> None:
        """Forget the connection: the service or the machine was restarted."""
        if self._peer is not None:
            with suppress(OSError):
                self._peer.close()
        self._peer = None

    def plug(self, board: UsbBoard | None = None) -> None:
        """Plug a board in, into the next free port of the machine."""
        board = board or self.board
        board.plug()
        attach = f"usbip --tcp-port {self.server.port} attach -r 10.0.2.2 -b {board.bus}"
        # While the kernel recognises another device, `usbip` cannot list the connected ones, and refuses.
        self.machine.sh(
            f"modprobe vhci-hcd; for n in $(seq 20); do {attach} && exit 0; sleep 1; done; exit 1"
        )

    def wait_for_board(self) -> None:
        """Wait until the service has found its board, and resume a paused game."""
        wait_for(lambda: self.peer.source == "found", WAIT_S, "the board to be found")
        if self.peer.state.get("phase") == "paused":
            self.peer.ask("resume", WAIT_S)

    def play(self, turns: int = 1) -> None:
        """Play this many turns: darts at the board, moves by command. A dart that makes no turn counts as refused."""
        for _ in range(turns):
            state = self.peer.wait(lambda state: state["phase"] in PLAYABLE, WAIT_S, "a turn")
            action = next_action(state)
            assert action is not None, "the game is over"
            time.sleep(self.pace_s)
            if isinstance(action, Throw):
                self.board.press(bed_for(action))
            else:
                self.peer.send_command("move", move=action.move)
            self.turn_after(state)

    def turn_after(self, state: State) -> None:
        """Wait until one more turn has been played."""
        self._acts += 1
        try:
            self.peer.wait(
                lambda item: item["turns"] > state["turns"] or item["result"] is not None, WAIT_S / 4
            )
        except AssertionError:
            self.found.refused += 1

    def dart(self) -> Throw:
        """A dart that is legal now."""
        state = self.peer.wait(
            lambda state: state["phase"] in PLAYABLE and bool(state["drops"]), WAIT_S, "a throw"
        )
        return aim(sorted(state["drops"])[0])

    @contextmanager
    def play_again(self) -> Iterator[None]:
        """Measure from here until a dart has counted; the block restores the missing part."""
        began = time.monotonic()
        yield
        self.wait_for_board()
        self.play()
        self.found.again_s.append(time.monotonic() - began)

    def judge(self) -> Finding:
        """Compare the darts with the journal in the machine."""
        wanted = Counter(self.board.pressed)
        stored = self._stored()
        contacts = Counter((drive, sense) for drive, sense, _, _ in stored)
        receipts = Counter((session, number) for _, _, session, number in stored)
        self.found.lost = sum((wanted - contacts).values())
        self.found.doubled = max(
            sum((contacts - wanted).values()), sum(count - 1 for count in receipts.values())
        )
        return self.found

    def _stored(self) -> list[list[int]]:
        """Return contact and receipt of each stored dart, once every dart is stored or the wait is over."""
        deadline = time.monotonic() + WAIT_S / 8
        while True:
            shown = self.machine.sh("python3 -", stdin=STORED).splitlines()
            stored: list[list[int]] = json.loads(shown[0])
            if len(stored) >= len(self.board.pressed) or time.monotonic() > deadline:
                assert shown[1] == "ok", f"the journal is damaged: {shown[1]}"
                return stored
            time.sleep(1)

    def end(self) -> None:
        """Close everything but the machine."""
        self.reconnect()
        self.board.close()
        self.server.close()


def bed_for(action: Throw) -> str:
    """The bed at which a throw of the script aims."""
    found = parse_field(action.field)
    assert found is not None
    return str(bed_of(found, 3))


@contextmanager
def evening(machine: Machine, chip: Chip = MEGA) -> Iterator[Evening]:
    """An evening on a machine that has just booted; it ends with the block, and the machine with it."""
    machine.start_warm()
    item = Evening(machine, chip)
    try:
        yield item
    finally:
        item.end()
        machine.end()
