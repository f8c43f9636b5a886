"""Writes the KiCad files and parts lists of the carriers from the pin tables; `--check` says what is not current."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from pathlib import Path

from carriers import Carrier, mega_shield
from circuit import Kind, load_board
from kicad import board_file, project_file
from route import route

HERE = Path(__file__).parent
CARRIERS = {"mega2560": mega_shield}


def parts_list(carrier: Carrier) -> str:
    """The parts of a carrier as CSV: how many, value, what, which."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["quantity", "part", "value", "where"])
    parts = [placed.part for placed in carrier.placed]
    for (kind, value), count in Counter((part.kind, part.value or part.what) for part in parts).items():
        refs = [p.ref for p in parts if (p.kind, p.value or p.what) == (kind, value)]
        table.writerow([count, "header" if kind is Kind.CONTROLLER else kind, value, " ".join(refs)])
    return out.getvalue()


def files(board_name: str) -> dict[str, str]:
    """Every generated file of one controller's carrier, by its name."""
    carrier = CARRIERS[board_name](load_board(board_name))
    pads = [pad for placed in carrier.placed for pad in placed.pads]
    tracks = route(pads, round(carrier.width * 1000), round(carrier.height * 1000))
    return {
        f"{carrier.name}.kicad_pcb": board_file(carrier, tracks),
        f"{carrier.name}.kicad_pro": project_file(carrier.name),
        f"{carrier.name}-parts.csv": parts_list(carrier),
    }


def main() -> int:
    """Writes what is not current, or says what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    options = parser.parse_args()
    old = 0
    for board in CARRIERS:
        for name, text in files(board).items():
            path = HERE / name
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            old += 1
            print(("not current: " if options.check else "writing ") + name)
            if not options.check:
                path.write_text(text, encoding="utf-8")
    return 1 if options.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
