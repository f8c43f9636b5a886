"""Members' hand and head in the club's table: only with the option, from games and reviews beside the club's file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from club.test_command import Cells, Club
from lab.daemon_process import wait_for
from players.evening import ANN, BOB, played, store
from scharten.cli import build
from scharten.club import skills
from scharten.club.skills import MemberSkills
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

CAS = "cas00"


@pytest.fixture
def match(tmp_path: Path) -> str:
    """Write a game of Ann and Bob into the club's folder, without darts of Cas; return its id."""
    folder = tmp_path / "club"
    folder.mkdir()
    game = played(8, 25.0)
    game.ok("resign", "seat1")
    store(folder / "scharten.sqlite3", game)
    register = PlayerStore(folder)
    for player, name in ((ANN, "Ann"), (BOB, "Bob"), (CAS, "Cas")):
        register.save(Player(player, Profile(name=name), 1))
    return str(game.match.id)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Club]]:
    """Start the service, which ends with the test."""
    clubs: list[Club] = []

    def started() -> Club:
        clubs.append(Club(tmp_path))
        return clubs[-1]

    yield started
    for club in clubs:
        club.end()


def configure(folder: Path, **club: object) -> None:
    """Write the table `[club]` of the configuration."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in club.items()]
    (folder / "club" / "scharten.toml").write_text("\n".join(("[club]", *lines, '[web]\nlanguage = "de"\n')))


def play_a_round(club: Club) -> None:
    """Begin a season of the three and enter the result of its first round."""
    keys = [ANN, BOB, CAS]
    orders: list[dict[str, Any]] = [
        {"type": "season", "name": "Autumn", "options": {"system": "swiss"}},
        {"type": "start_list", "keys": keys},
        {"type": "evening", "date": "2026-11-20"},
        *({"type": "presence", "key": key, "said": "here"} for key in keys),
        {"type": "pair", "number": 1},
        {"type": "result", "number": 1, "table": 1, "result": "1-0"},
    ]
    assert club.converse("organiser", *orders) == [None] * len(orders)


def rows(club: Club) -> dict[str, dict[str, Any]]:
    """Return the table's rows by name."""
    return {row["name"]: row for row in club.evening()["table"]}


@pytest.mark.long
def test_the_table_shows_hand_and_head(start: Callable[[], Club], match: str, tmp_path: Path) -> None:
    """Hand comes from the darts at once, head after a review; without darts both are empty, also on the
    published page."""
    configure(tmp_path, skills=True, publish=str(tmp_path / "web"))
    result = CliRunner().invoke(
        build("review"), ["review", match, "--data", str(tmp_path / "club"), "--json"]
    )
    turns = json.loads(result.stdout)["turns"]
    club = start()
    play_a_round(club)
    wait_for(lambda: bool(rows(club)["Ann"].get("head")), 60, "hand and head")
    found = rows(club)
    for name, side in (("Ann", "white"), ("Bob", "black")):
        own = [-turn["head"] for turn in turns if turn["side"] == side]
        hand, head = found[name]["hand"], found[name]["head"]
        assert head["points"] == pytest.approx(100 * sum(own) / len(own), abs=0.006)
        assert 0 <= head["low"] <= head["points"] <= head["high"]
        assert 0 < hand["low"] < hand["mm"] < hand["high"]
    assert (found["Cas"]["hand"], found["Cas"]["head"]) == (None, None)
    assert club.evening()["evening_table"][0].keys() >= {"hand", "head"}
    page = tmp_path / "web" / "index.html"
    wait_for(lambda: "Hand, mm" in page.read_text(), 60, "the published figures")
    cells = Cells(page.read_text()).cells
    ann, cas = cells.index("Ann"), cells.index("Cas")
    hand, head = found["Ann"]["hand"], found["Ann"]["head"]
    assert cells[ann + 3 : ann + 5] == [
        f"{hand['mm']:.0f} ({hand['low']:.0f}–{hand['high']:.0f})",
        f"{head['points']:.1f} ({head['low']:.1f}–{head['high']:.1f})",
    ]
    assert cells[cas + 3 : cas + 5] == ["–", "–"]


@pytest.mark.long
def test_figures_are_computed_again_after_a_change_only(
    match: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many looks without a change start no process; a new review or revision starts one."""
    started: list[object] = []
    run = asyncio.create_subprocess_exec

    async def counted(*command: Any, **options: Any) -> asyncio.subprocess.Process:
        started.append(command)
        return await run(*command, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", counted)
    monkeypatch.setattr(skills, "EACH_S", 0.01)
    folder, looks = tmp_path / "club", 0
    revision = [1]

    def look() -> int:
        nonlocal looks
        looks += 1
        return revision[0]

    async def follow() -> None:
        found = MemberSkills(folder)
        task = asyncio.create_task(found.follow(look, lambda: None))

        async def computed(times: int) -> None:
            async with asyncio.timeout(60):
                while len(started) < times:
                    await asyncio.sleep(0.01)
                seen = looks
                while looks < seen + 20:
                    await asyncio.sleep(0.01)
            assert len(started) == times

        await computed(1)
        assert found.figures[ANN]["head"] is None
        CliRunner().invoke(build("review"), ["review", match, "--data", str(folder), "--json"])
        await computed(2)
        assert found.figures[ANN]["head"] is not None
        revision[0] = 2
        await computed(3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(follow())


@pytest.mark.long
def test_without_the_option_no_figure_leaves_the_service(
    start: Callable[[], Club], match: str, tmp_path: Path
) -> None:
    """By default neither the evening nor the published page has hand or head."""
    configure(tmp_path, publish=str(tmp_path / "web"))
    club = start()
    play_a_round(club)
    page = tmp_path / "web" / "index.html"
    wait_for(lambda: "1-0" in page.read_text(), 40, "the result")
    assert not rows(club)["Ann"].keys() & {"hand", "head"}
    assert "mm" not in Cells(page.read_text()).cells and "Hand" not in page.read_text()


@pytest.mark.long
def test_a_failure_keeps_the_table_and_is_logged_once(
    start: Callable[[], Club], match: str, tmp_path: Path
) -> None:
    """The figures' process cannot read the register: the evening continues without figures, with one line in
    the log."""
    configure(tmp_path, skills=True)
    (tmp_path / "club" / "scharten.sqlite3").write_bytes(b"not a database" * 300)
    club = start()
    wait_for(lambda: "hand and head are not renewed" in club.log.read_text(), 60, "the line in the log")
    play_a_round(club)
    assert rows(club)["Ann"].keys() & {"hand", "head"} == set()
    assert club.log.read_text().count("hand and head are not renewed") == 1
