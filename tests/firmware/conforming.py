"""The compiled program as a board of the conformance suite."""

from __future__ import annotations

from firmware.driver import Board, Port


class FirmwareDriver:
    """Run the compiled program under the conformance suite (tests/conformance/driver.py), over its pty, in
    lockstep."""

    rest_ms = 130

    def __init__(self, kind: str = "mega2560", drives: int = 8, senses: int = 11) -> None:
        self.board = Board(kind, drives, senses)
        self.drives, self.senses = drives, senses
        self.board.tell("log 0")
        self._powered = 1
        self.power_cycle()

    def power_cycle(self) -> None:
        """Turn the power off and on, then switch the piezo on as a host does."""
        for port in [*self.board.ports]:
            port.close()
        self._powered += 1
        self.board.calm()
        self.board.power(self._powered)
        self.board.run(150)
        self.board.set("knock_threshold", 60)

    def open_port(self) -> Port:
        """Open the pty."""
        return self.board.open_port()

    def advance(self, ms: int) -> None:
        """Advance simulated time."""
        self.board.run(ms)

    def press(self, drive: int, sense: int) -> None:
        """Press a contact as a dart with some bounce does."""
        self.board.press(drive, sense, closed_ms=2, bounce_ms=0.3)

    def hold(self, drive: int, sense: int) -> None:
        """Close a contact."""
        self.board.contact(drive, sense, True)

    def release(self, drive: int, sense: int) -> None:
        """Open a contact."""
        self.board.contact(drive, sense, False)

    def knock(self) -> None:
        """Knock on the board."""
        self.board.knock()

    def button(self, number: int) -> None:
        """Press a button for 30 ms."""
        self.board.button(number, True)
        self.board.button(number, False, 30)

    def reset(self) -> None:
        """Pull the reset line."""
        self.board.reset()

    def close(self) -> None:
        """Switch the board off."""
        self.board.close()
