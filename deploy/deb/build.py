"""`make deb`: the Debian package, built with dpkg-deb; the locked packages lie inside, as in a virtual environment.

python deploy/deb/build.py                                   for this machine's Debian
python deploy/deb/build.py --python 3.13 --architecture arm64   for a Raspberry Pi with Debian 13
"""

from __future__ import annotations

import argparse
import email.utils
import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "deb"
RELEASES = {"3.11": "deb12", "3.13": "deb13"}
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
"""Debian's architectures that every locked package has a wheel for."""
GLIBC = range(17, 37)
"""The wheels' minor versions of glibc 2 that Debian 12 can run."""
FROM_SOURCE = "chess"
"""What PyPI has no wheel of; pure Python, so that its wheel is made here."""
CLUB = ("caissify-pairings", "glicko2", "networkx", "tiebreak-core")
"""What `scharten club` needs besides, out of the tests' lock. The archive's are 200 MB: not inside."""
LEFT_OUT = ("numpy/**/tests", "reportlab/fonts", "reportlab/graphics/barcode/test.py")
"""Tests, and fonts that may not be passed on: what is printed uses the reader's own."""
COMMANDS = {"scharten": "scharten.cli", "scharten-calibrate": "scharten_calibration.cli"}
UNIT = {
    "# The referee as a service: copy to /etc/systemd/system/, then `systemctl enable --now scharten`.\n": "",
    "file:///opt/scharten/deploy/README.md": "file:///usr/share/doc/scharten/README.md",
    "ExecStart=/opt/scharten/.venv/bin/scharten": "EnvironmentFile=-/etc/default/scharten\nExecStart=/usr/bin/scharten",
    "/etc/scharten.toml\n": "/etc/scharten/scharten.toml $SCHARTEN_OPTIONS\n",
    "/etc/scharten.toml names": "/etc/scharten/scharten.toml names",
    "# A user of its own for as long as it runs;": "# A user of its own;",
    "DynamicUser=yes\n": "User=scharten\n",
    "UMask=0077\n": "UMask=0077\n# The set-up page saves the configuration.\nReadWritePaths=/etc/scharten\n",
}
"""What the package's unit has otherwise than deploy/scharten.service."""
DOCUMENTS = ("deploy/README.md", "deploy/club-night.md", *(f"docs/{name}.md" for name in (
    "club", "configuration", "contract", "games", "protocol", "rules", "sheet", "trust")))  # fmt: skip


def main() -> int:
    """Build one package, and say where it is."""
    asked = argparse.ArgumentParser(description="Build the Debian package into build/deb.")
    asked.add_argument("--python", choices=RELEASES, default=f"3.{sys.version_info.minor}")
    asked.add_argument("--architecture", choices=MACHINES, default=_here())
    asked.add_argument("--revision", type=int, default=1, help="Debian's own number, 1 or more")
    asked.add_argument("--wheel", type=Path, help="the wheel of Scharten; else it is built")
    asked.add_argument(
        "--bare", action="store_true", help="without the locked packages, to look at what is around them"
    )
    asked.add_argument("--out", type=Path, default=OUT)
    wish = asked.parse_args()
    if shutil.which("dpkg-deb") is None:
        print("dpkg-deb is missing: this needs a Debian system, or apt install dpkg-dev", file=sys.stderr)
        return 1
    os.environ.setdefault(
        "SOURCE_DATE_EPOCH", _run("git", "-C", str(ROOT), "log", "-1", "--format=%ct") or "0"
    )
    tree = wish.out / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    _program(tree, wish.python, wish.architecture, wish.wheel or _wheel(wish.out), wish.bare)
    version = f"{_version()}-{wish.revision}+{RELEASES[wish.python]}"
    _system(tree, version)
    _control(tree, version, wish.python, wish.architecture)
    package = wish.out / f"scharten_{version}_{wish.architecture}.deb"
    pack = ("-Zgzip", "-z1") if wish.bare else ("-Zzstd", "-z9")
    _run("dpkg-deb", "--root-owner-group", *pack, "--build", str(tree), str(package))
    shutil.rmtree(tree)
    print(f"{package}: {package.stat().st_size / 1e6:.0f} MB")
    return 0


def _here() -> str:
    machine = platform.machine()
    return next((name for name, theirs in MACHINES.items() if theirs == machine), "amd64")


def _version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def _run(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def _wheel(out: Path) -> Path:
    folder = out / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--wheel", "-o", str(folder), str(ROOT))
    return next(folder.glob("*.whl"))


def _program(tree: Path, python: str, architecture: str, wheel: Path, bare: bool) -> None:
    """/usr/lib/scharten, laid out as a virtual environment of Debian's own Python, and the commands."""
    place = tree / "usr/lib/scharten"
    packages = place / f"lib/python{python}/site-packages"
    (place / "bin").mkdir(parents=True)
    machine = MACHINES[architecture]
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--no-compile",
        "--no-deps",
    ]
    pip += [
        "--target",
        str(packages),
        "--only-binary",
        ":all:",
        "--python-version",
        python,
        "--implementation",
        "cp",
    ]
    pip += [word for minor in GLIBC for word in ("--platform", f"manylinux_2_{minor}_{machine}")]
    pip += ["--platform", f"manylinux2014_{machine}", "--platform", "any"]
    if not bare:
        for lock in (ROOT / "requirements.lock", _club_lock(tree)):
            _run(*pip, "--no-binary", FROM_SOURCE, "--require-hashes", "-r", str(lock))
    _run(*pip, "--upgrade", str(wheel))
    _tidy(packages)
    (place / "pyvenv.cfg").write_text(
        f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {python}\n"
    )
    (place / "bin/python").symlink_to(f"../../../bin/python{python}")
    (tree / "usr/bin").mkdir(parents=True)
    for command, module in COMMANDS.items():
        starter = place / "bin" / command
        starter.write_text(
            f"#!/usr/lib/scharten/bin/python\nimport sys\n\nfrom {module} import main\n\nsys.exit(main())\n"
        )
        starter.chmod(0o755)
        (tree / "usr/bin" / command).symlink_to(f"../lib/scharten/bin/{command}")


def _club_lock(tree: Path) -> Path:
    """The club's packages with their digests, as the tests' lock has them."""
    entries = re.split(r"(?m)^(?=\S)", (ROOT / "tests/requirements.lock").read_text())
    lock = tree.with_name("club.lock")
    lock.write_text("".join(entry for entry in entries if entry.split("==")[0] in CLUB))
    return lock


def _tidy(packages: Path) -> None:
    """Without what nobody runs; nothing executable but programs."""
    shutil.rmtree(packages / "bin", ignore_errors=True)
    for pattern in LEFT_OUT:
        for one in [*packages.glob(pattern)]:
            shutil.rmtree(one) if one.is_dir() else one.unlink()
    for one in packages.rglob("*"):
        if one.is_file():
            one.chmod(0o644)


def _system(tree: Path, version: str) -> None:
    """The unit, the rules of udev, the configuration and the documents."""
    unit = (ROOT / "deploy/scharten.service").read_text()
    for words, others in UNIT.items():
        assert words in unit, f"deploy/scharten.service no longer says {words!r}"
        unit = unit.replace(words, others)
    documents = tree / "usr/share/doc/scharten"
    _write(tree / "usr/lib/systemd/system/scharten.service", unit)
    _write(tree / "usr/lib/udev/rules.d/99-scharten.rules", (ROOT / "deploy/99-scharten.rules").read_text())
    _write(tree / "etc/scharten/scharten.toml", (HERE / "scharten.toml").read_text())
    for name in DOCUMENTS:
        _write(documents / Path(name).name, (ROOT / name).read_text())
    _write(documents / "copyright", (HERE / "copyright").read_text())
    _write(tree / "usr/share/lintian/overrides/scharten", (HERE / "lintian-overrides").read_text())
    _pack(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text())
    _pack(documents / "changelog.Debian.gz", _changelog(version))
    for command in COMMANDS:
        _pack(tree / f"usr/share/man/man1/{command}.1.gz", (HERE / f"{command}.1").read_text())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o644)


def _pack(path: Path, text: str) -> None:
    """As Debian wants its manual pages and changelogs: gzip without name and date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    path.chmod(0o644)


def _changelog(version: str) -> str:
    """Debian's own: this build; what changed in the program is in the other one."""
    made = email.utils.formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    maintainer = re.search(r"^Maintainer: (.*)$", (HERE / "control").read_text(), re.MULTILINE)
    assert maintainer is not None
    return (
        f"scharten ({version}) stable; urgency=medium\n\n  * Built from the program's own source: changelog.gz.\n\n"
        f" -- {maintainer[1]}  {made}\n"
    )


def _control(tree: Path, version: str, python: str, architecture: str) -> None:
    """DEBIAN/: what dpkg reads; the scripts are executable, nothing is writable for others."""
    kilobytes = sum(-(-one.lstat().st_size // 1024) for one in tree.rglob("*"))
    major, minor = python.split(".")
    given = {
        "@VERSION@": version, "@ARCHITECTURE@": architecture, "@SIZE@": str(kilobytes),
        "@PYTHON@": python, "@NEXT_PYTHON@": f"{major}.{int(minor) + 1}",
    }  # fmt: skip
    control = (HERE / "control").read_text()
    for words, value in given.items():
        control = control.replace(words, value)
    _write(tree / "DEBIAN/control", control)
    for name in ("conffiles", "templates", "config", "postinst", "prerm", "postrm"):
        _write(tree / "DEBIAN" / name, (HERE / name).read_text())
        if name not in ("conffiles", "templates"):
            (tree / "DEBIAN" / name).chmod(0o755)
    for folder in [tree, *(one for one in tree.rglob("*") if one.is_dir() and not one.is_symlink())]:
        folder.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main())
