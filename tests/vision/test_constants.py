"""Numbers that generalise: in mm on the board, shares of its size, or noise measured on the spot; not in pixels."""

import ast
import re
from pathlib import Path

import scharten.vision

FOLDER = Path(scharten.vision.__file__).parent
BY_NATURE = {
    ("board_view.py", "SIDE"): "the size of a picture that is drawn",
    ("board_view.py", "_COARSE"): "the raster of a picture that is drawn",
    ("light.py", "SMALL_WIDTH"): "every camera's small picture is so wide: a share of its width",
    ("light.py", "_FEWEST"): "a count, for a median",
    ("leftover.py", "_FEWEST"): "a count, for a median",
    ("register.py", "STILL_PX"): "what interpolation between pixels is worth",
    ("register.py", "_SHARP"): "where a search between pixels ends",
}
"""The constants that stay in pixels, each with the reason."""
_PIXELS = re.compile(r"(?<!small )\b(px|pixels)\b|_PX\b", re.IGNORECASE)


def _constants(path):
    """The module's numbers by name, each with its line and the comment or docstring that explains it."""
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
        said = (
            later.value.value if isinstance(later, ast.Expr) and isinstance(later.value, ast.Constant) else ""
        )
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for name in (n.id for n in ast.walk(target) if isinstance(n, ast.Name)):
                yield name, f"{name} {comments} {said}"


def test_no_number_of_the_eye_is_in_pixels():
    """Names, comments and docstrings of all constants: those in pixels are the listed few, each with its reason."""
    found = {
        (path.name, name)
        for path in sorted(FOLDER.rglob("*.py"))
        for name, said in _constants(path)
        if _PIXELS.search(said.partition(":")[0])
    }
    assert found == set(BY_NATURE)
