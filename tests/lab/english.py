"""Counts of private words in `host/`, now and at an older commit, beside their aims."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
AIMS: dict[str, int | None] = {"told": 0, "wish": 0, "anew": 0, "one (name)": 0, "each (name)": 0}
"""The largest allowed counts. The other words are also plain English, and may stay in prose."""
OTHERS = ("one", "there", "said, say", "item (name)", "result (name)")
FORMS = {"told": "told", "wish": "wish|wishes|wished", "anew": "anew|afresh", "one": "one", "there": "there",
         "said, say": "said|say|says"}  # fmt: skip
NAMES = ("one", "each", "item", "result")
KEPT = {"scharten/journal/stored_inputs.py": 1, "scharten/display/static/js/panels/players.js": 1}
"""The tag `told` of old journals, and the key `wishes` of a text: both keep their names."""


def run(commit: str) -> int:
    """Print the table; return 0 when no count of today is above its aim."""
    now, before = count(_today()), count(_at(commit)) if commit else Counter[str]()
    kept = sum(KEPT.values())
    print(f"{'word in host/':16} {commit[:10] or '-':>10} {'now':>7} {'aim':>6}")
    missed = 0
    for word in (*AIMS, *OTHERS):
        aim = AIMS.get(word)
        failed = aim is not None and now[word] > aim + (kept if word in ("told", "wish") else 0)
        missed += failed
        print(
            f"{word:16} {before[word] if commit else '':>10} {now[word]:7,} {'' if aim is None else aim:>6}",
            end="",
        )
        print("  above its aim" if failed else "")
    print(f"{kept} of told and wish are a tag of old journals and a key of a text.")
    return int(missed > 0)


def count(texts: dict[str, str]) -> Counter[str]:
    """Count each word in Python and scripts, and each loop name in Python's tokens."""
    found: Counter[str] = Counter()
    for path, text in texts.items():
        for word, forms in FORMS.items():
            found[word] += len(re.findall(rf"(?<![A-Za-z])(?:{forms})(?![A-Za-z])", text, re.IGNORECASE))
        if path.endswith(".py"):
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.NAME and token.string in NAMES:
                    found[f"{token.string} (name)"] += 1
    return found


def _today() -> dict[str, str]:
    paths = [path for suffix in ("py", "js") for path in (ROOT / "host").rglob(f"*.{suffix}")]
    return {str(path.relative_to(ROOT / "host")): path.read_text(encoding="utf-8") for path in paths}


def _at(commit: str) -> dict[str, str]:
    packed = subprocess.run(
        ["git", "archive", commit, "host"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return {
            member.name: opened.read().decode()
            for member in archive.getmembers()
            if member.name.endswith((".py", ".js")) and (opened := archive.extractfile(member))
        }
