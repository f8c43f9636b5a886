"""Write a club's or a centre's Mosquitto configuration into a folder, keeping existing secrets."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from scharten.club_broker.federation import Bridge, Centre, account_of, bridge_text, centre_acl, centre_conf
from scharten.club_broker.folder import check_words, ensure_secrets
from scharten.club_broker.mosquitto import ClubBroker, Tls, acl_text, conf_text, password_text, username
from scharten.contract.roles import Account
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress
from scharten.system.secrets import write_private
from scharten.system.tls import ensure_tls
from scharten.words import ENGLISH, text


@dataclass(frozen=True, slots=True)
class ClubPlan:
    """The options of the command line. `port` 0 is the default port; the boards' own listener has the next.

    `house_bind` "" means this machine for one board, and `bind` for several.
    """

    boards: tuple[str, ...]
    prefix: str = "scharten"
    club: str = "home"
    bind: str = "0.0.0.0"
    port: int = 0
    house_bind: str = ""
    tls_hosts: tuple[str, ...] = ()
    anonymous_display: bool = False
    installed_at: Path | None = None
    bridge: BrokerAddress | None = None


def write_club(plan: ClubPlan, folder: Path, new_secrets: bool = False, language: str = ENGLISH) -> str:
    """Check the names, write the files and return instructions in this language.

    Files of mode 600: `passwords` (hashed, for Mosquitto), `secrets/<account>` (the folder for `broker.credentials`),
    and the keys.
    """
    _check_names(plan)
    folder = folder.resolve()
    home = plan.installed_at or folder
    club = _club(plan, home)
    conf = conf_text(club, home / "passwords", home / "acl")
    if plan.bridge:
        conf += bridge_text(Bridge(plan.bridge, plan.prefix, plan.club))
    private = plan.bridge is not None  # then it holds a password
    _write(
        folder,
        club.accounts(),
        acl_text(club),
        conf,
        plan.tls_hosts,
        new_secrets=new_secrets,
        private=private,
    )
    return _guide(plan, club, folder, home, language)


def write_centre(
    clubs: tuple[str, ...], folder: Path, tls_hosts: tuple[str, ...], centre: Centre, language: str = ENGLISH
) -> str:
    """Write a centre's files and return instructions in this language."""
    check_words((centre.prefix, *clubs, *(board for boards in centre.boards.values() for board in boards)))
    folder = folder.resolve()
    conf = centre_conf(centre, folder / "passwords", folder / "acl")
    _write(folder, centre.accounts(), centre_acl(centre), conf, tls_hosts)
    host, scheme = (tls_hosts or ("HOST",))[0], "mqtts" if tls_hosts else "mqtt"
    return "\n".join(
        [
            text(language, "broker_config.written", folder=folder, files=_files(tls_hosts)),
            text(language, "broker_config.centre.run", folder=folder),
            text(language, f"broker_config.centre.{'clubs_tls' if tls_hosts else 'clubs'}"),
            *(
                f"     scharten broker-config --club {club} --bridge {scheme}://{account_of(club)}@{host}:{centre.port}"
                f" --bridge-password {account_of(club)}{' --bridge-ca ca.pem' if tls_hosts else ''}"
                for club in clubs
            ),
        ]
    )


def _write(
    folder: Path,
    accounts: tuple[str, ...],
    acl: str,
    conf: str,
    tls_hosts: tuple[str, ...],
    *,
    new_secrets: bool = False,
    private: bool = False,
) -> None:
    """Write secrets, certificates, ACL and configuration; the last with mode 600 if `private`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if tls_hosts:
            ensure_tls(folder / "tls", tls_hosts)
        secrets = ensure_secrets(accounts, folder / "secrets", new_secrets)
        salts = {name: os.urandom(12) for name in secrets}
        write_private(folder / "passwords", password_text(secrets, salts))
        (folder / "acl").write_text(acl, encoding="utf-8")
        if private:
            write_private(folder / "mosquitto.conf", conf)
        else:
            (folder / "mosquitto.conf").write_text(conf, encoding="utf-8")
    except OSError as error:
        raise SchartenError.coded("unwritable_out", path=folder, why=error) from error


def _check_names(plan: ClubPlan) -> None:
    check_words((plan.prefix, plan.club, *plan.boards))
    if len(set(plan.boards)) < len(plan.boards):
        raise SchartenError.coded("board_twice")
    if any(
        not part.isprintable() or " " in part
        for part in (plan.bind, plan.house_bind, str(plan.installed_at or ""))
    ):
        raise SchartenError.coded("one_word_options")


def _club(plan: ClubPlan, home: Path) -> ClubBroker:
    tls = (
        Tls(home / "tls/ca.pem", home / "tls/server.pem", home / "tls/server.key") if plan.tls_hosts else None
    )
    port = plan.port or (8883 if tls else 1883)
    house = plan.house_bind or ("127.0.0.1" if len(plan.boards) == 1 else plan.bind)
    return ClubBroker(
        plan.boards, plan.prefix, plan.club, plan.bind, port, house, port + 1, plan.anonymous_display, tls
    )


def _files(tls: object) -> str:
    return f"mosquitto.conf, acl, passwords, secrets/{' tls/' if tls else ''}"


def _guide(plan: ClubPlan, club: ClubBroker, folder: Path, home: Path, language: str) -> str:
    board = plan.boards[0]
    host = plan.tls_hosts[0] if plan.tls_hosts else "HOST"
    lines = [
        text(language, "broker_config.written", folder=folder, files=_files(club.tls)),
        "",
        text(language, "broker_config.install"),
        *(f"     {step}" for step in _install(club, folder, home)),
        f"     mosquitto -c {home}/mosquitto.conf",
        *board_settings(board, f"{'mqtts' if club.tls else 'mqtt'}://{host}:{club.house_port}", language),
        text(language, "broker_config.doctor"),
        f"{text(language, 'broker_config.everybody', port=club.port)} {_house(club, language)}",
    ]
    if not club.tls:
        lines += ["", text(language, "broker_config.clear")]
    return "\n".join(lines)


def board_settings(board: str, url: str, language: str) -> list[str]:
    """Return the step that configures each board for the broker at this URL, `mqtts:` with its certificate."""
    accounts = {"host": username(board, Account.HOST), "web": username(board, Account.WEB)}
    return [
        text(language, "broker_config.boards", board=board),
        "     [board]",
        f'     id = "{board}"',
        "     [broker]",
        f'     url = "{url}"',
        f'     credentials = ".../secrets"   # {text(language, "broker_config.credentials", **accounts)}',
        *(['     ca_file = ".../tls/ca.pem"'] if url.startswith("mqtts:") else []),
    ]


def _house(club: ClubBroker, language: str) -> str:
    """Return how to keep the boards' listener free."""
    alone = club.house_bind in ("127.0.0.1", "::1", "localhost")
    return text(language, f"broker_config.{'house_here' if alone else 'house'}", port=club.house_port)


def _install(club: ClubBroker, folder: Path, home: Path) -> list[str]:
    """Return the commands that give Mosquitto's user the files it reads, but no secrets and no authority's key."""
    read = ["acl", "passwords"]
    tls = ["tls/ca.pem", "tls/server.pem", "tls/server.key"] if club.tls else []
    if home == folder:
        return [f"chown mosquitto: {' '.join(f'{folder}/{name}' for name in read + tls)}"]
    steps = [
        f"install -d {home}{f' {home}/tls' if tls else ''}",
        f"install -m 644 {folder}/mosquitto.conf {home}/",
    ]
    for names, place in ((read, home), (tls, home / "tls")):
        if names:
            sources = " ".join(f"{folder}/{name}" for name in names)
            steps.append(f"install -o mosquitto -m 600 {sources} {place}/")
    return steps
