"""A match between two clubs: its value, its file, and whole matches at real boards."""

from __future__ import annotations

import asyncio
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lab.club_match import TwoHalls, begin, play, tables
from lab.hall import Organiser
from scharten.club.boards import BoardView
from scharten.club.match.desk import FILE, MatchDesk
from scharten.club.match.entries import MATCH_ENTRIES
from scharten.club.match.model import ClubMatch, Table, invitation_text, order_of, read_invitation
from scharten.club.match.view import match_invitation, match_view
from scharten.contract.remote import parse_remote
from scharten.errors import Problem
from scharten.match.orders import ORDERS

LINK = "scharten://darts.example:8884/ABCDEFGH#" + "x" * 43
NAMES = st.text(st.characters(categories=["L", "N", "Zs"], include_characters="'.-"), max_size=40).map(
    lambda name: " ".join(name.split())
)


class Boards:
    """Boards that answer as a test chooses; `sent` holds the requests to them."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.desk = MatchDesk(folder, self.send, lambda key: {"ann": "Ann", "bob": "Bob"}.get(key, "?"))
        self.views = {name: BoardView(name, online=True, state={"phase": "setup"}) for name in names}

    def send(self, topic: str, payload: dict[str, Any]) -> bool:
        """Record a request, which must follow the contract."""
        assert not isinstance(parse_remote(json.dumps(payload).encode()), Problem), payload
        self.sent.append((topic, payload))
        return True

    def enter(self, **fields: Any) -> Problem | None:
        """Enter an input of the organiser's page."""
        return self.desk.enter(MATCH_ENTRIES.validate_json(json.dumps(fields)))

    def begin(self, count: int = 1) -> None:
        """Invite to this many tables."""
        players = ["ann", "bob"][:count]
        assert self.enter(type="match", home="Haarlem", visitors="Leiden", players=players) is None
        self.look()

    def look(self, busy: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        """Let the desk check the boards; return the board and type of each request that it sends."""
        before = len(self.sent)
        self.desk.look(self.views, busy)
        return [(topic.partition("/")[0], payload["type"]) for topic, payload in self.sent[before:]]

    def answer(self, *, accepted: bool = True, code: str | None = None, **line: Any) -> None:
        """Answer the newest request."""
        topic, payload = self.sent[-1]
        body = {"id": payload["id"], "accepted": accepted, "code": code, "remote": line}
        assert self.desk.answered(topic.partition("/")[0], body)

    @property
    def table(self) -> Table:
        """Return the first table."""
        assert self.desk.match is not None
        return self.desk.match.tables[0]


def test_points_follow_the_score() -> None:
    """Each result gives each club the usual points of chess clubs, with either colour."""
    written = {
        "1-0": (1, 0), "0-1": (0, 1), "½-½": (0.5, 0.5), "0-0": (0, 0), "½-0": (0.5, 0), "0-½": (0, 0.5),
        "+/-": (1, 0), "-/+": (0, 1), "-/-": (0, 0),
    }  # fmt: skip
    for result, (white, black) in written.items():
        at_home = Table(number=1, white="home", result=result)
        abroad = Table(number=2, white="visitors", result=result)
        assert (at_home.points("home"), at_home.points("visitors")) == (white, black), result
        assert (abroad.points("home"), abroad.points("visitors")) == (black, white), result
    assert Table(number=1, white="home").points("home") is None


@given(
    st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["home", "visitors"])), min_size=1, max_size=32),
    st.data(),
)
def test_a_pasted_invitation_is_read_back(rows: list[tuple[str, str, Any]], data: st.DataObject) -> None:
    """Clubs, colours, players and links survive any wrapping and quoting by mail."""
    sent = ClubMatch(
        id="0" * 16,
        role="home",
        home="Haarlem",
        visitors="Leiden",
        tables=tuple(
            Table(number=number, white=white, home=home, visitors=guest, link=f"{LINK[:-2]}{number:02d}")
            for number, (home, guest, white) in enumerate(rows, 1)
        ),
    )
    text = invitation_text(sent)
    width = data.draw(st.integers(100, 2000))
    mailed = "\n".join(
        f"> {line}" for line in textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    )
    read = read_invitation(f"Hello!\n\n{mailed}\n\nGreetings")
    assert not isinstance(read, Problem)
    clubs, found = read[:2], read[2]
    assert clubs == ("Haarlem", "Leiden")
    for mine, theirs in zip(sent.tables, found, strict=True):
        assert (theirs.number, theirs.white, theirs.link) == (mine.number, mine.white, mine.link)
        assert (theirs.home, theirs.visitors) == tuple(
            name.replace(" - ", "-").strip() for name in (mine.home, mine.visitors)
        )


@pytest.mark.parametrize("text", ["", "hello", "SCHARTEN MATCH: A - B", f"| 1 | black | a | b | {LINK}"])
def test_other_text_is_refused_in_words(text: str) -> None:
    """Text without clubs or tables is refused, and the refusal says what to copy."""
    found = read_invitation(text)
    assert isinstance(found, Problem)
    assert (found.code, "SCHARTEN MATCH" in found.cure) == ("bad_match", True)


@pytest.mark.parametrize("first", ["white", "black"])
def test_the_home_club_sits_at_seat_1_with_the_colour_of_the_table(tmp_path: Path, first: str) -> None:
    """The order of each table is a valid `new_game`; colours alternate from the chosen one."""
    boards = Boards(tmp_path)
    players = ["ann", "bob"]
    assert boards.enter(type="match", home="H", visitors="L", first=first, players=players) is None
    match = boards.desk.match
    assert match is not None
    colours = ("white", "black") if first == "white" else ("black", "white")
    for table, colour, name in zip(match.tables, colours, ("Ann", "Bob"), strict=True):
        order = order_of(match, table)
        ORDERS.validate_json(json.dumps({"v": 2, "id": "x", "type": "new_game", **order}))
        assert (order["seats"]["seat1"], order["names"]["seat1"]) == (colour, name)


def test_a_table_is_invited_once_and_found_after_a_restart(tmp_path: Path) -> None:
    """A called board is left alone. The file keeps the board's answer, and a new service continues with it."""
    boards = Boards(tmp_path, "board1", "board2")
    boards.begin(2)
    assert boards.look(busy=()) == []  # already requested
    assert [payload["type"] for _, payload in boards.sent] == ["invite", "invite"]
    boards.answer(side="host", link=LINK, until_ms=77)
    text = match_invitation(boards.desk.match)["text"]
    assert LINK in text
    assert LINK not in json.dumps(match_view(boards.desk.match)), "only the organiser sees the link"
    restarted = MatchDesk(tmp_path, boards.send, lambda key: key)
    assert restarted.match == boards.desk.match
    assert restarted.holds("board1") and restarted.holds("board2") and not restarted.holds("board3")


def test_a_board_called_for_the_evening_is_not_taken(tmp_path: Path) -> None:
    """The match waits for another board."""
    boards = Boards(tmp_path, "board1")
    players = ["ann"]
    assert boards.enter(type="match", home="H", visitors="L", players=players) is None
    assert boards.look(busy=("board1",)) == []
    assert boards.table.board is None
    assert boards.look() == [("board1", "invite")]


def test_a_result_follows_the_board_until_one_is_entered_by_hand(tmp_path: Path) -> None:
    """A reopened game has no result. A manual result stays until it is removed; then the board is free again."""
    boards = Boards(tmp_path, "board1")
    boards.begin()
    boards.answer(side="host", link=LINK, until_ms=77)
    assert boards.look() == [("board1", "status")]
    boards.answer(side="host", state="playing", until_ms=77, match="g1")
    assert boards.table.match == "g1"
    for result in ("1-0", None, "½-½"):
        boards.views["board1"] = BoardView(
            "board1", True, state={"match": "g1", "phase": "turn", "result": result}
        )
        boards.look()
        assert boards.table.result == result
    assert boards.enter(type="match_result", number=1, result="0-1") is None
    boards.look()
    assert boards.table.result == "0-1"
    assert boards.enter(type="match_result", number=1, result=None) is None
    boards.look()
    assert boards.table.result == "½-½"
    assert not boards.desk.holds("board1")


def test_another_invitation_at_the_board_is_not_ours(tmp_path: Path) -> None:
    """Another invitation begins at the table's board: the match reports that its own ended, and takes no game."""
    boards = Boards(tmp_path, "board1")
    boards.begin()
    boards.answer(side="host", link=LINK, until_ms=77)
    boards.look()
    boards.answer(side="host", state="playing", until_ms=88, match="other")
    assert (boards.table.match, boards.table.trouble, boards.table.link) == ("", "ended", None)
    assert boards.enter(type="match_again", number=1) is None
    assert boards.table.trouble == ""


def test_visitors_join_and_paste_a_new_link_after_a_refusal(tmp_path: Path) -> None:
    """A used link is requested once. The new text joins again, and a stale answer changes nothing."""
    text = f"SCHARTEN MATCH: Haarlem - Leiden\n| 1 | black | Home | Guest | {LINK}"
    boards = Boards(tmp_path, "board1")
    assert boards.enter(type="match_accept", text=text, players={"1": "ann"}) is None
    assert boards.look() == [("board1", "join")]
    first = boards.sent[-1]
    assert (first[1]["name"], first[1]["player"]) == ("Ann", "ann")
    boards.answer(accepted=False, code="refused")
    assert (boards.table.trouble, boards.table.link) == ("refused", None)
    assert boards.look() == []
    assert (
        boards.enter(type="match_accept", text=text.replace("ABCDEFGH", "JKLMNPQR"), players={"1": "ann"})
        is None
    )
    boards.desk._not_before.clear()  # the time after a refusal has passed
    assert boards.look() == [("board1", "join")]
    boards.desk.answered("board1", {"id": first[1]["id"], "accepted": True, "remote": {}})
    assert not boards.table.joined, "an answer to the first link"
    boards.answer(side="guest", state="here")
    assert boards.table.joined
    assert match_invitation(boards.desk.match)["text"] == ""


def test_a_damaged_file_is_named_and_gives_no_match(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The service still starts."""
    (tmp_path / FILE).write_text('{"id": 3')
    assert MatchDesk(tmp_path, lambda _topic, _payload: True, str).match is None
    assert FILE in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"id": 1},
        {"id": "x"},
        {"id": "{id}", "remote": 3},
        {"id": "{id}", "remote": {"match": 3}},
    ],
)
def test_a_hostile_answer_changes_nothing(tmp_path: Path, answer: Any) -> None:
    """A board cannot answer for another board, and no answer raises."""
    boards = Boards(tmp_path, "board1")
    boards.begin()
    sent = boards.sent[-1][1]["id"]
    if isinstance(answer, dict) and answer.get("id") == "{id}":
        answer = {**answer, "id": sent}
        assert not boards.desk.answered("board2", answer), "not its table"
    boards.desk.answered("board1", answer)
    assert boards.table.match == ""


@pytest.mark.parametrize(
    "line", [{"link": "http://x"}, {"link": "scharten://x\n| 9 |"}, {"link": "scharten://" + "x" * 400}]
)
def test_an_invalid_link_is_refused_and_the_file_stays_readable(tmp_path: Path, line: dict[str, Any]) -> None:
    """A board's nonsense costs only its own table the link, and the match survives a restart."""
    boards = Boards(tmp_path, "board1")
    boards.begin()
    with pytest.raises(ValidationError):
        boards.answer(side="host", until_ms=77, **line)
    assert boards.table.link is None
    assert MatchDesk(tmp_path, boards.send, str).match == boards.desk.match


@pytest.mark.long
@pytest.mark.mosquitto
def test_two_clubs_play_a_loud_match_while_their_services_are_killed(tmp_path: Path) -> None:
    """Two boards against two real boards: both clubs show the result of every journal, with both players' names."""
    halls = TwoHalls(tmp_path, 2)
    try:
        halls.start()
        outcome = asyncio.run(play(halls, 2, 4, 2, seed=1, game="scharten", kind="loud"))
    finally:
        halls.end()
    assert (outcome.games, outcome.kills, outcome.differences, outcome.score) == (2, 2, 0, "1 - 1")


@pytest.mark.long
@pytest.mark.mosquitto
def test_a_table_begins_again_and_the_match_gives_its_boards_back(tmp_path: Path) -> None:
    """Visitors cannot use a withdrawn invitation; a new text works. After the end both boards are free."""
    halls = TwoHalls(tmp_path, 1)
    try:
        halls.start()
        asyncio.run(_again(halls))
    finally:
        halls.end()


async def _again(halls: TwoHalls) -> None:
    home, visitors = Organiser(halls.home), Organiser(halls.visitors)
    await begin(halls, home, visitors, 1, game="chess", kind="silent")
    table = tables(halls, home.view, visitors.view)[0]
    await asyncio.to_thread(table.play_on, 2)
    assert (await home.ask("match_again", number=1))["code"] == "table_began"
    for organiser in (visitors, home):
        await organiser.do("match_end")
    for organiser in (visitors, home):
        await organiser.wait(
            lambda view: view["match"]["over"] and not view["boards"][0]["held"], 40, "the end"
        )
    own = await asyncio.to_thread(table.at_guest.wait, lambda state: state["away"] is None, 40.0)
    assert own["phase"] == "setup"
    table.close()
    await home.close()
    await visitors.close()
