#!/bin/sh
# Puts a copy of the journal back:  deploy/restore.sh COPY JOURNAL
# Stop the daemon first (systemctl stop scharten). The copy is checked before anything is touched; the journal that is
# there now is kept beside it, and its owner and mode stay, so that the service may write to it.
set -eu
[ $# -eq 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
copy=$1
journal=$2
[ -f "$copy" ] || { echo "no copy at $copy" >&2; exit 1; }
python3 - "$copy" "$journal" <<'PY'
import fcntl
import os
import shutil
import sqlite3
import sys
import time
from pathlib import Path

copy, journal = Path(sys.argv[1]), Path(sys.argv[2])
try:
    kept = sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    verdict = kept.execute("PRAGMA integrity_check").fetchone()[0]
    rows = kept.execute("SELECT count(*) FROM inputs").fetchone()[0]
    kept.close()
except sqlite3.Error as error:
    sys.exit(f"{copy} is no copy of a journal: {error}")
if verdict != "ok":
    sys.exit(f"{copy} is damaged: {verdict}")
with journal.with_name(journal.name + ".lock").open("a") as lock:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"{journal} is in use: stop the daemon first (systemctl stop scharten)")
    aside = journal.with_name(f"{journal.stem}.before-{time.strftime('%Y%m%d-%H%M%S')}{journal.suffix}")
    draft = journal.with_name(f".{journal.name}.restored")
    with copy.open("rb") as source, draft.open("wb") as goal:
        shutil.copyfileobj(source, goal)
        goal.flush()
        os.fsync(goal.fileno())
    if draft.read_bytes() != copy.read_bytes():
        sys.exit(f"{draft} is not what was written: check the disk")
    if journal.exists():
        owner = journal.stat()
        shutil.copymode(journal, draft)
        os.chown(draft, owner.st_uid, owner.st_gid)
        for ending in ("", "-mark", "-wal"):
            part = journal.with_name(journal.name + ending)
            if part.exists():
                shutil.copy2(part, aside.with_name(aside.name + ending))
    # From here on a kill leaves the old journal or the new one, each whole; a mark that is left over is told of.
    for ending in ("-wal", "-shm"):
        journal.with_name(journal.name + ending).unlink(missing_ok=True)
    draft.replace(journal)
    journal.with_name(journal.name + "-mark").unlink(missing_ok=True)
    folder = os.open(journal.parent, os.O_RDONLY)
    os.fsync(folder)
    print(f"{rows} inputs put back; what was there is kept as {aside}")
PY
