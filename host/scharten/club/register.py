"""The club's members are the players of the register in its data folder: one key for both, and one place for names."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player
from scharten.tournament.entries import EnterMember

NEW = "new"
"""The key of a member without an entry in the register."""


def members(book: PlayerBook) -> list[EnterMember]:
    """Return all players of the register as members."""
    return [_member(player, EnterMember(type="member", key=player.id, name="?")) for player in book.players()]


def save_member(book: PlayerBook, member: EnterMember) -> EnterMember | Problem:
    """Save a member under the register's key; rating and limit, which the register does not have, stay."""
    known = {player.id: player for player in book.players()}.get(member.key)
    profile = known.profile.model_dump() if known else {}
    wanted = {**profile, "name": member.name, "language": member.language}
    saved = book.save(wanted, known.id if known else None)
    return saved if isinstance(saved, Problem) else _member(saved, member)


def _member(player: Player, given: EnterMember) -> EnterMember:
    profile = player.profile
    return given.model_copy(
        update={"key": player.id, "name": profile.name, "language": profile.language or given.language}
    )
