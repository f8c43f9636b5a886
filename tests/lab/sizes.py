"""Lines by folder beside those of version 0.1.0, the longest files and functions, and types that share a name."""

from __future__ import annotations

import ast
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
BEFORE_COMMIT = "b67cdfd"
"""Version 0.1.0 and what followed it, before the folders were made anew."""
BEFORE = {"host": 29_626, "calibration": 1_664, "firmware": 3_941, "tests": 22_649}
"""Its lines, for a checkout without its history."""
REBUILT_COMMIT = "74a71b0"
"""The folders made anew, and none of the new parts yet: games, opponent, players, club, Pico, pages."""
REBUILT = {"host": 27_207, "calibration": 1_664, "firmware": 3_941, "tests": 25_963}
FEWER_AIM = 2500
FILE_LIMIT, FUNCTION_LIMIT = 400, 60
SUFFIXES = (".py", ".js", ".c", ".h")
PRODUCT = ("host", "calibration", "firmware")
SHOWN = 10
ONE_MEANING = {"Options": "a game's", "Position": "a game's", "Floats": "an array of real numbers"}
"""Names that several modules give to a type, and the one thing that each of them means."""

Lines = dict[str, int]


def run() -> int:
    """Print every figure; 0 when nothing is over its limit, no name has two meanings, the product shrank."""
    now = _now()
    before, rebuilt = _at(BEFORE_COMMIT, BEFORE), _at(REBUILT_COMMIT, REBUILT)
    print("lines of Python, JavaScript and C by folder")
    for folder, lines in sorted(_by_folder(now).items()):
        print(f"  {folder:38}{lines:7,}")
    print(f"\n{'':20}{BEFORE_COMMIT:>9}{REBUILT_COMMIT:>9}      now")
    for part in (*PRODUCT, "tests"):
        print(f"  {part:18}{before[part]:9,}{rebuilt[part]:9,}{_sum(now, part):9,}")
    fewer = sum(before[part] - rebuilt[part] for part in PRODUCT)
    print(f"  the product before the new parts: {fewer:,} fewer, aim at least {FEWER_AIM:,}")
    long_files = sorted(now.items(), key=lambda one: -one[1])
    long_functions = sorted(_functions(now), reverse=True)
    _print_longest("files", [(lines, path) for path, lines in long_files], FILE_LIMIT)
    _print_longest("Python functions", long_functions, FUNCTION_LIMIT)
    shared = _shared_names(path for path in now if path.startswith("host/"))
    print(f"\ntypes of the host whose name has several meanings: {len(shared)}, aim 0")
    for name, places in sorted(shared.items()):
        print(f"  {name}: {', '.join(places)}")
    within = not shared and long_files[0][1] <= FILE_LIMIT and long_functions[0][0] <= FUNCTION_LIMIT
    return 0 if within and fewer >= FEWER_AIM else 1


def _print_longest(what: str, found: list[tuple[int, str]], limit: int) -> None:
    over = sum(lines > limit for lines, _ in found)
    print(f"\nlongest {what}, limit {limit}: {over} over it")
    for lines, name in found[: max(SHOWN, over)]:
        print(f"  {lines:5}  {name}{'  <-- over' if lines > limit else ''}")


def _now() -> Lines:
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    paths = (path for path in listed if path.endswith(SUFFIXES) and (ROOT / path).is_file())
    return {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in paths}


def _at(commit: str, known: Lines) -> Lines:
    """The lines by part at a commit; the known ones in a checkout without its history."""
    try:
        told = _git("grep", "-c", "", commit, "--", *(f"*{suffix}" for suffix in SUFFIXES))
    except subprocess.CalledProcessError:
        return known
    counted: Counter[str] = Counter()
    for line in told.splitlines():
        _, path, lines = line.split(":")
        counted[_part_of(path)] += int(lines)
    return counted


def _by_folder(lines: Lines) -> Counter[str]:
    """Sums by the folder of a file, below `host/scharten` and `tests` one level deep."""
    folders: Counter[str] = Counter()
    for path, count in lines.items():
        parts = PurePosixPath(path).parts[:-1]
        depth = 4 if "games" in parts else 3 if parts[:1] == ("host",) else 2
        folders["/".join(parts[:depth])] += count
    return folders


def _sum(lines: Lines, part: str) -> int:
    return sum(count for path, count in lines.items() if _part_of(path) == part)


def _part_of(path: str) -> str:
    return PurePosixPath(path).parts[0]


def _functions(paths: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The length of every Python function, with its place."""
    for path in paths:
        if path.endswith(".py"):
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                    yield node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}"


def _shared_names(paths: Iterable[str]) -> dict[str, list[str]]:
    """The classes and aliases of the same name in several modules, with their places."""
    found: dict[str, list[str]] = {}
    for path in (one for one in paths if one.endswith(".py")):
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            for one in targets:
                name = (
                    getattr(one, "name", None) if isinstance(one, ast.ClassDef) else getattr(one, "id", None)
                )
                if name and name.strip("_")[:1].isupper() and not name.isupper():
                    found.setdefault(name, []).append(f"{path}:{node.lineno}")
    return {name: places for name, places in found.items() if len(places) > 1 and name not in ONE_MEANING}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
