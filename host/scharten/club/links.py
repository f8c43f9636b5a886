"""The addresses of a club's pages; those of the organiser and the members hold secrets."""

from __future__ import annotations

from collections.abc import Mapping

ORGANISER, MEMBER, TV = "organiser", "member", "tv"
_PATHS = {ORGANISER: "evening", MEMBER: "join"}


def club_link(url: str, role: str, secrets: Mapping[str, str]) -> str:
    """Return the address that a role opens."""
    return f"{url}/club" if role == TV else f"{url}/{_PATHS[role]}?role={role}#{secrets[role]}"
