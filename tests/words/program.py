"""The program's modules as syntax trees, parsed once for all tests of texts."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import scharten

ROOT = Path(scharten.__file__).parent


@cache
def modules() -> dict[str, ast.Module]:
    """Return every module's tree by its full name."""
    return {
        ".".join([ROOT.name, *path.relative_to(ROOT).with_suffix("").parts]): ast.parse(
            path.read_text("utf-8")
        )
        for path in sorted(ROOT.rglob("*.py"))
    }


@cache
def calls() -> dict[str, list[tuple[str, ast.Call]]]:
    """Return every call with its module, by the last name of the function that it calls."""
    found = defaultdict(list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                found[name].append((module, node))
    return dict(found)
