"""`make trust`: every fault and every attack, and one table of what came of them.

PYTHONPATH=tests python -m lab.trust.run [--short] [--only PART ...] [--without PART ...] [--noise-mb N] [--turns N]
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from lab.figures import commit
from lab.trust.parts import NOISE_MB, PARTS, TURNS, UNCOVERED, Size
from lab.trust.rows import Fault, Row, say, table

EPILOG = """\
parts:
{parts}

In full it takes about an hour on two cores and needs root for the full and the read-only disk (without root those
two are left out, which is said). The table goes to the standard output, progress to the error output:

  make trust > table.txt                            everything
  make trust ARGS="--short --without long-run"      a tenth, in a few minutes
  make trust ARGS="--only page parsers"             two parts
  make trust ARGS="--only board --noise-mb 100"     100 MB of random bytes on the serial line

Exit status 0 when nothing was lost, doubled or let through and every aim was met, else 1.
"""


def main() -> int:
    """Run what was asked for; 0 when nothing did harm."""
    asked = _arguments()
    share = 10 if asked.short else 1
    size = Size(share, asked.noise_mb or max(1, NOISE_MB // share), asked.turns or TURNS // share)
    rows: list[Row] = []
    took: list[str] = []
    with tempfile.TemporaryDirectory(prefix="scharten-trust-") as folder:
        Path(folder).chmod(0o755)  # Mosquitto gives up root's rights and must still reach its files
        for name in asked.only or PARTS:
            if name in asked.without:
                continue
            say(f"part {name}: {(PARTS[name].__doc__ or '').strip()}")
            place, began = Path(folder) / name, time.monotonic()
            place.mkdir()
            for row in _rows(name, place, size):
                rows.append(row)
                say(next(line for line in table([row]) if line.startswith(row.what)))
            took.append(f"{name} {_minutes(time.monotonic() - began)}")
            say(f"part {took[-1]}")
    print("\n".join(table(rows)).rstrip())
    print("\nnot covered")
    for name in asked.only or PARTS:
        if name not in asked.without and name in UNCOVERED:
            print(f"{name:16}{UNCOVERED[name]}")
    print(f"\ntook: {', '.join(took)}")
    print(
        f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, commit {commit()}: make trust {_given()}".rstrip()
    )
    return int(not all(row.harmless for row in rows))


def _rows(name: str, place: Path, size: Size) -> Iterator[Row]:
    """The rows of a part; one that does not come to its end has not survived, and the others still run."""
    try:
        yield from PARTS[name](place, size)
    except Exception as error:
        traceback.print_exc()
        yield Fault(
            f"part {name}, the rest of it", 1, 0, figure=f"{type(error).__name__}: {error}".partition("\n")[0]
        )


def _arguments() -> argparse.Namespace:
    parts = "\n".join(f"  {name:16}{(part.__doc__ or '').strip()}" for name, part in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="make trust",
        description="Try every fault and every attack, and print one table of what came of them.",
        epilog=EPILOG.format(parts=parts),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--short", action="store_true", help="a tenth of everything")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help="these parts alone")
    parser.add_argument(
        "--without", nargs="+", choices=PARTS, metavar="PART", default=[], help="all but these"
    )
    parser.add_argument(
        "--noise-mb", type=int, metavar="N", help="MB of random bytes on the serial line (10)"
    )
    parser.add_argument("--turns", type=int, metavar="N", help="turns of the long run (50,000)")
    return parser.parse_args()


def _given() -> str:
    return f'ARGS="{" ".join(sys.argv[1:])}"' if sys.argv[1:] else ""


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


if __name__ == "__main__":
    sys.exit(main())
