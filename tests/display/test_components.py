"""The components of the pages: a stylesheet for all pages except the play page, and a page that shows them."""

from __future__ import annotations

import pytest

from scharten.display.files import load

BESIDE = (
    "setup", "players", "practice", "problems", "openings", "evening", "join", "club", "archive", "review", "status",
    "learn", "home", "endgames",
)  # fmt: skip


def test_each_page_except_the_play_page_uses_the_components() -> None:
    """Every such page loads the stylesheet; the play page does not, to stay light."""
    files = load()
    assert "/css/components.css" in files
    linked = [page for page in BESIDE if b"css/components.css" in files[f"/{page}"].body]
    assert linked == list(BESIDE)
    assert b"css/components.css" not in files["/"].body


def test_the_page_of_components_is_for_development(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address exists only with SCHARTEN_DEVELOPMENT; the stylesheet is always served."""
    monkeypatch.delenv("SCHARTEN_DEVELOPMENT", raising=False)
    assert not {"/components", "/js/components.js"} & set(load())
    monkeypatch.setenv("SCHARTEN_DEVELOPMENT", "1")
    assert {"/components", "/js/components.js"} <= set(load())


def test_style_sheets_are_served_without_comments() -> None:
    """No comment is sent, and every rule's brace is closed."""
    body = load()["/css/components.css"].body
    assert b"/*" not in body
    assert body.count(b"{") == body.count(b"}") > 50
