"""Write a club's NATS configuration into a folder, keeping existing secrets."""

from __future__ import annotations

import re
from pathlib import Path

from scharten.club_broker.folder import check_words, ensure_secrets
from scharten.club_broker.mosquitto import Tls, username
from scharten.club_broker.mosquitto_folder import ClubPlan
from scharten.club_broker.nats import NatsClub, NatsNode, nats_text
from scharten.contract.roles import Account
from scharten.errors import SchartenError
from scharten.system.secrets import write_private
from scharten.system.tls import ensure_tls

STORE = Path("/var/lib/nats")
CLUSTERS = (1, 3, 5)
"""Numbers of nodes of which a majority stays when one is lost, and one alone."""
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}")


def write_nats(plan: ClubPlan, hosts: tuple[str, ...], folder: Path, new_secrets: bool = False) -> str:
    """Check the plan, write a configuration for each host (one without any) and return instructions."""
    _check(plan, hosts)
    folder = folder.resolve()
    home = plan.installed_at or folder
    tls = (
        Tls(home / "tls/ca.pem", home / "tls/server.pem", home / "tls/server.key") if plan.tls_hosts else None
    )
    port = plan.port or (8883 if tls else 1883)
    names = hosts or ("nats",)
    nodes = tuple(NatsNode(f"node{at}", host, plan.bind, port) for at, host in enumerate(names, 1))
    club = NatsClub(plan.boards, nodes, plan.prefix, plan.club, plan.anonymous_display, tls)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if plan.tls_hosts:
            ensure_tls(folder / "tls", tuple(dict.fromkeys((*plan.tls_hosts, *hosts))))
        secrets = ensure_secrets(club.accounts(), folder / "secrets", new_secrets)
        for node in nodes:
            write_private(folder / _file(node), nats_text(club, node, secrets, STORE))
    except OSError as error:
        raise SchartenError.coded("unwritable_out", path=folder, why=error) from error
    return _guide(club, folder, home, (plan.tls_hosts or hosts or ("HOST",))[0])


def _check(plan: ClubPlan, hosts: tuple[str, ...]) -> None:
    check_words((plan.prefix, plan.club, *plan.boards))
    if len(set(plan.boards)) < len(plan.boards):
        raise SchartenError.coded("board_twice")
    if plan.bridge or plan.house_bind:
        option = "--bridge" if plan.bridge else "--bind-boards"
        raise SchartenError.coded("for_mosquitto", option=option)
    if len(hosts or ("one",)) not in CLUSTERS or len(set(hosts)) < len(hosts):
        raise SchartenError.coded("nats_nodes")
    for name in (*hosts, plan.bind):
        if not _HOST.fullmatch(name):
            raise SchartenError.coded("not_a_host", name=name)


def _file(node: NatsNode) -> str:
    return f"nats-{node.name}.conf"


def _guide(club: NatsClub, folder: Path, home: Path, host: str) -> str:
    files = " ".join(_file(node) for node in club.nodes)
    board, port, scheme = club.boards[0], club.nodes[0].mqtt_port, "mqtts" if club.tls else "mqtt"
    lines = [f"Written to {folder}: {files} secrets/{' tls/' if club.tls else ''}", ""]
    lines.append("1. On each machine, as root, after `apt install nats-server`:")
    for node in club.nodes:
        lines.append(f"     {node.host}: install -o nats -m 600 {_file(node)} /etc/nats-server.conf")
    if club.tls:
        lines.append(
            f"     install -d {home}/tls; install -o nats -m 600 tls/server.pem tls/server.key {home}/tls/"
        )
    lines.append("     systemctl restart nats-server")
    if len(club.nodes) > 1:
        route = club.nodes[0].route_port
        lines.append(
            f"   Start all nodes before the first client. Port {route} between them is not encrypted: keep it in a"
            " network of their own."
        )
    lines += [
        f"2. On the machine of each board, with its own name in place of {board}:",
        "     [board]",
        f'     id = "{board}"',
        "     [broker]",
        f'     url = "{scheme}://{host}:{port}"',
        f'     credentials = ".../secrets"   # a folder with {username(board, Account.HOST)} and '
        f"{username(board, Account.WEB)} of secrets/",
        *(['     ca_file = ".../tls/ca.pem"'] if club.tls else []),
        f"3. scharten club --broker {scheme}://organiser@{host}:{port} --password-file secrets/organiser; the archive's"
        " account is `archive`.",
        f"4. 'scharten doctor --broker {scheme}://{host}:{port}' tries what the boards need.",
    ]
    if not club.tls:
        lines += [
            "",
            "Without --tls, passwords cross the network in the clear: only for a network of your own.",
        ]
    return "\n".join(lines)
