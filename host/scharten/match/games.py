"""Beginning a game: what a `new_game` wishes, checked and resolved (contract.md, rules 8)."""

from __future__ import annotations

import hashlib

from scharten.games.scharten.options import OptionsError
from scharten.match.clock import ClockError
from scharten.match.orders import NewGame
from scharten.match.rights import Actor
from scharten.match.settings import Game, MatchSettings
from scharten.match.state import (
    Match,
    Refusal,
    Start,
    Step,
    begin,
    clock_settings,
    rule_options,
)
from scharten.match.white import Seat, draw_lot


def new_match(settings: MatchSettings) -> Match:
    """The match before the first game: phase `setup`, offering the configured game."""
    return begin(Start(settings=settings, game=settings.game))


def new_game(match: Match, order: NewGame, actor: Actor) -> Step | Refusal:
    """Start a game; refused while one is under way unless it is to be abandoned."""
    settings = match.start.settings
    game = _wished(settings.game, order)
    options, clock = rule_options(game), clock_settings(game.clock)
    if isinstance(options, OptionsError):
        return Refusal("malformed", f"{options.words}. {options.cure}".strip(), {"why": options.code})
    if isinstance(clock, ClockError):
        return Refusal("malformed", clock.words, {"why": clock.code, **dict(clock.args)})
    if order.seats.seat1 == order.seats.seat2:
        return Refusal("malformed", "the seats play different colours", {"why": "seats"})
    white = _white(game, order, actor.seed)
    start = Start(
        settings=settings,
        id=_game_id(order, actor),
        t_ms=actor.now,
        game=game,
        white=white,
        names=_names(order, white),
    )
    # What the display says is part of `begin`, so that a replay from `start` says the same.
    begun = Step(begin(start)).tell("new_game", kind=game.kind)
    if white is None:
        return begun.tell("deciding", seat=Seat.SEAT1.value)
    return begun.tell("white_found", seat=white.value, by=game.white_by)


def _wished(configured: Game, order: NewGame) -> Game:
    wish = {name: getattr(order.options, name) for name in type(order.options).model_fields}
    chosen = {name: value for name, value in wish.items() if value is not None}
    if order.kind is not None:
        chosen["kind"] = order.kind
    if "clock" in order.model_fields_set:
        chosen["clock"] = order.clock
    return configured.model_copy(update=chosen)


def _white(game: Game, order: NewGame, seed: int) -> Seat | None:
    if game.white_by == "dart":
        return None
    if game.white_by == "lot":
        return draw_lot(seed)
    return Seat.SEAT1 if order.seats.seat1 == "white" else Seat.SEAT2


def _names(order: NewGame, white: Seat | None) -> tuple[str, str]:
    """The names by seat; a colour's name goes to the seat that has it (seat 1 while colours are not known)."""
    first, second = order.names.white, order.names.black
    if white is Seat.SEAT2:
        first, second = second, first
    return (order.names.seat1 or first, order.names.seat2 or second)


def _game_id(order: NewGame, actor: Actor) -> str:
    """New for every game, and the same in a replay: from the order, its time and its seed."""
    text = f"{actor.now} {actor.seed} {order.id}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]
