"""Constants of the vision code are millimetres, shares of the board, or measured noise; never pixels."""

import ast
import re
from pathlib import Path

import scharten.vision

FOLDER = Path(scharten.vision.__file__).parent
BY_NATURE = {
    ("board_view.py", "SIDE"): "the size of a picture that is drawn",
    ("board_view.py", "_COARSE"): "the raster of a picture that is drawn",
    ("light.py", "SMALL_WIDTH"): "the width of every camera's small picture: a share of its width",
    ("light.py", "_FEWEST"): "a count, for a median",
    ("leftover.py", "_FEWEST"): "a count, for a median",
    ("register.py", "STILL_PX"): "the accuracy of interpolation between pixels",
    ("register.py", "_SHARP"): "the step at which a search between pixels ends",
}
"""The constants that stay in pixels, each with its reason."""
_PIXELS = re.compile(r"(?<!small )\b(px|pixels)\b|_PX\b", re.IGNORECASE)


def _constants(path):
    """Yield each numeric constant of the module, with its name, comment and docstring as one text."""
    text = path.read_text(encoding="utf-8")
    lines, body = text.splitlines(), ast.parse(text).body
    for place, node in enumerate(body):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        numbers = [
            n for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, int | float)
        ]
        if not numbers:
            continue
        comments = " ".join(line.partition("#")[2] for line in lines[node.lineno - 1 : node.end_lineno])
        later = body[place + 1] if place + 1 < len(body) else None
        explanation = (
            later.value.value if isinstance(later, ast.Expr) and isinstance(later.value, ast.Constant) else ""
        )
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for name in (n.id for n in ast.walk(target) if isinstance(n, ast.Name)):
                yield name, f"{name} {comments} {explanation}"


def test_no_constant_of_the_vision_code_is_in_pixels():
    """By names, comments and docstrings, only the listed constants are in pixels."""
    found = {
        (path.name, name)
        for path in sorted(FOLDER.rglob("*.py"))
        for name, explanation in _constants(path)
        if _PIXELS.search(explanation.partition(":")[0])
    }
    assert found == set(BY_NATURE)
