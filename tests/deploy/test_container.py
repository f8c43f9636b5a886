"""The container's archive: what its check finds, and which builder the script takes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "deploy" / "container"
CERTIFICATE = b"-----BEGIN CERTIFICATE-----\n" + b"MIIB" * 16 + b"\n-----END CERTIFICATE-----\n"
BUILDER = '#!/bin/sh\necho "$0 $*" >> {log}\n[ "$1" != save ] || touch "$3"\n'


def packed(files: dict[str, bytes], mode: int = 0o644) -> bytes:
    """A tar of these files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), mode
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


def checked(folder: Path, files: dict[str, bytes], mode: int = 0o644, **settings: object) -> str:
    """Check an archive with these files in its second layer; return what is wrong with it."""
    manifest = [{"Config": "config.json", "Layers": ["base.tar", "own.tar"]}]
    config = {"config": {"User": "10001", "Env": ["PATH=/usr/bin"], **settings}}
    archive = folder / "archive.tar"
    layers = {"base.tar": packed({"etc/passwd": b"root"}), "own.tar": packed(files, mode)}
    archive.write_bytes(
        packed(
            {
                "manifest.json": json.dumps(manifest).encode(),
                "config.json": json.dumps(config).encode(),
                **layers,
            }
        )
    )
    command = [sys.executable, str(FOLDER / "check_archive.py"), str(archive)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == (1 if done.stdout else 0), done.stderr
    return done.stdout


def test_an_archive_with_nothing_of_its_builder_is_accepted(tmp_path: Path) -> None:
    """A program, also one that writes certificates, and a folder named as a compiler."""
    assert not checked(tmp_path, {"opt/scharten/ssl.py": b'PEM_HEADER = "-----BEGIN CERTIFICATE-----"\n'})
    assert not checked(tmp_path, {"usr/share/doc/gcc": b"copyright"})


@pytest.mark.parametrize(
    ("name", "content", "mode"),
    [
        ("etc/pip.conf", b"", 0o644),
        ("root/.config/pip/pip.conf", b"[global]", 0o644),
        ("run/ca.crt", CERTIFICATE, 0o644),
        ("opt/scharten/any.name", b"text before\n" + CERTIFICATE, 0o644),
        ("usr/bin/x86_64-linux-gnu-gcc-12", b"", 0o755),
    ],
)
def test_a_file_of_the_building_machine_is_found(
    tmp_path: Path, name: str, content: bytes, mode: int
) -> None:
    """Settings of pip, certificates under any name, and a compiler are found in each layer."""
    assert checked(tmp_path, {name: content}, mode).startswith(name)


@pytest.mark.parametrize("settings", [{"User": ""}, {"User": "0"}, {"Env": ["PIP_CERT=/run/ca.crt"]}])
def test_a_setting_of_the_building_machine_is_found(tmp_path: Path, settings: dict[str, object]) -> None:
    """The image must not run as root, nor have pip's variables."""
    assert checked(tmp_path, {}, **settings)


def script(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run archive.sh with only the programs of this folder and of the system's /bin."""
    for tool in ("sh", "dirname", "rm", "touch"):
        if not (folder / tool).exists():
            (folder / tool).symlink_to(f"/usr/bin/{tool}")
    command = ["sh", str(FOLDER / "archive.sh"), *words]
    return subprocess.run(
        command, env={"PATH": str(folder), **environment}, capture_output=True, text=True, check=False
    )


def test_without_a_builder_the_script_says_so(tmp_path: Path) -> None:
    """`make artefacts` goes on without a container, and `make release` does not begin."""
    artefacts, release = script(tmp_path, "file.tar"), script(tmp_path)
    assert artefacts.returncode == 0 and "no docker, podman or buildah runs here" in artefacts.stdout
    assert release.returncode == 1 and "no docker, podman or buildah runs here" in release.stdout


def test_the_base_and_the_options_reach_the_builder(tmp_path: Path) -> None:
    """BASE is the Dockerfile's argument, options go to the builder, and a client without its service is passed over."""
    log = tmp_path / "log"
    (tmp_path / "docker").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "podman").write_text(BUILDER.format(log=log))
    for tool in ("docker", "podman"):
        (tmp_path / tool).chmod(0o755)
    file = tmp_path / "file.tar"
    done = script(tmp_path, str(file), "--volume=/a:/b:ro", BASE="debian:trixie-slim")
    assert done.returncode == 0 and file.exists(), done.stderr
    assert script(tmp_path).returncode == 0
    build = next(line for line in log.read_text().splitlines() if " build " in line)
    assert "/podman build" in build and "--build-arg BASE=debian:trixie-slim --volume=/a:/b:ro" in build
    recipe = (FOLDER / "Dockerfile").read_text()
    assert [line.split()[1] for line in recipe.splitlines() if line.startswith("FROM ")] == ["${BASE}"] * 2
