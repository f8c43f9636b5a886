"""Debian's PostgreSQL on its own port, in a folder that is deleted with it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.daemon_process import wait_for

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"))), None)


def missing() -> bool:
    """Return whether this machine lacks PostgreSQL or the tool that starts it as another user."""
    return PROGRAMS is None or not shutil.which("runuser")


@contextmanager
def postgres(*options: str) -> Iterator[str]:
    """Start it with further options of the server; yield its URL."""
    assert PROGRAMS is not None
    folder = Path(tempfile.mkdtemp(prefix="scharten-postgres-"))  # pytest's folders are closed to other users
    data, user = folder / "data", "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    prefix = ["runuser", "-u", user, "--"] if os.getuid() == 0 else []
    shutil.chown(folder, user)
    made = [*prefix, str(PROGRAMS / "initdb"), "-D", str(data), "-U", "scharten", "-A", "trust", "-N"]
    subprocess.run(made, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = ["-D", str(data), "-p", str(port), "-k", str(folder), "-c", "fsync=off", "-h", "127.0.0.1"]
    command = [*prefix, str(PROGRAMS / "postgres"), *server, *options]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        ready = [str(PROGRAMS / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
        wait_for(lambda: subprocess.run(ready).returncode == 0, 60, "PostgreSQL")
        yield f"postgresql+psycopg://scharten@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(40)
        shutil.rmtree(folder)
