#!/bin/sh
# Copies the journal while the daemon plays on:  deploy/backup.sh JOURNAL FOLDER
# The copy is whole (SQLite's own backup, the write-ahead log included) and is checked before it gets its name.
# deploy/restore.sh puts one back.
set -eu
[ $# -eq 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
journal=$1
folder=$2
[ -f "$journal" ] || { echo "no journal at $journal" >&2; exit 1; }
mkdir -p "$folder"
copy="$folder/$(basename "$journal" .sqlite3)-$(date +%Y%m%d-%H%M%S).sqlite3"
python3 - "$journal" "$copy.part" <<'PY'
import sqlite3
import sys
from pathlib import Path

source = sqlite3.connect(f"{Path(sys.argv[1]).absolute().as_uri()}?mode=ro", uri=True)
target = sqlite3.connect(sys.argv[2])
source.backup(target)
verdict = target.execute("PRAGMA integrity_check").fetchone()[0]
rows = target.execute("SELECT count(*) FROM inputs").fetchone()[0]
target.close()
print(f"{rows} inputs, integrity: {verdict}")
sys.exit(verdict != "ok")
PY
mv "$copy.part" "$copy"
echo "$copy"
