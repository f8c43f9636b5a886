"""The commands of `make bench` that try the packages, the set-up of a bare clone, and an archive of many games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (setup, fresh, deb, container, scale):
        app.command()(command)


def setup(
    tools: Annotated[str, typer.Option(help="uv, pip, or both with a comma between.")] = "uv,pip",
) -> None:
    """From a bare clone to the first page by `make run`, with empty caches and with full ones.

    Targets, with empty caches: 10 s with uv, 30 s with pip. What is downloaded is 80 MB.
    """
    from lab.setup_time import run

    raise typer.Exit(run(tuple(tools.split(","))))


def fresh(
    only: Annotated[str, typer.Option(help="Rows whose name contains this.")] = "",
    full: Annotated[bool, typer.Option("--full", help="Every test, not the quick ones.")] = False,
    tests: Annotated[str, typer.Option(help="Run these tests in each row, such as tests/journal.")] = "",
    share: Annotated[
        list[Path] | None,
        typer.Option(help="File or folder of this machine that a root gets too, such as a pip.conf."),
    ] = None,
) -> None:
    """`make run` and `make test` on bare machines: Debian 12 and 13, users, paths, umasks, little memory.

    Target: each row is served and fails no test. Needs root and mmdebstrap.
    """
    from lab.fresh import QUICK, run

    raise typer.Exit(run(only, "" if full else tests or QUICK, tuple(share or ())))


def deb(
    package: Annotated[
        Path | None, typer.Option(help="A package; else it is built for this machine.")
    ] = None,
    clean: Annotated[
        Path | None, typer.Option(help="Tar of a clean Debian; else mmdebstrap makes one.")
    ] = None,
    suite: Annotated[str, typer.Option(help="Debian's release.")] = "bookworm",
) -> None:
    """The Debian package in a clean system that a real systemd boots: installed, upgraded, removed, purged.

    Target: every claim holds. Needs root, systemd-nspawn, mmdebstrap and lintian.
    """
    from lab.deb import run

    raise typer.Exit(run(package, clean, suite))


def container(
    base: Annotated[
        Path | None, typer.Option(help="Tar of a clean Debian, where no registry is reached.")
    ] = None,
    build: Annotated[bool, typer.Option(help="Build the images first.")] = True,
) -> None:
    """The container's image and the add-on's, built by buildah and run: accounts, Mosquitto, pages, users.

    Target: every claim holds. Needs root, buildah and Mosquitto.
    """
    from lab.container import run

    raise typer.Exit(run(base, build))


def scale(
    games: Annotated[int, typer.Option(min=1000, help="Games in the archive.")] = 1_000_000,
    turns: Annotated[int, typer.Option(min=1, help="Positions of each copy that fills the archive.")] = 40,
) -> None:
    """An archive of a million games on PostgreSQL: search p95 100 ms, intake 500 games a second, a deletion in 1 s.

    The steps before it have commands of their own: evening (a club), federation (a region). Needs PostgreSQL; a million
    games take 15 GB.
    """
    from lab.scale import run

    raise typer.Exit(run(games, turns))
