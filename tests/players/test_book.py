"""The register and the tables on a real disk: saved, deleted, damaged, and rebuilt from journals."""

from __future__ import annotations

import csv
import io
import sqlite3
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import pytest
from typer.testing import CliRunner

from match.driver import Table
from players.evening import ANN, BOB, played, store
from scharten.cli import build
from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.journal.archive import Archive
from scharten.match.digest import digest
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore
from scharten.players.tallies import Tallies

JOURNAL = "scharten.sqlite3"


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with two games of Ann and Bob, the first of which Bob resigned; nobody was registered yet."""
    path = tmp_path_factory.mktemp("evening") / JOURNAL
    first, second = played(30, 25.0, seed=1), played(20, 25.0, seed=2)
    first.ok("resign", side="black")
    store(path, first, second)
    return path


@pytest.fixture
def folder(evening: Path, tmp_path: Path) -> Path:
    """A data folder with that journal, and Ann and Bob in the register."""
    (tmp_path / JOURNAL).write_bytes(evening.read_bytes())
    register = PlayerStore(tmp_path)
    register.save(Player(ANN, Profile(name="Ann", colour="red", language="nl"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    return tmp_path


def book(folder: Path, warnings: list[str] | None = None) -> PlayerBook:
    """The book of a folder; `warnings` collects its warnings."""
    return PlayerBook(folder, JOURNAL, GAMES_BY_KEY, (warnings if warnings is not None else []).append)


@pytest.mark.long
def test_the_daemon_starts_without_numpy() -> None:
    """Nothing that the daemon loads at its start brings NumPy or OpenCV along, which take a third of a second."""
    imports = "import sys, scharten.daemon.app, scharten.daemon.page_server"
    script = f"{imports}; sys.exit(bool({{'numpy', 'cv2'}} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.long
def test_the_first_state_waits_for_no_web_server() -> None:
    """The page's server and the set-up, half a second to load, come after the first state is out."""
    slow = "{'aiohttp', 'prometheus_client', 'cryptography'}"
    script = f"import sys, scharten.daemon.app; sys.exit(bool({slow} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_players_are_kept_changed_and_found_again(tmp_path: Path) -> None:
    """A profile is checked in words, a name stands once, and another process finds what was kept."""
    here = book(tmp_path)
    kept = here.save({"name": " Anneke  de Vries ", "colour": "red", "language": "nl"})
    assert isinstance(kept, Player) and kept.as_json()["initials"] == "AV"
    assert kept.profile.name == "Anneke de Vries"
    taken, wrong, none = (
        here.save({"name": "anneke de vries"}),
        here.save({"name": "Bo", "colour": "plaid"}),
        here.save({"name": "Bo"}, "nobody"),
    )
    assert [item.code for item in (taken, wrong, none) if isinstance(item, Problem)] == [
        "name_taken", "malformed", "no_such_player",
    ]  # fmt: skip
    changed = here.save({"name": "Anneke", "picture": "data:image/png;base64,AAAA"}, kept.id)
    assert isinstance(changed, Player) and changed.id == kept.id
    assert [player.profile.name for player in book(tmp_path).players()] == ["Anneke"]


def test_a_replay_knows_who_played(folder: Path) -> None:
    """Games without players keep the digest of old journals; one with them is another game."""
    anyone, known = played(2, 20.0, players={}), played(2, 20.0)
    assert anyone.match.start_text != known.match.start_text and "players" not in anyone.match.start_text
    assert digest(anyone.match) != digest(known.match)


def test_what_the_darts_say(folder: Path) -> None:
    """Every dart of the journal is counted once, with its place, its aims and what came of it."""
    result = book(folder).player(ANN)
    assert result is not None
    games = {game["points"] for game in result["games"]}
    assert games == {1.0, None} and result["against"] == [
        {"id": BOB, "name": "Bob", "won": 1, "drawn": 0, "lost": 0}
    ]
    thrown = result["darts"]["thrown"]
    assert 20 <= thrown <= 25 and thrown == result["darts"]["placed"] + sum(result["lost"].values())
    assert sum(ring["thrown"] for ring in result["rings"].values()) == thrown == len(result["points"])
    assert result["scatter"]["darts"] == thrown and result["scatter"]["low"] < 25 < result["scatter"]["high"]
    assert result["bests"]["placed_in_a_row"] >= 3 and result["bests"]["quickest_win"]["turns"] == 30
    rows = list(csv.DictReader(io.StringIO(book(folder).csv(ANN))))
    assert len(rows) == thrown and {row["player"] for row in rows} == {ANN}
    assert all(row["aims"].split() for row in rows) and {row["bed"] for row in rows} <= {
        str(b) for b in ALL_BEDS
    }


@pytest.mark.long
def test_only_what_is_new_is_read(folder: Path) -> None:
    """The second question reads no game again; a journal that was set aside still counts."""
    here = book(folder)
    assert (here.sync(), here.sync()) == (2, 0)
    (folder / JOURNAL).rename(folder / "scharten.old-1.sqlite3")
    assert book(folder).rebuild()[0] == 2


def test_running_tallies_agree_with_all_darts(folder: Path) -> None:
    """After games, another game and a deleted player the list says of each what a new book says of all darts."""
    running = book(folder)

    def agrees() -> None:
        for person in running.overview():
            whole = book(folder).player(person["id"])
            assert whole is not None
            assert person["scatter"] == whole["scatter"] and person["games"] == len(whole["games"])
            assert person["last_ms"] == max((game["started_ms"] for game in whole["games"]), default=None)

    agrees()
    store(folder / JOURNAL, played(20, 12.0, seed=7))
    assert running.sync() == 1
    agrees()
    assert running.delete(running.players()[0].id)
    agrees()
    assert [person["id"] for person in running.overview()] == [person["id"] for person in running.to_choose()]


def test_a_changed_game_changes_the_scatter_of_all_who_threw_in_it(folder: Path) -> None:
    """Ann's darts leave a stored game and come back, games go: each time the figures are those of the darts."""
    book(folder).sync()
    tables = PlayerStore(folder)
    stored = {match: (seal, *tables.game(match)) for match, seal in tables.seals().items()}
    first, second = stored

    class Changing:
        def __init__(self) -> None:
            self.games = dict(stored)

        def seals(self) -> dict[str, str]:
            return {match: seal for match, (seal, *_) in self.games.items()}

        def game(self, match: str) -> object:
            return self.games[match][1:]

    changing = Changing()
    running = Tallies(changing)  # type: ignore[arg-type]
    game, darts = stored[first][1:]
    without_ann = "other", game, [dart for dart in darts if dart.player != ANN]
    counts = []
    for games in (stored, {**stored, first: without_ann}, stored, {second: stored[second]}, {}, stored):
        changing.games = games
        running.update()
        fresh = Tallies(changing)  # type: ignore[arg-type]
        fresh.update()
        assert [running.figures_of(player) for player in (ANN, BOB)] == [
            fresh.figures_of(player) for player in (ANN, BOB)
        ]
        counts.append(running.figures_of(ANN)["scatter"]["darts"])
    assert counts[0] == counts[2] == counts[5] > counts[1] == counts[3] > counts[4] == 0


def test_rebuilt_tables_are_the_same(folder: Path) -> None:
    """Built twice, every row is the same: the tables hold nothing that journals have not."""
    here, kept = book(folder), PlayerStore(folder)
    here.sync()
    before = [astuple(game) for game in kept.games()], kept.darts()
    here.rebuild()
    assert ([astuple(game) for game in kept.games()], kept.darts()) == before


def test_a_deleted_player_is_forgotten(folder: Path) -> None:
    """Darts and name leave the file, also its free pages; games stay; no rebuild brings them back."""
    here = book(folder)
    assert here.delete(BOB) and not here.delete(BOB)
    for _ in range(2):
        result = here.player(ANN)
        assert result is not None and here.player(BOB) is None
        assert [game["against"] for game in result["games"]] == [{"id": None, "gone": True}] * 2
        assert BOB not in here.csv()
        here.rebuild()
    listed = Archive(folder / JOURNAL, GAMES_BY_KEY, here.deleted)
    assert [item["names"] for item in listed.list()] == [{"white": "Ann", "black": ""}] * 2
    shown = listed.game(str(listed.list()[0]["match"]))
    assert shown is not None and shown["names"] == {"white": "Ann", "black": ""}
    content = (folder / "players.sqlite3").read_bytes() + (folder / "players.json").read_bytes()
    assert b"Bob" not in content and b"Ann" in content


def test_a_damaged_row_is_refused_and_all_is_rebuilt(folder: Path) -> None:
    """A changed dart breaks its game's digest: a warning, the file kept aside, the same figures as before."""
    before = book(folder).player(ANN)
    with sqlite3.connect(folder / "players.sqlite3") as db:
        db.execute("UPDATE darts SET bed = 'D20' WHERE number = 4")
    said: list[str] = []
    here = book(folder, said)
    assert here.player(ANN) == before
    assert len(said) == 1 and "was damaged" in said[0] and "2 players, 2 games" in said[0]
    assert (folder / "players.damaged-1.sqlite3").exists()


@pytest.mark.parametrize("copied", [True, False], ids=["with the copy", "without it"])
def test_a_file_of_nonsense_is_rebuilt(folder: Path, copied: bool) -> None:
    """Profiles come back from the second copy; without one, ids and names come from the games."""
    (folder / "players.sqlite3").write_bytes(b"nonsense" * 500)
    if not copied:
        (folder / "players.json").write_text('{"players": [], "checksum": "none"}')
    said: list[str] = []
    result = book(folder, said).player(ANN)
    assert result is not None and result["name"] == "Ann" and result["colour"] == ("red" if copied else None)
    assert len(said) == 1


@pytest.mark.long
def test_the_command_line(folder: Path) -> None:
    """List, add, export, delete and rebuild as a person types them; an unknown player gives an error."""
    run, app = CliRunner(), build()

    def asked(*words: str) -> str:
        result = run.invoke(app, ["players", *words, "--data", str(folder)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    assert "Ann" in asked("list") and "mm (" in asked("list")
    assert "Cas" in asked("add", "Cas") and "Cas" in asked("list")
    assert '"quickest_win"' in asked("export", "Ann")
    assert asked("export", "Ann", "--csv").startswith("match,number")
    assert "is deleted" in asked("delete", "Bob", "--yes") and "Bob" not in asked("list")
    assert asked("rebuild").startswith("2 games")
    missing = run.invoke(app, ["players", "delete", "Zoe", "--yes", "--data", str(folder)])
    assert "There is no player Zoe" in str(missing.exception)


def test_practice_is_counted_from_the_journal(folder: Path) -> None:
    """A warm-up before any game: its darts are the player's, aimed at the bull, and a rebuild finds them again."""
    table = Table(begin=False)
    table.t += 90_000_000
    table.ok("practice", exercise="warm_up", player=ANN)
    for bed in ("BULL", "25", "L20", "L6"):
        table.hit(bed)
    for bed in ("BULL", "L6"):
        table.ok("practice_dart", bed=bed, instead=True)
    table.ok("practice", exercise="doubles", player=ANN)
    (folder / JOURNAL).rename(folder / "scharten.old-1.sqlite3")
    store(folder / JOURNAL, table)
    here = book(folder)
    for _ in range(2):
        result = here.player(ANN)
        assert result is not None and result["purposes"]["warm_up"] == {
            "thrown": 4,
            "placed": 2,
            "lost": 2,
            "rate": 50,
        }
        assert result["bests"]["practice"] == {"warm_up": 2} and len(result["games"]) == 2
        here.rebuild()


def test_a_register_that_was_removed_with_its_copy_is_said_to_be_gone(folder: Path) -> None:
    """Games name players but the register is empty: one warning with the cure; a new board gives no warning."""
    for name in ("players.sqlite3", "players.json"):
        (folder / name).unlink(missing_ok=True)
    said: list[str] = []
    here = PlayerBook(folder, JOURNAL, GAMES_BY_KEY, said.append)
    assert here.players() == [] and here.players() == []
    assert len(said) == 1 and "games name 2 of them" in said[0] and "scharten restore" in said[0]
    fresh = PlayerBook(folder / "new", JOURNAL, GAMES_BY_KEY, said.append)
    (folder / "new").mkdir()
    assert fresh.players() == [] and len(said) == 1


def test_a_register_whose_file_was_removed_comes_back_from_its_second_copy(folder: Path) -> None:
    """On the command line, and nothing that is kept later overwrites the copy with less; who was deleted stays so."""
    PlayerStore(folder).delete(BOB)
    (folder / "players.sqlite3").unlink()
    report = CliRunner().invoke(build(), ["players", "list", "--data", str(folder)]).output
    assert "Ann" in report and "Bob" not in report
    cid = PlayerBook(folder, JOURNAL, GAMES_BY_KEY).save({"name": "Cid \x1b[31m"})
    assert isinstance(cid, Player) and cid.profile.name == "Cid [31m", (
        "a terminal would obey the letter before it"
    )
    (folder / "players.sqlite3").unlink()
    assert {player.id: player.gone for player in PlayerStore(folder).players()} == {
        ANN: False,
        BOB: True,
        cid.id: False,
    }
