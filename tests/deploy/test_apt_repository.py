"""`make apt-repo`: apt itself reads the repository that the script lays out."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "deploy" / "apt_repository.sh"
CONTROL = (
    "Package: scharten\nVersion: {}\nArchitecture: {}\nMaintainer: Test <test@localhost>\nDescription: test\n"
)

pytestmark = [
    pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")
    for tool in ("apt-ftparchive", "apt-get", "dpkg-deb", "gpg")
]


def package(folder: Path, version: str, machine: str) -> Path:
    """Build an empty package of this version and architecture."""
    tree = folder / f"{version}-{machine}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN").chmod(0o755)
    (tree / "DEBIAN" / "control").write_text(CONTROL.format(version, machine))
    path = folder / f"scharten_{version}_{machine}.deb"
    subprocess.run(["dpkg-deb", "--build", str(tree), str(path)], check=True, capture_output=True)
    return path


def laid_out(folder: Path, *packages: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script, without the key of a `make release` that runs this test."""
    command = ["sh", str(SCRIPT), str(folder), *map(str, packages)]
    inherited = {name: value for name, value in os.environ.items() if name != "SIGN_KEY"}
    return subprocess.run(command, env={**inherited, **environment}, capture_output=True, text=True)


def offered(repository: Path, suite: str, machine: str, options: str, folder: Path) -> str:
    """Return apt's answer to which version it would install, from this repository alone."""
    for name in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb [{options}] file:{repository} {suite} main\n")
    apt = [
        *("-o", f"Dir::State={folder}/state", "-o", f"Dir::State::status={folder}/status"),
        *("-o", f"Dir::Cache={folder}/cache", "-o", f"Dir::Etc={folder}/etc"),
        *("-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", "Dir::Etc::sourceparts=-"),
        *("-o", f"APT::Architecture={machine}", "-o", "APT::Sandbox::User=root"),
        *("-o", f"APT::Architectures::={machine}"),
    ]
    updated = subprocess.run(["apt-get", *apt, "update"], capture_output=True, text=True)
    found = subprocess.run(["apt-cache", *apt, "policy", "scharten"], capture_output=True, text=True)
    return updated.stdout + updated.stderr + found.stdout


def test_each_debian_is_offered_its_own_package(tmp_path: Path) -> None:
    """apt on Debian 12 and 13 is offered the package of its release and architecture, and never another."""
    made = [package(tmp_path, f"0.2.0-1+deb{n}", machine) for n in (12, 13) for machine in ("amd64", "arm64")]
    done = laid_out(tmp_path / "apt", *made)
    assert done.returncode == 0 and "not signed" in done.stdout, done.stderr
    for suite, number in (("bookworm", 12), ("trixie", 13)):
        answer = offered(tmp_path / "apt", suite, "arm64", "trusted=yes", tmp_path / suite)
        assert f"Candidate: 0.2.0-1+deb{number}\n" in answer, answer


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder of keys; the agent that gpg starts for it ends with the test."""
    folder = tmp_path / "gpg"
    folder.mkdir(mode=0o700)
    yield folder
    subprocess.run(["gpgconf", "--homedir", str(folder), "--kill", "all"], check=True)


def test_a_signed_repository_is_believed_and_a_changed_one_is_not(tmp_path: Path, home: Path) -> None:
    """apt takes the index by the exported key, and refuses it when a byte of the index was changed."""
    own = {**os.environ, "GNUPGHOME": str(home)}
    made = ["--quick-generate-key", "release@localhost", "ed25519", "sign"]
    subprocess.run(["gpg", "--batch", "--passphrase", "", *made], env=own, check=True, capture_output=True)
    repository = tmp_path / "apt"
    deb = package(tmp_path, "0.2.0-1+deb12", "amd64")
    done = laid_out(repository, deb, GNUPGHOME=str(home), SIGN_KEY="release@localhost")
    assert done.returncode == 0 and "not signed" not in done.stdout, done.stderr
    options = f"signed-by={repository}/scharten.asc"
    believed = offered(repository, "bookworm", "amd64", options, tmp_path / "one")
    assert "Candidate: 0.2.0-1+deb12\n" in believed, believed
    index = repository / "dists/bookworm/main/binary-amd64/Packages"
    index.with_suffix(".gz").unlink()
    index.write_text(index.read_text().replace("Description: test", "Description: evil"))
    changed = offered(repository, "bookworm", "amd64", options, tmp_path / "two")
    assert "Candidate: 0.2.0" not in changed, changed


def test_a_package_of_no_known_release_is_refused(tmp_path: Path) -> None:
    """The script names the package and what is missing in its version."""
    done = laid_out(tmp_path / "apt", package(tmp_path, "0.2.0-1", "amd64"))
    assert done.returncode == 1 and "names no release of Debian" in done.stderr
