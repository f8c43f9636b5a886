"""Every figure of the firmware beside its target, measured on the compiled programs in simavr and rp2040js.

`make -C firmware bench`; `python firmware/bench.py --quick` for a short look, `--only presses-pico` for one part. Times
are simulated and exact to the cycle; nothing here was measured on a physical board.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The simulated electronics are the tests', and the pins have a folder of their own: both lie outside the packages.
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), str(Path(__file__).with_name("pins"))]
from board_pins import load_board  # noqa: E402  see above

from firmware import measure  # noqa: E402  see above
from firmware.driver import BUILD, Board, elf, need  # noqa: E402  see above
from lab.programs import MissingProgramError  # noqa: E402  see above


@dataclass(frozen=True)
class Figure:
    """One line of the printed table; `good` is None where there is no target."""

    what: str
    value: str
    target: str = "-"
    good: bool | None = None


def _size(name: str) -> Figure:
    elf(name)
    reported = subprocess.run(
        ["make", "-s", "-C", BUILD.parent, "images"], check=True, capture_output=True, text=True
    )
    (line,) = [line for line in reported.stdout.splitlines() if line.startswith(name)]
    flash, ram = (int(line.split(word)[1].split()[0]) for word in ("flash", "RAM"))
    room = load_board(name).flash
    fits = flash <= room.flash_bytes and ram <= room.ram_bytes
    words = f"{flash} bytes flash, {ram} bytes RAM"
    return Figure(f"{name}: size", words, f"{room.flash_bytes}, {room.ram_bytes}", fits)


def _ram(name: str) -> int:
    reported = subprocess.run(["avr-size", elf(name)], check=True, capture_output=True, text=True)
    return sum(map(int, reported.stdout.splitlines()[1].split()[1:3]))


def _stack(name: str, drives: int, senses: int) -> Figure:
    """Measure the deepest stack at an interrupt in half a second full of darts, against the free RAM."""
    free = load_board(name).flash.ram_bytes - _ram(name)
    board = Board(name, drives, senses)
    board.settle()
    deepest = int(measure.scan_figures(board, 500)["stack"])
    board.close()
    return Figure(
        f"{name} {drives}x{senses}: deepest stack that an interrupt met",
        f"{deepest} bytes",
        f"<= half of {free} free",
        deepest * 2 <= free,
    )


def sizes() -> Iterator[Figure]:
    """Flash, RAM and stack."""
    for name, drives, senses in (("mega2560", 8, 11), ("mega2560", 16, 16), ("uno", 8, 8)):
        yield _size(name)
        yield _stack(name, drives, senses)
    yield _size("pico")


def scan(name: str, drives: int, senses: int, target_ms: float, seconds: float) -> Iterator[Figure]:
    """Measure a full pass over the matrix, and the interrupts' share of the processor."""
    board = Board(name, drives, senses)
    board.settle()
    figures = measure.scan_figures(board, seconds * 1000)
    worst = figures["pass_max_us"] / 1000
    size = f"{name} {drives}x{senses}"
    yield Figure(f"{size}: full scan, mean", f"{figures['pass_mean_us'] / 1000:.3f} ms")
    yield Figure(f"{size}: full scan, longest", f"{worst:.3f} ms", f"<= {target_ms} ms", worst <= target_ms)
    share = figures["interrupt_share"]
    yield Figure(f"{size}: interrupt load", f"{share:.1%}", "< 30 %", share < 0.3)
    early = int(figures["early_reads"])
    yield Figure(f"{size}: lines read within 15 us of their drive", str(early), "0", early == 0)
    high = int(figures["driven_high"])
    yield Figure(f"{size}: drive lines driven high", str(high), "0", high == 0)
    board.close()


def _faults(name: str, found: measure.Presses, target: bool = True) -> Figure:
    faults = f"{found.missed} missed, {found.doubled} doubled, {found.wrong} wrong of {found.pressed}"
    good = not (found.missed or found.doubled or found.wrong)
    return Figure(name, faults, "0, 0, 0", good) if target else Figure(name, faults)


def presses(name: str, count: int, targets_ms: tuple[float, float]) -> Iterator[Figure]:
    """Darts on random contacts, with the vote and without."""
    for window, target_ms in zip((5, 0), targets_ms, strict=True):
        board = Board(name, 8, 11)
        board.settle()
        board.set("vote_window_ms", window)
        found = measure.random_presses(board, count, (1, 5), 0.8, inside=False)
        words = f"{name} 8x11, vote window {window} ms"
        yield _faults(f"{words}: closed 1 to 5 ms, bounce 0 to 0.8 ms", found)
        late = found.percentile(0.99)
        middle = found.percentile(0.5)
        yield Figure(f"{words}: contact to last byte, median", f"{middle:.2f} ms")
        yield Figure(
            f"{words}: contact to last byte, p99", f"{late:.2f} ms", f"< {target_ms} ms", late < target_ms
        )
        inside = measure.random_presses(board, count, (1, 5), 0.8, inside=True, seed=9)
        yield _faults(f"{words}: the same, the bounce within the 1 to 5 ms", inside, target=False)
        board.close()


def closures(count: int) -> Iterator[Figure]:
    """Clean closures at random moments of the scan."""
    board = Board("mega2560", 8, 11)
    board.settle()
    seen = measure.clean_closures(board, 1.0, count)
    yield Figure("8x11: clean closures of 1.0 ms seen", f"{seen} of {count}", "all", seen == count)
    shortest = measure.shortest_always_seen(board, max(count // 5, 20))
    yield Figure(
        "8x11: shortest clean closure always seen", f"{shortest:.2f} ms", "<= 1.0 ms", shortest <= 1.0
    )
    board.close()
    board = Board("mega2560", 16, 16)
    board.settle()
    seen = measure.clean_closures(board, 1.0, count)
    yield Figure("16x16: clean closures of 1.0 ms seen", f"{seen} of {count}", "all", seen == count)
    board.close()


def memory(count: int) -> Iterator[Figure]:
    """Resets around hits."""
    board = Board("mega2560", 8, 11)
    sound = measure.resets(board, count)
    yield Figure(
        "resets around a hit: ring, numbers and session kept", f"{sound} of {count}", "all", sound == count
    )
    board.close()


def noise(count: int) -> Iterator[Figure]:
    """500 hits through a line that damages 2 % of all bytes, the host away for 5 s."""
    board = Board("mega2560", 8, 11)
    board.settle()
    found = measure.through_noise(board, count)
    good = (found.in_order, found.other, found.lost) == (count, 0, 0)
    words = f"{found.in_order} of {count} once and in order, {found.lost} lost"
    yield Figure(f"2 % of bytes damaged ({found.damaged_bytes}), host away for 5 s", words, "all, 0", good)
    board.close()


def parts(small: int) -> dict[str, Iterator[Figure]]:
    """Return the measurements by name; `small` divides the counts."""
    return {
        "sizes": sizes(),
        "scan-mega": scan("mega2560", 8, 11, 0.5, 10 / small),
        "scan-mega-large": scan("mega2560", 16, 16, 1.0, 10 / small),
        "scan-pico": scan("pico", 8, 11, 0.5, 10 / small),
        "presses-mega": presses("mega2560", 1000 // small, (12.0, 5.0)),
        "presses-pico": presses("pico", 1000 // small, (12.0, 6.0)),
        "closures": closures(500 // small),
        "memory": memory(200 // small),
        "noise": noise(500 // small),
    }


def main() -> int:
    """Measure, print, and return 1 if a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--only", nargs="+", choices=parts(1), help="these parts; else all")
    options = parser.parse_args()
    try:
        for kind in ("mega2560", "pico"):
            need(kind)
    except MissingProgramError as error:
        print(error)
        return 2
    began = time.monotonic()
    groups = parts(10 if options.quick else 1)
    missed = 0
    print(f"{'what':72} {'measured':48} target")
    for name in options.only or groups:
        for figure in groups[name]:
            mark = {None: "", True: "", False: "   MISSED"}[figure.good]
            missed += figure.good is False
            print(f"{figure.what:72} {figure.value:48} {figure.target}{mark}", flush=True)
    print(f"{missed} targets missed; measured in simavr and rp2040js in {time.monotonic() - began:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
