"""The images of the container and the add-on: built with buildah, run like compose and Home Assistant.

Without a registry, `--base` takes a tar of a clean Debian in place of debian:bookworm-slim.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scharten.errors import SchartenError

ROOT = Path(__file__).parents[2]
STORE = ROOT / "build" / "container"
BASE = "docker.io/library/debian:bookworm-slim"
IMAGES = {"scharten": ROOT, "scharten-addon": ROOT / "build/homeassistant-addon/scharten"}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
TRUSTED = "/etc/ssl/trusted-by-this-machine.crt"
"""A separate name, because the package ca-certificates writes its file again when it is installed."""


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
        _build("scharten", "-f", "deploy/container/Dockerfile")
        _build("scharten-addon")
    # A separate network has the ports of compose.yaml free, and can use the Supervisor's addresses.
    trial = [sys.executable, "-m", "lab.container_trial"]
    return subprocess.run(["unshare", "--net", *trial], env=ENVIRONMENT, check=False).returncode


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
    """Import the clean Debian under the base's name, once, with this machine's trusted certificates."""

    def run_buildah(*words: str) -> str:
        done = subprocess.run(buildah(*words), env=ENVIRONMENT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    if run_buildah("images", "-q", "--filter", f"reference={BASE}"):
        return
    made = run_buildah("from", "scratch")
    run_buildah("add", "-q", made, str(tar.resolve()), "/")
    run_buildah("copy", "-q", made, CERTIFICATES, TRUSTED)
    run_buildah("config", "--env", f"PIP_CERT={TRUSTED}", "--cmd", "/bin/sh", made)
    run_buildah("commit", "-q", made, BASE)
    run_buildah("rm", made)
