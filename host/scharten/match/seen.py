"""Commands of a game that were carried out: a repeated one must not run again, even when its answer is forgotten."""

from __future__ import annotations

from scharten.match.inputs import Command, Input

MOST_COMMANDS = 4_000


class SeenCommands:
    """Hashes of a game's stored commands, kept longer than their answers; bounded, and salted against forgery."""

    def __init__(self) -> None:
        self._hashes: dict[int, None] = {}

    def observe(self, given: Input) -> None:
        """An input was stored, now or in an earlier run."""
        if isinstance(given, Command):
            self._hashes[_hash_of(given)] = None
            if len(self._hashes) > MOST_COMMANDS:
                self._hashes.pop(next(iter(self._hashes)))

    def __contains__(self, given: Command) -> bool:
        return _hash_of(given) in self._hashes


def _hash_of(given: Command) -> int:
    return hash((given.order.match, given.role.value, given.order.id))
