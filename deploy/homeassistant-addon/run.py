"""Start the referee as an add-on: turn the options into a configuration, and give up root's rights.

Standard library only; the tests check `configuration`.
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
"""Replaces all options, if the file exists."""
KEPT = HOME / "options.json"
"""The options of the last written configuration; changes from the set-up page stay until the options change."""
BROKER = HOME / "broker"
SUPERVISOR = "172.30.32.2"
"""Home Assistant's own proxy, which has checked the log-in."""
INSIDE = "172.30.32.1"
"""The address of this machine that only Home Assistant's containers can reach."""
USER = "scharten"


def configuration(options: Mapping[str, Any], broker: Mapping[str, Any] | None) -> str:
    """Return the options as scharten.toml; `broker` is the Supervisor's data of Home Assistant's broker, if any."""
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
        tables["source.camera"] = {"devices": [camera for camera in options.get("cameras", []) if camera]}
    if broker is not None:
        scheme = "mqtts" if broker.get("ssl") else "mqtt"
        tables["broker"] |= {
            "url": f"{scheme}://{broker['host']}:{broker['port']}",
            "credentials": str(BROKER),
        }
        tables["homes"] = {"home_assistant": True}
    # JSON strings, numbers, booleans and lists of strings are valid TOML too.
    lines = [
        f"[{name}]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items() if value is not None)
        for name, table in tables.items()
    ]
    return "\n".join(lines)


def ask_for_broker() -> dict[str, Any] | None:
    """Return Home Assistant's broker and an account from the Supervisor; None if it has no broker."""
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
    """Write the Supervisor's single account for each of our accounts that needs one."""
    BROKER.mkdir(mode=0o700, exist_ok=True)
    for account in ("host", "web", "simulator"):
        path = BROKER / account
        path.touch(mode=0o600)
        path.write_text(f"{broker.get('password', '')}\n{broker.get('username', '')}\n")


def become(user: str, devices: list[str]) -> None:
    """Give the data to the user and become that user for good, with the groups of the devices."""
    account = pwd.getpwnam(user)
    for path in (HOME, *HOME.rglob("*")):
        os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
    groups = {os.stat(device).st_gid for device in devices if os.path.exists(device)}  # noqa: PTH110, PTH116
    os.setgroups(sorted(groups | set(os.getgrouplist(user, account.pw_gid))))
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.environ["HOME"] = str(HOME)


def write_configuration(file: Path, options: Mapping[str, Any], broker: Mapping[str, Any] | None) -> None:
    """Write the file again if the options or the address of the broker have changed since the last start."""
    address = {name: broker.get(name) for name in ("host", "port", "ssl")} if broker is not None else None
    asked = json.dumps([options, address], sort_keys=True)
    if not file.exists() or not KEPT.exists() or KEPT.read_text() != asked:
        file.write_text(configuration(options, broker))
        KEPT.write_text(asked)


def main() -> None:
    """Prepare the data folder, then become the referee."""
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
