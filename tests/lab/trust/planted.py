"""`make trust ARGS=--planted`: plant faults in a copy of the program, and check that the rows find them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.trust.planted_faults import FAULTS, Planted
from lab.trust.rows import show_progress

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "host" / "scharten"
LANES = 2
LONGEST_S = 900


def plant(fault: Planted, folder: Path) -> Path:
    """Copy the program into a folder, with the fault in it; return the folder to import from."""
    host = folder / "host"
    shutil.copytree(PACKAGE, host / "scharten", ignore=shutil.ignore_patterns("__pycache__"))
    file = host / "scharten" / fault.file
    file.write_text(planted(fault), encoding="utf-8")
    return host


def planted(fault: Planted) -> str:
    """Return the file's text with the fault. Raises `ValueError` unless its place occurs exactly once."""
    text = (PACKAGE / fault.file).read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.name}: {fault.file} holds its place {text.count(fault.old)} times")
    return text.replace(fault.old, fault.new)


def row_is_harmless(row: str, host: Path) -> bool:
    """Run one row in its short form with the program below `host`."""
    command = [sys.executable, "-m", "lab.trust.run", "--short", "--row", row]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(host), str(ROOT / "tests")))}
    try:
        return not subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, timeout=LONGEST_S
        ).returncode
    except subprocess.TimeoutExpired:
        return False


def run(names: Sequence[str] = (), first: int = 1, last: int = len(FAULTS)) -> int:
    """Plant every fault, or those with one of these words in the name, from the `first`th; return 0 if all were
    found."""
    part = FAULTS[first - 1 : last]
    chosen = [fault for fault in part if not names or any(name in fault.name for name in names)]
    if not chosen:
        show_progress(f"no such fault among {len(FAULTS)}")
        return 2
    with ThreadPoolExecutor(LANES) as pool:
        rows = list(dict.fromkeys(fault.row for fault in chosen))
        sound = dict(zip(rows, pool.map(lambda row: row_is_harmless(row, ROOT / "host"), rows), strict=True))
        for row in rows:
            show_progress(f"{row}: {'harmless' if sound[row] else 'NOT HARMLESS'} without a fault")
        seen = list(pool.map(_seen, chosen))
    width = max(len(fault.name) for fault in chosen)
    print(f"{'planted':{width}}  {'row':26}seen")
    for fault, found in zip(chosen, seen, strict=True):
        verdict = ("yes" if found else "NO") if sound[fault.row] else "the row fails without it"
        print(f"{fault.name:{width}}  {fault.row:26}{verdict}")
    count = sum(found and sound[fault.row] for fault, found in zip(chosen, seen, strict=True))
    print(f"\n{count} of {len(chosen)} planted faults seen (aim: all)")
    return int(count < len(chosen))


def _seen(fault: Planted) -> bool:
    with tempfile.TemporaryDirectory(prefix="scharten-planted-") as folder:
        Path(folder).chmod(0o755)  # Mosquitto gives up root's rights
        found = not row_is_harmless(fault.row, plant(fault, Path(folder)))
    show_progress(f"{fault.name}: {'seen' if found else 'NOT SEEN'} by {fault.row}")
    return found
