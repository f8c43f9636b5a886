"""Starts the referee as an add-on: the options become a configuration, and root's rights are given up.

Standard library only; `configuration` is what the tests look at.
"""

from __future__ import annotations

import json
import os
import pwd
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

OPTIONS = Path("/data/options.json")
HOME = Path("/data/scharten")
OWN_FILE = Path("/config/scharten.toml")
"""Takes the place of all options, where somebody has written one."""
KEPT = HOME / "options.json"
"""The options that the configuration was written from: what the set-up page saved stays until they change."""
BROKER = HOME / "broker"
SUPERVISOR = "172.30.32.2"
"""Home Assistant's own proxy, which has asked for the log-in."""
INSIDE = "172.30.32.1"
"""This machine as only Home Assistant's containers reach it."""
USER = "scharten"


def configuration(options: Mapping[str, Any], broker: Mapping[str, Any] | None) -> str:
    """The options as scharten.toml; `broker` is what the Supervisor says of Home Assistant's, if it has one."""
    network = options["pages_in_the_network"]
    tables: dict[str, dict[str, Any]] = {
        "board": {"id": options["board"], "profile": options.get("profile")},
        "source": {"kind": options["source"]},
        "web": {"host": "0.0.0.0" if network else INSIDE, "port": 8765, "proxy": SUPERVISOR},
        "broker": {"club": options["club"]},
    }
    if options["source"] == "serial":
        tables["source.serial"] = {"port": options.get("port", "")}
    if options["source"] == "camera":
        tables["source.camera"] = {"devices": [one for one in options.get("cameras", []) if one]}
    if broker is not None:
        scheme = "mqtts" if broker.get("ssl") else "mqtt"
        tables["broker"] |= {
            "url": f"{scheme}://{broker['host']}:{broker['port']}",
            "credentials": str(BROKER),
        }
        tables["homes"] = {"home_assistant": True}
    # A JSON string, number, truth value or list of strings is one in TOML too.
    lines = [
        f"[{name}]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items() if value is not None)
        for name, table in tables.items()
    ]
    return "\n".join(lines)


def ask_for_broker() -> dict[str, Any] | None:
    """Home Assistant's broker and an account at it, from the Supervisor; None where it has none."""
    request = urllib.request.Request(
        "http://supervisor/services/mqtt",
        headers={"Authorization": f"Bearer {os.environ.get('SUPERVISOR_TOKEN', '')}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return dict(json.load(answer)["data"])
    except (OSError, ValueError, KeyError) as error:
        print(f"Home Assistant has no broker for us ({error}): the one inside is used.", flush=True)
        return None


def write_accounts(broker: Mapping[str, Any]) -> None:
    """The one account that the Supervisor gives, for each of ours that needs one."""
    BROKER.mkdir(mode=0o700, exist_ok=True)
    for account in ("host", "web", "simulator"):
        path = BROKER / account
        path.touch(mode=0o600)
        path.write_text(f"{broker.get('password', '')}\n{broker.get('username', '')}\n")


def become(user: str, devices: list[str]) -> None:
    """Give the data to the user and go on as it, in the groups of the devices; no way back."""
    account = pwd.getpwnam(user)
    for path in (HOME, *HOME.rglob("*")):
        os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
    groups = {os.stat(one).st_gid for one in devices if os.path.exists(one)}  # noqa: PTH110, PTH116
    os.setgroups(sorted(groups | set(os.getgrouplist(user, account.pw_gid))))
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.environ["HOME"] = str(HOME)


def write_configuration(file: Path, options: Mapping[str, Any], broker: Mapping[str, Any] | None) -> None:
    """Write the file anew where the options, or the address of the broker, are others than at the last start."""
    address = {name: broker.get(name) for name in ("host", "port", "ssl")} if broker is not None else None
    asked = json.dumps([options, address], sort_keys=True)
    if not file.exists() or not KEPT.exists() or KEPT.read_text() != asked:
        file.write_text(configuration(options, broker))
        KEPT.write_text(asked)


def main() -> None:
    """Become the referee."""
    options = json.loads(OPTIONS.read_text())
    HOME.mkdir(mode=0o700, exist_ok=True)
    broker = ask_for_broker() if options["home_assistant_broker"] else None
    if broker is not None:
        write_accounts(broker)
    file = OWN_FILE if OWN_FILE.exists() else HOME / "scharten.toml"
    if file != OWN_FILE:
        write_configuration(file, options, broker)
    become(USER, [options.get("port") or "", *options.get("cameras", [])])
    arguments = ["scharten", "run", "--no-browser", "--data", str(HOME), "--config", str(file)]
    os.execv("/usr/local/bin/scharten", arguments)


if __name__ == "__main__":
    main()
