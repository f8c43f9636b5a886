"""The club's members are the players of the register in its data folder: one key for both, and one place for names."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player
from scharten.tournament.entries import EnterMember
from scharten.tournament.model import Club, Member, MemberKey

NEW = "new"
"""The key of a member without an entry in the register."""


def changed_members(book: PlayerBook, club: Club) -> list[EnterMember]:
    """Return the register's players who are new to the club or have another name or language there."""
    found = []
    for player in book.players():
        known = club.members.get(MemberKey(player.id))
        entry = _entry(player, known or Member(MemberKey(player.id), player.profile.name))
        if known is None or (known.name, known.language) != (entry.name, entry.language):
            found.append(entry)
    return found


def save_member(book: PlayerBook, member: EnterMember, given: frozenset[str]) -> EnterMember | Problem:
    """Save a member under the register's key; of the profile only the `given` fields change."""
    known = {player.id: player for player in book.players()}.get(member.key)
    profile = known.profile.model_dump() if known else {}
    wanted = {**profile, "name": member.name}
    if known is None or "language" in given:
        wanted["language"] = member.language
    saved = book.save(wanted, known.id if known else None)
    if isinstance(saved, Problem):
        return saved
    kept = Member(MemberKey(saved.id), member.name, member.rating, member.foul_limit, member.language)
    return _entry(saved, kept)


def _entry(player: Player, member: Member) -> EnterMember:
    """Return a player as a member who keeps strength and limit, which the register does not have."""
    return EnterMember(
        type="member",
        key=player.id,
        name=player.profile.name,
        rating=member.rating,
        foul_limit=member.foul_limit,
        language=player.profile.language or member.language,
    )
