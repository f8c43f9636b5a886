"""`scharten doctor`: checks of this machine, each with its cure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import AsJson
from scharten.commands.words import chosen_language, confirmed, words
from scharten.mqtt.address import parse_url
from scharten.words import LANGUAGES, text


def doctor(
    *,
    config_file: Annotated[Path | None, typer.Option("--config", help="The configuration to check.")] = None,
    data: Annotated[Path | None, typer.Option("--data", help="The folder with journal and secrets.")] = None,
    cure: Annotated[
        bool, typer.Option("--cure", help="Apply the cures that this program can apply; asks before each.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --cure: do not ask.")] = False,
    language: Annotated[str, typer.Option(help=f"One of {', '.join(LANGUAGES)}.")] = "",
    broker: Annotated[
        str, typer.Option(help="Check this broker instead: does it offer what the contract needs?")
    ] = "",
    password_file: Annotated[
        Path | None, typer.Option(help="With --broker: file with the password of its account.")
    ] = None,
    ca_file: Annotated[Path | None, typer.Option(help="With --broker: certificate that signs its.")] = None,
    accounts: Annotated[
        Path | None,
        typer.Option(
            help="With --broker: folder with the accounts' passwords; each account tries what it may not do."
        ),
    ] = None,
    node: Annotated[
        str,
        typer.Option(
            help="With --broker: another node of its cluster, which must receive what the first receives."
        ),
    ] = "",
    topics: Annotated[
        str, typer.Option(help="With --accounts: prefix, club and board.")
    ] = "scharten/home/board1",
    remote: Annotated[
        str, typer.Option(help="Check this invitation instead: which ways lead to its host?")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check versions, folder, journal, clock, ports, broker, certificate, board and cameras; report what is wrong.

    Exit status 0 when nothing keeps a game from being played. The page /setup shows the same with buttons.
    """
    if language not in ("", *LANGUAGES):
        raise typer.BadParameter(f"use {', '.join(LANGUAGES)}")
    language = language or chosen_language()
    if remote:
        raise typer.Exit(_try_remote(remote, config_file, data, language))
    if broker:
        login = (password_file, ca_file)
        raise typer.Exit(_try_broker((broker, node), login, accounts, topics, language))
    failed = _look_at_this_machine(
        config_file, data, language, lambda what: cure and (yes or _agreed(what, language)), as_json
    )
    if not as_json:
        typer.echo(words("doctor.bad" if failed else "doctor.good", language, count=failed))
    raise typer.Exit(1 if failed else 0)


def _agreed(what: str, language: str) -> bool:
    return confirmed(words("doctor.ask", language, cure=text(language, f"setup.cure.{what}")), language)


def _look_at_this_machine(
    config_file: Path | None,
    data: Path | None,
    language: str,
    may_cure: Callable[[str], bool],
    as_json: bool,
) -> int:
    """Print each finding and apply the agreed cures; return how many findings keep a game from being played."""
    from scharten import config
    from scharten.setup.config_file import ConfigFile
    from scharten.setup.cures import cured
    from scharten.setup.doctor import examined
    from scharten.setup.finding import Weight

    folder = data or config.data_folder()
    path = config.find(config_file, folder)
    findings = list(examined(config.load(path), folder))
    failed = sum(found.weight is Weight.BAD for found in findings)
    if as_json:
        typer.echo(json.dumps([found.as_json(language) for found in findings], ensure_ascii=False))
        return failed
    for found in findings:
        result, todo = found.words(language)
        typer.echo(f"{found.weight.mark} {result}")
        if todo:
            typer.echo(f"    → {todo}")
        if found.cure and may_cure(found.cure):
            restarts = cured(found.cure, folder, ConfigFile(path or folder / "scharten.toml"))
            done = "doctor.done_later" if restarts else "doctor.done"
            typer.echo(words(done, language, cure=text(language, f"setup.cure.{found.cure}")))
    return failed


def _try_remote(link: str, config_file: Path | None, data: Path | None, language: str) -> int:
    """Print what each way to the host of an invitation does; return 1 when none leads there."""
    from scharten import config
    from scharten.setup.finding import Weight
    from scharten.setup.remote_paths import remote_paths
    from scharten.words import text

    settings = config.load(config.find(config_file, data or config.data_folder())).remote
    works = False
    for found in remote_paths(link, settings):
        words, todo = found.words(language)
        typer.echo(f"{found.weight.mark} {words}")
        if todo:
            typer.echo(f"    → {todo}")
        works |= found.weight is Weight.GOOD
    typer.echo(text(language, "finding.remote_can" if works else "finding.remote_cannot"))
    return int(not works)


def _try_broker(
    urls: tuple[str, str],
    login: tuple[Path | None, Path | None],
    accounts: Path | None,
    topics: str,
    language: str,
) -> int:
    """Print each trial; return 1 when something fails that boards and pages need.

    `urls` are those of the broker and of another node ("": none), `login` the files of password and certificate.
    """
    from scharten.club_broker.access_trial import access_trials, logins_in, read_topics
    from scharten.club_broker.fitness import for_home_assistant, trials
    from scharten.mqtt.address import Credentials
    from scharten.system.secrets import read_password

    password_file, ca_file = login
    address, other = (parse_url(url, ca_file) if url else None for url in urls)
    assert address is not None
    if password_file is not None and address.account is not None:
        address = address.for_account(Credentials(address.account.username, read_password(password_file)))
    node = other and other.for_account(address.account)
    unfit, tried = 0, []
    apart = accounts and access_trials(address, read_topics(topics), logins_in(accounts, topics))
    for trial in apart or trials(address, node=node):
        tried.append(trial)
        typer.echo(f"{'✓' if trial.works else '✗'} {trial.title(language)}")
        if not trial.works:
            typer.echo(f"    → {trial.breaks(language)}")
        unfit += not trial.works
    if not accounts and tried[-1].code not in ("rights", "account"):
        typer.echo(text(language, for_home_assistant(tried)))
    typer.echo(words("doctor.unfit" if unfit else "doctor.fit", language, broker=address, count=unfit))
    return int(unfit > 0)
