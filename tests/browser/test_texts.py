"""The pages as a browser gets them: nothing from other hosts, and texts that the club-night page quotes."""

from __future__ import annotations

import importlib.util
import json
import pkgutil
import re
from collections.abc import Iterator
from importlib.abc import SourceLoader
from pathlib import Path
from types import CodeType

import pytest

import scharten
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.servers import Served
from scharten.display.access import HEADERS
from scharten.display.files import load
from scharten.words import texts

FILES = load()
PAGES = sorted(path for path, file in FILES.items() if file.mime.startswith("text/html"))
ELSEWHERE = """[...document.querySelectorAll("[src], [href]")].map((node) => node.src || node.href)
    .filter((node) => typeof node === "string" && new URL(node).origin !== location.origin)"""


@pytest.mark.long
def test_the_club_night_page_quotes_real_messages() -> None:
    """Each message in the first column of its tables is a text of the page or a constant of the compiled program."""
    said = [*texts("en").values(), *(text for name in modules() for text in constants(code_of(name)))]
    text = (Path(__file__).parents[2] / "deploy" / "club-night.md").read_text()
    rows = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    quoted = [quote for row in rows for quote in re.findall(r"`([^`]+)`", row)]
    assert len(quoted) > 25
    assert [quote for quote in quoted if not any(quote in text for text in said)] == []


def modules() -> Iterator[str]:
    """Return the program's modules by name."""
    return (
        module.name for module in pkgutil.walk_packages(scharten.__path__, "scharten.") if not module.ispkg
    )


def code_of(name: str) -> CodeType | None:
    """Return the code that the interpreter runs to import the module, or None for machine code."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    return spec.loader.get_code(name) if isinstance(spec.loader, SourceLoader) else None


def constants(code: CodeType | None) -> Iterator[str]:
    """Return the texts in a piece of code, including those of its functions and classes."""
    for constant in code.co_consts if code else ():
        if isinstance(constant, CodeType):
            yield from constants(constant)
        elif isinstance(constant, str | tuple):
            found = (constant,) if isinstance(constant, str) else constant
            yield from (text for text in found if isinstance(text, str))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_needs_nothing_from_elsewhere_and_no_script_in_its_markup(
    host: FakeHost, pages: Pages, display: Served, path: str
) -> None:
    """The policy forbids inline code and other hosts. The browser reports no breach, and no address leads
    elsewhere."""
    page = pages.open(f"{display.url}{path}")
    still(page)
    complaints = [said for said in pages.console if "status of 404" not in said]  # no journal, so no archive
    assert not complaints, complaints
    assert page.evaluate(ELSEWHERE) == []


def test_the_page_can_be_installed_and_caches_nothing(host: FakeHost, pages: Pages, display: Served) -> None:
    """The policy allows the manifest with its icon. The page has no service worker and no cache."""
    page = pages.open(display.url)
    still(page)
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    assert page.evaluate("caches.keys()") == []
    files = FILES
    manifest = json.loads(files["/manifest.webmanifest"].body)
    assert manifest["display"] == "standalone" and manifest["start_url"] == "."
    assert all(f"/{icon['src']}" in files for icon in manifest["icons"])
    assert b'rel="manifest"' not in files["/"].body, "only where TLS is on: the script adds it"
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    for icon in manifest["icons"][:2]:
        body = files[f"/{icon['src']}"].body
        assert "x".join(str(int.from_bytes(body[at : at + 4])) for at in (16, 20)) == icon["sizes"]
    assert "manifest-src 'self'" in HEADERS["Content-Security-Policy"]
