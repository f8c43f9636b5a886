"""Begin a game: check a `new_game` order and resolve its options (contract.md, rules 8)."""

from __future__ import annotations

import hashlib

from scharten.errors import Problem
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Games
from scharten.match.codes import Message, RefusalCode, WhyRefused
from scharten.match.inputs import Actor
from scharten.match.orders import Names, NewGame, Players
from scharten.match.seats import drawing
from scharten.match.seats.computers import computer_refused, stand_in_seated
from scharten.match.settings import EDITION, MatchSettings, OptionValues, Start, find_game, read_options
from scharten.match.state import Match, Step, begin, clock_settings
from scharten.match.white import Seat, draw_lot


def new_match(settings: MatchSettings, games: Games) -> Match:
    """The match before the first game: phase `setup`, offering the configured game."""
    options = settings.options_of(settings.game)
    return begin(Start(settings=settings, game=settings.game, options=options), games)


def new_game(match: Match, order: NewGame, actor: Actor) -> Step | Problem:
    """Start a game; while another is on, only with `abandon`."""
    settings = match.next_settings or match.start.settings
    game = find_game(match.games, order.game or settings.game)
    if isinstance(game, Problem):
        return game
    options = read_options(game, _chosen_options(settings.options_of(game.key), order))
    if isinstance(options, Problem):
        return options
    if (refused := _refusal(game, options, order)) is not None:
        return refused
    white = _white(options, order, actor.seed)
    players, stand_ins = _by_seat(order.players, white), (order.stand_ins.seat1, order.stand_ins.seat2)
    if any(player and stand_in for player, stand_in in zip(players, stand_ins, strict=True)):
        return stand_in_seated()
    start = Start(
        settings=settings,
        id=_game_id(order, actor),
        t_ms=actor.now,
        game=game.key,
        options=options.model_dump(mode="json"),
        white=white,
        names=_by_seat(order.names, white),
        players=players,
        edition=EDITION,
        computers=(order.computers.seat1 or 0, order.computers.seat2 or 0),
        engines=(order.engines.seat1, order.engines.seat2),
        stand_ins=stand_ins,
        away=order.away,
        draw_seed=_draw_seed(order, actor) if game.draws is not None else "",
    )
    # `begin` sets the message of the display, so that a replay from `start` shows the same.
    begun = Step(begin(start, match.games)).note(Message.NEW_GAME, kind=options.kind, game=game.key)
    if white is None:
        return drawing.announce(begun).note(Message.DECIDING, seat=Seat.SEAT1.value)
    return drawing.announce(begun.note(Message.WHITE_FOUND, seat=white.value, by=options.white_by))


def _refusal(game: AnyGame, options: GameOptions, order: NewGame) -> Problem | None:
    """Return why clock, seats or computers cannot be as ordered."""
    clock = clock_settings(options)
    if isinstance(clock, Problem):
        return Problem(RefusalCode.MALFORMED, clock.words, {"why": clock.code, **clock.args})
    if order.seats.seat1 == order.seats.seat2:
        return Problem(RefusalCode.MALFORMED, "the seats play different colours", {"why": WhyRefused.SEATS})
    computers, engines, stand_ins = order.computers, order.engines, order.stand_ins
    refusals = (
        computer_refused(game, computers.seat1 or 0, engines.seat1, stand_ins.seat1),
        computer_refused(game, computers.seat2 or 0, engines.seat2, stand_ins.seat2),
    )
    return next(filter(None, refusals), None)


def _chosen_options(configured: OptionValues, order: NewGame) -> OptionValues:
    """The configured options with those of the order; null means as configured."""
    chosen: OptionValues = {name: value for name, value in order.options.items() if value is not None}
    if order.kind is not None:
        chosen["kind"] = order.kind
    if "clock" in order.model_fields_set:
        chosen["clock"] = None if order.clock is None else order.clock.model_dump(mode="json")
    return {**configured, **chosen}


def _white(options: GameOptions, order: NewGame, seed: int) -> Seat | None:
    if options.white_by == "dart":
        return None
    if options.white_by == "lot":
        return draw_lot(seed)
    return Seat.SEAT1 if order.seats.seat1 == "white" else Seat.SEAT2


def _by_seat(players: Names | Players, white: Seat | None) -> tuple[str, str]:
    """Names or players by seat; those of a colour go to its seat (White's to seat 1 while colours are not known)."""
    first, second = players.white, players.black
    if white is Seat.SEAT2:
        first, second = second, first
    return (players.seat1 or first or "", players.seat2 or second or "")


def _draw_seed(order: NewGame, actor: Actor) -> str:
    """The seal of the draw: 128 bits from the random number that the host adds to the input."""
    return hashlib.sha256(f"draw {actor.seed} {order.id}".encode()).hexdigest()[:32]


def _game_id(order: NewGame, actor: Actor) -> str:
    """New for every game, and the same in a replay: from the order, its time and its seed."""
    text = f"{actor.now} {actor.seed} {order.id}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]
