"""Write schematics, KiCad files and parts lists from the pin tables; `--check` lists outdated files."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from pathlib import Path

from carriers import Carrier, mega_shield, pico_carrier
from circuit import BOARDS, Kind, load_board
from kicad import board_file, project_file
from orders import order, positions
from perfboard import layout
from perfboard_drawing import steps, whole
from route import route
from schematic import schematic
from shapes import HEAD, M3, Pad

HERE = Path(__file__).parent
CARRIERS = {"mega2560": mega_shield, "pico": pico_carrier}


def parts_list(carrier: Carrier) -> str:
    """Return the parts of a carrier as CSV, as they are bought."""
    table = [("quantity", "part", "value", "package", "height_mm", "maker", "order number", "where")]
    parts = [placed.part for placed in carrier.placed]
    parts_by_ref = {part.ref: part for part in parts}
    for (kind, value), count in Counter((part.kind, part.value or part.what) for part in parts).items():
        refs = [p.ref for p in parts if (p.kind, p.value or p.what) == (kind, value)]
        shape = f"header 1 x {len(parts_by_ref[refs[0]].nets)}" if kind is Kind.HEADER else kind
        bought = order(parts_by_ref[refs[0]])
        table.append((
            str(count), "header" if kind is Kind.CONTROLLER else shape, value,
            bought.package, f"{bought.height:g}", bought.maker, bought.number, " ".join(refs),
        ))  # fmt: skip
    return _csv(table)


def _csv(rows: list[tuple[str, ...]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def files() -> dict[Path, str]:
    """Return the expected content of every generated file."""
    made = {HERE.parent / f"schematic-{name}.svg": schematic(load_board(name)) for name in BOARDS}
    perfboards = {name: layout(load_board(name)) for name in BOARDS}
    made |= {HERE.parent / f"perfboard-{name}.svg": whole(board) for name, board in perfboards.items()}
    made |= {HERE.parent / f"perfboard-{name}-steps.svg": steps(board) for name, board in perfboards.items()}
    for board in CARRIERS:
        made |= {HERE / name: text for name, text in _carrier_files(board).items()}
    return made


def _carrier_files(board_name: str) -> dict[str, str]:
    carrier = CARRIERS[board_name](load_board(board_name))
    pads = [pad for placed in carrier.placed for pad in placed.pads]
    pads += [Pad("", "", round(x * 1000), round(y * 1000), HEAD, HEAD, M3) for x, y in carrier.holes]
    tracks = route(pads, round(carrier.width * 1000), round(carrier.height * 1000))
    return {
        f"{carrier.name}.kicad_pcb": board_file(carrier, tracks),
        f"{carrier.name}.kicad_pro": project_file(carrier.name),
        f"{carrier.name}-parts.csv": parts_list(carrier),
        f"{carrier.name}-positions.csv": _csv(positions(carrier)),
    }


def main() -> int:
    """Write outdated files, or with `--check` list them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    options = parser.parse_args()
    old = {
        path: text
        for path, text in files().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in old.items():
        print(("not current: " if options.check else "writing ") + path.name)
        if not options.check:
            path.write_text(text, encoding="utf-8")
    return 1 if options.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
