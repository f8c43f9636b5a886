"""The club's members are the players of the register in its data folder: one key for both, and one place for names."""

from __future__ import annotations

from pathlib import Path

from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player
from scharten.tournament.entries import EnterMember

NEW = "new"
"""The key of a member who is not in the register yet."""


class Register:
    """The register of one data folder; `journal` is the name of the board's journal there, if a board plays in it."""

    def __init__(self, folder: Path, journal: str) -> None:
        self._book = PlayerBook(folder, journal, GAMES_BY_KEY)

    def members(self) -> list[EnterMember]:
        """Everybody in the register as a member."""
        return [
            _member(player, EnterMember(type="member", key=player.id, name="?"))
            for player in self._book.players()
        ]

    def keep(self, member: EnterMember) -> EnterMember | Problem:
        """Keep a member under the register's key; what the register does not know (rating, limit) stays as it is."""
        known = {player.id: player for player in self._book.players()}.get(member.key)
        profile = known.profile.model_dump() if known else {}
        wanted = {**profile, "name": member.name, "language": member.language}
        kept = self._book.keep(wanted, known.id if known else None)
        return kept if isinstance(kept, Problem) else _member(kept, member)

    def gone(self) -> frozenset[str]:
        """The keys of who was deleted."""
        return self._book.gone()

    def written(self) -> int:
        """Another number once the register was written, by whomever."""
        return self._book.written()

    def delete(self, key: str) -> None:
        """Forget a player with every dart."""
        self._book.delete(key)


def _member(player: Player, given: EnterMember) -> EnterMember:
    profile = player.profile
    return given.model_copy(
        update={"key": player.id, "name": profile.name, "language": profile.language or given.language}
    )
