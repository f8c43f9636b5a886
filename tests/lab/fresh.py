"""`make run` and `make test` on bare machines: roots of Debian with little more than Python, one row each.

One row makes the carrier boards' files for an assembler instead. mmdebstrap makes the roots, which needs root;
they share this machine's network. Each row prints whether the page was served, how many tests passed and were
skipped, and the reasons of the skips.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from scharten.errors import SchartenError

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "fresh"
LEAST = ("ca-certificates", "make", "passwd", "python3", "python3-venv")
QUICK = "tests/games tests/journal tests/mqtt tests/deploy/test_portable.py tests/test_command_line.py"
"""Without `--full` or `--tests`: folders that need no tool, some that need a broker, and the command line."""
SERVED_S, TEST_S = 600.0, 5400.0
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
PYPI = ("pypi.org", "files.pythonhosted.org")
USER = "annemarie"
"""A test failed for any user whose name contains "ann"."""


@dataclass(frozen=True)
class Row:
    """A machine: its differences from Debian 12 with Python, make and an ordinary user."""

    name: str
    suite: str = "bookworm"
    user: str = USER
    folder: str = "scharten"
    environment: Mapping[str, str] = field(default_factory=dict)
    umask: int = 0o022
    without: str = ""
    """A program to remove."""
    more: tuple[str, ...] = ()
    memory_mb: int = 0
    offline: bool = False
    """No name but those of PyPI has an address."""
    makes: str = ""
    """The target of `make` in this row, instead of the page and the tests."""


ROWS = (
    Row("Debian 12, ordinary user"),
    Row("Debian 12, root", user="root"),
    Row("Debian 12, no apt", without="apt-get"),
    Row("Debian 12, with npm and a compiler", more=("npm", "gcc", "libc6-dev")),
    Row("Debian 13, ordinary user (Python 3.13)", suite="trixie"),
    Row("Debian 13, root (Python 3.13)", suite="trixie", user="root"),
    Row("a path with a space and é", folder="my s\u00e9t up/scharten"),
    Row("LC_ALL=C and a path with é", folder="s\u00e9t/scharten", environment={"LC_ALL": "C"}),
    Row("umask 002", umask=0o002),
    Row("umask 077", umask=0o077),
    Row("1 GB of memory", memory_mb=1024),
    Row("offline but for PyPI", offline=True),
    Row("Debian 12 with KiCad, the carrier boards", more=("kicad",), makes="-C hardware_docs board"),
)


def run(names: str, tests: str, shared: tuple[Path, ...]) -> int:
    """Try the rows whose name contains `names` with these tests, or all if `tests` is empty; print one line each.

    Return 0 if all pages are served and no test fails.
    """
    for tool in ("mmdebstrap", "unshare"):
        if shutil.which(tool) is None:
            raise SchartenError(f"{tool} is missing.", f"sudo apt install {tool}")
    if os.geteuid() != 0:
        raise SchartenError("Only root can make a root folder.", "sudo make bench ARGS=fresh")
    rows = [row for row in ROWS if names.casefold() in row.name.casefold()]
    if not rows:
        raise SchartenError(f"no row is called {names!r}.", "Rows: " + "; ".join(row.name for row in ROWS))
    good = 0
    for row in rows:
        print(f"{row.name}: ...", file=sys.stderr, flush=True)
        words, well = _tried(row, tests, shared)
        print(f"{row.name}: {words}", flush=True)
        good += well
    print(
        f"{good} of {len(rows)} bare machines are served, or make their files, and fail no test (target: all)"
    )
    return 0 if good == len(rows) else 1


def _tried(row: Row, wanted: str, shared: tuple[Path, ...]) -> tuple[str, bool]:
    with _machine(row, shared) as (root, checkout):
        began = time.monotonic()
        if row.makes:
            made = _run(row, root, f"cd '{checkout}' && make {row.makes}", shared)
            words = f"made in {time.monotonic() - began:.0f} s"
            return (
                words if made.returncode == 0 else f"NOT {words}: {_text(made)[-300:]}",
                made.returncode == 0,
            )
        served = _served(row, root, checkout, shared)
        seconds = time.monotonic() - began
        done = _text(_run(row, root, f"cd '{checkout}' && make test ARGS='-q {wanted}'", shared))
    page = f"served in {seconds:.0f} s" if served else "NOT served"
    last = re.findall(r"^=* ?((?:\d+ \w+(?:, )?)+) in [\d.]+s", done, re.MULTILINE)
    counts = last[-1] if last else f"NO test ran: {done[-300:]}"
    failed = re.findall(r"^FAILED (\S+)", done, re.MULTILINE) + re.findall(
        r"^ERROR (\S+)", done, re.MULTILINE
    )
    skips = re.findall(r"^ +(\d+) (\S.*)$", done.rpartition("tests did not run")[2], re.MULTILINE)
    said = [page, counts, *failed[:10], *(f"{count} x {reason}" for count, reason in skips)]
    return "; ".join(said), served and bool(last) and not failed and "failed" not in counts


@contextmanager
def _machine(row: Row, shared: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Return a root folder for the row, with the commit's files, as from a zip, in the user's home."""
    with tempfile.TemporaryDirectory(prefix="scharten-fresh-", dir=_kept()) as folder:
        root = Path(folder)
        subprocess.run(["tar", "-C", str(root), "-xf", str(_bare(row)), "--exclude=./dev/*"], check=True)
        for path in shared:
            target = root / path.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.mkdir(exist_ok=True) if path.is_dir() else target.touch()
        _name_hosts(row, root / "etc")
        home = "/root" if row.user == "root" else f"/home/{row.user}"
        if row.user != "root":
            subprocess.run(["chroot", str(root), "useradd", "--create-home", row.user], check=True)
        if row.without:
            for place in ("usr/bin", "bin", "usr/sbin"):
                (root / place / row.without).unlink(missing_ok=True)
        checkout = root / home[1:] / row.folder
        checkout.mkdir(parents=True)
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", "HEAD"], check=True, stdout=subprocess.PIPE
        ).stdout
        subprocess.run(["tar", "-C", str(checkout), "-x"], input=archive, check=True)
        subprocess.run(["chroot", str(root), "chown", "-R", f"{row.user}:", home], check=True)
        yield root, f"{home}/{row.folder}"


def _name_hosts(row: Row, folder: Path) -> None:
    if not row.offline:
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", folder / name)
        return
    (folder / "resolv.conf").write_text("")
    hosts = {"localhost": "127.0.0.1", **{name: socket.gethostbyname(name) for name in PYPI}}
    (folder / "hosts").write_text("".join(f"{address} {name}\n" for name, address in hosts.items()))


def _kept() -> Path:
    KEPT.mkdir(parents=True, exist_ok=True)
    return KEPT


def _bare(row: Row) -> Path:
    """Return a tar of the suite with the row's packages, made once and stored in build/."""
    tar = _kept() / f"{'-'.join((row.suite, *LEAST, *row.more))}.tar"
    if not tar.exists():
        half = tar.with_suffix(".half.tar")
        packages = ",".join((*LEAST, *row.more))
        command = ["mmdebstrap", "--quiet", "--variant=apt", f"--include={packages}", row.suite, str(half)]
        subprocess.run(command, check=True)
        half.rename(tar)
    return tar


def _command(row: Row, root: Path, words: str, shared: tuple[Path, ...]) -> list[str]:
    """Return the words as a command in a shell of the row's user, below the root, in namespaces that end with it."""
    entered = [f"echo 0 > '{_memory_group(row.memory_mb)}/cgroup.procs'"] if row.memory_mb else []
    passed = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
    environment = {"HOME": "/root" if row.user == "root" else f"/home/{row.user}", "PATH": PATH}
    given = [f"{key}={value}" for key, value in {**environment, **passed, **row.environment}.items()]
    mounts = [f"mount -t proc proc '{root}/proc'", f"mount --rbind /dev '{root}/dev'"]
    mounts += [f"mount --bind '{path}' '{root}{path}'" for path in shared]
    script = " && ".join([*entered, *mounts, 'exec "$@"'])
    return [
        *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh"),
        *("chroot", f"--userspec={row.user}", str(root), "env", "-i", *given),
        *("sh", "-c", f"umask {row.umask:03o} && {words}"),
    ]


def _memory_group(memory_mb: int) -> Path:
    """Make a control group limited to this much memory: threads reserve more addresses than they use."""
    groups = Path("/sys/fs/cgroup")
    first = (groups / "memory").is_dir()
    group = (groups / "memory" if first else groups) / "scharten-fresh"
    group.mkdir(exist_ok=True)
    (group / ("memory.limit_in_bytes" if first else "memory.max")).write_text(str(memory_mb << 20))
    return group


def _run(row: Row, root: Path, words: str, shared: tuple[Path, ...]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        _command(row, root, words, shared),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TEST_S, check=False,
    )  # fmt: skip


def _text(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stdout.decode("utf-8", "replace")


def _served(row: Row, root: Path, checkout: str, shared: tuple[Path, ...]) -> bool:
    """Return whether `make run` serves its page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = f"cd '{checkout}' && exec make run ARGS='--no-browser --data ../data --port {port}'"
    said = _kept() / "run.log"
    with said.open("wb") as log:
        command = _command(row, root, words, shared)
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        until = time.monotonic() + SERVED_S
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                return True
            time.sleep(0.2)
        print(said.read_text(errors="replace")[-1500:], file=sys.stderr)
        return False
    finally:
        with suppress(ProcessLookupError):  # it ended by itself
            os.killpg(process.pid, signal.SIGKILL)  # the end of the namespace's first process ends all others
        process.wait()
