"""A chess engine with a chosen fault: `fake_engine.py FAULT [MARK]`; it adds a line to MARK at each start."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import chess

FAULT = sys.argv[1]
OPTIONS = ("UCI_Elo type spin default 1500 min 1000 max 2000", "UCI_LimitStrength type check default false")


def write_line(line: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def board_of(words: list[str]) -> chess.Board:
    """Return the board of a `position` command."""
    moves = words.index("moves") if "moves" in words else len(words)
    board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:moves]))
    for move in words[moves + 1 :]:
        board.push_uci(move)
    return board


ANSWERS = {"cheats": "bestmove a1a8", "babbles": "bestmove \x00castle!", "resigns": "bestmove (none)"}
OUTPUT = {"floods": f"info string {'x' * 200}\n", "counts": "\n" * 65536, "mumbles": "x" * 65536}
"""Lines that are written without end."""
ANSWERED = list[str]()
"""The moves so far; the engine that tires ends at its sixth."""


def go(board: chess.Board) -> None:
    """Answer `go` with the chosen fault; an honest engine plays its first move by the alphabet."""
    first = min(move.uci() for move in board.legal_moves)
    while FAULT in OUTPUT:
        sys.stdout.write(OUTPUT[FAULT])
    match FAULT:
        case "dies":
            sys.exit(1)
        case "tires":
            ANSWERED.append(first)
            if len(ANSWERED) == 6:
                sys.exit(1)
            write_line(f"info depth 1 score cp 31\nbestmove {first}")
        case "hangs" | "stubborn":
            time.sleep(3600)
        case "hoards":
            hoard = [bytearray(1 << 24) for _ in range(1 << 10)]
            write_line(f"bestmove {first} {len(hoard)}")
        case "noise":
            sys.stdout.buffer.write(b"\xff\xfe\xfa\ninfo score cp many depth -\nbestmoves\nreadyok\n\n")
            write_line(f"info depth 1 score cp 31\nbestmove {first} ponder {first}")
        case _:
            write_line(ANSWERS.get(FAULT, f"bestmove {first}"))


def main() -> None:
    """Answer commands until the input ends."""
    if len(sys.argv) > 2:
        with Path(sys.argv[2]).open("a") as mark:
            mark.write(f"{FAULT}\n")
    if FAULT == "absent":
        sys.exit(1)
    if FAULT == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    board = chess.Board()
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"] if FAULT != "mute":
                for option in OPTIONS:
                    write_line(f"option name {option}")
                write_line("id name Fake\nuciok")
            case ["isready"]:
                write_line("readyok")
            case ["position"]:
                board = board_of(words)
            case ["go"]:
                go(board)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
