"""The home and status pages announce a newer version."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.fakes import FakeHost
from browser.pages import Pages
from browser.servers import Mosquitto, served
from lab.daemon_process import FAST, DaemonProcess
from scharten import __version__
from scharten.display.context import DaemonParts
from scharten.system.newer import Newer
from scharten.words import text


@pytest.mark.long
def test_pages_name_it_in_their_language(tmp_path: Path, pages: Pages) -> None:
    """Home and set-up page of a daemon whose file names a newer version show it in three languages; without
    the file they do not."""
    version = tmp_path / "VERSION"
    version.write_text("99.0.0\n")
    daemon = DaemonProcess(tmp_path / "data", f'{FAST}[update]\nfile = "{version}"\n').start()
    try:
        url = daemon.running["web"]
        for language in ("en", "nl", "de"):
            expected = text(language, "newer.file", version="99.0.0", running=__version__)
            expect(pages.open(f"{url}/home?lang={language}").locator(".newer")).to_have_text(expected)
            found = text(language, "finding.newer_file", version="99.0.0")
            expect(pages.open(f"{url}/setup?lang={language}").locator(".findings")).to_contain_text(found)
        version.write_text(f"{__version__}\n")
        assert daemon.stop() == 0
        daemon.start()
        opened = pages.open(f"{daemon.running['web']}/home?lang=en")
        opened.locator(".tile").first.wait_for()
        expect(opened.locator(".newer")).to_be_hidden()
    finally:
        daemon.end()


def test_apt_is_named_where_apt_knows_it(broker: Mosquitto, host: FakeHost, pages: Pages) -> None:
    """Home and status page give the command that installs the version."""
    parts = DaemonParts(newer=lambda: Newer("99.0.0-1", "apt"))
    secrets = {"arbiter": "an-arbiters-secret"}
    with served(broker.port, open_roles=("table",), role_secrets=secrets, daemon=parts) as server:
        for address in ("home?lang=en", "status?lang=en#secret=an-arbiters-secret"):
            place = pages.open(f"{server.url}/{address}").locator(".newer")
            expect(place).to_contain_text("99.0.0-1")
            expect(place).to_contain_text("sudo apt install scharten")
            expect(place).to_be_visible()
