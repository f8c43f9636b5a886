"""Build the documentation site: collect the Markdown, generate the references, run MkDocs (`make docs`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command

from scharten.cli import GROUPS
from scharten.cli import build as command_line
from scharten_calibration.cli import build as calibration

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "build" / "docs-source"
COPIED = [
    *(f"*.{suffix}" for suffix in ("md", "png", "svg", "jpg", "webp", "gif")),
    *(
        f"deploy/{name}"
        for name in (
            "*.service",
            "*.rules",
            "*.conf",
            "*.acl",
            "*/compose.yaml",
            "*/config.yaml",
            "*/build.sh",
        )
    ),
    "docs/site/*.js",
]
FOUND_LAST = "---\nsearch:\n  boost: 0.2\n---\n"
"""The head of a generated page: a search ranks it below what people wrote."""
PACKAGES = ("game", "games", "contract")
"""Packages of `scharten` whose public names other programs may use."""


def main(arguments: list[str]) -> int:
    """Collect, generate, and run `mkdocs build --strict`, or with `serve` a server that rebuilds on changes."""
    collect()
    generate()
    command = ["serve"] if arguments == ["serve"] else ["build", "--strict", "--clean"]
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # Material's note on its successor
    config = Path(__file__).with_name("mkdocs.yml")
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", *command, "-f", str(config)], check=False
    ).returncode


def collect() -> None:
    """Copy the documents, pictures and linked files, each to its own place, so that links hold."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *COPIED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if name.startswith((".github/", "tests/")) or not (ROOT / name).is_file():
            continue
        target = SOURCE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)


def generate() -> None:
    """Write the references that come from code: the command line, and the Python API by module."""
    folder = SOURCE / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cli.md").write_text("\n".join([FOUND_LAST, *command_lines()]), encoding="utf-8")
    for package in PACKAGES:
        lines = [FOUND_LAST, f"# scharten.{package}", ""]
        for path in sorted((ROOT / "host" / "scharten" / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT / "host").with_suffix("").parts)
            if path.stem != "__init__":
                lines += [f"::: {module}", ""]
        (folder / f"{package}.md").write_text("\n".join(lines), encoding="utf-8")


def command_lines() -> Iterator[str]:
    """Yield the reference of both command lines as Markdown."""
    root = get_command(command_line())
    yield "# Command line\n"
    for title, group in GROUPS.items():
        yield f"## {title}\n"
        for name in group:
            yield from command(f"scharten {name}", root.commands[name])  # type: ignore[attr-defined]
    yield "## Calibration\n"
    for name, below in get_command(calibration()).commands.items():  # type: ignore[attr-defined]
        yield from command(f"scharten-calibrate {name}", below)


def command(name: str, found: object, level: int = 3) -> Iterator[str]:
    """Yield one command: its help, and a table of its options."""
    yield f"{'#' * level} {name}\n"
    yield f"{getattr(found, 'help', '') or ''}\n"
    rows = [
        f"| `{', '.join(param.opts)}` | {str(getattr(param, 'help', '') or '').replace('|', '&#124;')} |"
        for param in getattr(found, "params", [])
        if not getattr(param, "hidden", False)
    ]
    if rows:
        yield "| option | meaning |\n| --- | --- |"
        yield from rows
        yield ""
    for below_name, below in getattr(found, "commands", {}).items():
        yield from command(f"{name} {below_name}", below, level + 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
