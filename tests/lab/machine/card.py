"""The card of `make image` in an emulated machine, started by its own kernel, initrd and command line."""

from __future__ import annotations

import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from lab.daemon_process import wait_for
from lab.machine.evening import WAIT_S, Evening, Finding
from lab.machine.image import FILES, Image
from lab.machine.qemu import Machine
from lab.machine.size import Size
from lab.ports import free_ports
from lab.programs import program

CARD_GB = 4
"""Larger than the image: the card grows to its size."""
HOST = "10.0.2.15:8765"
"""The card's address in its own network: the page answers to its names alone."""
MOVES = ("e2e4", "e7e5", "g1f3", "b8c6")


class Card(Machine):
    """A machine with the card as its only disk. Its boot loader is qemu, which has no Raspberry Pi with a network."""

    def __init__(self, image: Image, folder: Path, accelerator: str) -> None:
        super().__init__(image, folder, accelerator)
        (self._page_port,) = free_ports(1)

    def prepare(self) -> None:
        """Nothing to keep: each start is a whole boot."""

    def start(self) -> None:
        """Boot; before the first time the card is copied onto one that is larger."""
        card = self.folder / "root.qcow2"
        if not card.exists():
            self._overlay(self.image.disk, "raw")
            size = ("resize", "-q", str(card), f"{CARD_GB}G")
            subprocess.run([program("qemu-img", "qemu-utils"), *size], check=True)
        self._forwarded = {}
        self._launch([])
        self._wait_for_ssh()

    def be_patient(self) -> None:
        """Give the service the time that an emulated machine takes, from now on."""
        name = "etc/systemd/system/scharten.service.d/emulated.conf"
        write = f"mkdir -p /{Path(name).parent} && cat > /{name} && sync && systemctl daemon-reload"
        restart = "systemctl restart --no-block scharten"
        self.sh(f"{write} && {restart}", WAIT_S, stdin=(FILES / name).read_text())

    def wait_for_page(self) -> None:
        """Wait until the page answers in the network."""
        page = urllib.request.Request(f"http://127.0.0.1:{self._page_port}/", headers={"Host": HOST})

        def answers() -> bool:
            with suppress(OSError), urllib.request.urlopen(page, timeout=60):
                return True
            time.sleep(1)
            return False

        wait_for(answers, 3 * WAIT_S, "the page of the card")

    def _kernel_line(self) -> str:
        return (self.image.folder / "cmdline.txt").read_text().strip()

    def _doors(self) -> dict[int, int]:
        return {**super()._doors(), self._page_port: int(HOST.partition(":")[2])}


def card(machine: Machine, size: Size) -> Finding:
    """The card of `make image` boots and grows; a game is begun, the power fails, and the game goes on."""
    assert isinstance(machine, Card)
    night, found = Evening(machine), Finding(tries=len(MOVES))
    try:
        machine.start()
        machine.be_patient()
        machine.wait_for_page()
        booted_s = time.monotonic() - machine.started_s
        root_mb = int(machine.sh("df --output=size -BM / | tail -1").strip(" M"))
        found.refused += root_mb < CARD_GB * 1024 * 3 // 4
        night.peer.new_game(WAIT_S, game="chess", kind="silent")
        for turn, move in enumerate(MOVES[:-1]):
            found.refused += not _play(night, turn, move)
        machine.end()
        began = time.monotonic()
        night.reconnect()
        machine.start()
        machine.wait_for_page()
        state = night.peer.wait(lambda state: bool(state["phase"]), WAIT_S, "the game")
        found.lost = len(MOVES) - 1 - state["turns"]
        if state["phase"] == "paused":
            night.peer.ask("resume", WAIT_S)
        found.refused += not _play(night, state["turns"], MOVES[-1])
        found.again_s.append(time.monotonic() - began)
        found.note = f"page {booted_s:.0f} s after the first start; the root grew to {root_mb} MB"
        return found
    finally:
        night.end()


def _play(night: Evening, turn: int, move: str) -> bool:
    """Play a move once it is due; return whether it was accepted."""
    night.peer.wait(lambda state: state["phase"] == "turn" and state["turns"] == turn, WAIT_S, "the turn")
    return bool(night.peer.ask("move", WAIT_S, move=move)["accepted"])
