"""The fields of the `new_game` that begins a pairing's game, handicap included."""

from __future__ import annotations

from collections.abc import Mapping

from scharten.tournament.model import Club, MemberKey, Pairing, Season

DEFAULT_LIMIT = 3


def new_game(club: Club, season: Season, pairing: Pairing) -> Mapping[str, object]:
    """Return game, kind, options, names and clock; seat 1 has White. A member's own foul limit is the handicap."""
    options = season.options
    more: dict[str, object] = {"white_by": "agreed", **options.game_options}
    limits = {"white": _limit(club, season, pairing.white), "black": _limit(club, season, pairing.black)}
    if options.kind == "loud" and any(limit is not None for limit in limits.values()):
        more["foul_limit"] = {side: limit or _usual(season, side) for side, limit in limits.items()}
    return {
        "game": options.game,
        "kind": options.kind.value,
        "options": more,
        "names": {"white": club.name_of(pairing.white), "black": club.name_of(pairing.black)},
        "players": {"white": pairing.white, "black": pairing.black},
        "clock": options.clock.model_dump(mode="json", exclude_none=True) if options.clock else None,
        "seats": {"seat1": "white", "seat2": "black"},
    }


def _limit(club: Club, season: Season, key: MemberKey) -> int | None:
    member = club.members.get(key)
    return member.foul_limit if member and season.options.handicap else None


def _usual(season: Season, side: str) -> int:
    given = season.options.game_options.get("foul_limit")
    limit = given.get(side) if isinstance(given, dict) else None
    return limit if isinstance(limit, int) else DEFAULT_LIMIT
