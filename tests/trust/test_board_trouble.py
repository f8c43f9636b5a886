"""A board that is unplugged, silent, babbling, of another version or with a jumping clock, under a real daemon."""

from collections.abc import Iterator

import pytest

from scharten.bench.room import Daemon, Peer, wait_for
from trust.board_trouble import AIM_S, TROUBLES, LiveBoard, at_the_board, counts, random_bytes, troubles

Room = tuple[Daemon, LiveBoard, Peer]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """One daemon and one board for the whole file: recovery must not need a restart."""
    with at_the_board(tmp_path_factory.mktemp("board")) as one:
        yield one


def test_every_trouble_of_the_board_is_told_in_words_and_survived(room: Room) -> None:
    """Each appears in `health` with its words, each is over when the board is well again, and darts count after it."""
    daemon, board, peer = room
    told = list(troubles(board, peer))
    for one in told:
        print(f"{one.name}: told after {one.seconds:.1f} s (aim {AIM_S:.0f} s)")
    assert len(told) == len(TROUBLES) and all(one.counted for one in told)
    assert daemon.process is not None and daemon.process.poll() is None


def test_random_bytes_on_the_line_cost_no_memory_and_no_dart(room: Room) -> None:
    """1 MB of noise (10 MB in `make trust`, any amount by hand) leaves memory as it is, and the next dart counts."""
    noise = random_bytes(*room, megabytes=1)
    print(f"{noise.megabytes} MB in {noise.seconds:.1f} s, memory grew by {noise.grown_mb:.1f} MB")
    assert noise.counted and noise.grown_mb < 10


def test_hits_that_the_board_dropped_are_told_once_also_after_a_restart(room: Room) -> None:
    """The loss is in the journal with the board's own count: a restart does not tell it again, a new loss is told."""
    daemon, board, peer = room
    board.dropped = 5
    board.greet()
    wait_for(lambda: peer.last["health"]["dropped"] == 5, 5, "the loss in health")
    assert counts(board, peer)
    peer.close()
    daemon.kill()
    daemon.start()
    again = daemon.peer("table")
    wait_for(lambda: again.source == "found", 15, "the board after the restart")
    again.wait(lambda state: state["phase"] == "paused")
    assert again.ask("resume")["accepted"]
    again.wait(lambda state: state["phase"] == "turn")
    assert counts(board, again) and again.last["health"]["dropped"] == 5
    board.dropped = 7
    board.greet()
    wait_for(lambda: again.last["health"]["dropped"] == 7, 5, "the new loss in health")
    again.close()
