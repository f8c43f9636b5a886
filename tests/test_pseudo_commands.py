"""No command prints English where another language is chosen: all run in a language generated from English."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scharten.cli import GROUPS
from words.console import CALIBRATE
from words.pseudo import TAG, write

TESTS = Path(__file__).parent
POSITION = "16q3/10kBK7/20/1b18 b - 17/17 0/0 0/0 40"
SHEET = '[Game "chess"]\n[White "Anna"]\n[Black "Bert"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
LATER = [name for group in GROUPS.values() for name in group if name not in ("asyncapi",)]
HELPS = [[name, "--help"] for name in LATER] + [
    [CALIBRATE, name, "--help"] for name in ("matrix", "piezo", "boards", "flash", "camera", "projector")
]
RUNS = [
    ["run", "--nope"], ["run", "--prot", "3"], ["run", "--port", "x"], ["run", "--port", "-1"], ["run", "extra"],
    ["run", "--port"], ["run", "--lan=3"], ["run", "--port", "99999"], ["backup"], ["nonsense"], ["rum"],
    ["players", "add", "Anna"], ["players", "list"], ["players", "stand-ins"], ["players", "delete", "Anna"],
    ["games", "--import", "sheet"], ["games", "--import", "sheet"], ["games"], ["openings", "--game", "chess"],
    ["replay"], ["replay", "m1"], ["throws"], ["throws", "m1"], ["backup", "copies"], ["restore", "none"],
    ["homes"], ["lobby"], ["guest", "--leave"], ["guest"], ["invite"], ["links"], ["review", "m1"],
    ["status"], ["doctor"], ["print-board"], ["report", "--yes"], ["display", "none"],
    ["moves", "nonsense"], ["draw"], ["draw", "--check", "sheet"], ["draw", "--dice", "7"], ["draw", "--darts", "x"],
    ["best", POSITION, "--time", "0.05"], ["best", "nonsense"], ["solve", POSITION, "--mate", "1"],
    ["advise", POSITION, "--time", "0.05"], ["advise", POSITION, "--options-json", "["],
    ["advise", "x", "--game", "halma"], ["handicap", "20", "45", "--game", "chess960"],
    ["problems"], ["problems", "--today"], ["problems", "nonsense"], ["problems", "--check", "sheet"],
    ["openings", "--scatter", "x"], ["detect"], ["detect", "x"], ["detect", "--replay", "x"],
    ["tables", "probe", "nonsense"], ["broker-config", "--boards", "a,a", "--out", "x"],
    ["broker-config", "--boards", "a", "--out", "y"], ["centre-config", "--clubs", "haarlem", "--out", "z"],
    ["simulate", "--script", "sheet"], ["doctor", "--broker", "mqtt://127.0.0.1:1"], ["archive", "--forget", "x"],
    [CALIBRATE, "boards"], [CALIBRATE, "boards", "--profile", "none"], [CALIBRATE, "matrix", "--port", "/dev/none"],
    [CALIBRATE, "matrix", "--port", "x", "--lines", "9by12"], [CALIBRATE, "flash", "--image", "none"],
    [CALIBRATE, "piezo", "--port", "/dev/none", "--profile", "sheet"], [CALIBRATE, "camera", "--yes"],
]  # fmt: skip
"""Commands as people type and mistype them, on a data folder of their own."""
ENGLISH = re.compile(
    r"\b(?:a|an|the|and|or|of|to|in|on|at|by|for|from|with|without|is|are|was|be|has|have|had|it|its|this|that|these|which"
    r"|no|not|there|nothing|nobody|cannot|must|your|you|per|each|all|any|one|two|only|such|as|if|value|missing|unknown"
    r"|option|argument|error|wrong|written|usage|try|help|invalid|rated|hit|costs|right)\b",
    re.IGNORECASE,
)
"""Words that no sentence of English does without: in the generated language each has an accent."""
FROM_PARSERS = ("--options-json [", "--profile sheet")
"""Commands whose refusal ends in the message of a parser of JSON or TOML, which is its library's."""


_TYPED = re.compile(r"""--?[a-z][\w-]*|\S*[/._@=:"'`\d]\S*|\w+-\w+""")
"""Options, addresses, file names and quoted values, which are the same in each language."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[list[str], str]]:
    """Every command with all that it prints, in one process and one data folder."""
    folder = tmp_path_factory.mktemp("console")
    (folder / "sheet").write_text(SHEET)
    environment = {
        **os.environ,
        "SCHARTEN_LANGUAGE": TAG,
        "SCHARTEN_WORDS": str(write(folder / "languages")),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "PYTHONPATH": str(TESTS),
        "TERMINAL_WIDTH": "160",
    }
    commands = [*HELPS, *RUNS]
    done = subprocess.run(
        [sys.executable, "-m", "words.console"], input=json.dumps(commands), capture_output=True, text=True,
        cwd=folder, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return list(zip(commands, json.loads(done.stdout), strict=True))


@pytest.mark.long
def test_no_command_prints_an_english_word(printed: list[tuple[list[str], str]]) -> None:
    """Results, refusals, usage errors, questions and `--help` come from the language's folder."""
    found = {
        " ".join(command): [line for line in shown.splitlines() if ENGLISH.search(_TYPED.sub(" ", line))]
        for command, shown in printed
        if not " ".join(command).endswith(FROM_PARSERS)
    }
    found = {command: lines for command, lines in found.items() if lines}
    assert found == {}, json.dumps(found, indent=1)
    assert all(shown.strip() for _, shown in printed)
