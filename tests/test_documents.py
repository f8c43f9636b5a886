"""The documents: every link leads somewhere, and every section that code or tests cite exists."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright
from typer.main import get_command
from typer.testing import CliRunner

from browser.conftest import CHROMIUM
from lab.__main__ import app as benches
from scharten.cli import build
from scharten.errors import SchartenError
from scharten_calibration.cli import build as build_calibration

ROOT = Path(__file__).parents[1]
SKIP = {
    ".venv",
    ".git",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
    "node_modules",
    "build",
}
CODE = {".py", ".js", ".mjs", ".c", ".h", ".toml", ".html", ".css", ".sh", ".yml", ".mk"}
SECTION = re.compile(r"^#+ (\d+)\.? ", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CITED = re.compile(r"\b(rules|games) (\d+)\b(?! (?:of|in|game|position|were|end|are|is|at|then|with|and)\b)")
NAMED = re.compile(r"(?<![\w./-])((?:\.\./)*(?:[\w-]+/)*[\w-]+\.md)\b")


def _files(*suffixes: str) -> list[Path]:
    found = (path for path in ROOT.rglob("*") if path.suffix in suffixes and path.is_file())
    return sorted(path for path in found if not SKIP & set(path.relative_to(ROOT).parts))


def _anchors(path: Path) -> set[str]:
    """The names that a Markdown file's headings have in a link, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_link_of_a_document_leads_to_a_file_and_a_heading() -> None:
    """No document links to a file or a heading that does not exist."""
    documents = _files(".md")
    assert len(documents) > 10
    broken = []
    for document in documents:
        for link in LINK.findall(document.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = (document.parent / name) if name else document
            if not target.exists() or (anchor and anchor not in _anchors(target)):
                broken.append(f"{document.relative_to(ROOT)}: {link}")
    assert not broken


@pytest.mark.long
def test_every_section_that_is_cited_exists() -> None:
    """`rules 4` and `games 6`, in code and in documents, are sections of docs/rules.md and docs/games.md."""
    sections = {
        name: set(SECTION.findall((ROOT / "docs" / f"{name}.md").read_text())) for name in ("rules", "games")
    }
    cited = [
        (path.relative_to(ROOT), name, number)
        for path in _files(".md", *CODE)
        for name, number in CITED.findall(path.read_text())
    ]
    assert len(cited) > 50
    assert [item for item in cited if item[2] not in sections[item[1]]] == []


@pytest.mark.long
def test_every_document_that_code_names_is_in_the_project() -> None:
    """A document named in code, such as contract.md, is one of the project's, and a path leads to it."""
    missing, names = [], {document.name for document in _files(".md")}
    for path in _files(".md", *CODE):
        if path.parent == ROOT / "docs" / "site":
            continue  # names pages that it generates
        for name in NAMED.findall(path.read_text()):
            paths = (ROOT / name, path.parent / name)
            if name not in names and not any(place.is_file() for place in paths):
                missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert not missing


PROGRAMS = {"scharten": build, "scharten-calibrate": build_calibration}


def _commands() -> Iterator[tuple[str, str, list[str]]]:
    """Each command line of the documents: where it stands, the program, its words."""
    for path in _files(".md"):
        text = path.read_text(encoding="utf-8")
        quoted = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^(?: {4}|\$ )(.+)$", text, re.MULTILINE)
        quoted += [
            line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
        ]
        for line in quoted:
            for program in PROGRAMS:
                found = re.match(rf"(?:sudo (?:-u \w+ )?)?{program} ([a-z].*)", line.split(" # ")[0].strip())
                if found and path.name != "CHANGELOG.md":
                    try:
                        yield str(path.relative_to(ROOT)), program, shlex.split(found[1])
                    except ValueError:
                        continue  # half of a sentence between two backquotes


@pytest.mark.long
def test_every_command_of_the_documents_exists() -> None:
    """Each `scharten ...` that a document shows names a command and options that exist."""
    roots = {program: get_command(make()) for program, make in PROGRAMS.items()}
    unknown, count = [], 0
    for path, program, words in _commands():
        node, rest = roots[program], list(words)
        while rest and rest[0] in getattr(node, "commands", {}):
            node = node.commands[rest.pop(0)]  # type: ignore[attr-defined]
        options = {name for param in node.params for name in (*param.opts, *param.secondary_opts)}
        wrong = [
            word for word in rest if word.startswith("--") and word.split("=")[0] not in {*options, "--help"}
        ]
        if node is roots[program] or wrong:
            unknown.append(f"{path}: {program} {' '.join(words)}")
        count += 1
    assert count > 40
    assert not unknown


SERVICES = {"run", "simulate", "display", "club", "archive", "opponent", "centre"}
"""Commands that serve until they are stopped; tests of their own start them."""
OPENING = "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"
MINUTES = ("problems", "--check")
"""Proves every problem that ships, in minutes; `tests/problems` proves files of a few."""
EXAMPLES = {"POSITION": OPENING, "DEPTH": "1", "URL": "mqtt://127.0.0.1:9"}


@pytest.mark.long
def test_every_command_of_the_documents_ends_in_a_result_or_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command of the documents runs: it ends well, or names what is missing here. None ends in a traceback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    commands = {(program, tuple(words)) for _, program, words in _commands() if words[0] not in SERVICES}
    ran = 0
    for program, words in sorted(commands):
        if words == MINUTES:
            continue
        arguments = [EXAMPLES.get(word, word) for word in words]
        result = CliRunner().invoke(PROGRAMS[program](), arguments, input="")
        refused = isinstance(result.exception, SchartenError | SystemExit | None)
        assert refused, f"{program} {' '.join(words)}: {result.exception!r}"
        ran += result.exit_code == 0
    assert ran > 8


@pytest.mark.long
def test_every_make_target_of_the_documents_exists() -> None:
    """Each `make TARGET` that a document shows is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        (str(path.relative_to(ROOT)), target)
        for path in _files(".md")
        if path.name != "CHANGELOG.md"
        for target in re.findall(r"`make ([a-z][a-z-]*)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert {entry for entry in named if entry[1] not in targets} == set()


@pytest.mark.long
def test_every_benchmark_of_the_documents_exists() -> None:
    """Each `make bench ARGS=...` that a document shows names a benchmark and its options."""
    benchmarks = get_command(benches).commands  # type: ignore[attr-defined]
    shown = {
        (str(path.relative_to(ROOT)), quoted or word)
        for path in _files(".md")
        if path.name != "CHANGELOG.md"
        for quoted, word in re.findall(
            r'make bench ARGS=(?:"([^"]+)"|([\w-]+))', path.read_text(encoding="utf-8")
        )
    }
    unknown = []
    for path, words in sorted(shown):
        name, *options = words.split()
        params = benchmarks[name].params if name in benchmarks else []
        known = {option for param in params for option in param.opts}
        if name not in benchmarks or {word.split("=")[0] for word in options if word[:2] == "--"} - known:
            unknown.append(f"{path}: {words}")
    assert len(shown) > 20
    assert not unknown


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_documentation_site_builds() -> None:
    """`make docs` builds the site strictly, with both references and no script of another site."""
    built = subprocess.run([sys.executable, "docs/site/build.py"], cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    site = ROOT / "build" / "docs"
    assert "--new-links" in (site / "reference" / "cli.html").read_text(encoding="utf-8")
    assert "GameOptions" in (site / "reference" / "game.html").read_text(encoding="utf-8")
    assert not re.search(r'<script src="https?:', (site / "index.html").read_text(encoding="utf-8"))
    assert (site / "docs" / "site" / "iframe-worker.js").is_file()
    _search(site)


def _search(site: Path) -> None:
    """Search the site as a reader of the files does, without a server: people's pages come before references."""
    if not CHROMIUM.is_file():
        return
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"]).new_page()
        page.goto((site / "index.html").as_uri())
        for asked, wanted in (("webhook", "docs/home.html"), ("backup", "deploy/index.html")):
            page.locator(".md-search__input").click()
            page.locator(".md-search__input").fill("")
            page.keyboard.type(asked)
            first = page.locator(".md-search-result__link").first
            expect(first).to_have_attribute("href", re.compile(wanted), timeout=60_000)
