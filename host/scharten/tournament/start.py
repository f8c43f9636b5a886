"""How the game of a pairing begins: the fields of its `new_game`, handicap included."""

from __future__ import annotations

from collections.abc import Mapping

from scharten.tournament.model import Club, Pairing, Season

DEFAULT_LIMIT = 3


def new_game(club: Club, season: Season, pairing: Pairing) -> Mapping[str, object]:
    """Game, kind, options, names and clock; seat 1 has White. Each member's own foul limit is the handicap."""
    options = season.options
    more: dict[str, object] = {"white_by": "agreed", **options.game_options}
    limits = {"white": _limit(club, season, pairing.white), "black": _limit(club, season, pairing.black)}
    if options.kind == "loud" and any(one is not None for one in limits.values()):
        more["foul_limit"] = {side: one or _usual(season, side) for side, one in limits.items()}
    return {
        "game": options.game,
        "kind": options.kind.value,
        "options": more,
        "names": {"white": club.name_of(pairing.white), "black": club.name_of(pairing.black)},
        "players": {"white": pairing.white, "black": pairing.black},
        "clock": options.clock.model_dump(mode="json", exclude_none=True) if options.clock else None,
        "seats": {"seat1": "white", "seat2": "black"},
    }


def _limit(club: Club, season: Season, key: object) -> int | None:
    found = next((one for one in club.members.values() if one.key == key), None)
    return found.foul_limit if found and season.options.handicap else None


def _usual(season: Season, side: str) -> int:
    given = season.options.game_options.get("foul_limit")
    limit = given.get(side) if isinstance(given, dict) else None
    return limit if isinstance(limit, int) else DEFAULT_LIMIT
