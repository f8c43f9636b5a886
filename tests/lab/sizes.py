"""Lines of the product beside its aim, lines by folder, the longest files and functions."""

from __future__ import annotations

import ast
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
BEFORE, AIM = 48_505, 44_000
"""Lines of `host/**/*.py` when the trunk was rebuilt, and the largest allowed number."""
FILE_LIMIT, FUNCTION_LIMIT = 400, 60
SUFFIXES = (".py", ".js", ".c", ".h")
SHOWN = 10


def run() -> int:
    """Print every figure. Return 0 if the product is small enough and no file or function is over its limit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    texts = {
        path: (ROOT / path).read_text(encoding="utf-8")
        for path in listed
        if path.endswith(SUFFIXES) and (ROOT / path).is_file()
    }
    lines = {path: len(text.splitlines()) for path, text in texts.items()}
    _print_folders(lines)
    product = sum(count for path, count in lines.items() if path.startswith("host/") and path.endswith(".py"))
    print(f"\nPython of the product (host): {product:,}, {BEFORE:,} before, aim at most {AIM:,}")
    functions = [
        found for path, text in texts.items() if path.endswith(".py") for found in _functions(path, text)
    ]
    over = _print_longest("files", [(count, path) for path, count in lines.items()], FILE_LIMIT)
    over += _print_longest("Python functions", functions, FUNCTION_LIMIT)
    return int(product > AIM or over > 0)


def _print_folders(lines: dict[str, int]) -> None:
    """Print sums by folder: three levels deep in `host`, four in its games, two elsewhere."""
    folders: Counter[str] = Counter()
    for path, count in lines.items():
        parts = PurePosixPath(path).parts[:-1]
        depth = 4 if "games" in parts else 3 if parts[:1] == ("host",) else 2
        folders["/".join(parts[:depth])] += count
    print("lines of Python, JavaScript and C by folder")
    for folder, count in sorted(folders.items()):
        print(f"  {folder:44}{count:>9,}")


def _functions(path: str, text: str) -> list[tuple[int, str]]:
    """Return the length and the place of each function of a module."""
    return [
        (node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    ]


def _print_longest(what: str, found: list[tuple[int, str]], limit: int) -> int:
    """Print the longest, and return the number over the limit."""
    over = sum(lines > limit for lines, _ in found)
    print(f"\nlongest {what}, limit {limit}: {over} over it")
    for lines, name in sorted(found, reverse=True)[: max(SHOWN, over)]:
        print(f"  {lines:5}  {name}{'  <-- over' if lines > limit else ''}")
    return over
