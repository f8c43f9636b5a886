"""The command line as people and scripts use it: headings, types beside options, JSON, and the running daemon."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lab.daemon_process import DaemonProcess
from scharten.cli import GROUPS, build
from scharten.errors import SchartenError
from scharten.words import text
from scharten_calibration.cli import build as calibration


def run(*arguments: str) -> Result:
    """Run `scharten` in this process."""
    return CliRunner().invoke(build(arguments[0]), list(arguments))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with a game under way."""
    process = DaemonProcess(tmp_path_factory.mktemp("daemon")).start()
    try:
        table = process.peer()
        table.wait(bool)
        table.new_game(names={"white": "Ann", "black": "Bert"}, options={"kind": "silent"})
        table.close()
        yield process
    finally:
        process.end()


def test_help_lists_every_command_below_a_heading() -> None:
    """`scharten --help` groups the commands, and none stands outside the groups."""
    lines = [line.strip("│ ") for line in CliRunner().invoke(build(), ["--help"]).output.splitlines()]
    headings = [line.split("─ ")[1].split(" ─")[0] for line in lines if line.startswith("╭─ ")]
    assert headings == ["Options", *GROUPS]
    first_words = {line.split(" ")[0] for line in lines if line}
    assert {name for group in GROUPS.values() for name in group} <= first_words


def test_an_option_shows_its_type_in_its_own_column() -> None:
    """A value's type follows its option, a flag has none, and nothing stands between an option and its meaning."""
    output = run("run", "--help").output
    assert "--port INT " in output and "<" not in output and "[0<=x" not in output
    line = next(line for line in output.splitlines() if "--lan" in line)
    assert line.strip("│ ").split("--lan")[1].strip().startswith("Serve the page")
    output = CliRunner().invoke(calibration(), ["camera", "--help"]).output
    assert "--page-port INT " in output and "<" not in output


def test_the_version_loads_no_command() -> None:
    """`scharten --version` imports neither the rules nor the configuration, which take most of a second."""
    script = (
        "import sys; from scharten.cli import main; sys.argv[1:] = ['--version']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'chess', 'pydantic', 'scharten.config', 'scharten.games'} & sys.modules.keys() or 'light')"
    )
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout
    assert output.startswith("scharten ") and output.endswith("light\n")


def test_status_reports_the_running_daemon(daemon: DaemonProcess) -> None:
    """Without a position `status` names the page, the players and the turn, and ends with 0."""
    found = run("status", "--data", str(daemon.folder))
    assert found.exit_code == 0, found.output
    assert f"plays at {daemon.running['page']}/" in found.output
    assert "Ann - Bert" in found.output and "Ann to move" in found.output


def test_status_as_json_has_state_and_health(daemon: DaemonProcess) -> None:
    """`status --json` gives what the daemon publishes, and whether a game can be played."""
    found = json.loads(run("status", "--data", str(daemon.folder), "--json").output)
    assert found["playable"] is True and found["health"]["playable"] is True
    assert found["state"]["names"] == {"white": "Ann", "black": "Bert"} and found["board"] == "board1"


def test_status_without_a_daemon_says_how_to_start_it(tmp_path: Path) -> None:
    """Status 1, in words and as JSON."""
    refused = CliRunner().invoke(build("status"), ["status", "--data", str(tmp_path)])
    assert refused.exit_code == 1 and "no daemon runs" in str(refused.exception).lower()
    found = run("status", "--data", str(tmp_path), "--json")
    assert found.exit_code == 1 and json.loads(found.output)["running"] is False


def test_links_games_players_and_doctor_print_json(daemon: DaemonProcess) -> None:
    """Each list has `--json` with the figures that its lines show."""
    folder = ["--data", str(daemon.folder), "--json"]
    links = json.loads(run("links", *folder).output)
    assert links["table"].endswith(f"#{daemon.secrets['table']}") and links["display"].endswith(
        "role=display"
    )
    games = json.loads(run("games", *folder).output)
    assert [game["names"] for game in games] == [{"white": "Ann", "black": "Bert"}] and games[0]["resumes"]
    assert json.loads(run("players", "list", *folder).output) == []
    findings = json.loads(run("doctor", *folder).output)
    assert {"weight", "code", "words"} <= findings[0].keys()


def test_players_list_prints_json_of_each_player(tmp_path: Path) -> None:
    """`players list --json` prints id, name, games and scatter of each player, an empty list before the first."""
    folder = ("--data", str(tmp_path))
    assert json.loads(run("players", "list", "--json", *folder).output) == []
    added = [run("players", "add", name, *folder).output.split() for name in ("Ann", "Zoë")]
    listed = run("players", "list", "--json", *folder)
    assert listed.exit_code == 0 and "Zoë" in listed.output
    found = json.loads(listed.output)
    assert [[player["id"], player["name"]] for player in found] == added
    assert [(player["games"], player["last_ms"]) for player in found] == [(0, None)] * 2
    assert all(
        player["scatter"]["low"] <= player["scatter"]["mm"] <= player["scatter"]["high"] for player in found
    )


@pytest.mark.parametrize("language", ["nl", "de"])
def test_commands_print_in_the_chosen_language(
    language: str, daemon: DaemonProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With SCHARTEN_LANGUAGE, results and refusals of commands are in that language; names and links stay."""
    monkeypatch.setenv("SCHARTEN_LANGUAGE", language)

    def words(key: str, **args: object) -> str:
        return text(language, key, **args)

    found = run("status", "--data", str(daemon.folder))
    assert found.exit_code == 0, found.output
    assert words("game.scharten") in found.output and f"{words('phase.turn', side='Ann')}." in found.output
    assert words("status.source.simulated") in found.output
    assert words("command.games.unfinished") in run("games", "--data", str(daemon.folder)).output
    folder = ("--data", str(tmp_path))
    assert run("players", "list", *folder).stderr.strip() == words("command.players.none")
    assert run("players", "add", "Ann", *folder).exit_code == 0
    assert words("players.no_darts") in run("players", "list", *folder).output
    assert words("problem.name_taken", name="Ann") in str(run("players", "add", "Ann", *folder).exception)
    assert words("command.links.none", folder=tmp_path) in str(run("links", *folder).exception)
    assert words("problem.no_daemon") in str(run("status", *folder).exception)
    assert words("problem.rings", part="PIECES") in str(run("moves", "8/8 w - 0/0 0/0 0/0 1").exception)
    assert f"✓ {words('finding.folder', folder=tmp_path)}" in run("doctor", *folder).output


START = "16q3/10kBK7/20/1b18 b - 17/17 0/0 0/0 40"
ENGLISH_WORDS = re.compile(
    r"\b(the|and|cannot|there|which|this|from|nobody|give|choose|wins|written|games|positions|tables|lines)\b",
    re.IGNORECASE,
)
ORDINARY = [
    ("throws",), ("throws", "m1"), ("replay", "m1"), ("backup", "copies"), ("restore", "none.sqlite3"), ("homes",),
    ("lobby",), ("guest", "--leave"), ("invite",), ("status",), ("links",), ("archive",), ("review", "m1"),
    ("moves", "nonsense"), ("draw",), ("draw", "--check", "none.pgn"), ("best", "8/8 w - 0/0 0/0 0/0 1"),
    ("print-board",), ("report", "--yes"), ("opponent",), ("games",),
    ("games", "--resume", "m1"), ("broker-config", "--boards", "a,a", "--out", "x"), ("doctor",),
    ("broker-config", "--boards", "a,b", "--out", "x"),
    ("broker-config", "--for", "nats", "--boards", "a", "--out", "x"),
    ("centre-config", "--clubs", "haarlem", "--out", "x"), ("doctor", "--broker", "mqtt://127.0.0.1:1"),
    ("best", START, "--time", "0.05"), ("solve", START, "--mate", "1"), ("problems",), ("problems", "--today"),
    ("problems", "nonsense"), ("openings",), ("openings", "--scatter", "x"), ("detect", "x"),
    ("advise", START, "--time", "0.05"), ("detect", "--replay", "x"), ("tables", "probe", START), ("replay",),
]  # fmt: skip
"""Commands as people mistype or run them without a daemon, a journal or a file."""


@pytest.mark.parametrize("language", ["nl", "de"])
@pytest.mark.parametrize("arguments", ORDINARY, ids=" ".join)
def test_no_ordinary_answer_has_an_english_sentence(
    arguments: tuple[str, ...], language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an empty data folder a command prints or raises no English word, file names aside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCHARTEN_LANGUAGE", language)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    found = run(*arguments)
    raised = found.exception
    assert raised is None or isinstance(raised, SchartenError | SystemExit), raised
    shown = raised.shown(language) if isinstance(raised, SchartenError) else ""
    assert found.exit_code != 2 and ENGLISH_WORDS.findall(found.output + shown) == [], found.output + shown


def test_a_language_that_does_not_exist_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong SCHARTEN_LANGUAGE names the languages instead of falling back silently."""
    monkeypatch.setenv("SCHARTEN_LANGUAGE", "xx")
    error = str(run("links", "--data", str(tmp_path)).exception)
    assert "'xx'" in error and "en, de, nl" in error
