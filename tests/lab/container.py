"""The images of the container and the add-on: built with buildah, run like compose and Home Assistant.

Without a registry, `--base` takes a tar of a clean Debian in place of debian:bookworm-slim.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scharten.errors import SchartenError

ROOT = Path(__file__).parents[2]
STORE = ROOT / "build" / "container"
BASE = "docker.io/library/debian:bookworm-slim"
IMAGES = {"scharten": ROOT, "scharten-addon": ROOT / "build/homeassistant-addon/scharten"}
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def buildah(*words: str) -> list[str]:
    """Return a command of buildah with its images in build/container."""
    return ["buildah", "--root", str(STORE / "images"), "--runroot", str(STORE / "run"), *words]


ENVIRONMENT = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}


def run(base: Path | None, build: bool) -> int:
    """Build both images and try them; print each claim; return 0 if all hold."""
    for tool, provider in (
        ("buildah", "buildah"),
        ("ip", "iproute2"),
        ("mosquitto_sub", "mosquitto-clients"),
    ):
        if shutil.which(tool) is None:
            raise SchartenError(f"{tool} is missing.", f"sudo apt install {provider}")
    if os.geteuid() != 0:
        raise SchartenError("Only root can run a container here.", "sudo make bench ARGS=container")
    STORE.mkdir(parents=True, exist_ok=True)
    if base is not None:
        _take_in(base)
    if build:
        subprocess.run(["make", "-s", "-C", str(ROOT), "addon"], check=True, stdout=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory(prefix="scharten-pip-") as settings:
            trusted = [] if base is None else _this_machines_certificates(Path(settings))
            _build("scharten", "-f", "deploy/container/Dockerfile", *trusted)
            _build("scharten-addon", *trusted)
    # A separate network has the ports of compose.yaml free, and can use the Supervisor's addresses.
    trial = [sys.executable, "-m", "lab.container_trial"]
    return subprocess.run(["unshare", "--net", *trial], env=ENVIRONMENT, check=False).returncode


def _this_machines_certificates(settings: Path) -> list[str]:
    """Return options that let pip trust them during the build; nothing of them stays in the image (archive.sh)."""
    shutil.copy(CERTIFICATES, settings)
    (settings / "pip.conf").write_text(f"[global]\ncert = /mnt/{CERTIFICATES.name}\n")
    return [f"--volume={settings}:/mnt:ro", "--build-arg=PIP_CONFIG_FILE=/mnt/pip.conf"]


def _build(name: str, *words: str) -> None:
    command = buildah("bud", "-q", "--format", "docker", "--layers", *words, "-t", name, ".")
    done = subprocess.run(
        command, cwd=IMAGES[name], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SchartenError(
            f"{name} was not built: {done.stderr[-1500:]}", "See what it says; --base where no registry is."
        )


def _take_in(tar: Path) -> None:
    """Import the clean Debian under the base's name, once."""

    def run_buildah(*words: str) -> str:
        done = subprocess.run(buildah(*words), env=ENVIRONMENT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    if run_buildah("images", "-q", "--filter", f"reference={BASE}"):
        return
    made = run_buildah("from", "scratch")
    run_buildah("add", "-q", made, str(tar.resolve()), "/")
    run_buildah("config", "--cmd", "/bin/sh", made)
    run_buildah("commit", "-q", made, BASE)
    run_buildah("rm", made)
