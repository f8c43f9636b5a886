"""Name the checkout in a virtual environment's path files relative to them, where its path is not plain ASCII.

python3 deploy/relative_paths.py .venv

Python reads these files in the locale's encoding: with LC_ALL=C it does not even start where a folder is called `é`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main(venv: Path) -> None:
    """Rewrite the lines that are not ASCII."""
    for file in venv.absolute().glob("lib/python3*/site-packages/*.pth"):
        text = file.read_text("utf-8")
        if not text.isascii():
            lines = [
                line if line.isascii() else os.path.relpath(line, file.parent) for line in text.splitlines()
            ]
            file.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
