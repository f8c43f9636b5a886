"""`scharten openings` on games that the referee played: figures beside an own count, another journal, refusals."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from match.driver import Table
from players.evening import ANN, BOB, played, store
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

JOURNAL = "scharten.sqlite3"
ENDS = ("white", "black", "draw")
WON = {"white": ("wins", "losses"), "black": ("losses", "wins"), "draw": ("draws", "draws")}
LINES = (
    ("e2e4", "e7e5", "g1f3"),
    ("e2e4", "c7c5", "g1f3"),
    ("g1f3", "e7e5", "e2e4"),  # transposes into the first
    ("d2d4", "d7d5"),
)


def asked(folder: Path, *args: str) -> Result:
    """The result of the command on this data folder."""
    return CliRunner().invoke(build("openings"), ["openings", *args, "--data", str(folder)])


def found(folder: Path, *args: str) -> dict[str, Any]:
    """Its JSON."""
    result = asked(folder, *args, "--json")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def finish(table: Table, end: str) -> None:
    """End a game with this result."""
    if end == "draw":
        table.ok("set_result", "arbiter", result="½-½")
    else:
        table.ok("resign", "arbiter", side="black" if end == "white" else "white")


def chess(number: int, line: tuple[str, ...], end: str, white: str = "Carl", black: str = "Dora") -> Table:
    """A game of chess between guests."""
    table = Table(begin=False)
    table.t += number * 10_000_000
    table.ok("new_game", game="chess", kind="silent", names={"white": white, "black": black})
    for move in line:
        table.ok("move", move=move)
    if end:
        finish(table, end)
    return table


def counts(row: dict[str, Any]) -> tuple[int, int, int, int]:
    """Games, wins, draws and losses of a row."""
    return row["games"], row["wins"], row["draws"], row["losses"]


def test_the_turns_of_a_position_are_those_of_an_own_count(tmp_path: Path) -> None:
    """Twenty games of chess: start, a position after e4, and one reached in two orders; per player; results too."""
    chance = random.Random(31)
    plan = [
        (chance.choice(LINES), chance.choice(ENDS), chance.choice(("Carl", "Eva")), "Dora") for _ in range(20)
    ]
    tables = [chess(number, *game) for number, game in enumerate(plan)]
    store(tmp_path / JOURNAL, *tables)
    start = found(tmp_path, "--game", "chess")
    assert start["games"] == 20
    own = Counter(line[0] for line, *_ in plan)
    assert {row["turn"]: row["games"] for row in start["turns"]} == own
    for row in start["turns"]:
        results = Counter(WON[end][0] for line, end, *_ in plan if line[0] == row["turn"])
        assert {name: row[name] for name in ("wins", "draws", "losses")} == {
            name: results[name] for name in ("wins", "draws", "losses")
        }
    assert [row["games"] for row in start["turns"]] == sorted(own.values(), reverse=True)
    e4 = next(row for row in start["turns"] if row["turn"] == "e2e4")
    later = found(tmp_path, e4["position"], "--game", "chess")
    for row in later["turns"]:
        results = Counter(WON[end][1] for line, end, *_ in plan if line[:2] == ("e2e4", row["turn"]))
        assert counts(row) == (results.total(), results["wins"], results["draws"], results["losses"])
    eva = found(tmp_path, "--game", "chess", "--player", "eva")
    assert {row["turn"]: row["games"] for row in eva["turns"]} == Counter(
        line[0] for line, _, white, _ in plan if white == "Eva"
    )
    assert {row["name"]: row["games"] for row in start["players"]} == Counter(
        white for _, _, white, _ in plan
    )


def test_two_orders_of_moves_lead_to_one_position(tmp_path: Path) -> None:
    """The reply after 1 e4 e5 2 Nf3 is counted in both games, though their counters differ."""
    reply = "b8c6"
    games = [chess(n, (*LINES[order], reply), "white") for n, order in enumerate((0, 2))]
    store(tmp_path / JOURNAL, *games)
    positions = {game.match.turns[2].position for game in games}
    assert len(positions) == 2
    for position in positions:
        (row,) = found(tmp_path, position, "--game", "chess")["turns"]
        assert (row["turn"], row["text"], counts(row)) == (reply, "Nc6", (2, 0, 0, 2))


def test_loud_games_show_where_the_first_pieces_were_put(tmp_path: Path) -> None:
    """The fields of the first three pieces of each side, with results, as counted in the games themselves."""
    tables = []
    for seed in range(1, 7):
        table = played(12, 25.0, seed)
        if table.match.result is None:
            finish(table, ENDS[seed % 3])
        tables.append(table)
    store(tmp_path / JOURNAL, *tables)
    own: Counter[tuple[str, int, str, str]] = Counter()
    for table in tables:
        placed: Counter[str] = Counter()
        for turn in table.match.turns:
            side = turn.side.word
            if turn.short.startswith("@") and turn.short != "@-" and placed[side] < 3:
                placed[side] += 1
                result = {"1-0": "white", "0-1": "black", "½-½": "draw"}[str(table.match.result)]
                own[side, placed[side], turn.short[1:], WON[result][side == "black"]] += 1
    assert own.total() > 24
    shown = Counter(
        {
            (row["side"], row["piece"], row["field"], name): row[name]
            for row in found(tmp_path, "--loud")["placed"]
            for name in ("wins", "draws", "losses")
            if row[name]
        }
    )
    assert shown == own
    assert "Piece 1 of White" in asked(tmp_path, "--loud").stdout
    assert found(tmp_path)["games"] == 0


def test_turns_count_by_the_scatter_of_who_made_them(tmp_path: Path) -> None:
    """A level's games count in the band of its scatter and in no other; a guest without a scatter in none."""
    for level, computers in ((1, (1, 5)), (2, (0, 0))):
        table = Table(begin=False)
        table.t += level * 10_000_000
        names = {"white": f"W{level}", "black": f"B{level}"}
        levels = {"computers": {"seat1": computers[0], "seat2": computers[1]}} if any(computers) else {}
        table.ok("new_game", game="chess", kind="silent", names=names, **levels)
        table.ok("move", move="e2e4" if level == 1 else "d2d4")
        table.ok("resign", "arbiter", side="black")
        store(tmp_path / JOURNAL, table)
    everybody = found(tmp_path, "--game", "chess")
    assert {row["turn"]: row["games"] for row in everybody["turns"]} == {"e2e4": 1, "d2d4": 1}
    for band, turns in (("59-61", ["e2e4"]), ("20-59", [])):
        answer = found(tmp_path, "--game", "chess", "--scatter", band)
        assert [row["turn"] for row in answer["turns"]] == turns, band


def test_new_games_are_added_and_another_journal_is_read_from_scratch(tmp_path: Path) -> None:
    """A game under way counts once it is over; a restored or damaged file never leaves counts of what is gone."""
    path = tmp_path / JOURNAL
    store(path, chess(1, LINES[0], "white"))
    assert found(tmp_path, "--game", "chess")["games"] == 1
    store(path, chess(2, LINES[3], "draw"), chess(3, LINES[1], ""))
    assert found(tmp_path, "--game", "chess")["games"] == 2
    (tmp_path / "openings.sqlite3").write_bytes(b"no database" * 1000)
    second = found(tmp_path, "--game", "chess")
    assert [(row["turn"], *counts(row)) for row in second["turns"]] == [
        ("d2d4", 1, 0, 1, 0),
        ("e2e4", 1, 1, 0, 0),
    ]
    for part in tmp_path.glob("scharten.sqlite3*"):
        part.unlink()
    store(path, *[chess(number, LINES[3], "black") for number in (4, 5, 6)])
    third = found(tmp_path, "--game", "chess")
    assert [(row["turn"], *counts(row)) for row in third["turns"]] == [("d2d4", 3, 0, 0, 3)]


def test_a_deleted_player_is_in_the_counts_without_a_name(tmp_path: Path) -> None:
    """The figures of a registered player follow the name of today; after the deletion no answer holds the name."""
    table = played(4, 20.0)
    finish(table, "white")
    store(tmp_path / JOURNAL, table)
    register = PlayerStore(tmp_path)
    register.save(Player(ANN, Profile(name="Annabel"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    before = found(tmp_path, "--loud", "--player", "annabel")
    assert before["games"] == 1 and [row["name"] for row in before["players"]] == ["Annabel"]
    register.delete(ANN)
    later = asked(tmp_path, "--loud", "--json")
    assert json.loads(later.stdout)["games"] == 1 and "Ann" not in later.stdout
    refused = asked(tmp_path, "--loud", "--player", "Annabel")
    assert isinstance(refused.exception, SchartenError) and "Annabel" in str(refused.exception)


def test_a_game_that_does_not_replay_is_named_and_the_rest_counted(tmp_path: Path) -> None:
    """One changed digest: the other game is counted, and the answer names the damaged one."""
    good, bad = chess(1, LINES[0], "white"), chess(2, LINES[3], "white")
    store(tmp_path / JOURNAL, good, bad)
    with sqlite3.connect(tmp_path / JOURNAL) as db:
        db.execute("UPDATE inputs SET digest = 'x' WHERE match = ?", (bad.match.id,))
    answer = found(tmp_path, "--game", "chess")
    assert [row["turn"] for row in answer["turns"]] == ["e2e4"]
    assert len(answer["unreadable"]) == 1 and bad.match.id in answer["unreadable"][0]
    assert bad.match.id in asked(tmp_path, "--game", "chess").stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--game", "ludo"), "ludo"),
        (("--game", "chess", "not a position"), "position"),
        (("--game", "chess", "--player", "Nemo"), "Nemo"),
        (("--game", "fischer_random"), "many starts"),
        (("--game", "chess", "--scatter", "35-20"), "35-20"),
        (("--game", "chess", "--scatter", "fine"), "fine"),
    ],
)
def test_wrong_requests_are_refused_with_their_cure(
    tmp_path: Path, args: tuple[str, ...], words: str
) -> None:
    """An unknown game, a text that is no position, an unknown player: a message that names it, and a cure."""
    store(tmp_path / JOURNAL, chess(1, LINES[0], "white"))
    error = asked(tmp_path, *args).exception
    assert isinstance(error, SchartenError)
    assert words in error.message and error.cure


def test_a_folder_without_a_journal_is_named(tmp_path: Path) -> None:
    """No journal: the message names the place, and nothing is created there."""
    error = asked(tmp_path).exception
    assert isinstance(error, SchartenError) and JOURNAL in error.message
    assert not list(tmp_path.iterdir())
