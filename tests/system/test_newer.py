"""A newer version: known from a file or from apt's own lists, never from the network."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scharten import __version__
from scharten.errors import SchartenError
from scharten.system.newer import Newer, find_newer, newer_in_apt, newer_in_file

CONTROL = """Package: scharten
Version: {}
Architecture: all
Maintainer: Test <test@localhost>
Description: test
"""
INSTALLED = CONTROL + "Status: install ok installed\n"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("99.0.0\n", "99.0.0"),
        ("v99.1\nanything else\n", "99.1"),
        (f"{__version__}\n", None),
        (f"{__version__}.0", None),
        (f"{__version__}.1", f"{__version__}.1"),
        ("0.0.9\n", None),
    ],
)
def test_a_file_names_a_newer_version(tmp_path: Path, written: str, found: str | None) -> None:
    """The first line counts, number by number; the same version and an older one are no news."""
    path = tmp_path / "VERSION"
    path.write_text(written)
    assert find_newer(str(path)) == (Newer(found, "file") if found else None)
    assert find_newer("") is None


@pytest.mark.parametrize("content", [b"", b"newest\n", b"\xff\xfe", b"9" * 5000, b"99.0.0 <b>\n", None])
def test_a_file_without_a_version_is_reported(tmp_path: Path, content: bytes | None) -> None:
    """A missing file, other text and bytes that are no text: the reason and the cure, no version."""
    path = tmp_path / "VERSION"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SchartenError, match="VERSION"):
        newer_in_file(path)


class Requests(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and counts the requests."""

    count = 0

    def log_message(self, format: str, *args: object) -> None:
        type(self).count += 1


@contextmanager
def web_server(folder: Path) -> Iterator[str]:
    """The address of a folder on this machine."""
    handler = functools.partial(Requests, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(10)


def machine(folder: Path, source: str) -> dict[str, str]:
    """The environment of an apt whose files lie in a folder, with this source and no other."""
    for name in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
        (folder / name).mkdir(parents=True)
    (folder / "sources.list").write_text(f"deb [trusted=yes] {source} ./\n")
    settings = {
        "Dir::State": folder / "state", "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache",
        "Dir::Etc": folder / "etc", "Dir::Etc::sourcelist": folder / "sources.list", "Dir::Etc::sourceparts": "-",
        "APT::Sandbox::User": "root", "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "",
    }  # fmt: skip
    lines = [f'{name} "{value}";' for name, value in settings.items()]
    (folder / "apt.conf").write_text("\n".join(lines))
    return {**os.environ, "APT_CONFIG": str(folder / "apt.conf")}


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt-get is not installed")
def test_apts_own_lists_name_a_newer_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the version that runs, once the administrator's `apt update` has fetched it; no request leaves afterwards."""
    repository = tmp_path / "repository"
    repository.mkdir()
    offered = CONTROL.format("99.0.0-1+deb12")
    (repository / "Packages").write_text(f"{offered}Filename: ./x.deb\nSize: 1\nSHA256: {'0' * 64}\n")
    status = tmp_path / "apt" / "status"
    with web_server(repository) as address:
        environment = machine(tmp_path / "apt", address)
        status.write_text(INSTALLED.format(f"{__version__}-1+deb12"))
        monkeypatch.setenv("APT_CONFIG", environment["APT_CONFIG"])
        assert newer_in_apt() is None, "before apt has read its source"
        subprocess.run(["apt-get", "update"], env=environment, check=True, capture_output=True)
        asked = Requests.count
        assert asked > 0
        assert newer_in_apt() == Newer("99.0.0-1", "apt")
        assert find_newer("", prefix="/usr/lib/scharten") == Newer("99.0.0-1", "apt")
        assert find_newer("", prefix="/home/anna/scharten/.venv") is None, "another installation's package"
        for installed in (
            "99.0.0-1+deb12",
            "99.0.1-1+deb12",
            "0.0.1-1+deb12",
        ):  # none is the version that runs
            status.write_text(INSTALLED.format(installed))
            assert newer_in_apt() is None, installed
        status.write_text(INSTALLED.format("99.0.1-1+deb12"))
        assert newer_in_apt(running="99.0.1") is None, "an older package on offer is no news"
        status.write_text(INSTALLED.format("99.0.0-0+deb12"))
        assert newer_in_apt(running="99.0.0") == Newer("99.0.0-1", "apt"), "a new build of the same version"
        assert Requests.count == asked, "apt's lists alone were read"


def test_a_machine_without_apt_has_no_news(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where apt is missing the package lists name nothing, and a file is still read."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "VERSION").write_text("99.0.0\n")
    assert newer_in_apt() is None
    assert find_newer(str(tmp_path / "VERSION"), prefix="/usr/lib/scharten") == Newer("99.0.0", "file")
