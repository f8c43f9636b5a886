"""`scharten run` combines a board on a real pty with filmed cameras into one sensor, seen through MQTT."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest

from conformance.simulated import SimulatedDriver
from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.scenes.events import all_taken
from scharten.dartboard.beds import parse_bed
from scharten.sensors.profiles import load_profile
from sensors.films import Film, make_stage, throw, write_film, write_still

F20 = (2.0, 135.0)
CONFIG = """
[board]
profile = "simulated"
[game]
arming = "auto"
[broker]
port = 0
[web]
port = 0
[source]
kind = ["serial", "camera"]
[source.serial]
port = "{port}"
[source.camera]
devices = {devices}
calibration = "{rig}"
"""


def contact_of(name: str) -> str:
    """Return the contact of a bed as `contacts.json` names it."""
    bed = parse_bed(name)
    return str(load_profile("simulated").contact_of(bed)) if bed else ""


class Hall:
    """A board that the test presses, cameras whose films it plays, the daemon, and an MQTT peer."""

    def __init__(self, folder: Path, film: Film) -> None:
        self.film, self.folder = film, folder
        self.live = Film(tuple(folder / path.name for path in film.paths), film.rig)
        empties = tuple(cv2.imread(str(film.rig.parent / f"empty{n}.png")) for n in range(2))
        write_still(self.live, empties)
        self.link = folder / "board"
        self.board = SimulatedDriver("--link", str(self.link))
        devices = json.dumps([str(path) for path in self.live.paths])
        text = CONFIG.format(port=self.link, devices=devices, rig=film.rig)
        self.daemon = DaemonProcess(folder / "data", text).start()
        self.table: Peer = self.daemon.peer()

    def states(self) -> dict[str, str]:
        return {
            source["name"]: source["state"] for source in self.table.last.get("health", {}).get("sources", [])
        }

    def press(self, name: str) -> None:
        bed = parse_bed(name)
        contact = load_profile("simulated").contact_of(bed) if bed else None
        assert contact is not None
        self.board.press(contact.drive, contact.sense)

    def play(self, name: str | None) -> None:
        """Play the film of a dart in F20 that is taken out; close the contact of bed `name` as the dart arrives."""
        for path, played in zip(self.live.paths, self.film.paths, strict=True):
            shutil.copy(played, self.folder / "next")
            (self.folder / "next").replace(path)
        wait_for(lambda: "empty" in self.tracking(), 40, "the cameras to see the bare board")
        # A busy machine may miss the motion itself.
        wait_for(lambda: self.tracking() & {"motion", "settled", "hand"}, 40, "something to move")
        if name is not None:
            self.press(name)

    def tracking(self) -> set[str]:
        return {str(camera["tracking"]) for camera in self.table.last.get("health", {}).get("cameras", [])}

    def next_hit(self, count: int) -> dict[str, Any]:
        return dict(
            wait_for(lambda: len(self.table.hits) > count and self.table.hits[count], 40, f"hit {count}")
        )

    def turn(self) -> None:
        self.table.wait(
            lambda state: state["phase"] == "turn" and not state["question"], what="the next turn"
        )


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    """Two cameras film a dart that arrives and is taken out."""
    stage, empties = make_stage(2)
    return write_film(tmp_path_factory.mktemp("film"), stage, empties, (throw(*F20), all_taken), fps=10)


@pytest.fixture
def hall(tmp_path: Path, film: Film) -> Iterator[Hall]:
    """Both sensors found and a game started; each test gets its own, because each disconnects something."""
    made = Hall(tmp_path, film)
    try:
        wait_for(lambda: made.states() == {"serial": "found", "camera": "found"}, 60, "both sensors")
        wait_for(lambda: made.tracking() == {"empty"}, 60, "the bare board")
        made.table.new_game()
        yield made
        made.table.close()
    finally:
        made.daemon.end()
        made.board.close()


def agree(hall: Hall) -> None:
    """Play a dart in F20 with its contact: the contact places it, the cameras add millimetres, the takeout settles
    it."""
    turns, count = hall.table.state["turns"], len(hall.table.hits)
    hall.play("F20")
    first, second = hall.next_hit(count), hall.next_hit(count + 1)
    assert (first["bed"], first["source"], first["counted"], first["revises"]) == (
        "F20",
        "board",
        True,
        False,
    )
    assert (second["bed"], second["revises"], second["at_ms"]) == ("F20", True, first["at_ms"])
    assert abs(second["x_mm"] - F20[0]) < 3 and abs(second["y_mm"] - F20[1]) < 3
    assert abs(second["seen_ms"] - first["at_ms"]) < 1500
    state = hall.table.wait(lambda state: state["last"] and state["last"]["x_mm"], what="the millimetres")
    assert (state["phase"], state["last"]["bed"], state["turns"]) == ("settling", "F20", turns + 1)
    hall.turn()
    assert hall.table.state["turns"] == turns + 1


def disagree(hall: Hall) -> None:
    """Play a dart in F20 with the contact of D3: the turn is undone, a question names both beds, the answer counts."""
    turns = hall.table.state["turns"]
    count = len(hall.table.hits)
    hall.play("D3")
    assert hall.next_hit(count)["counted"]
    asked = hall.table.wait(lambda state: state["question"], what="the question")
    assert asked["turns"] == turns
    opinions = {opinion["source"]: opinion["bed"] for opinion in asked["question"]["opinions"]}
    assert opinions == {"board": "D3", "camera": "F20"}
    assert {"D3", "F20"} <= set(asked["question"]["beds"])
    assert hall.table.ask("choose_bed", bed="F20")["accepted"]
    hall.turn()
    assert hall.table.state["last"]["bed"] == "F20"


@pytest.mark.long
def test_each_sensor_continues_alone(hall: Hall) -> None:
    """Without cameras the board counts a dart; without the board the cameras do. Health names the lost sensor."""
    count = len(hall.table.hits)
    for path in hall.live.paths:
        path.rename(path.with_suffix(".away"))
    wait_for(lambda: hall.states() == {"serial": "found", "camera": "lost"}, 40, "the cameras to be lost")
    hall.press("T19")
    assert hall.next_hit(count)["bed"] == "T19"
    for path in hall.live.paths:
        path.with_suffix(".away").rename(path)
    hall.board.type("unplug")
    wait_for(lambda: hall.states() == {"serial": "lost", "camera": "found"}, 40, "the board to be lost")
    hall.turn()
    hall.play(None)
    alone = hall.next_hit(count + 1)
    assert (alone["bed"], alone["source"], alone["counted"]) == ("F20", "camera", True)
    hall.board.type("replug")
    wait_for(lambda: hall.states() == {"serial": "found", "camera": "found"}, 40, "both again")


@pytest.mark.long
def test_sensors_agree_then_disagree_and_the_contact_table_is_saved(hall: Hall) -> None:
    """`scharten doctor` checks the port and the cameras. The daemon saves its contact table when it stops."""
    arguments = ["doctor", "--config", str(hall.daemon.config), "--data", str(hall.daemon.folder)]
    done = subprocess.run(
        [sys.executable, "-m", "scharten", *arguments], capture_output=True, text=True, check=False
    )
    for words in ("serial board + cameras", str(hall.link), "calibration"):
        assert words in done.stdout, done.stdout
    agree(hall)
    disagree(hall)
    hall.daemon.stop()
    kept = json.loads((hall.daemon.folder / "contacts.json").read_text())
    assert contact_of("D3") in kept["counts"]["F20"], "a person's answer"
    assert contact_of("F20") in kept["counts"]["F20"] and kept["apart_ms"], "a dart both sensors agreed on"
