"""Pictures of throws between two boards: shrunk, redrawn by the receiver, and shown in both houses."""

from __future__ import annotations

import io
import json
import shutil
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from lab.daemon_process import DaemonProcess, wait_for
from lab.two_boards import SECONDS, TwoBoards, config_of_guest
from scharten.commands.remote import ask
from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem
from scharten.match.dart import Dart
from scharten.match.inputs import Reading
from scharten.remote.messages import PICTURE_BYTES, SeenDart
from scharten.remote.pictures import (
    FOLDER,
    LARGEST_SIDE,
    MOST_KEPT,
    SIDE,
    Pictures,
    RemoteThrows,
    packed,
    unpacked,
)
from scharten.sensors.throw_files import REPLAYS, package_name
from sensors.films import Film, make_stage, throw, write_film, write_still

HEADER = SeenDart(at_ms=1_700_000_000_123, beds=(("F18", 1.0),), x_mm=1.0, y_mm=2.0)


def jpeg(side: int, kind: str = "JPEG") -> bytes:
    """Return a picture of noise, which no encoder makes small."""
    made = io.BytesIO()
    noise = np.random.default_rng(1).integers(0, 256, (side, side, 3), np.uint8)
    Image.fromarray(noise).save(made, kind)
    return made.getvalue()


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (packed(HEADER, b"x" * PICTURE_BYTES), "too_large"),
        (packed(HEADER, b""), "malformed"),
        (packed(HEADER, b"\xff\xd8\xff\xe0 and no picture"), "malformed"),
        (packed(HEADER, jpeg(64, "PNG")), "malformed"),
        (packed(HEADER, jpeg(64)[:900]), "malformed"),
        (b'{"v": 9}\n' + jpeg(64), "version"),
        (b"\n" + jpeg(64), "malformed"),
        (b'{"v":1,"at_ms":-1,"beds":[]}\n' + jpeg(64), "malformed"),
    ],
)
def test_an_invalid_picture_is_refused_by_name(payload: bytes, code: str) -> None:
    """Giants, other formats, torn pictures, wrong headers and other versions give a problem with its name."""
    found = unpacked(payload)
    assert isinstance(found, Problem)
    assert found.code == code


def test_a_picture_of_large_sides_is_not_decoded() -> None:
    """A small file with enough pixels to fill the memory is refused; a camera-sized picture is not."""
    for side, refused in ((LARGEST_SIDE, False), (LARGEST_SIDE + 1, True)):
        made = io.BytesIO()
        Image.new("L", (side, side)).save(made, "JPEG")
        assert isinstance(unpacked(packed(HEADER, made.getvalue())), Problem) is refused


def test_a_picture_waits_for_its_cameras_and_is_redrawn(tmp_path: Path) -> None:
    """A camera's dart sends one picture once it is written; the receiver stores its redrawn copy once."""
    seen_ms, sent = 1_700_000_000_123, list[bytes]()
    bed = parse_bed("F18")
    assert bed is not None
    ours = Pictures(tmp_path / "ours", sent.append, lambda work: work(), pytest.fail)
    dart = Dart(((bed, 1.0),), 1.0, 2.0)
    ours.note(Reading(seen_ms, seen_ms, "board", dart), seen_ms, 0)
    ours.note(Reading(seen_ms, seen_ms, "camera", dart), seen_ms + 9, 0)
    ours.note(Reading(seen_ms, seen_ms, "camera", dart, revises=True), seen_ms + 9, 0)
    ours.tick("m1", 100)
    assert not sent
    package = tmp_path / "ours" / REPLAYS / package_name(seen_ms)
    package.mkdir(parents=True)
    (package / "view0.jpg").write_bytes(jpeg(720))
    ours.tick("m1", 200)
    ours.tick("m1", 300)
    assert [len(message) <= PICTURE_BYTES for message in sent] == [True]
    theirs = Pictures(tmp_path / "theirs", pytest.fail, lambda work: work(), pytest.fail)
    theirs.arrive(sent[0], "m1")
    kept = RemoteThrows(tmp_path / "theirs" / FOLDER)
    assert [(shown["at_ms"], shown["beds"]) for shown in kept.list("m1")] == [(seen_ms + 9, [["F18", 1.0]])]
    assert kept.list("m2") == []
    picture = kept.picture(seen_ms + 9, 0)
    assert picture is not None
    assert Image.open(io.BytesIO(picture)).size == (SIDE, SIDE)
    theirs.arrive(packed(HEADER.model_copy(update={"at_ms": seen_ms + 9}), jpeg(32)), "m1")
    assert kept.picture(seen_ms + 9, 0) == picture


@pytest.mark.long
def test_a_flood_of_pictures_is_cut_off_and_only_the_newest_are_kept(tmp_path: Path) -> None:
    """Of a hundred pictures at once few are drawn; the folder holds a limited number."""
    arrived = Pictures(tmp_path, pytest.fail, lambda work: work(), pytest.fail)
    for number in range(100):
        arrived.arrive(packed(HEADER.model_copy(update={"at_ms": number}), jpeg(16)), "m1")
    kept = RemoteThrows(tmp_path / FOLDER)
    assert 8 <= len(kept.list("m1")) < 20
    for number in range(1000, 1000 + MOST_KEPT + 5):
        kept.keep(HEADER.model_copy(update={"at_ms": number}), b"x", "m2")
    assert len(list((tmp_path / FOLDER).glob("*.jpg"))) == MOST_KEPT
    assert len(list((tmp_path / FOLDER).glob("*.json"))) == MOST_KEPT
    assert kept.picture(1000 + MOST_KEPT + 4, 0) == b"x"


@pytest.mark.long
def test_a_guests_dart_is_shown_in_both_houses(tmp_path: Path) -> None:
    """A filmed dart at the guest's cameras counts at the host, and both pages serve its picture by the same name."""
    stage, empties = make_stage(2)
    film = write_film(tmp_path / "film", stage, empties, (throw(0, 130),), fps=8)
    live = Film(tuple(tmp_path / path.name for path in film.paths), film.rig)
    write_still(live, tuple(cv2.imread(str(film.rig.parent / f"empty{n}.png")) for n in range(2)))
    devices = json.dumps([str(path) for path in live.paths])
    rest = f'[source]\nkind = "camera"\n[source.camera]\ndevices = {devices}\ncalibration = "{film.rig}"\n'
    boards = TwoBoards(tmp_path)
    boards.guest = DaemonProcess(tmp_path / "guest", config_of_guest() + rest)
    try:
        boards.at_host, boards.at_guest = boards.host.start().peer(), boards.guest.start().peer()
        wait_for(lambda: boards.at_guest.source == "found", SECONDS, "the cameras")
        status = boards.invite(game="scharten", kind="loud", seats={"seat1": "black", "seat2": "white"})
        offer = ask(boards.guest.folder, {"type": "ask", "link": status["link"]})["offer"]
        assert offer["cameras"]
        ask(boards.guest.folder, {"type": "accept", "name": "Bob"})
        state = boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS, "the game")
        boards.seen_by_both(state["match"])
        for path, played in zip(live.paths, film.paths, strict=True):
            shutil.copy(played, tmp_path / "next")
            (tmp_path / "next").replace(path)
        wait_for(lambda: boards.at_host.hits and boards.at_guest.hits, SECONDS, "the dart in both houses")
        hit = boards.at_host.hits[0]
        assert (hit["bed"], hit["source"], hit["counted"]) == ("F20", "camera", True)
        name = hit.get("seen_ms") or hit["at_ms"]
        for daemon in (boards.host, boards.guest):
            url = f"{daemon.running['web']}/throw/{name}"
            wait_for(lambda url=url: _fetched(f"{url}.json"), SECONDS, "the picture in both houses")
            about = json.loads(_fetched(f"{url}.json"))["throw"]
            assert (about["beds"][0][0], about["match"]) == ("F20", state["match"])
            assert Image.open(io.BytesIO(_fetched(f"{url}/0.jpg"))).format == "JPEG"
            listed = json.loads(_fetched(f"{daemon.running['web']}/throws/{state['match']}.json"))["throws"]
            assert [shown["at_ms"] for shown in listed] == [name]
    finally:
        boards.end()


def _fetched(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url) as answer:
            return bytes(answer.read())
    except OSError:
        return b""
