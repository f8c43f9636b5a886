"""Whole evenings in a hall whose parts are killed; afterwards the table must agree with the boards' journals."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.hall import Hall, Json, Organiser, Players, wait_for_service
from lab.ports import free_ports
from scharten.club.store import ClubStore
from scharten.journal.journal import JournalReader
from scharten.tournament.model import Club, Season
from scharten.tournament.tables import table


@dataclass(frozen=True)
class Evening:
    """The plan of an evening: members, boards, rounds, kills per round, and the chance of a corrected result."""

    members: int = 40
    boards: int = 12
    rounds: int = 7
    kills: int = 3
    corrections: float = 0.1
    system: str = "keizer"
    kind: str = "silent"
    seed: int = 2026

    @property
    def game(self) -> str:
        """The game: darts are thrown in Scharten, silent games are chess."""
        return "scharten" if self.kind == "loud" else "chess"


@dataclass
class Outcome:
    """The counts of a played evening."""

    games: int = 0
    kills: int = 0
    corrected: int = 0
    darts: int = 0
    differences: int = 0
    seconds: float = 0.0


async def play(hall: Hall, what: Evening) -> Outcome:
    """Play the evening; every round has its kills."""
    began, chance, found = time.monotonic(), random.Random(what.seed), Outcome()
    organiser = Organiser(hall)
    players = [Players(hall, name, f"{what.seed}{name}", what.corrections) for name in hall.names]
    for player in players:
        player.start()
    try:
        await _begin(organiser, what)
        for number in range(1, what.rounds + 1):
            await _come_and_go(organiser, chance, number)
            await organiser.do("pair", number=number)
            for _ in range(what.kills):
                await asyncio.sleep(chance.uniform(0.2, 1.5))
                await asyncio.to_thread(_kill, hall, chance)
                found.kills += 1
            await organiser.wait(lambda view, n=number: _over(view, n), 150, f"the end of round {number}")
            await asyncio.sleep(1.0)  # corrections by the arbiter
            await organiser.wait(lambda view, n=number: _over(view, n), 120, f"round {number} again")
    finally:
        for player in players:
            await asyncio.to_thread(player.stop)
        await organiser.close()
    found.games, found.corrected, found.darts = (
        sum(getattr(player, name) for player in players) for name in ("games", "corrected", "darts")
    )
    found.seconds = time.monotonic() - began
    return found


def _over(view: Json, number: int) -> bool:
    return bool(len(view["rounds"]) == number and view["rounds"][-1]["over"])


async def _begin(organiser: Organiser, what: Evening) -> None:
    for number in range(what.members):
        await organiser.do("member", name=f"Member {number + 1}", rating=2000 - number)
    options = {"system": what.system, "rounds": what.rounds, "kind": what.kind, "game": what.game}
    await organiser.do("season", name="Lab", options=options)
    await organiser.do("evening", date="2026-11-20")
    view = await organiser.wait(lambda view: len(view["members"]) == what.members, 30, "the members")
    for item in view["members"][:-1]:
        await organiser.do("presence", key=item["key"], said="here")


async def _come_and_go(organiser: Organiser, chance: random.Random, number: int) -> None:
    """From the second round on, one member leaves and an absent one arrives."""
    if number == 1:
        return
    members = organiser.view["members"]
    away = [member["key"] for member in members if member["said"] != "here"]
    here = [member["key"] for member in members if member["said"] == "here"]
    await organiser.do("presence", key=chance.choice(here), said="absent")
    if away:
        await organiser.do("presence", key=chance.choice(away), said="here")


def _kill(hall: Hall, chance: random.Random) -> None:
    which = chance.choice(("club", "board", "board", "broker"))
    if which == "club":
        hall.kill_club()
    elif which == "broker":
        hall.kill_broker()
    else:
        hall.kill_board(chance.choice(hall.names))


def differences(hall: Hall, club: Club) -> int:
    """Return how many results and lines of the table differ from the boards' journals."""
    season = club.season
    assert season is not None
    journals = _results(hall)
    second = replace(season, rounds=tuple(replace(item, pairings=tuple(
        replace(pair, result=journals.get(pair.match or "", {}).get("result")) for pair in item.pairings
    )) for item in season.rounds))  # fmt: skip
    wrong = sum(
        mine.result != theirs.result
        for (_, mine), (_, theirs) in zip(season.pairings(), second.pairings(), strict=True)
    )
    wrong += sum(_misnamed(club, pair, journals) for _, pair in season.pairings())
    return wrong + sum(mine != theirs for mine, theirs in zip(table(season), table(second), strict=True))


def _misnamed(club: Club, pair: Any, journals: Mapping[str, Any]) -> bool:
    names = {"white": club.name_of(pair.white), "black": club.name_of(pair.black)}
    written = journals.get(pair.match or "", {}).get("names", {})
    return any(name not in ("?", written.get(side)) for side, name in names.items())  # ? was deleted since


def _results(hall: Hall) -> dict[str, Any]:
    import json  # noqa: PLC0415

    found: dict[str, Any] = {}
    for name in hall.names:
        with closing(JournalReader(hall.folder / name / "scharten.sqlite3")) as reader:
            found |= {match.id: json.loads(match.summary) for match in reader.matches()}
    return found


def evening(folder: Path, what: Evening) -> tuple[Outcome, Season]:
    """Play one evening in a folder, and compare its table with the journals."""
    hall = Hall(folder, what.boards, free_ports(2))
    try:
        hall.start()
        wait_for_service(hall)
        outcome = asyncio.run(play(hall, what))
    finally:
        hall.end()
    with closing(ClubStore(folder / "club" / "club.sqlite3")) as store:
        outcome.differences = differences(hall, store.club)
        assert store.club.season is not None
        return outcome, store.club.season


def run(what: Evening, seeds: Sequence[int]) -> int:
    """Print each evening's figures; return 1 if a result or a line of any table differs."""
    found = [_reported(replace(what, seed=seed)) for seed in seeds]
    if len(found) > 1:
        print(f"{len(found)} evenings: {sum(found)} differences (target 0)")
    return int(any(found))


def _reported(what: Evening) -> int:
    with tempfile.TemporaryDirectory() as folder:
        outcome, season = evening(Path(folder), what)
    games = sum(1 for _ in season.pairings())
    print(
        f"seed {what.seed}, {what.kind} {what.game}: {what.members} members, {what.boards} boards, "
        f"{what.rounds} rounds of {what.system}: {games} games in {outcome.seconds:.0f} s; {outcome.kills} kills, "
        f"{outcome.corrected} results put right by an arbiter"
    )
    print(
        f"  {outcome.darts} darts; results and table lines unlike the journals: {outcome.differences} (target 0)",
        flush=True,
    )
    return outcome.differences
