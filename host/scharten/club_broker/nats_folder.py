"""Write a club's NATS configuration into a folder, keeping existing secrets."""

from __future__ import annotations

import re
from pathlib import Path

from scharten.club_broker.folder import check_words, ensure_secrets
from scharten.club_broker.mosquitto import Tls
from scharten.club_broker.mosquitto_folder import ClubPlan, board_settings
from scharten.club_broker.nats import NatsClub, NatsNode, nats_text
from scharten.errors import SchartenError
from scharten.system.secrets import write_private
from scharten.system.tls import ensure_tls
from scharten.words import ENGLISH, text

STORE = Path("/var/lib/nats")
CLUSTERS = (1, 3, 5)
"""Numbers of nodes of which a majority stays when one is lost, and one alone."""
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}")


def write_nats(
    plan: ClubPlan, hosts: tuple[str, ...], folder: Path, new_secrets: bool = False, language: str = ENGLISH
) -> str:
    """Check the plan, write a configuration for each host (one without any), and return instructions."""
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
    return _guide(club, folder, home, (plan.tls_hosts or hosts or ("HOST",))[0], language)


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


def _guide(club: NatsClub, folder: Path, home: Path, host: str, language: str) -> str:
    files = " ".join(_file(node) for node in club.nodes)
    board, port, scheme = club.boards[0], club.nodes[0].mqtt_port, "mqtts" if club.tls else "mqtt"
    files += f" secrets/{' tls/' if club.tls else ''}"
    lines = [text(language, "broker_config.written", folder=folder, files=files), ""]
    lines.append(text(language, "broker_config.nats.install"))
    for node in club.nodes:
        lines.append(f"     {node.host}: install -o nats -m 600 {_file(node)} /etc/nats-server.conf")
    if club.tls:
        lines.append(
            f"     install -d {home}/tls; install -o nats -m 600 tls/server.pem tls/server.key {home}/tls/"
        )
    lines.append("     systemctl restart nats-server")
    if len(club.nodes) > 1:
        route = club.nodes[0].route_port
        lines.append(text(language, "broker_config.nats.start", port=route))
    trusted = " --ca-file tls/ca.pem" if club.tls else ""
    club_command = f"scharten club --broker {scheme}://organiser@{host}:{port}{trusted}"
    club_command += " --password-file secrets/organiser"
    doctor_command = f"scharten doctor --broker {scheme}://{host}:{port}{trusted} --accounts secrets"
    doctor_command += f" --topics {club.prefix}/{club.name}/{board}"
    lines += [
        *board_settings(board, f"{scheme}://{host}:{port}", language),
        text(language, "broker_config.nats.club", command=club_command),
        text(language, "broker_config.nats.doctor", command=doctor_command),
    ]
    if not club.tls:
        lines += ["", text(language, "broker_config.clear")]
    return "\n".join(lines)
