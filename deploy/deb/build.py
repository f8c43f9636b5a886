"""`make deb`: build the Debian package with dpkg-deb; it contains the locked packages, as in a virtual environment.

python deploy/deb/build.py                                   for this machine's Debian
python deploy/deb/build.py --python 3.13 --architecture arm64   for a Raspberry Pi with Debian 13
"""

from __future__ import annotations

import argparse
import csv
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
"""The architectures of Debian for which every locked package has a wheel."""
GLIBC = range(17, 37)
"""The wheels' minor versions of glibc 2 that Debian 12 can run."""
FROM_SOURCE = "chess"
"""A pure Python package without a wheel on PyPI; its wheel is built here."""
CLUB = (
    *("caissify-pairings", "networkx", "tiebreak-core"),
    *("alembic", "mako", "markupsafe", "psycopg", "psycopg-binary", "sqlalchemy"),
)
"""Further packages for `scharten club` and `scharten archive`, from the tests' lock."""
LEFT_OUT = ("numpy/**/tests", "reportlab/fonts/[!Vb]*", "reportlab/graphics/barcode/test.py")
"""Tests, and fonts without a licence to distribute them: only Bitstream Vera stays."""
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
"""Differences between the package's unit and deploy/scharten.service."""
SERVICES = ("scharten-club", "scharten-archive")
"""Units that the package brings and does not enable."""
DOCUMENTS = (ROOT / "deploy/README.md", ROOT / "deploy/club-night.md", *sorted((ROOT / "docs").glob("*.md")))
_LINK = re.compile(r"(!?)\[([^]]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def main() -> int:
    """Build one package and print its path."""
    parser = argparse.ArgumentParser(description="Build the Debian package into build/deb.")
    parser.add_argument("--python", choices=RELEASES, default=f"3.{sys.version_info.minor}")
    parser.add_argument("--architecture", choices=MACHINES, default=_here())
    parser.add_argument("--revision", type=int, default=1, help="Debian's own number, 1 or more")
    parser.add_argument("--wheel", type=Path, help="the wheel of Scharten; else it is built")
    parser.add_argument(
        "--bare", action="store_true", help="without the locked packages, to check the rest of the package"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    if shutil.which("dpkg-deb") is None:
        print("dpkg-deb is missing: this needs a Debian system, or apt install dpkg-dev", file=sys.stderr)
        return 1
    os.environ.setdefault(
        "SOURCE_DATE_EPOCH", _run("git", "-C", str(ROOT), "log", "-1", "--format=%ct") or "0"
    )
    tree = options.out / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    _program(tree, options.python, options.architecture, options.wheel or _wheel(options.out), options.bare)
    version = f"{_version()}-{options.revision}+{RELEASES[options.python]}"
    _system(tree, version)
    _control(tree, version, options.python, options.architecture)
    _date(tree, int(os.environ["SOURCE_DATE_EPOCH"]))
    package = options.out / f"scharten_{version}_{options.architecture}.deb"
    pack = ("-Zgzip", "-z1") if options.bare else ("-Zzstd", "-z9")
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
    """Fill /usr/lib/scharten, a virtual environment of Debian's Python, and link the commands."""
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
    """Write a lock of the club's packages with their digests, from the tests' lock."""
    entries = re.split(r"(?m)^(?=\S)", (ROOT / "tests/requirements.lock").read_text())
    lock = tree.with_name("club.lock")
    lock.write_text("".join(entry for entry in entries if entry.split("==")[0] in CLUB))
    return lock


def _tidy(packages: Path) -> None:
    """Remove files that nobody runs and those that name the builder's folders."""
    for folder in ("bin", "share"):
        shutil.rmtree(packages / folder, ignore_errors=True)
    for origin in packages.glob("*.dist-info/direct_url.json"):
        origin.unlink()
    for pattern in LEFT_OUT:
        for extra in [*packages.glob(pattern)]:
            shutil.rmtree(extra) if extra.is_dir() else extra.unlink()
    for record in packages.glob("*.dist-info/RECORD"):
        _keep_existing(record, packages)
    for path in packages.rglob("*"):
        if path.is_file():
            path.chmod(0o644)  # no module is executable


def _keep_existing(record: Path, packages: Path) -> None:
    """Leave out of a package's list what is not installed: the wheel's own share folder may or may not be in it."""
    with record.open(encoding="utf-8", newline="") as file:
        listed = [row for row in csv.reader(file) if row and not row[0].startswith("..")]
    with record.open("w", encoding="utf-8", newline="") as file:
        rows = sorted(row for row in listed if (packages / row[0]).is_file())
        csv.writer(file, lineterminator="\n").writerows(rows)


def _system(tree: Path, version: str) -> None:
    """Add the units, the udev rules, the configuration, the documents and the shared files."""
    unit = (ROOT / "deploy/scharten.service").read_text()
    for words, others in UNIT.items():
        assert words in unit, f"deploy/scharten.service no longer contains {words!r}"
        unit = unit.replace(words, others)
    for service in SERVICES:
        words = (ROOT / f"deploy/{service}.service").read_text().split("\n", 1)[1]
        words = words.replace("/opt/scharten/docs", "/usr/share/doc/scharten").replace(
            "DynamicUser=yes\n", ""
        )
        words = words.replace("/opt/scharten/.venv/bin/", "/usr/bin/")
        _write(tree / f"usr/lib/systemd/system/{service}.service", words)
    documents = tree / "usr/share/doc/scharten"
    _write(tree / "usr/lib/systemd/system/scharten.service", unit)
    copies = (ROOT / "deploy/scharten-backup.service").read_text()
    copies = copies.partition("\n")[2].replace("/opt/scharten/.venv/bin/scharten", "/usr/bin/scharten")
    copies = copies.replace("/opt/scharten/deploy/README.md", "/usr/share/doc/scharten/README.md")
    _write(tree / "usr/lib/systemd/system/scharten-backup.service", copies)
    for timer in ("scharten-backup.timer", "scharten-retry@.timer"):
        _write(tree / "usr/lib/systemd/system" / timer, (ROOT / "deploy" / timer).read_text())
    _write(tree / "usr/lib/udev/rules.d/99-scharten.rules", (ROOT / "deploy/99-scharten.rules").read_text())
    _write(tree / "etc/scharten/scharten.toml", (HERE / "scharten.toml").read_text())
    for document in DOCUMENTS:
        _write(documents / document.name, _LINK.sub(_in_one_folder, document.read_text()))
    _write(documents / "copyright", (HERE / "copyright").read_text())
    _write(tree / "usr/share/lintian/overrides/scharten", (HERE / "lintian-overrides").read_text())
    _pack(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text())
    _pack(documents / "changelog.Debian.gz", _changelog(version))
    _shared(tree / "usr/share")


def _in_one_folder(link: re.Match[str]) -> str:
    """Return a link between documents as it is where all are in one folder; of other files the words alone."""
    picture, words, path, heading = link.groups("")
    name = Path(path).name
    is_here = not picture and any(document.name == name for document in DOCUMENTS)
    return f"[{words}]({name}{heading})" if is_here else words


def _shared(share: Path) -> None:
    """Add manual pages, completions and the menu entry, which opens the service's page."""
    _run(sys.executable, str(ROOT / "deploy/share/build.py"), str(share))
    (share / "zsh/site-functions").rename(share / "zsh/vendor-completions")
    for page in (share / "man/man1").glob("*.1"):
        _pack(page.with_suffix(".1.gz"), page.read_text())
        page.unlink()
    entry = share / "applications/scharten.desktop"
    opened = entry.read_text().replace("Exec=scharten run", "Exec=xdg-open http://127.0.0.1:8765/")
    entry.write_text(opened.replace("Terminal=true", "Terminal=false"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o644)


def _pack(path: Path, text: str) -> None:
    """Compress a manual page or changelog as Debian requires: gzip without name and date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    path.chmod(0o644)


def _changelog(version: str) -> str:
    """Return Debian's changelog, which names this build; the program's changes are in the other one."""
    made = email.utils.formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    maintainer = re.search(r"^Maintainer: (.*)$", (HERE / "control").read_text(), re.MULTILINE)
    assert maintainer is not None
    return (
        f"scharten ({version}) stable; urgency=medium\n\n  * Built from the program's own source: changelog.gz.\n\n"
        f" -- {maintainer[1]}  {made}\n"
    )


def _control(tree: Path, version: str, python: str, architecture: str) -> None:
    """Add DEBIAN/, the files for dpkg; scripts are executable, and no file is writable for others."""
    # A folder counts as one: its size depends on the file system of the builder.
    kilobytes = sum(
        1 if path.is_dir() and not path.is_symlink() else -(-path.lstat().st_size // 1024)
        for path in tree.rglob("*")
    )
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
    for path in (tree, *tree.rglob("*")):  # independent of the umask and the modes of the checkout
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
        elif not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _date(tree: Path, seconds: int) -> None:
    """Give every file the date of the sources, so that the same sources make the same package."""
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (seconds, seconds), follow_symlinks=False)


if __name__ == "__main__":
    sys.exit(main())
