"""The components of the pages: one stylesheet for all pages beside the board, and a page that shows them."""

from __future__ import annotations

import pytest

from scharten.display.files import load

BESIDE = (
    "setup", "players", "practice", "problems", "openings", "evening", "join", "club", "archive", "review", "status",
    "learn", "home", "endgames",
)  # fmt: skip


def test_each_page_beside_the_board_is_made_of_the_components() -> None:
    """Every such page loads the stylesheet; the play page, which is to be light, does not."""
    files = load()
    assert "/css/components.css" in files
    linked = [page for page in BESIDE if b"css/components.css" in files[f"/{page}"].body]
    assert linked == list(BESIDE)
    assert b"css/components.css" not in files["/"].body


def test_the_page_of_components_is_for_development(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address exists with SCHARTEN_DEVELOPMENT alone; the stylesheet is served always."""
    monkeypatch.delenv("SCHARTEN_DEVELOPMENT", raising=False)
    assert not {"/components", "/js/components.js"} & set(load())
    monkeypatch.setenv("SCHARTEN_DEVELOPMENT", "1")
    assert {"/components", "/js/components.js"} <= set(load())


def test_style_sheets_travel_without_their_comments() -> None:
    """No comment goes over the wire, and every rule's brace is closed."""
    body = load()["/css/components.css"].body
    assert b"/*" not in body
    assert body.count(b"{") == body.count(b"}") > 50
