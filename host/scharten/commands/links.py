"""`scharten links`: the address of the page for each role, with its secret."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from scharten.commands.options import AsJson, DataFolder
from scharten.commands.words import words
from scharten.errors import SchartenError


def links(
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Print each role's link to the running daemon and club; anybody with a link plays as its role.

    For a service, whose log must not hold secrets.
    """
    from scharten.commands.club import running_club_links
    from scharten.config import data_folder

    folder = data or data_folder()
    found = _board_links(folder)
    club = running_club_links(folder)
    if not found and not club:
        raise SchartenError(words("links.none", folder=folder), words("links.none.cure"))
    if as_json:
        typer.echo(json.dumps({**found, **({"club": club} if club else {})}))
        return
    of_club = [(words("links.club", role=role), link) for role, link in club.items()]
    for role, link in (*found.items(), *of_club):
        typer.echo(f"{role}: {link}")


def _board_links(folder: Path) -> dict[str, str]:
    """Return the links of the board that plays with this data folder; none if none plays."""
    from scharten.daemon.logins import LINKED
    from scharten.setup.running_daemon import running_file
    from scharten.system.secrets import load_or_make

    url = (running_file(folder) or {}).get("page")
    if url is None:
        return {}
    secrets = load_or_make(folder / "secrets.json")
    return {
        "display": f"{url}/?role=display",
        **{role.value: f"{url}/?role={role.value}#{secrets[role]}" for role in LINKED},
    }
