"""`make machine`: evenings at a whole machine, and the table in docs/trust.md.

PYTHONPATH=tests python -m lab.machine.run [--short] [--cuts N] [--row NAME ...] [--cache FOLDER]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from dataclasses import replace
from pathlib import Path

from lab.figures import commit
from lab.machine.card import Card
from lab.machine.evening import Finding
from lab.machine.image import SYSTEMS, build, build_card
from lab.machine.qemu import Machine, accelerator
from lab.machine.rows import LONG, ROWS
from lab.machine.size import SHORT, Row, Size
from lab.machine.table import HEAD, line, write
from lab.trust.rows import show_progress

CACHE = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "scharten" / "machine"
EPILOG = """\
rows
{rows}

It needs root, 4 GB of disk and the packages of `make tools ARGS=machine`. The first run makes the image: about four
minutes on two quiet cores. The image and the memory of a machine that has booted are kept in the cache, and so is
each power cut: a stop loses none, and the next run of the same package does what is missing.

  make machine                            everything, 50 power cuts
  make machine ARGS=--short               the rows of a minute or two, once
  make machine ARGS="--row unplug purge"  these rows

Each row that ran replaces its line in docs/trust.md. Exit status 0 when nothing was lost, doubled or refused, else 1.
"""


def main() -> int:
    """Run the rows; return 0 if none did harm."""
    asked = _arguments()
    began = time.monotonic()
    os.nice(15)  # an emulated machine takes every core that it gets
    version = commit()  # before anything else is committed
    harmless = True
    with tempfile.TemporaryDirectory(prefix="scharten-machine-") as folder:
        print("\n".join(HEAD), flush=True)
        for name in asked.row or [name for name in ROWS if not (asked.short and name in LONG)]:
            machine = _machine(name, asked, Path(folder))
            finding = _run(name, machine, asked)
            harmless &= finding.harmless
            setting = f"{time.strftime('%Y-%m-%d')}, {machine.accelerator}, {version}"
            row = name if asked.system == "debian12" or name == "card" else f"{asked.system}: {name}"
            write(asked.document, {row: line(row, finding, setting)})
    if asked.short and not asked.row:
        print(f"\nleft out, because each takes minutes: {', '.join(LONG)}")
    print(f"\ntook {(time.monotonic() - began) / 60:.0f} min; written to {asked.document}")
    return int(not harmless)


def _machine(name: str, asked: argparse.Namespace, folder: Path) -> Machine:
    """Return the row's machine, in a folder of its own; a missing image is made first."""
    place = folder / name
    place.mkdir()
    if name == "card":
        image = build_card(asked.cache / "card")
        return Card(image, place, accelerator(image, folder))
    image = build(asked.cache / asked.system, SYSTEMS[asked.system])
    return Machine(image, place, accelerator(image, folder))


def _run(name: str, machine: Machine, asked: argparse.Namespace) -> Finding:
    """Run one row on a fresh machine; a row that does not finish counts as one refusal."""
    size, row = SHORT if asked.short else Size(), ROWS[name]
    size = replace(size, cuts=asked.cuts or size.cuts)
    show_progress(f"{name}: {_words(row)}")
    began = time.monotonic()
    try:
        machine.prepare()
        finding = row(machine, size)
    except Exception as error:
        traceback.print_exc()
        show_progress(machine.last_words())
        finding = Finding(
            refused=1, note=f"did not end: {type(error).__name__}: {error}".partition("\n")[0][:160]
        )
    finally:
        machine.end()
    print(line(name, finding, f"{time.monotonic() - began:.0f} s"), flush=True)
    return finding


def _words(row: Row) -> str:
    return (row.__doc__ or "").strip()


def _arguments() -> argparse.Namespace:
    rows = "\n".join(f"  {name:16}{_words(row)}" for name, row in ROWS.items())
    parser = argparse.ArgumentParser(
        prog="make machine",
        description="Play evenings at a whole emulated machine, and write the table into docs/trust.md.",
        epilog=EPILOG.format(rows=rows),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--short", action="store_true", help="each fault once, without the rows that take minutes"
    )
    parser.add_argument(
        "--cuts",
        type=int,
        metavar="N",
        help="this many power cuts in all, default 50; those of earlier runs count",
    )
    parser.add_argument("--row", nargs="+", choices=ROWS, metavar="NAME", help="these rows alone")
    parser.add_argument(
        "--system", choices=SYSTEMS, default="debian12", help="the Debian of the machine, default debian12"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="FOLDER", help="where the image is kept")
    document = Path(__file__).parents[3] / "docs" / "trust.md"
    parser.add_argument(
        "--document", type=Path, default=document, metavar="FILE", help="where the table goes"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
