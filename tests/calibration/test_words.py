"""The texts of `scharten-calibrate`: every key of the source has its text, and no message is written in the source."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from os import environ
from pathlib import Path

import pytest

import scharten_calibration
from scharten.words import LANGUAGES, area, text
from scharten_calibration.mapping import Phase
from scharten_calibration.page import page_response

TEXTS = area("en", "calibration")
CALLS = [
    node
    for path in sorted(Path(scharten_calibration.__file__).parent.glob("*.py"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.Call)
]
FAMILIES = (
    "calibrate.bed.", "calibrate.cure.", "calibrate.projector.why.", "calibrate.page.", "calibrate.boards.column.",
    "calibrate.boards.maker.", "calibrate.boards.source.",
)  # fmt: skip
"""Groups of keys whose last part is a value, such as a kind of bed or the code of a refusal, and the pages' texts."""


def keys(names: set[str]) -> Iterator[tuple[ast.Call, str]]:
    """Yield the first argument of each call of these functions, if it is a literal key."""
    for call in CALLS:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in names and call.args:
            given = call.args[0]
            for option in [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]:
                if isinstance(option, ast.Constant):
                    yield call, str(option.value)


def test_every_error_has_a_text_and_fills_its_places() -> None:
    """Each `SchartenError.coded` of the package has a text, its values fill the placeholders, and no text is
    unused."""
    coded = list(keys({"coded"}))
    assert len(coded) > 45
    for call, code in coded:
        texts = [TEXTS[f"error.{code}"], TEXTS.get(f"error.{code}.cure", "")]
        places = {name for template in texts for name in re.findall(r"\{(\w+)", template)}
        assert places <= {word.arg for word in call.keywords}, code
    used = {code for _, code in coded} | {"no_bed_here", "no_bed_shared"}
    assert {key.split(".")[1] for key in TEXTS if key.startswith("error.")} == used


def test_no_error_has_a_message_in_the_source() -> None:
    """A message in the source would be English in every language."""
    assert [call.lineno for call in CALLS if getattr(call.func, "id", "") == "SchartenError"] == []


def test_every_line_has_a_text() -> None:
    """Each key passed to `words` (or `text`) is in the texts."""
    given = {f"calibrate.{key}" for _, key in keys({"words", "text", "_refused"})}
    assert len(given) > 70 and sorted(given - TEXTS.keys()) == []
    strays = {key for key in TEXTS if key.startswith("calibrate.") and not key.startswith(FAMILIES)} - given
    chosen = {"wizard.was_other", "wizard.was_none", "wizard.done", "wizard.done_without"}
    by_singles = {
        f"matrix.{key}.{singles}" for key in ("known", "done") for singles in ("separate", "shared")
    }
    assert {key.removeprefix("calibrate.") for key in strays} <= chosen | by_singles


@pytest.mark.parametrize("language", ["nl", "de"])
def test_an_error_is_printed_in_the_chosen_language(language: str, tmp_path: Path) -> None:
    """SCHARTEN_LANGUAGE chooses the language of a refusal; the status is 1."""
    port = tmp_path / "none"
    done = subprocess.run(
        [sys.executable, "-m", "scharten_calibration", "flash", "--port", str(port)],
        capture_output=True,
        text=True,
        env={**environ, "SCHARTEN_LANGUAGE": language},
    )
    message, cure = (text(language, f"error.flash_no_port{part}", port=port) for part in ("", ".cure"))
    assert (done.returncode, done.stderr) == (1, f"scharten-calibrate: {message}\n{cure}\n")


PAGES = Path(scharten_calibration.__file__).parent / "page"


def test_the_pages_have_every_text_they_name_and_no_other() -> None:
    """Each `{{key}}` of a page and each key of its script has a text, and each text `calibrate.page.` is in use."""
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.html")))
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.js")))
    named = set(re.findall(r"\{\{(\w+\.[\w.]+)\}\}", pages)) | set(
        re.findall(r'"((?:camera|matrix)\.\w+)"', scripts)
    )
    named |= {f"matrix.phase.{phase}" for phase in Phase}
    assert {f"calibrate.page.{key}" for key in named} == {
        key for key in TEXTS if key.startswith("calibrate.page.")
    }


@pytest.mark.parametrize("page", ["index.html", "camera.html"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_in_the_chosen_language(page: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No text of a page is in its file. The served page and its script have the language's texts and no
    placeholder."""
    monkeypatch.setenv("SCHARTEN_LANGUAGE", language)
    served = str(page_response(page, board="<svg></svg>").text)
    assert f'<html lang="{language}">' in served and "{{" not in served
    own = "matrix.waiting" if page == "index.html" else "camera.accept"
    assert f">{text(language, f'calibrate.page.{own}')}<" in served
    texts = json.loads(unescape(re.findall(r'data-texts="([^"]*)"', served)[0]))
    assert texts["matrix.press"] == text(language, "calibrate.page.matrix.press")
    source = re.sub(r"\{\{[\w.]+\}\}|<[^>]*>|\s", "", (PAGES / page).read_text(encoding="utf-8"))
    assert source == ""
