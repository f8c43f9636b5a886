"""A guest page's commands over a connection that loses them, or their answers."""

from pathlib import Path

import pytest

from lab.daemon_process import wait_for
from lab.ports import free_port
from lab.slow_line import SlowLine
from lab.two_boards import SECONDS, TwoBoards
from scharten.remote.guest_commands import AGAIN_MS, GIVEN_UP_MS, GuestCommand, GuestCommands

MORE_THAN_A_COMMAND = 300
"""In bytes: more than is in transit when a command is sent."""


@pytest.mark.long
@pytest.mark.parametrize("lost", ["out", "back"])
def test_a_command_on_a_breaking_line_is_done_once_and_answered(tmp_path: Path, lost: str) -> None:
    """The connection loses the guest's move or its answer, and breaks: the page is answered, and one turn is
    played."""
    door, port = free_port(), free_port()
    line = SlowLine(port, door)
    boards = TwoBoards(tmp_path, f":{port}", door)
    try:
        boards.start().begin(game="chess", kind="silent")
        assert boards.at_host.ask("move", move="e2e4")["accepted"]
        boards.at_guest.wait(lambda state: state["turns"] == 1, SECONDS)
        line.swallow(lost)
        move = boards.at_guest.send_command("move", move="e7e5")
        before = line.swallowed
        wait_for(lambda: line.swallowed > before + MORE_THAN_A_COMMAND, SECONDS, "bytes to be lost")
        assert move not in boards.at_guest.answers
        line.hang_up()
        answer = wait_for(lambda: boards.at_guest.answers.get(move), SECONDS, "the answer to the move")
        assert answer["accepted"], answer
        assert boards.at_host.wait(lambda state: state["turns"] >= 2, SECONDS)["turns"] == 2
    finally:
        boards.end()
        line.stop()


def test_a_command_is_sent_until_its_answer_or_given_up() -> None:
    """A command is sent at once, and again when late or on a new connection; never after its answer, and not
    forever."""
    first, second = GuestCommand("a", "table", b"1", 0), GuestCommand("b", "seat2", b"2", 0)
    waiting, due = GuestCommands().with_command(first).with_command(second).due(0, 0)
    assert [command.id for command in due] == ["a", "b"]
    assert waiting.due(AGAIN_MS - 1, 0)[1] == () == waiting.due(AGAIN_MS, AGAIN_MS)[1]
    assert [command.id for command in waiting.reconnected().due(1, 0)[1]] == ["a", "b"]
    waiting, role = waiting.answered("a")
    assert role == "table" and waiting.answered("a")[1] is None
    assert [command.id for command in waiting.due(AGAIN_MS, 0)[1]] == ["b"]
    assert waiting.given_up(GIVEN_UP_MS - 1)[1] == ()
    waiting, late = waiting.given_up(GIVEN_UP_MS)
    assert [command.role for command in late] == ["seat2"] and waiting.waiting == ()
