"""The compiled program in simulated electronics, in real time, on a port of its own: `make -C firmware live`.

For trying every step of hardware_docs/bring-up.md without hardware. What is typed happens: `press D,S`, `hold D,S`,
`free D,S`, `button miss`, `knock`, `reset`; Ctrl-D or `quit` ends it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from firmware.driver import Board
from lab.programs import MissingProgramError

BUTTONS = ("miss", "ready", "undo")


def _obey(board: Board, words: list[str]) -> bool:
    match words:
        case ["press" | "hold" | "free" as what, contact] if contact.count(",") == 1:
            drive, sense = map(int, contact.split(","))
            if what == "press":
                board.press(drive, sense, 1, 3, 0.4)
            else:
                board.contact(drive, sense, what == "hold")
        case ["button", name] if name in BUTTONS:
            board.button(BUTTONS.index(name), True)
            board.button(BUTTONS.index(name), False, 50)
        case ["knock"]:
            board.knock()
        case ["reset"]:
            board.reset()
        case _:
            return False
    return True


def main() -> int:
    """Run until the input ends."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--board", choices=("mega2560", "uno", "pico"), default="mega2560")
    kind = parser.parse_args().board
    try:
        board = Board(kind, 8, 8 if kind == "uno" else 11)
    except MissingProgramError as error:
        print(error)
        return 2
    board.tell("log 0")
    board.tell("dtr 1")
    board.go_live()
    print(f"the board is at {board.pty}; type press 3,7 or button miss or knock, Ctrl-D to end", flush=True)
    for typed in sys.stdin:
        try:
            understood = _obey(board, typed.split())
        except ValueError:
            understood = False
        if typed.strip() == "quit":
            break
        if not understood:
            print("press D,S  hold D,S  free D,S  button miss|ready|undo  knock  reset  quit", flush=True)
    board.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
