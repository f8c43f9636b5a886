"""`make trust`: run every fault and every attack, and print one table of the results.

PYTHONPATH=tests python -m lab.trust.run [--short] [--row NAME ...] [--only PART ...] [--without PART ...]
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from lab.figures import commit
from lab.trust import document, planted
from lab.trust.part import Size
from lab.trust.parts import ALONE, NOISE_MB, PARTS, ROWS, TURNS, UNCOVERED
from lab.trust.planted_faults import FAULTS
from lab.trust.rows import Fault, Row, show_progress, table

EPILOG = """\
parts, and the rows that run alone as PART:ROW
{parts}

In full it is meant to take 30 minutes on two cores, two parts side by side. It needs root for the full and the
read-only disk (without root those two are left out, which is reported). The table goes to the standard output,
progress to the error output:

  make trust ARGS="--write docs/trust.md"           everything, into the document
  make trust ARGS="--short --without long-run"      a tenth, in four minutes
  make trust ARGS="--row broker:half-open"          one row of the table, by its name there
  make trust ARGS=--planted                         plant faults in a copy; each must be seen
  make trust ARGS="--planted --from 12 --to 20"     a part of them
  make trust ARGS="--only page parsers"             two parts
  make trust ARGS="--only board --noise-mb 100"     100 MB of random bytes on the serial line

Exit status 0 when nothing was lost, doubled or let through and every aim was met, else 1.
"""


def main() -> int:
    """Run the selected parts; return 0 if none did harm."""
    asked = _arguments()
    if asked.planted is not None:
        return planted.run(asked.planted, asked.first, asked.last)
    share = 10 if asked.short else 1
    size = Size(share, asked.noise_mb or max(1, NOISE_MB // share), asked.turns or TURNS // share)
    chosen = _chosen(asked)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="scharten-trust-") as folder:
        Path(folder).chmod(0o755)  # Mosquitto gives up root's rights and must still reach its files
        asked_for = {name: replace(size, rows=wanted) for name, wanted in chosen.items()}
        done = _side_by_side(asked_for, Path(folder))
    rows = [row for name in chosen for row in done[name][0]]
    print("\n".join(table(rows)).rstrip())
    print("\nnot covered")
    for name in chosen:
        print(f"{name:16}{UNCOVERED.get(name, '')}")
    took = {name: _minutes(done[name][1]) for name in chosen}
    words = ", ".join(f"{name} {minutes}" for name, minutes in took.items())
    print(f"\ntook: {_minutes(time.monotonic() - began)} in all; {words}")
    run = f"{time.strftime('%Y-%m-%d')}, {commit()}"
    print(f"{run}, {platform.machine()}: make trust {_given()}".rstrip())
    if asked.write:
        run += ", a tenth" if asked.short else ""
        document.write_rows(asked.write, rows, run)
        whole = (name for name in chosen if not chosen[name])
        document.write_parts(
            asked.write, ((name, UNCOVERED.get(name, ""), took[name]) for name in whole), run
        )
    return int(not all(row.harmless for row in rows))


def _side_by_side(chosen: dict[str, Size], folder: Path) -> dict[str, tuple[list[Row], float]]:
    """Return each part's rows and seconds. Two parts run at a time; those that measure the machine run alone."""
    if len(chosen) == 1:
        return {name: _part(name, folder / name, size) for name, size in chosen.items()}
    done: dict[str, tuple[list[Row], float]] = {}
    for lanes, names in (
        (2, [name for name in chosen if name not in ALONE]),
        (1, [name for name in chosen if name in ALONE]),
    ):
        with ProcessPoolExecutor(lanes, get_context("spawn"), max_tasks_per_child=1) as pool:
            running = {name: pool.submit(_part, name, folder / name, chosen[name]) for name in names}
            done |= {name: item.result() for name, item in running.items()}
    return done


def _part(name: str, place: Path, size: Size) -> tuple[list[Row], float]:
    show_progress(f"part {name}: {(PARTS[name].__doc__ or '').strip()}")
    began, rows = time.monotonic(), []
    place.mkdir()
    for row in _rows(name, place, size):
        rows.append(row)
        show_progress(f"{row.row}: {row.what}: {', '.join((*getattr(row, 'cells', ()), row.figure))}")
    seconds = time.monotonic() - began
    show_progress(f"part {name} {_minutes(seconds)}")
    return rows, seconds


def _rows(name: str, place: Path, size: Size) -> Iterator[Row]:
    """Return the rows of a part. A part that does not finish has not survived; the others still run."""
    try:
        for row in PARTS[name](place, size):
            yield replace(row, row=f"{name}:{row.row}" if row.row else name)
    except Exception as error:
        traceback.print_exc()
        yield Fault(
            f"part {name}, the rest of it", 1, 0, figure=f"{type(error).__name__}: {error}".partition("\n")[0]
        )


def _chosen(asked: argparse.Namespace) -> dict[str, frozenset[str]]:
    """Return the parts to run, and the rows of each; none means all."""
    if asked.row:
        parts = dict.fromkeys(name.partition(":")[0] for name in asked.row)
        return {
            part: frozenset(name.partition(":")[2] for name in asked.row if name.startswith(f"{part}:"))
            for part in parts
        }
    return {name: frozenset() for name in asked.only or PARTS if name not in asked.without}


def _arguments() -> argparse.Namespace:
    parts = "\n".join(
        f"  {name:16}{(part.__doc__ or '').strip()}{_alone(name)}" for name, part in PARTS.items()
    )
    parser = argparse.ArgumentParser(
        prog="make trust",
        description="Try every fault and every attack, and print one table of what came of them.",
        epilog=EPILOG.format(parts=parts),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--short", action="store_true", help="a tenth of everything")
    names = [*PARTS, *(f"{part}:{row}" for part, rows in ROWS.items() for row in rows)]
    parser.add_argument("--row", nargs="+", choices=names, metavar="NAME", help="these rows alone")
    parser.add_argument(
        "--planted", nargs="*", metavar="WORD", help="plant faults, and see whether the rows find them"
    )
    parser.add_argument(
        "--from", dest="first", type=_number, metavar="N", default=1, help="from the Nth planted fault"
    )
    parser.add_argument(
        "--to", dest="last", type=_number, metavar="N", default=len(FAULTS), help="to the Nth planted fault"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help="these parts alone")
    parser.add_argument(
        "--without", nargs="+", choices=PARTS, metavar="PART", default=[], help="all but these"
    )
    parser.add_argument(
        "--noise-mb", type=int, metavar="N", help="MB of random bytes on the serial line (10)"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="replace the lines of these rows in a document"
    )
    parser.add_argument("--turns", type=int, metavar="N", help="turns of the long run (50,000)")
    return parser.parse_args()


def _number(text: str) -> int:
    number = int(text)
    if not 1 <= number <= len(FAULTS):
        raise argparse.ArgumentTypeError(f"{number} is not from 1 to {len(FAULTS)}")
    return number


def _alone(part: str) -> str:
    return f"\n{'':18}{', '.join(ROWS[part])}" if part in ROWS else ""


def _given() -> str:
    return f'ARGS="{" ".join(sys.argv[1:])}"' if sys.argv[1:] else ""


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


if __name__ == "__main__":
    sys.exit(main())
