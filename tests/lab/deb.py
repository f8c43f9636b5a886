"""The Debian package in a clean Debian: built, installed, started by a real systemd, upgraded, removed, purged.

mmdebstrap makes the Debian and systemd-nspawn boots it. Both need root; the Debian has no network.
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
BUILD = ROOT / "build" / "deb"
INSIDE = "python3,systemd,systemd-sysv,udev,dbus,adduser,debconf,procps,init-system-helpers"
LAB = ("__init__.py", "daemon_process.py", "scripted_game.py", "deb_player.py")
UNIT = """[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh /trial/trial.sh
ExecStopPost=/bin/systemctl poweroff --no-block
StandardOutput=file:/trial/said.txt
StandardError=file:/trial/errors.txt
[Install]
WantedBy=multi-user.target
"""


def run(package: Path | None, clean: Path | None, suite: str) -> int:
    """Try the package (built unless given) in a clean root; print each claim; return 0 if all hold."""
    for tool, provider in (
        ("systemd-nspawn", "systemd-container"),
        ("mmdebstrap", "mmdebstrap"),
        ("lintian", "lintian"),
    ):
        if shutil.which(tool) is None:
            raise SchartenError(f"{tool} is missing.", f"sudo apt install {provider}")
    if os.geteuid() != 0:
        raise SchartenError("Only root can boot a system of its own.", "sudo make bench ARGS=deb")
    package = package or _built()
    with tempfile.TemporaryDirectory(prefix="scharten-deb-", dir=_folder()) as folder:
        root = Path(folder) / "root"
        root.mkdir()
        _extract(clean or _clean_root(suite), root)
        _prepare(root, package)
        command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--boot"]
        booted = subprocess.run(
            [*command, "-D", str(root)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=900,
            check=False,
        )
        said = root / "trial" / "said.txt"
        if not said.exists():
            raise SchartenError(
                f"The clean system did not boot: {booted.stdout[-500:].decode('utf-8', 'replace')}",
                "It needs a machine on which systemd-nspawn may run.",
            )
        print(
            f"{package.name}, {package.stat().st_size / 1e6:.0f} MB, in a clean Debian {suite}, booted by systemd"
        )
        claims = [_linted(package), *said.read_text().splitlines()]
        return _tell(claims, (root / "trial" / "errors.txt").read_text())


def _linted(package: Path) -> str:
    """Return the claim about lintian, Debian's checker; deploy/deb/lintian-overrides has each exception with its
    reason."""
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"not ok lintian: {done.stdout[-500:]}" if done.returncode else "ok lintian has nothing to say"


def _tell(lines: list[str], errors: str) -> int:
    for line in lines:
        print(f"  {line}")
    failed = [line for line in lines if not line.startswith("ok ")]
    whole = any(line == "ok and so is the user" for line in lines)
    if not whole:
        print(errors[-2000:])
    print(
        f"{len(lines) - len(failed)} of {len(lines)} hold (target: all){'' if whole else '; it ended before its end'}"
    )
    return 0 if whole and not failed else 1


def _folder() -> Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    return BUILD


def _built() -> Path:
    subprocess.run([sys.executable, str(ROOT / "deploy/deb/build.py")], check=True)
    return max(BUILD.glob("*.deb"), key=lambda path: path.stat().st_mtime)


def _clean_root(suite: str) -> Path:
    """Return a tar of the smallest Debian with systemd and Python, made once and stored in build/."""
    tar = _folder() / f"clean-{suite}.tar"
    if not tar.exists():
        half = tar.with_suffix(".half.tar")
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={INSIDE}", suite, str(half)],
            check=True,
        )
        half.rename(tar)
    return tar


def _extract(tar: Path, root: Path) -> None:
    subprocess.run(["tar", "-C", str(root), "-xf", str(tar), "--exclude=./dev/*"], check=True)


def _prepare(root: Path, package: Path) -> None:
    """Add three versions of the package, an old journal, the player, and the unit that runs the trial."""
    trial = root / "trial"
    (trial / "lab").mkdir(parents=True)
    shutil.copy(package, trial / "1.deb")
    for number in (2, 3):
        newer(package, trial / f"{number}.deb", number)
    shutil.copy(ROOT / "tests/journal/kept/schema3-evening.sqlite3", trial / "old.sqlite3")
    shutil.copy(ROOT / "tests/lab/deb_trial.sh", trial / "trial.sh")
    for name in LAB:
        shutil.copy(ROOT / "tests/lab" / name, trial / "lab" / name)
    units = root / "etc/systemd/system"
    (units / "trial.service").write_text(UNIT)
    (units / "multi-user.target.wants").mkdir(exist_ok=True)
    (units / "multi-user.target.wants/trial.service").symlink_to("../trial.service")


def newer(package: Path, target: Path, number: int) -> None:
    """Build the same package with a later version."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
        control = tree / "DEBIAN/control"
        lines = control.read_text().splitlines()
        lines = [f"{line}.{number}" if line.startswith("Version:") else line for line in lines]
        control.write_text("\n".join(lines) + "\n")
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(target)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
