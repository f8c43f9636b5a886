"""Lines by folder beside those of version 0.1.0, the longest files and functions, and types that share a name."""

from __future__ import annotations

import ast
import io
import subprocess
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
BEFORE_COMMIT = "b67cdfd"
"""Version 0.1.0 and what followed it, before the folders were made anew."""
BEFORE = Counter({"host": 29_626, "calibration": 1_664, "firmware": 3_941, "tests": 22_649})
"""Its lines, for a checkout without its history."""
REBUILT_COMMIT = "74a71b0"
"""The folders made anew, and none of the new parts yet: games, opponent, players, club, Pico, pages."""
REBUILT = Counter({"host": 27_207, "calibration": 1_664, "firmware": 3_941, "tests": 25_963})
FEWER_AIM = 2500
FILE_LIMIT, FUNCTION_LIMIT = 400, 60
SILENT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
SUFFIXES = (".py", ".js", ".c", ".h")
PRODUCT = ("host", "calibration", "firmware")
BROKER = tuple(f"host/scharten/mqtt/{one}.py" for one in
               ("codec", "packets", "connection", "session", "outbox", "embedded"))  # fmt: skip
BROKER_COMMIT, BROKER_AIM = "0a80d67", 790
"""The embedded broker of this program's own before it was made smaller, and how much code it shall be about."""
SHOWN = 10
ONE_MEANING = {"Options": "a game's", "Position": "a game's", "Floats": "an array of real numbers"}
"""Names that several modules give to a type, and the one thing that each of them means."""

Lines = dict[str, int]
Texts = dict[str, str]
"""What stands in each file, by its path."""


def run() -> int:
    """Print every figure; 0 when nothing is over its limit, no name has two meanings, the product shrank."""
    texts, old, house = _now(), _at(BEFORE_COMMIT), _at(REBUILT_COMMIT)
    now = _lines(texts)
    before, rebuilt = _parts(old) or BEFORE, _parts(house) or REBUILT
    _print_folders(*(_by_folder(_lines(one)) for one in (old, house, texts)))
    print(f"\n{'':20}{BEFORE_COMMIT:>9}{REBUILT_COMMIT:>9}      now")
    parts = _parts(texts)
    for part in (*PRODUCT, "tests"):
        print(f"  {part:18}{before[part]:9,}{rebuilt[part]:9,}{parts[part]:9,}")
    fewer = sum(before[part] - rebuilt[part] for part in PRODUCT)
    print(f"  the product before the new parts: {fewer:,} fewer, aim at least {FEWER_AIM:,}")
    long_files = sorted(((lines, path) for path, lines in now.items()), key=lambda one: -one[0])
    long_functions = sorted(_functions(texts), reverse=True)
    _print_broker(texts)
    _print_longest("files", long_files, FILE_LIMIT)
    _print_longest("Python functions", long_functions, FUNCTION_LIMIT)
    shared, then = _shared_names(texts), len(_shared_names(old))
    was = f"{then} at {BEFORE_COMMIT}, " if old else ""
    print(f"\ntypes of the host whose name has several meanings: {was}{len(shared)} now, aim 0")
    for name, places in sorted(shared.items()):
        print(f"  {name}: {', '.join(places)}")
    within = not shared and long_files[0][0] <= FILE_LIMIT and long_functions[0][0] <= FUNCTION_LIMIT
    return 0 if within and fewer >= FEWER_AIM else 1


def _print_folders(*columns: Counter[str]) -> None:
    print(f"lines of Python, JavaScript and C by folder{BEFORE_COMMIT:>12}{REBUILT_COMMIT:>9}      now")
    for folder in sorted(set().union(*columns)):
        counts = (f"{one[folder]:,}" if folder in one else "" for one in columns)
        print(f"  {folder:44}" + "".join(f"{count:>9}" for count in counts))


def _print_broker(texts: Texts) -> None:
    """Its lines of code, without blank lines, comments and docstrings."""
    print(f"\nthe embedded broker's {len(BROKER)} files, aim about {BROKER_AIM} lines of code")
    for when, files in ((BROKER_COMMIT, _at(BROKER_COMMIT)), ("now", texts)):
        if found := [files[path] for path in BROKER if path in files]:
            imports, code = (sum(counted) for counted in zip(*map(_code_lines, found), strict=True))
            lines = sum(len(text.splitlines()) for text in found)
            print(f"  {when:8}{code:6,} of code and {imports:,} of imports in {lines:,} lines")


def _code_lines(text: str) -> tuple[int, int]:
    """How many lines of a module import, and how many more say anything but a comment or a docstring."""
    tree = ast.parse(text)
    told = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    imports = {
        line
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    said = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in SILENT
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(imports), len(said - told - imports)


def _print_longest(what: str, found: list[tuple[int, str]], limit: int) -> None:
    over = sum(lines > limit for lines, _ in found)
    print(f"\nlongest {what}, limit {limit}: {over} over it")
    for lines, name in found[: max(SHOWN, over)]:
        print(f"  {lines:5}  {name}{'  <-- over' if lines > limit else ''}")


def _now() -> Texts:
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard").decode().splitlines()
    paths = (path for path in listed if path.endswith(SUFFIXES) and (ROOT / path).is_file())
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}


def _at(commit: str) -> Texts:
    """The files of a commit; none in a checkout without its history."""
    try:
        packed = _git("archive", "--format=tar", commit)
    except subprocess.CalledProcessError:
        return {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        return {
            one.name: held.read().decode()
            for one in files
            if one.name.endswith(SUFFIXES) and (held := files.extractfile(one)) is not None
        }


def _lines(texts: Texts) -> Lines:
    return {path: len(text.splitlines()) for path, text in texts.items()}


def _parts(texts: Texts) -> Counter[str]:
    """The lines of each part; a part is the first folder of a path."""
    counted: Counter[str] = Counter()
    for path, lines in _lines(texts).items():
        counted[PurePosixPath(path).parts[0]] += lines
    return counted


def _by_folder(lines: Lines) -> Counter[str]:
    """Sums by the folder of a file, below `host/scharten` and `tests` one level deep."""
    folders: Counter[str] = Counter()
    for path, count in lines.items():
        parts = PurePosixPath(path).parts[:-1]
        depth = 4 if "games" in parts else 3 if parts[:1] == ("host",) else 2
        folders["/".join(parts[:depth])] += count
    return folders


def _functions(texts: Texts) -> Iterator[tuple[int, str]]:
    """The length of every Python function, with its place."""
    for path, tree in _trees(texts):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                yield node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}"


def _trees(texts: Texts) -> Iterator[tuple[str, ast.Module]]:
    return ((path, ast.parse(text)) for path, text in texts.items() if path.endswith(".py"))


def _shared_names(texts: Texts) -> dict[str, list[str]]:
    """The host's classes and aliases of the same name in several modules, with their places."""
    found: dict[str, list[str]] = {}
    for path, tree in _trees({path: text for path, text in texts.items() if path.startswith("host/")}):
        for node in tree.body:
            for one in node.targets if isinstance(node, ast.Assign) else [node]:
                name = (
                    getattr(one, "name", None) if isinstance(one, ast.ClassDef) else getattr(one, "id", None)
                )
                if name and name.strip("_")[:1].isupper() and not name.isupper():
                    found.setdefault(name, []).append(f"{path}:{node.lineno}")
    return {name: places for name, places in found.items() if len(places) > 1 and name not in ONE_MEANING}


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout
