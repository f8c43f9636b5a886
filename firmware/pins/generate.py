"""Generate C header, pin tables and wiring picture from the description of the pins.

`generate.py` writes the files that changed, `generate.py --check` only says which are not current. The picture is
drawn by wireviz; its SVG carries the digest of the YAML that it was drawn from, because the drawing itself differs
from one version of graphviz to the next.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

from board_pins import BOARDS, load_board
from pin_documents import pin_tables, wiring
from pin_header import header, makefile
from reportlab.pdfbase.pdfmetrics import stringWidth

FIRMWARE = Path(__file__).parent.parent
DOCUMENTS = FIRMWARE.parent / "hardware_docs"


def digest_comment(yaml: str) -> str:
    """Return the SVG's comment with the digest of its YAML."""
    return f"<!-- drawn by wireviz from YAML with SHA-256 {hashlib.sha256(yaml.encode()).hexdigest()} -->\n"


def draw(yaml: str) -> str:
    """Draw the wiring picture as SVG; CalledProcessError if wireviz or graphviz fails."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "wiring.yml"
        source.write_text(yaml, encoding="utf-8")
        tool = [sys.executable, "-c", "from wireviz.wv_cli import wireviz; wireviz()"]
        subprocess.run([*tool, "-f", "s", source], check=True, capture_output=True)
        return _fitted(source.with_suffix(".svg").read_text(encoding="utf-8")) + digest_comment(yaml)


def _fitted(picture: str) -> str:
    """Add a length to every text: graphviz laid them out in Arial, and the reader may have a wider font."""

    def length(text: re.Match[str]) -> str:
        width = stringWidth(unescape(text[3]), "Helvetica", float(text[2]))
        fixed = f' textLength="{width:.0f}" lengthAdjust="spacingAndGlyphs">'
        return f"{text[1]}{fixed}{text[3]}</text>"

    return re.sub(r'(<text [^>]*font-size="([\d.]+)"[^>]*)>([^<]+)</text>', length, picture)


def texts() -> dict[Path, str]:
    """Return the expected content of every generated text file, without the pictures."""
    boards = [load_board(name) for name in BOARDS]
    files = {FIRMWARE / "boards" / board.name / "pins.h": header(board) for board in boards}
    files |= {FIRMWARE / "boards" / board.name / "board.mk": makefile(board) for board in boards}
    files |= {DOCUMENTS / f"wiring-{board.name}.yml": wiring(board) for board in boards}
    return files | {DOCUMENTS / "pins.md": pin_tables(boards)}


def stale() -> list[Path]:
    """Return the generated files that differ from the descriptions."""
    wanted = texts()
    old = [
        path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for yaml in (path for path in wanted if path.suffix == ".yml"):
        picture = yaml.with_suffix(".svg")
        if not picture.exists() or digest_comment(wanted[yaml]) not in picture.read_text(encoding="utf-8"):
            old.append(picture)
    return old


def main() -> int:
    """Write outdated files, or with `--check` list them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    options = parser.parse_args()
    wanted, old = texts(), stale()
    for path in old:
        print(("not current: " if options.check else "writing ") + str(path.relative_to(FIRMWARE.parent)))
        if not options.check:
            path.write_text(wanted.get(path) or draw(wanted[path.with_suffix(".yml")]), encoding="utf-8")
    return 1 if options.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
