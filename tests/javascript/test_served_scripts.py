"""The scripts as pages get them: the code without its comments."""

from __future__ import annotations

import pytest

from scharten.display.files import STATIC, load


def test_comments_are_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments are left out, the code is kept, and each line stays at its number."""
    monkeypatch.setenv("SCHARTEN_DEVELOPMENT", "1")  # with the page of components
    served = load()
    for path in STATIC.rglob("*.js"):
        source = path.read_text(encoding="utf-8").splitlines()
        lines = served[f"/{path.relative_to(STATIC).as_posix()}"].body.decode().split("\n")
        assert len(lines) == len(source) + 1, path
        for line, original in zip(lines, source, strict=False):
            assert "/**" not in line and not line.lstrip().startswith("//"), path
            assert line == original or not line.strip() or "/**" in original, (path, line)
