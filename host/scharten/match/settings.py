"""The settings of a board, the start of a match, and a game's options read from JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, ValidationError, model_validator
from pydantic_core import to_json

from scharten.errors import Problem
from scharten.game.options import ClockRequest, Closed, GameOptions
from scharten.game.protocol import AnyGame, Games
from scharten.match.codes import RefusalCode, WhyRefused
from scharten.match.orders import BySeat, StandInBySeat
from scharten.match.white import Seat

EDITION = 4
"""The edition of new games: since the second, a forced pass or a dart lost in check declines no draw offer; since the
third, a knock where every dart counts may be a lost dart (`knock_in_auto`); since the fourth, a seat declares
only its own dart lost."""
FIRST_GAME = "scharten"
"""The game of journals and configurations that name none: it was the only one."""
OptionValues = dict[str, JsonValue]
"""A game's options as JSON, with or without those at their default."""


def _of_one_game(given: Any) -> Any:
    """Journals of schemas 1 to 3 hold the options of the only game under `game`."""
    if isinstance(given, Mapping) and isinstance(given.get("game"), Mapping):
        return {**given, "game": FIRST_GAME, "options": given["game"]}
    return given


class MatchSettings(Closed):
    """The board and event, how the players sit, the game that a new match has, and the options of each game."""

    board: str = Field("board1", pattern=r"^[a-z0-9_-]{1,32}$")
    white_sits_at: Literal[3, 20] = 3
    event: str = Field("", max_length=80)
    game: str = FIRST_GAME
    options: dict[str, OptionValues] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _old(cls, given: Any) -> Any:
        read = _of_one_game(given)
        return read if read is given else {**read, "options": {FIRST_GAME: read["options"]}}

    def options_of(self, game: str) -> OptionValues:
        """The configured options of a game."""
        return self.options.get(game, {})


class Start(Closed):
    """The start of a match: its id ("" before the first game), game and options; the seat of White if known."""

    settings: MatchSettings
    id: str = ""
    t_ms: int = 0
    game: str = FIRST_GAME
    options: OptionValues = Field(default_factory=dict)
    white: Annotated[Seat | None, Field(strict=False)] = None
    names: Annotated[tuple[str, str], Field(strict=False)] = ("", "")
    players: Annotated[tuple[str, str], Field(strict=False)] = ("", "")
    """By seat the id of the registered player, "" for a guest."""
    draw_seed: str = Field("", pattern=r"^([0-9a-f]{32})?$")
    """The seed that seals the draw of an opening, "" where nothing is drawn."""
    computers: Annotated[tuple[int, int], Field(strict=False)] = (0, 0)
    """By seat the level at which the computer plays it, 0 for a person."""
    engines: Annotated[BySeat, Field(strict=False)] = (None, None)
    """By seat the engine that chooses its moves; None: the built-in player or a person does."""
    stand_ins: Annotated[StandInBySeat, Field(strict=False)] = (None, None)
    """By seat the player as whom the computer plays it."""
    edition: int = Field(1, ge=1, le=EDITION)
    """The referee's behaviour that replays must keep; journals that name none are of the first."""
    away: Literal["seat1", "seat2"] | None = None
    """The seat that throws at another board."""

    @model_validator(mode="before")
    @classmethod
    def _old(cls, given: Any) -> Any:
        return _of_one_game(given)


def start_text(start: Start, options: GameOptions, games: Games) -> str:
    """A start for the digest, in the form of the first versions, so that old journals keep their digests."""
    settings = start.settings
    first = games.get(FIRST_GAME)
    configured = read_options(first, settings.options_of(FIRST_GAME)) if first else None
    own = (
        configured.model_dump(mode="json", exclude_defaults=True)
        if isinstance(configured, GameOptions)
        else {}
    )
    common = {
        "board": settings.board if settings.board != "board1" else None,
        "white_sits_at": settings.white_sits_at if settings.white_sits_at != 3 else None,
        "game": own or None,
        "event": settings.event or None,
    }
    written = {
        "settings": {key: value for key, value in common.items() if value is not None},
        "id": start.id or None,
        "t_ms": start.t_ms or None,
        "game": options.model_dump(mode="json", exclude_defaults=True),
        "white": start.white,
        "names": start.names if any(start.names) else None,
        "players": start.players if any(start.players) else None,
        "plays": start.game if start.game != FIRST_GAME else None,
        "draw_seed": start.draw_seed or None,
        "computers": start.computers if any(start.computers) else None,
        "engines": _by_seat_text(start.engines),
        "stand_ins": _by_seat_text(start.stand_ins),
        "edition": start.edition if start.edition != 1 else None,
        "away": start.away,
    }
    return to_json({key: value for key, value in written.items() if value is not None}).decode()


def _by_seat_text(found: BySeat | StandInBySeat) -> list[object] | None:
    """Return engines or stand-ins for the digest, None without any."""
    return [own and own.model_dump() for own in found] if any(found) else None


def read_options(game: AnyGame, values: Mapping[str, object]) -> GameOptions | Problem:
    """A game's options under its own closed model; a refusal names the wrong option."""
    try:
        return game.options_model.model_validate_json(json.dumps(values))
    except ValidationError as error:
        first = error.errors()[0]
        option = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            message = f"{game.key} has no option {option}"
            return Problem(
                RefusalCode.MALFORMED, message, {"why": WhyRefused.UNKNOWN_OPTION, "option": option}
            )
        message = f"{option}: {first['msg']}" if option else first["msg"]
        return Problem(RefusalCode.MALFORMED, message, {"why": first["type"], "option": option})


def find_game(games: Games, key: str) -> AnyGame | Problem:
    """The game with this key; a refusal lists all games."""
    found = games.get(key)
    if found is None:
        message = f"there is no game {key!r} here; there are {', '.join(games)}"
        return Problem(RefusalCode.MALFORMED, message, {"why": WhyRefused.UNKNOWN_GAME, "game": key})
    return found


def clock_json(clock: ClockRequest | None) -> dict[str, object] | None:
    """The `clock` object of the contract: always with `moves`, and with `minutes` or `seconds` as given."""
    if clock is None:
        return None
    stages = [{"moves": stage.moves, **stage.model_dump(exclude_none=True)} for stage in clock.stages]
    return {"stages": stages, "increment_s": clock.increment_s}
