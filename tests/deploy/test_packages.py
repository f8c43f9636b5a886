"""Contents of the packages, without installing them: the Debian package, the add-on, the container's recipe.

`make bench ARGS=deb` installs the package in a clean system, `make bench ARGS=container` runs the image.
"""

from __future__ import annotations

import configparser
import gzip
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from lab.packages import COMPATIBLE, FOREIGN, licences, pins
from lab.trust.parts import EXPOSURE_AIM, exposure_of_the_unit
from scharten.config import parse

ROOT = Path(__file__).parents[2]
ADDON = ROOT / "deploy" / "homeassistant-addon"


def built(folder: Path, umask: int = -1, wheel: Path | None = None) -> Path:
    """Build the package without the libraries inside, and return its path."""
    command = [sys.executable, str(ROOT / "deploy/deb/build.py"), "--bare", "--out", str(folder)]
    command += ["--wheel", str(wheel)] if wheel else []
    subprocess.run(command, check=True, capture_output=True, timeout=900, umask=umask)
    return next(folder.glob("*.deb"))


@pytest.fixture(scope="module")
def deb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's file."""
    return built(tmp_path_factory.mktemp("deb"))


@pytest.fixture(scope="module")
def package(deb: Path) -> Path:
    """The package, laid out as dpkg would install it."""
    root = deb.with_name("root")
    subprocess.run(["dpkg-deb", "-R", str(deb), str(root)], check=True)
    return root


@pytest.mark.long
def test_the_same_sources_make_the_same_package(deb: Path, tmp_path: Path) -> None:
    """Built in another folder by somebody with a strict umask, the package has the same bytes."""
    assert built(tmp_path / "elsewhere", umask=0o077).read_bytes() == deb.read_bytes()


@pytest.mark.long
def test_a_wheel_with_shared_files_makes_the_same_package(deb: Path, tmp_path: Path) -> None:
    """Manual pages inside the wheel, as `make dist` adds them, change no byte: the package brings its own."""
    plain = next((deb.parent / "wheel").glob("*.whl"))
    wheel = tmp_path / plain.name
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(wheel, "w") as new:
        info = next(name.split("/")[0] for name in old.namelist() if name.endswith(".dist-info/RECORD"))
        page = f"{info.removesuffix('.dist-info')}.data/data/share/man/man1/scharten.1"
        for name in old.namelist():
            more = f"{page},,\n".encode() if name == f"{info}/RECORD" else b""
            new.writestr(name, old.read(name) + more)
        new.writestr(page, "manual")
    assert built(tmp_path / "elsewhere", wheel=wheel).read_bytes() == deb.read_bytes()


@pytest.mark.long
def test_a_desktop_and_a_shell_find_the_program(package: Path) -> None:
    """Manual pages of every command, a completion that bash runs, a menu entry with its icon."""
    share = package / "usr/share"
    for program, command in (("scharten", "doctor"), ("scharten-calibrate", "flash")):
        page = gzip.decompress((share / f"man/man1/{program}.1.gz").read_bytes()).decode()
        assert f".SS {program} {command}".replace("-", "\\-") in page
        script = share / f"bash-completion/completions/{program}"
        typed = (
            f"source {script}; COMP_WORDS=({program} {command[:4]}); COMP_CWORD=1; complete -p {program} && "
        )
        typed += f"_{program.replace('-', '_')}_completion {program} && echo ${{COMPREPLY[@]}}"
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", typed], capture_output=True, text=True, env={**os.environ, "PATH": path}
        )
        assert done.stdout.split()[-1] == command, done.stdout + done.stderr
        assert (share / f"zsh/vendor-completions/_{program}").read_text().startswith(f"#compdef {program}")
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(share / "applications/scharten.desktop")
    assert entry["Desktop Entry"]["Exec"] == "xdg-open http://127.0.0.1:8765/"
    assert (share / "icons/hicolor/192x192/apps/scharten.png").read_bytes().startswith(b"\x89PNG")
    about = ElementTree.parse(share / "metainfo/scharten.metainfo.xml").getroot()
    released = about.find("releases/release")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert released is not None and released.get("version") == project["version"]
    assert about.findtext("project_license") == project["license"]


@pytest.mark.long
def test_the_package_holds_what_a_service_needs(package: Path) -> None:
    """Commands, unit, udev rule, configuration as a conffile, and a dependency on the one Python it was built for."""
    control = (package / "DEBIAN/control").read_text()
    minor = sys.version_info.minor
    assert (
        f"python3 (>= 3.{minor}~), python3 (<< 3.{minor + 1}~)" in control
        and "@" not in control.split("Maintainer")[0]
    )
    assert (package / "DEBIAN/conffiles").read_text() == "/etc/scharten/scharten.toml\n"
    for command in ("scharten", "scharten-calibrate"):
        starter = (package / "usr/bin" / command).resolve()
        assert starter.is_relative_to(package) and os.access(starter, os.X_OK)
    assert (package / "usr/lib/scharten/bin/python").readlink() == Path(f"../../../bin/python3.{minor}")
    assert (package / "usr/lib/udev/rules.d/99-scharten.rules").exists()
    pages = package / f"usr/lib/scharten/lib/python3.{minor}/site-packages/scharten/display/static"
    assert (pages / "index.html").exists()
    parse((package / "etc/scharten/scharten.toml").read_text())
    assert not [
        path
        for path in package.rglob("*")
        if path.stat(follow_symlinks=False).st_mode & 0o022 and not path.is_symlink()
    ]


@pytest.mark.long
def test_every_link_of_the_packages_documents_leads_to_one_of_them(package: Path) -> None:
    """All of docs is there, the headings of links stay, and a file that is not in the package has no link."""
    folder = package / "usr/share/doc/scharten"
    texts = {path.name: path.read_text() for path in folder.glob("*.md")}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} < texts.keys()
    links = {
        target
        for text in texts.values()
        for target in re.findall(r"\]\(([^)\s]+)\)", text)
        if "://" not in target
    }
    assert {target for target in links if target.partition("#")[0] not in {"", *texts}} == set()
    assert "club.md#many-clubs" in links


def test_the_package_brings_what_a_club_needs() -> None:
    """The extras `club` and `archive` with all that they need beyond the lock, and nothing else, with digests."""
    spec = importlib.util.spec_from_file_location("deb_build", ROOT / "deploy/deb/build.py")
    assert spec is not None and spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    lock, of_tests = (
        {pin.name for pin in pins((ROOT / name).read_text()) if pin.hashes}
        for name in ("requirements.lock", "tests/requirements.lock")
    )
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted, needed = [*extras["club"], *extras["archive"], "psycopg-binary"], set()
    while wanted:
        name = re.split(r"[^A-Za-z0-9._-]", wanted.pop())[0].lower()
        if name not in lock | needed:
            needed.add(name)
            wanted += [
                item
                for item in importlib.metadata.requires(name) or []
                if not re.search("extra ==|win32|tomli", item)
            ]
    assert needed == set(build.CLUB) <= of_tests


@pytest.mark.long
def test_the_packages_unit_is_closed_down_and_sound(package: Path) -> None:
    """A user of its own, the package's paths, systemd's judgement as good as that of deploy/scharten.service."""
    unit = package / "usr/lib/systemd/system/scharten.service"
    words = unit.read_text()
    assert "User=scharten" in words and "/opt/" not in words and "DynamicUser" not in words
    assert "--data /var/lib/scharten --config /etc/scharten/scharten.toml $SCHARTEN_OPTIONS" in words
    exposure = exposure_of_the_unit(unit)
    assert exposure < EXPOSURE_AIM


@pytest.mark.long
@pytest.mark.parametrize("service", ["scharten-club", "scharten-archive"])
def test_the_services_of_a_club_come_with_the_package(package: Path, service: str) -> None:
    """Each runs the package's program on the referee's folder, comes back after a power cut, and is closed down."""
    unit = package / f"usr/lib/systemd/system/{service}.service"
    words = unit.read_text()
    assert f"ExecStart=/usr/bin/scharten {service.removeprefix('scharten-')} " in words
    assert "/opt/" not in words and "DynamicUser" not in words and "User=scharten\n" in words
    for line in (
        "Restart=always",
        "StartLimitIntervalSec=0",
        "StateDirectory=scharten",
        "OnFailure=scharten-retry@%N.timer",
        "WantedBy=multi-user.target",
    ):
        assert f"\n{line}\n" in words
    assert exposure_of_the_unit(unit) < EXPOSURE_AIM


@pytest.mark.long
def test_a_service_whose_disk_is_late_starts_again(package: Path) -> None:
    """Each unit names the timer that starts it after a failed wait, and that its stop ends."""
    units = package / "usr/lib/systemd/system"
    for unit in ("scharten", "scharten-club", "scharten-archive"):
        assert "\nOnFailure=scharten-retry@%N.timer\n" in (units / f"{unit}.service").read_text()
    lines = (units / "scharten-retry@.timer").read_text().splitlines()
    assert {"OnActiveSec=10", "RemainAfterElapse=no", "Unit=%i.service", "PartOf=%i.service"} <= set(lines)


@pytest.mark.long
def test_the_package_copies_everything_every_night(package: Path) -> None:
    """A timer of systemd runs `scharten backup` of the package's own paths; the package's scripts enable it."""
    units = package / "usr/lib/systemd/system"
    words = (units / "scharten-backup.service").read_text()
    assert "ExecStart=/usr/bin/scharten backup /var/backups/scharten --data /var/lib/scharten" in words
    assert words.startswith("[Unit]") and "/opt/" not in words
    timer = (units / "scharten-backup.timer").read_text()
    assert "OnCalendar=*-*-* 04:00" in timer and "Persistent=true" in timer
    assert "scharten-backup.timer" in (package / "DEBIAN/postinst").read_text()


@pytest.mark.long
@pytest.mark.parametrize("script", ["config", "postinst", "prerm", "postrm"])
def test_the_packages_scripts_are_sound(package: Path, script: str) -> None:
    """Each is a shell script that stops at an error and that the shell can read."""
    path = package / "DEBIAN" / script
    assert path.read_text().startswith("#!/bin/sh\nset -e\n") and os.access(path, os.X_OK)
    subprocess.run(["sh", "-n", str(path)], check=True)


@pytest.mark.long
@pytest.mark.parametrize(("answer", "stays"), [("false", True), ("true", False), ("", True)])
def test_a_purge_keeps_the_games_unless_somebody_says_so(
    package: Path, tmp_path: Path, answer: str, stays: bool
) -> None:
    """The package's own script, with debconf's answer yes, no, and none because there is no debconf."""
    games = tmp_path / "lib"
    games.mkdir()
    (games / "scharten.sqlite3").write_text("games")
    confmodule = tmp_path / "confmodule"
    if answer:
        confmodule.write_text(
            'for one in db_fset db_input db_go db_purge db_stop; do eval "$one() { :; }"; done\n'
            f"db_get() {{ RET={answer}; }}\n"
        )
    script = (package / "DEBIAN/postrm").read_text()
    for path, ours in (
        ("/usr/share/debconf/confmodule", confmodule), ("/var/lib/scharten", games),
        ("/etc/default/scharten", tmp_path / "x"), ("/run/systemd/system", tmp_path / "y"),
    ):  # fmt: skip
        assert path in script
        script = script.replace(path, str(ours))
    script = re.sub(r"deb-systemd-helper|deluser", "true", script)
    done = subprocess.run(["sh", "-c", script, "postrm", "purge"], check=True, capture_output=True, text=True)
    assert games.exists() is stays
    assert ("are kept" in done.stderr) is stays


@pytest.mark.long
def test_every_question_is_asked_in_three_languages(package: Path) -> None:
    """debconf's questions have German and Dutch words beside the English ones."""
    for question in (package / "DEBIAN/templates").read_text().split("\n\n"):
        assert re.findall(r"^Description(\S*):", question, re.MULTILINE) == ["", "-de.UTF-8", "-nl.UTF-8"]


@pytest.fixture(scope="module")
def start() -> ModuleType:
    """The module that starts the add-on."""
    spec = importlib.util.spec_from_file_location("addon_run", ADDON / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options(**changes: Any) -> dict[str, Any]:
    """The add-on's options as they are when nobody has changed them."""
    return yaml.safe_load((ADDON / "config.yaml").read_text())["options"] | changes


def test_the_add_ons_options_become_a_configuration(start: ModuleType) -> None:
    """A board, cameras, the broker of Home Assistant and the network: each gives a file that the program accepts."""
    plain = parse(start.configuration(options(), None))
    assert (plain.source.kind, plain.broker.url, plain.web.host, plain.web.proxy) == (
        "simulated", "embedded", "172.30.32.1", "172.30.32.2",
    )  # fmt: skip
    port = '/dev/serial/by-id/usb-Arduino "Mega"\\x'
    broker = {"host": "core-mosquitto", "port": 1883, "ssl": False}
    board = parse(start.configuration(options(source="serial", port=port, pages_in_the_network=True), broker))
    assert (board.source.serial.port, board.web.host) == (port, "0.0.0.0")
    assert (board.broker.url, board.homes.home_assistant) == ("mqtt://core-mosquitto:1883", True)
    cameras = parse(
        start.configuration(options(source="camera", cameras=["/dev/video0", None, "/dev/video2"]), None)
    )
    assert cameras.source.camera.devices == ("/dev/video0", "/dev/video2")


def test_the_add_on_keeps_the_brokers_account_to_itself(
    start: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account that the Supervisor gives lies where only its user may read it, password first, then the name."""
    monkeypatch.setattr(start, "BROKER", tmp_path / "broker")
    start.write_accounts({"username": "addons", "password": "secret"})
    for account in ("host", "web", "simulator"):
        path = tmp_path / "broker" / account
        assert path.read_text() == "secret\naddons\n" and path.stat().st_mode & 0o077 == 0


def test_what_the_set_up_page_saved_stays_until_the_options_change(
    start: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The add-on writes its configuration at the first start and after a change of its options, not in between."""
    monkeypatch.setattr(start, "KEPT", tmp_path / "options.json")
    file = tmp_path / "scharten.toml"
    start.write_configuration(file, options(), None)
    file.write_text("[board]\nid = 'saved'\n")
    start.write_configuration(file, options(), None)
    assert parse(file.read_text()).board.id == "saved"
    start.write_configuration(file, options(board="kitchen"), None)
    assert parse(file.read_text()).board.id == "kitchen"


@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_every_option_of_the_add_on_is_explained(language: str) -> None:
    """Each key of the schema has a name and a description in each language, and the schema has each option."""
    config = yaml.safe_load((ADDON / "config.yaml").read_text())
    words = yaml.safe_load((ADDON / "translations" / f"{language}.yaml").read_text())["configuration"]
    assert set(words) == set(config["schema"]) >= set(config["options"])
    assert all(word["name"] and word["description"] for word in words.values())


def test_the_compose_files_referee_is_no_root_and_reaches_its_broker() -> None:
    """The services run as the image's user, and the configuration names the broker and folder that compose makes."""
    services = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text())["services"]
    recipe = (ROOT / "deploy/container/Dockerfile").read_text()
    assert re.findall(r"^USER (\S+)", recipe, re.MULTILINE) == ["10001"] and "--uid 10001" in recipe
    assert {services[name]["user"] for name in ("accounts", "mosquitto")} == {"10001:10001"}
    config = parse((ROOT / "deploy/container/scharten.toml").read_text())
    assert (
        config.broker.url == "mqtt://127.0.0.1:1884"
        and "127.0.0.1:1884:1884" in services["mosquitto"]["ports"]
    )
    assert (
        config.broker.credentials == "/accounts/secrets"
        and "--out=/accounts" in services["accounts"]["command"][0]
    )
    assert all(item["cap_drop"] == ["ALL"] for item in (services["mosquitto"], services["scharten"]))
    mapped = [service.rpartition(":")[2] for service in services["scharten"]["devices"]]
    assert mapped == ["/dev/scharten-board", "/dev/video0", "/dev/video2", "/dev/video4"]


def test_the_image_is_built_from_what_the_wheel_needs() -> None:
    """.dockerignore lets through what pyproject.toml builds the wheel from."""
    let_in = re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = build["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [
        *wheel["packages"],
        wheel["hooks"]["custom"]["path"],
        build["tool"]["hatch"]["metadata"]["hooks"]["custom"]["path"],
        "README.md",
        *build["project"]["license-files"],
    ]
    assert [item for item in needed if not {item, item.partition("/")[0]} & {*let_in}] == []


def test_each_locked_package_has_a_licence_that_goes_with_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All pins of the product are compatible with GPL-3.0-or-later; a proprietary one is found out."""
    assert licences(ROOT / "requirements.lock") == 0, capsys.readouterr().out
    assert len(capsys.readouterr().out.splitlines()) >= 30
    assert FOREIGN.search("Proprietary") and not COMPATIBLE.search("All rights reserved")
