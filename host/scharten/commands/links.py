"""`scharten links`: the address of the page for each role, with its secret."""

from __future__ import annotations

import json

import typer

from scharten.commands.options import AsJson, DataFolder
from scharten.errors import SchartenError


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def links(
        data: DataFolder = None,
        as_json: AsJson = False,
    ) -> None:
        """Print each role's link to the running daemon; anybody with a link plays as its role.

        For a daemon that runs as a service, whose log must not hold secrets.
        """
        from scharten.config import data_folder
        from scharten.daemon.logins import LINKED
        from scharten.system.secrets import load_or_make

        folder = data or data_folder()
        try:
            url = json.loads((folder / "running.json").read_text())["page"]
        except (OSError, ValueError, KeyError) as error:
            raise SchartenError(
                f"No daemon plays in {folder}.", "Start it, or name its folder with --data."
            ) from error
        secrets = load_or_make(folder / "secrets.json")
        found = {"display": f"{url}/?role=display"}
        found |= {role.value: f"{url}/?role={role.value}#{secrets[role]}" for role in LINKED}
        if as_json:
            typer.echo(json.dumps(found))
            return
        for role, link in found.items():
            typer.echo(f"{role}: {link}")
