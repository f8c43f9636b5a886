"""Run the two images in a separate network namespace, as compose.yaml and the Supervisor do; see container.py."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.container import ENVIRONMENT, ROOT, buildah
from lab.daemon_process import wait_for

USER = 10001
SUPERVISOR, INSIDE = "172.30.32.2", "172.30.32.1"
failed = 0


def claim(words: str, holds: Callable[[], object]) -> None:
    """Print whether the claim holds; an exception counts as no."""
    global failed  # noqa: PLW0603  (one count for the whole run)
    try:
        found = holds()
    except (OSError, AssertionError, subprocess.SubprocessError, http.client.HTTPException) as error:
        found, words = False, f"{words}: {error}"
    failed += not found
    print(f"  {'ok' if found else 'not ok'} {words}", flush=True)


def buildah_output(*words: str) -> str:
    """Return the output of buildah."""
    return subprocess.run(
        buildah(*words), env=ENVIRONMENT, capture_output=True, text=True, check=True
    ).stdout.strip()


@contextmanager
def going(container: str, *words: str, log: Path) -> Iterator[None]:
    """Run a command in a container for the duration of the block."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            buildah("run", *words[: words.index("--")], container, *words[words.index("--") :]),
            env=ENVIRONMENT, stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def page(host: str, source: str = "", **headers: str) -> tuple[int, dict[str, str]]:
    """Return status and headers of the page at an address."""
    line = http.client.HTTPConnection(host, 8765, timeout=10, source_address=(source, 0) if source else None)
    line.request("GET", "/", headers=headers)
    answer = line.getresponse()
    return answer.status, dict(answer.headers)


def answers(host: str, source: str = "", **headers: str) -> bool:
    """Return whether the page answers within a minute."""

    def is_served() -> bool:
        try:
            return page(host, source, **headers)[0] == 200
        except OSError:
            return False

    return bool(wait_for(is_served, 90, f"the page at {host}"))


def folder(parent: Path, name: str, owner: int) -> Path:
    """Create a volume."""
    made = parent / name
    made.mkdir()
    os.chown(made, owner, owner)
    return made


def compose(place: Path) -> None:
    """Try the services of compose.yaml: accounts, this machine's Mosquitto, the referee."""
    import yaml  # noqa: PLC0415  (of the tests' packages, as this file is)

    services = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text())["services"]
    recipe = (ROOT / "deploy/container/Dockerfile").read_text()
    start = json.loads(re.findall(r"^CMD (\[.*\])", recipe, re.MULTILINE)[0])
    container = buildah_output("from", "scharten")
    accounts, data = folder(place, "accounts", USER), folder(place, "data", USER)
    first = f"{ROOT / 'deploy/container/scharten.toml'}:/first/scharten.toml:ro"
    volumes = ("-v", f"{accounts}:/accounts", "-v", f"{data}:/data", "-v", first, "--user", f"{USER}:{USER}")

    def inside(*words: str) -> str:
        return buildah_output("run", *volumes, container, "--", *words)

    user = buildah_output("inspect", "--format", "{{.OCIv1.Config.User}}", container)
    claim("the image is not root's", lambda: user == str(USER))
    made = services["accounts"]["command"][0].strip()
    claim("accounts and first configuration are made", lambda: inside("/bin/sh", "-euc", made))
    conf = place / "mosquitto.conf"
    conf.write_text((accounts / "mosquitto.conf").read_text().replace("/accounts", str(accounts)))
    broker = subprocess.Popen(
        ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "mosquitto", "-c", str(conf)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    received = ["mosquitto_sub", "-C", "1", "-W", "60", "-t", "scharten/home/board1/availability"]
    try:
        with going(container, *volumes, "--", "scharten", *start, log=place / "referee.txt"):
            claim("the page answers", lambda: answers("127.0.0.1"))
            claim("the referee is on Mosquitto", lambda: b"online" in subprocess.check_output(received))
            claim("its games are the image's user's", lambda: owner(data) == USER)
            claim(
                "doctor is content",
                lambda: "Nothing keeps" in inside("scharten", "doctor", "--data", "/data"),
            )
            look = "ls /opt/scharten/lib/python3*/site-packages/scharten_calibration/images"
            claim("flashing finds its images", lambda: "mega2560.hex" in inside("/bin/sh", "-c", look))
    finally:
        broker.terminate()
        broker.wait(10)


def framed(headers: dict[str, str]) -> bool:
    """Return whether a page of the same site may show it in a frame."""
    return headers["X-Frame-Options"] == "SAMEORIGIN"


def owner(data: Path) -> int:
    """Return the user id of the journal's owner."""
    return (data / "scharten.sqlite3").stat().st_uid


def addon(place: Path) -> None:
    """Try the Supervisor's start: options as root, the page for its own address, the referee without root's rights."""
    import yaml  # noqa: PLC0415

    container = buildah_output("from", "scharten-addon")
    data = folder(place, "addon", 0)
    config = yaml.safe_load((ROOT / "deploy/homeassistant-addon/config.yaml").read_text())
    (data / "options.json").write_text(json.dumps(config["options"]))
    (data / "options.json").chmod(0o600)
    start = ("-v", f"{data}:/data", "--user", "0", "--", "/opt/scharten/bin/python", "/run.py")
    theirs = {"Host": "ha.example"}
    with going(container, *start, log=place / "addon.txt"):
        claim("the add-on's page answers the Supervisor", lambda: answers(INSIDE, SUPERVISOR, **theirs))
        claim("and may be framed by Home Assistant", lambda: framed(page(INSIDE, SUPERVISOR, **theirs)[1]))
        claim("others are refused", lambda: page(INSIDE, INSIDE, **theirs)[0] == 421)
        claim("its games are the image's user's", lambda: owner(data / "scharten") == USER)
        claim("the options are root's alone", lambda: (data / "options.json").stat().st_mode & 0o077 == 0)


def main() -> int:
    """Try both, in order."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in (INSIDE, SUPERVISOR):
        subprocess.run(["ip", "addr", "add", f"{address}/32", "dev", "lo"], check=True)
    with tempfile.TemporaryDirectory(prefix="scharten-container-") as kept:
        place = Path(kept)
        place.chmod(0o755)
        for part in (compose, addon):
            part(place)
        if failed:
            for log in place.glob("*.txt"):
                print(f"{log.name}: {log.read_text()[-1500:]}")
    print(f"{failed} do not hold (target: 0)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
