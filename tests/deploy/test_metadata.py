"""The published package describes itself, to another library's reader of the metadata."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from packaging.metadata import Metadata

ROOT = Path(__file__).parents[2]


def metadata(folder: Path, **environment: str) -> bytes:
    """Build a wheel and return its METADATA."""
    command = [sys.executable, "-m", "build", "--wheel", "-o", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment}, timeout=900)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return wheel.read(name)


@pytest.mark.long
def test_every_link_of_a_release_leads_somewhere(tmp_path: Path) -> None:
    """With an address, each link and picture of the description is whole and names a file of the release."""
    url = "https://example.org/us/scharten"
    raw = metadata(tmp_path, SCHARTEN_URL=url)
    found = Metadata.from_email(
        raw, validate=True
    )  # refuses unknown classifiers' form, wrong versions and addresses
    assert found.description is not None and found.project_urls is not None
    links = re.findall(r"\]\(([^)]+)\)", found.description)
    ours = [link for link in links if link.startswith(f"{url}/")]
    assert len(ours) > 15 and set(links) - set(ours) == set()
    for link in ours:
        kind, tag, path = link.removeprefix(f"{url}/").split("/", 2)
        assert tag == f"v{found.version}" and (ROOT / path.partition("#")[0]).is_file()
        assert kind == ("raw" if path.endswith(".png") else "blob")
    assert found.project_urls["Homepage"] == url and found.license_expression == "GPL-3.0-or-later"
    assert found.keywords and found.author and len(found.classifiers or []) > 10


@pytest.mark.long
def test_a_wheel_without_an_address_has_no_dead_link(tmp_path: Path) -> None:
    """A wheel built from a checkout has the words of the links, names no address, and needs the declared packages."""
    message: Message = message_from_bytes(metadata(tmp_path, SCHARTEN_URL=""))
    assert "](" not in str(message.get_payload()) and message.get_all("Project-URL") is None
    assert "fouls" in str(message.get_payload())
    needed = [str(line) for line in message.get_all("Requires-Dist") or []]
    assert any(line.startswith("aiohttp") for line in needed), "the declared packages stay"


@pytest.mark.long
def test_a_source_carries_what_make_dist_wrote_for_the_wheel(tmp_path: Path) -> None:
    """Manual pages, completions and the menu entry lie in an ignored folder, and in the source all the same."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, checkout)
    for name in ("deploy", "firmware"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("build", "__pycache__"))
    page = checkout / "build" / "share" / "man" / "man1" / "scharten.1"
    page.parent.mkdir(parents=True)
    page.write_text("a manual page")
    (checkout / "build" / "other").write_text("not for a source")
    command = [sys.executable, "-m", "build", "--sdist", "-o", str(tmp_path), str(checkout)]
    subprocess.run(command, check=True, capture_output=True, timeout=900)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as source:
        built = [name.partition("/")[2] for name in source.getnames() if "/build/" in name]
    assert built == ["build/share/man/man1/scharten.1"]
