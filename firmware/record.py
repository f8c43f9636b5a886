"""Record the lines of the compiled program for the tests of the host's parser: `make -C firmware record`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from firmware.driver import Board  # noqa: E402  the simulated electronics are the tests'
from scharten.dartboard.lines import ack, frame, query  # noqa: E402

FRAMES = ROOT / "tests" / "frames"


def _power_up(board: Board) -> None:
    board.run(2100)


def _evening(board: Board) -> None:
    """Play hits, a knock and buttons; acknowledge some, let one be repeated."""
    board.run(150)
    board.set("knock_threshold", 80)
    board.set("lamp", 1)
    for i in range(4):
        board.press(2 * i, 3 * i, 1, 2, 0.5, i)
        board.run(120)
    board.send(ack(4))
    board.knock(1)
    board.run(150)
    for number in range(3):
        board.button(number, True, 1)
        board.button(number, False, 40)
        board.run(100)
    board.run(300)
    board.send(query())
    board.run(100)


def _stuck(board: Board) -> None:
    """Hold a contact for 2.5 s and release it; then reset with another contact closed."""
    board.run(150)
    board.contact(4, 4, True)
    board.run(2500)
    board.send(ack(2))
    board.contact(4, 4, False)
    board.run(800)
    board.send(ack(3))
    board.contact(0, 10, True)
    board.run(60)
    board.send(ack(4))
    board.run(20)
    board.reset()
    board.run(120)


def _refused(board: Board) -> None:
    """Send impossible settings; the answers show the real values."""
    board.run(150)
    board.send(frame("C,lamp,99") + frame("C,vote_window_ms,51") + frame("C,knock_window_ms,x"))
    board.run(60)


STORIES: dict[str, Callable[[Board], None]] = {
    "power-up": _power_up,
    "evening": _evening,
    "stuck": _stuck,
    "refused": _refused,
}


def main() -> int:
    """Write a file for each story."""
    FRAMES.mkdir(exist_ok=True)
    for name, story in STORIES.items():
        board = Board("mega2560", 8, 11)
        board.power(1)
        story(board)
        path = FRAMES / f"firmware-{name}.txt"
        path.write_text("".join(f"{said.text}\n" for said in board.take()), encoding="ascii")
        board.close()
        print(f"{path.relative_to(ROOT)}: {len(path.read_text(encoding='ascii').splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
