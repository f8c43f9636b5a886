"""The seats that the computer plays, alone or with a chess engine (contract.md)."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.game.protocol import AnyGame
from scharten.match.codes import Message, RefusalCode, WhyRefused
from scharten.match.inputs import Actor
from scharten.match.orders import BySeat, Engine, SetComputer, StandIn, StandInBySeat
from scharten.match.state import Match, Step
from scharten.match.white import Seat


def level_of(match: Match, seat: Seat) -> int:
    """The level at which the computer plays a seat, 0 where a person does."""
    return match.computers[0 if seat is Seat.SEAT1 else 1]


def engine_of(match: Match, seat: Seat) -> Engine | None:
    """The engine that chooses a seat's moves, None where the built-in player or a person does."""
    return match.engines[0 if seat is Seat.SEAT1 else 1]


def stand_in_of(match: Match, seat: Seat) -> StandIn | None:
    """The player as whom the computer plays a seat, None where it plays as itself or a person does."""
    return match.stand_ins[0 if seat is Seat.SEAT1 else 1]


def computer_refused(
    game: AnyGame, level: int, engine: Engine | None, stand_in: StandIn | None
) -> Problem | None:
    """Refuse an engine or a stand-in without a level, both at once, or an engine in a game that no engine plays."""
    if stand_in is not None and (engine is not None or not level):
        words = "a stand-in needs a level, which is its head, and no engine"
        return Problem(RefusalCode.MALFORMED, words, {"why": WhyRefused.STAND_IN_ALONE})
    if engine is None:
        return None
    if not level:
        words = "an engine needs a level: its hand throws the darts"
        return Problem(RefusalCode.MALFORMED, words, {"why": WhyRefused.ENGINE_ALONE})
    if game.uci_variant is None:
        words = f"no chess engine plays {game.key}: choose the built-in player"
        return Problem(RefusalCode.MALFORMED, words, {"why": WhyRefused.ENGINE_GAME, "game": game.key})
    return None


def stand_in_seated() -> Problem:
    """Refuse a stand-in at a registered player's seat, whose figures the game would enter."""
    words = "the seat belongs to a registered player: a stand-in sits at a seat of its own"
    return Problem(RefusalCode.NOT_ALLOWED, words, {"why": WhyRefused.STAND_IN_SEATED})


def set_computer(match: Match, order: SetComputer, actor: Actor) -> Step | Problem:
    """Let the computer play a seat, or a person again."""
    level = order.level or 0
    refused = computer_refused(match.game, level, order.engine, order.stand_in)
    if refused is not None:
        return refused
    if order.stand_in is not None and match.start.players[0 if order.seat == "seat1" else 1]:
        return stand_in_seated()
    first, second = match.computers
    engines: BySeat = (order.engine, match.engines[1])
    stand_ins: StandInBySeat = (order.stand_in, match.stand_ins[1])
    levels = (level, second)
    if Seat(order.seat) is Seat.SEAT2:
        levels, engines = (first, level), (match.engines[0], order.engine)
        stand_ins = (match.stand_ins[0], order.stand_in)
    changed = Step(match).with_(computers=levels, engines=engines, stand_ins=stand_ins)
    return changed.show(Message.COMPUTER, seat=order.seat, level=order.level)
