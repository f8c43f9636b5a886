"""Mutation testing of the pure rules: a seeded sample of small changes, each judged by the nearest tests."""

from __future__ import annotations

import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
AIM = 0.9
FOLDERS = ("match", "games")
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True)
class Mutant:
    """A changed module: its path below the package, the line, the change in words, the new source."""

    path: Path
    line: int
    change: str
    source: str


def _mutated(node: ast.AST) -> ast.AST | None:
    """Return the node changed in one place, or None where nothing is to change."""
    new = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[operator, *rest]) if type(operator) in COMPARISONS:
            new.ops = [COMPARISONS[type(operator)](), *rest]
        case ast.BoolOp(op=operator):
            new.op = ast.Or() if isinstance(operator, ast.And) else ast.And()
        case ast.BinOp(op=operator) if type(operator) in ARITHMETIC:
            new.op = ARITHMETIC[type(operator)]()
        case ast.UnaryOp(op=ast.Not()):
            return new.operand
        case ast.Constant(value=bool(value)):
            new.value = not value
        case ast.Constant(value=int(value)):
            new.value = value + 1
        case ast.Return(value=ast.expr()) if not isinstance(new.value, ast.Constant):
            new.value = ast.Constant(None)
        case _:
            return None
    return new


class _Replace(ast.NodeTransformer):
    """Put another node in the place of one."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the replacement for the old node."""
        return self._new if node is self._old else self.generic_visit(node)


def _bodies(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node inside a function, without annotations, defaults and decorators."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    seen: set[int] = set()
    for function in functions:
        for statement in function.body:
            for node in ast.walk(statement):
                if id(node) not in seen:
                    seen.add(id(node))
                    yield node


def mutants_of(package: Path, path: Path) -> list[Callable[[], Mutant]]:
    """Return every mutant of a module, each made on demand."""
    tree = ast.parse((package / path).read_text(encoding="utf-8"))

    def make(old: ast.AST, new: ast.AST) -> Mutant:
        change = f"{ast.unparse(old)} -> {ast.unparse(new)}".replace("\n", " ")
        source = ast.unparse(_Replace(old, new).visit(copy.deepcopy(tree, {id(old): old})))
        return Mutant(path, getattr(old, "lineno", 0), change, source)

    found = [(node, _mutated(node)) for node in _bodies(tree)]
    return [lambda old=old, new=new: make(old, new) for old, new in found if new is not None]  # type: ignore[misc]


def nearest(path: Path) -> list[str]:
    """Return the tests of a module's folder, files with the module's name first."""
    folder = ROOT / "tests" / path.parts[0]
    files = sorted(folder.rglob("test_*.py"), key=lambda file: (path.stem not in file.stem, file.stem))
    same_game = [file for file in files if len(path.parts) > 2 and path.parts[1] in file.parts]
    return [str(file) for file in dict.fromkeys([*same_game, *files])]


def killed(host: Path, mutant: Mutant, timeout_s: float) -> bool:
    """Return whether a test fails, or hangs, with the mutant in a copy of the package."""
    file = host / "scharten" / mutant.path
    original = file.read_text(encoding="utf-8")
    file.write_text(mutant.source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(host), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return bool(
            subprocess.run(
                [*command, *nearest(mutant.path)],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                timeout=timeout_s,
            ).returncode
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(original, encoding="utf-8")


def run(minutes: float, seed: int) -> int:
    """Judge mutants until the time is over. Print survivors and the share killed."""
    package = ROOT / "host" / "scharten"
    modules = [
        file.relative_to(package) for name in FOLDERS for file in sorted((package / name).rglob("*.py"))
    ]
    candidates = [make for module in modules for make in mutants_of(package, module)]
    random.Random(seed).shuffle(candidates)
    end, tried, dead = time.monotonic() + 60 * minutes, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        host = Path(folder)
        shutil.copytree(package, host / "scharten", ignore=shutil.ignore_patterns("__pycache__"))
        equal = modules[-1]
        if killed(host, Mutant(equal, 0, "", ast.unparse(ast.parse((package / equal).read_text()))), 1800):
            print("The tests fail without any mutant.")
            return 1
        for make in candidates:
            if time.monotonic() > end:
                break
            mutant = make()
            tried += 1
            if killed(host, mutant, 600):
                dead += 1
            else:
                print(f"survived: {mutant.path}:{mutant.line}: {mutant.change[:160]}", flush=True)
    share = dead / tried if tried else 0.0
    print(f"{dead} of {tried} mutants killed ({len(candidates)} exist): {share:.0%}, aim {AIM:.0%}")
    return int(share < AIM)
