"""The documents: every link leads somewhere, and every section that code or tests cite exists."""

import re
from pathlib import Path

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
    assert [one for one in cited if one[2] not in sections[one[1]]] == []


def test_every_document_that_code_names_is_in_the_project() -> None:
    """A document named in code, such as contract.md, is one of the project's, and a path leads to it."""
    missing, names = [], {document.name for document in _files(".md")}
    for path in _files(".md", *CODE):
        for name in NAMED.findall(path.read_text()):
            paths = (ROOT / name, path.parent / name)
            if name not in names and not any(place.is_file() for place in paths):
                missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert not missing
