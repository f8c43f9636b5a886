"""A fourth language is one folder: page, speech, score sheet, doctor, set-up and print use a generated language."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import datetime

import pytest

from browser.pages import Pages, still, until
from lab.daemon_process import FAST, DaemonProcess, wait_for
from scharten.setup.doctor import PACKAGES
from words.pseudo import TAG, english_words, pseudo, write

SHOWN = """[document.body.innerText, ...[...document.querySelectorAll("[aria-label], [title], [placeholder]")]
    .flatMap((node) => [node.ariaLabel, node.title, node.placeholder].map((text) => text ?? ""))].join("\\n")"""
"""All texts that a page shows or reads out."""
INSTALLED = set(re.findall("[A-Za-z]+", " ".join((*PACKAGES, platform.system(), "Python"))))
DATA = {"English", "Deutsch", "Nederlands", f"{datetime.now():%b}", "Elo", "Fairy", "Stockfish", *INSTALLED}
"""Data that a page shows as it is: languages by their own names, a month, software that the doctor found."""
PAGES = {
    "": ".board-centre .centre-text",
    "learn": ".lesson",
    "learn?game=shakti": ".lesson",
    "club": "header h1",
    "archive": "header h1",
    "players": "header h1",
    "practice": "[data-exercise]",
    "problems": "#problems .task",
    "openings": "#openings h2",
    "endgames": "#endgames tbody td",
    "evening": "header h1",
    "join": "header h1",
    "overlay": "body",
    "setup": ".findings li + li",
    "status": "header h1",
}
"""The pages, each with an element that it has once it is drawn."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that finds the language's folder through its environment."""
    languages = write(tmp_path_factory.mktemp("languages"))
    process = DaemonProcess(
        tmp_path_factory.mktemp("daemon"), f'{FAST}language = "{TAG}"\n', {"SCHARTEN_WORDS": str(languages)}
    ).start()
    yield process
    process.end()


@pytest.mark.long
def test_no_page_shows_an_english_word(daemon: DaemonProcess, pages: Pages) -> None:
    """Every text of every page in the configured language comes from the language's folder."""
    url = daemon.running["web"]
    found: dict[str, list[str]] = {}
    for path, drawn in PAGES.items():
        page = pages.open(f"{url}/{path}")
        until(
            page,
            f"document.documentElement.lang === {TAG!r} && document.querySelector({drawn!r})?.textContent",
        )
        still(page)
        if words := set(english_words(page.evaluate(SHOWN))) - DATA:
            found[path] = sorted(words)
    assert found == {}, found


@pytest.mark.long
def test_speech_and_score_sheet_use_it(daemon: DaemonProcess) -> None:
    """The caller's message has the language, and the sheet's end is in it."""
    peer = daemon.peer("table")
    peer.wait(lambda state: "match" in state, what="the board")
    peer.new_game(kind="silent", names={"white": "Anna", "black": "Bert"}, options={})
    state = peer.wait(lambda state: state["phase"] == "turn", what="the game")
    assert peer.ask("resign", side="white")["accepted"]
    peer.wait(lambda now: now["match"] == state["match"] and now["result"] is not None, what="the end")
    ended = [
        pseudo("{side} resigns").replace("{side}", "Anna"),
        pseudo("{side} wins.").replace("{side}", "Bert"),
    ]
    wait_for(lambda: all(words in peer.last["said"]["words"][TAG] for words in ended), 30, "the caller")
    with urllib.request.urlopen(f"{daemon.running['web']}/sheet?lang={TAG}") as answer:
        sheet = answer.read().decode()
    resigned = pseudo("{side} resigns").replace("{side}", pseudo("White"))
    assert f'[Language "{TAG}"]' in sheet and f"0-1 {{{resigned}}}" in " ".join(sheet.split()), sheet
    peer.close()


@pytest.mark.long
def test_doctor_and_print_use_it(daemon: DaemonProcess) -> None:
    """The commands accept the language, and the doctor's findings are in it."""
    command = [sys.executable, "-m", "scharten"]
    doctor = subprocess.run(
        [*command, "doctor", "--data", daemon.folder, "--language", TAG],
        capture_output=True, text=True, env=daemon.environment,
    )  # fmt: skip
    assert pseudo("broker: the embedded one, on this machine only") in doctor.stdout, doctor.stdout
    printed = subprocess.run(
        [*command, "print-board", "--language", TAG, "--out", daemon.folder / "print"],
        capture_output=True, text=True, env=daemon.environment,
    )  # fmt: skip
    assert printed.returncode == 0, printed.stderr
    svg = (daemon.folder / "print" / "schartbord-50cm-a4-A1.svg").read_text(encoding="utf-8")
    assert (
        pseudo("White sits below") in svg and pseudo("tile {name}: cut along the marks").split(":")[1] in svg
    )
