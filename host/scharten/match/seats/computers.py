"""The seats that the computer plays, alone or with a chess engine (contract.md)."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.game.protocol import AnyGame
from scharten.match.codes import Message, RefusalCode, WhyRefused
from scharten.match.inputs import Actor
from scharten.match.orders import BySeat, Engine, SetComputer
from scharten.match.state import Match, Step
from scharten.match.white import Seat


def level_of(match: Match, seat: Seat) -> int:
    """The level at which the computer plays a seat, 0 where a person does."""
    return match.computers[0 if seat is Seat.SEAT1 else 1]


def engine_of(match: Match, seat: Seat) -> Engine | None:
    """The engine that chooses a seat's moves, None where the built-in player or a person does."""
    return match.engines[0 if seat is Seat.SEAT1 else 1]


def engine_refused(game: AnyGame, level: int, engine: Engine | None) -> Problem | None:
    """Refuse an engine without a hand that throws for it, or in a game that no engine plays."""
    if engine is None:
        return None
    if not level:
        words = "an engine needs a level: its hand throws the darts"
        return Problem(RefusalCode.MALFORMED, words, {"why": WhyRefused.ENGINE_ALONE})
    if game.uci_variant is None:
        words = f"no chess engine plays {game.key}: choose the built-in player"
        return Problem(RefusalCode.MALFORMED, words, {"why": WhyRefused.ENGINE_GAME, "game": game.key})
    return None


def set_computer(match: Match, order: SetComputer, actor: Actor) -> Step | Problem:
    """Let the computer play a seat, or a person again."""
    level = order.level or 0
    refused = engine_refused(match.game, level, order.engine)
    if refused is not None:
        return refused
    first, second = match.computers
    engines: BySeat = (order.engine, match.engines[1])
    levels = (level, second)
    if Seat(order.seat) is Seat.SEAT2:
        levels, engines = (first, level), (match.engines[0], order.engine)
    changed = Step(match).with_(computers=levels, engines=engines)
    return changed.show(Message.COMPUTER, seat=order.seat, level=order.level)
