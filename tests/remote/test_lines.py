"""The guest's two connections: the states that are shown, and a dart whose packet is lost on either."""

from __future__ import annotations

import random

from scharten.remote.lines import NewestState


def shown_of(arrivals: list[tuple[bool, tuple[str, int, bytes]]]) -> list[tuple[str, int, bytes]]:
    """Return the states that are shown, in order."""
    newest = NewestState()
    return [state for spare, state in arrivals if newest.is_news(*state, spare=spare)]


def test_two_connections_show_games_in_order_and_end_at_the_last_state() -> None:
    """However the two connections interleave, no game returns to an earlier `seq`, and the last state stands."""
    published = [("", 3, b"setup"), ("m1", 1, b"a"), ("m1", 2, b"b"), ("m1", 2, b"b, a message"), ("m1", 2, b"b"),
                 ("m1", 3, b"c"), ("m2", 1, b"d"), ("m2", 2, b"e")]  # fmt: skip
    for seed in range(300):
        chance, waiting = random.Random(seed), [list(published), list(published)]
        arrivals = []
        while any(waiting):
            spare = chance.random() < 0.5 if all(waiting) else bool(waiting[1])
            arrivals.append((spare, waiting[spare].pop(0)))
        shown = [(match, seq) for match, seq, _ in shown_of(arrivals)]
        assert shown == sorted(shown), seed
        assert shown_of(arrivals)[-1] == published[-1], seed


def test_the_spare_connection_brings_a_state_first() -> None:
    """A state that only the spare connection has brought is shown at once, and not again later."""
    first, second = ("m1", 1, b"a"), ("m1", 2, b"b")
    assert shown_of([(False, first), (True, first), (True, second), (False, second)]) == [first, second]
