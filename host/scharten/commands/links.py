"""`scharten links`: the address of the page for each role, with its secret."""

from __future__ import annotations

import json

import typer

from scharten.commands.options import DataFolder
from scharten.errors import SchartenError


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def links(
        data: DataFolder = None,
    ) -> None:
        """Print the link of each role at the daemon that runs on this folder; who has a link plays as its role.

        For a daemon that runs as a service, whose log must not hold secrets.
        """
        from scharten.config import data_folder
        from scharten.logins import LINKED
        from scharten.mqtt.secrets import load_or_make

        folder = data or data_folder()
        try:
            url = json.loads((folder / "running.json").read_text())["page"]
        except (OSError, ValueError, KeyError) as error:
            raise SchartenError(
                f"No daemon plays in {folder}.", "Start it, or name its folder with --data."
            ) from error
        secrets = load_or_make(folder / "secrets.json")
        typer.echo(f"display: {url}/?role=display")
        for role in LINKED:
            typer.echo(f"{role.value}: {url}/?role={role.value}#{secrets[role]}")
