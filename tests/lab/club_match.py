"""A match between two clubs, each in its own hall: every game on two boards, while parts of both clubs are killed."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lab.hall import Hall, Json, Organiser, wait_for_service
from lab.ports import free_ports
from lab.two_boards import TwoBoards
from scharten.journal.journal import JournalReader

REMOTE = """
[remote]
host = "127.0.0.1"
address = "127.0.0.1"
port = 0
"""
SECONDS = 90.0
CLUBS = "home", "visitors"


@dataclass
class Outcome:
    """The counts of a played match."""

    games: int = 0
    kills: int = 0
    differences: int = 0
    seconds: float = 0.0
    score: str = ""


class TwoHalls:
    """The halls of both clubs."""

    def __init__(self, folder: Path, boards: int) -> None:
        ports = free_ports(4)
        self.home = Hall(folder / "home", boards, ports[:2], more=REMOTE)
        self.visitors = Hall(folder / "visitors", boards, ports[2:], more=REMOTE)
        self.halls = self.home, self.visitors

    def start(self) -> None:
        """Start both halls."""
        for hall in self.halls:
            hall.start()
            wait_for_service(hall)

    def end(self) -> None:
        """Stop everything."""
        for hall in self.halls:
            hall.end()


class Table(TwoBoards):
    """The two boards of one table, in the halls of both clubs."""

    def __init__(self, halls: TwoHalls, home: str, visitors: str) -> None:
        self.host, self.guest = halls.home.daemons[home], halls.visitors.daemons[visitors]
        self.at_host = halls.home.peer(home, "table")
        self.at_guest = halls.visitors.peer(visitors, "table")

    def finish(self, turns: int, seed: int) -> str:
        """Play some turns; then the player at the visiting club's board resigns, in odd games the one at home."""
        self.play_on(turns, seed)
        side = self.at_host.state["seats"]["seat1" if seed % 2 else "seat2"]
        loser = self.at_host if seed % 2 else self.at_guest
        loser.ask("resign", side=side)
        return str(self.at_host.wait(lambda state: state["result"] is not None, SECONDS)["result"])

    def close(self) -> None:
        """Disconnect from both boards."""
        self.at_host.close()
        self.at_guest.close()


async def members(organiser: Organiser, names: list[str]) -> dict[str, str]:
    """Enter the members of a club; return their keys by name."""
    for name in names:
        await organiser.do("member", name=name)
    view = await organiser.wait(lambda view: len(view["members"]) == len(names), 30, "the members")
    return {member["name"]: member["key"] for member in view["members"]}


async def begin(halls: TwoHalls, home: Organiser, visitors: Organiser, count: int, **game: object) -> None:
    """Invite from the home club, and accept with the visitors' players."""
    ours = await members(home, [f"Home {number}" for number in range(1, count + 1)])
    theirs = await members(visitors, [f"Visitor {number}" for number in range(1, count + 1)])
    players = [ours[f"Home {number}"] for number in range(1, count + 1)]
    await home.wait(
        lambda view: sum(board["free"] for board in view["boards"]) == count, SECONDS, "the boards"
    )
    await visitors.wait(
        lambda view: sum(board["free"] for board in view["boards"]) == count, SECONDS, "the visitors' boards"
    )
    await home.do("match", home="Haarlem", visitors="Leiden", players=players, game=game)
    await home.wait(lambda _view: home.invitation.count("scharten://") == count, SECONDS, "the invitation")
    seated = {str(number): theirs[f"Visitor {number}"] for number in range(1, count + 1)}
    await visitors.do("match_accept", text=home.invitation, players=seated)
    for organiser in (home, visitors):
        await organiser.wait(_all("playing"), SECONDS, "the games")


def _all(state: str) -> Callable[[Json], bool]:
    return lambda view: (
        bool(view["match"]) and all(table["state"] == state for table in view["match"]["tables"])
    )


def tables(halls: TwoHalls, home: Json, visitors: Json) -> list[Table]:
    """Return the tables of the match as both clubs see it."""
    return [
        Table(halls, ours["board"], theirs["board"])
        for ours, theirs in zip(home["match"]["tables"], visitors["match"]["tables"], strict=True)
    ]


async def play(halls: TwoHalls, boards: int, turns: int, kills: int, seed: int, **game: object) -> Outcome:
    """Play a whole match; `kills` parts of both clubs are killed in it."""
    began, chance = time.monotonic(), random.Random(seed)
    home, visitors = Organiser(halls.home), Organiser(halls.visitors)
    outcome = Outcome()
    found: list[Table] = []
    try:
        await begin(halls, home, visitors, boards, **game)
        found = tables(halls, home.view, visitors.view)
        games = [
            asyncio.create_task(asyncio.to_thread(table.finish, turns, number))
            for number, table in enumerate(found, 1)
        ]
        for _ in range(kills):
            await asyncio.sleep(chance.uniform(0.5, 2.0))
            await asyncio.to_thread(chance.choice((halls.home, halls.visitors)).kill_club)
            outcome.kills += 1
        results = await asyncio.gather(*games)
        for organiser in (home, visitors):
            await organiser.wait(_all("over"), SECONDS, "the results")
        outcome.games = len(results)
        outcome.differences = sum(map(int, _differences(halls, home.view, visitors.view, results)))
        score = home.view["match"]["score"]
        outcome.score = f"{score['home']:g} - {score['visitors']:g}"
    finally:
        for table in found:
            table.close()
        await home.close()
        await visitors.close()
    outcome.seconds = time.monotonic() - began
    return outcome


def _differences(halls: TwoHalls, home: Json, visitors: Json, results: list[str]) -> list[bool]:
    """Return a line for each table where a club shows another result than the host's journal, or other names."""
    found = []
    for ours, theirs, result in zip(
        home["match"]["tables"], visitors["match"]["tables"], results, strict=True
    ):
        with closing(JournalReader(halls.home.folder / ours["board"] / "scharten.sqlite3")) as reader:
            last = list(reader.matches())[-1]
        summary = json.loads(last.summary)
        names = {ours["home"], ours["visitors"] or theirs["visitors"]}
        right = {ours["result"], theirs["result"], summary["result"]} == {result}
        found.append(not right or set(summary["names"].values()) != names)
    return found


def run(boards: int, turns: int, kills: int, seed: int, kind: str) -> int:
    """Print the figures of a match; return 1 if a result differs."""
    game = {"game": "scharten" if kind == "loud" else "chess", "kind": kind}
    with tempfile.TemporaryDirectory() as folder:
        halls = TwoHalls(Path(folder), boards)
        try:
            halls.start()
            outcome = asyncio.run(play(halls, boards, turns, kills, seed, **game))
        finally:
            halls.end()
    print(
        f"{boards} boards against {boards}, {kind} {game['game']}: {outcome.games} games in {outcome.seconds:.0f} s, "
        f"{outcome.score}; {outcome.kills} kills of a club's service"
    )
    print(f"  results and names unlike the hosts' journals: {outcome.differences} (target 0)", flush=True)
    return int(outcome.differences > 0)
