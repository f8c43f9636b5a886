"""What the page of set-up asks of this machine: look, calibrate, check, cure, save; one thing at a time.

A wish and its answer are JSON objects; the door (`display.setup_door.SetupDoor`) says who may ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scharten import config
from scharten.config import Config
from scharten.display.hostnames import own_address
from scharten.errors import Problem, SchartenError
from scharten.sensors.ports import NAMES, hello_of, ports
from scharten.sensors.profiles import load_profile
from scharten.sensors.rig_files import find_rig, matched
from scharten.sensors.video import shown
from scharten.setup import choices
from scharten.setup.cameras import CameraCalibration
from scharten.setup.config_file import Written
from scharten.setup.cures import cured
from scharten.setup.doctor import examined
from scharten.setup.finding import Cure
from scharten.setup.finding_words import LANGUAGES
from scharten.setup.first_start import first_start, set_up
from scharten.setup.machine import Machine
from scharten.setup.mapping import MappingRun

PageRequest = Mapping[str, Any]
PageAnswer = dict[str, Any] | Problem


class SetupService:
    """Answers the wishes of a page, each in words when it cannot be; called from one thread at a time."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._folder, self._file = machine, machine.folder, machine.file
        self._cameras = CameraCalibration(machine.folder)
        self._mapping: MappingRun | None = None
        self._released = False
        self._wishes: dict[str, Callable[[PageRequest, bool], PageAnswer]] = {
            "look": self._look, "hello": self._hello, "picture": self._picture, "point": self._point,
            "check": self._check, "cure": self._cure, "save": self._save, "skip": self._skip,
            "map": self._map, "map_word": self._map_word,
        }  # fmt: skip
        self.tell: Callable[[dict[str, Any]], object] = lambda _state: None

    def do(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        """One wish; `may_type` says whether an address of a camera may be typed."""
        act = self._wishes.get(str(wish.get("type")))
        if act is None:
            return Problem("malformed", f"a wish is one of {', '.join(self._wishes)}")
        try:
            return act(wish, may_type)
        except SchartenError as error:
            return Problem("trouble", error.message, {"words": error.message}, error.cure)

    def stop(self) -> None:
        """End the wizard, if it runs."""
        if self._mapping is not None:
            self._mapping.stop()

    # --- what is there ---

    def _look(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        now, file = choices.now(self._machine.config), self._file.read()
        serial = "serial" in self._machine.config.source.kinds
        own = str(now["source.serial.port"])
        boards = [{"port": one.path, "name": NAMES.get(one.board, ""), "title": one.title} for one in ports()]
        if serial and own not in {one["port"] for one in boards}:
            boards.append({"port": own, "name": "", "title": ""})
        return {
            "file": {"name": str(self._file.path), "digest": file.digest, "refusal": self._file.refusal()},
            "now": now,
            "in_use": own if serial else None,
            "boards": boards[:24],
            "cameras": self._cameras.there(),
            "profiles": [self._profile(one) for one in choices.profiles(self._folder)[:40]],
            "may_type": may_type,
            "address": own_address(),
            "failed": self._machine.failed,
            "first": first_start(self._folder, self._file),
        }

    def _profile(self, name: str) -> dict[str, object]:
        try:
            found = load_profile(name, self._folder)
        except SchartenError as error:
            return {"name": name, "words": error.message}
        return {"name": name, "contacts": len(found.beds), "drives": found.drives, "senses": found.senses}

    def _hello(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        port = wish.get("port")
        if not choices.CHOICES["source.serial.port"](port):
            return Problem("malformed", "a port is /dev/...")
        hello = hello_of(str(port), 250000 if wish.get("baud") == 250000 else 115200)
        return {
            "board": hello.board,
            "firmware": hello.firmware,
            "drives": hello.drives,
            "senses": hello.senses,
        }

    # --- calibrating ---

    def _picture(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        device = wish.get("device")
        if not isinstance(device, str) or not self._cameras.may_use(device, may_type):
            return Problem("no_such_camera", "that camera is not here", cure="Plug it in, and look again.")
        return self._cameras.picture(device)

    def _point(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        device, x, y = wish.get("device"), wish.get("x"), wish.get("y")
        if not isinstance(device, str) or not (_is_number(x) and _is_number(y)):
            return Problem("malformed", "a point is a device with x and y")
        return self._cameras.point(device, (float(x), float(y)))  # type: ignore[arg-type]

    def _map(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        port, name = wish.get("port"), wish.get("name")
        if not choices.CHOICES["source.serial.port"](port) or not choices.CHOICES["board.profile"](name):
            return Problem("malformed", "a mapping needs a port and a name of at most 16 letters")
        if self._mapping is not None and self._mapping.running:
            return Problem("busy", "a board is being mapped already")
        source = self._machine.config.source
        if "serial" in source.kinds and source.serial.port == port:
            self._machine.release()  # only one can have the port
            self._released = True
        baud = 250000 if wish.get("baud") == 250000 else 115200
        self._mapping = MappingRun(str(port), baud, self._folder / "profiles" / f"{name}.toml", self._mapped)
        return {}

    def _mapped(self, state: dict[str, Any]) -> None:
        self.tell(state)
        if state["ended"] and self._released:
            self._released = False
            self._machine.restart(lambda: None)  # the board's port is the daemon's again

    def _map_word(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        if self._mapping is None or not self._mapping.running:
            return Problem("no_mapping", "no board is being mapped")
        return self._mapping.say(wish.get("word")) or {}

    # --- checking and saving ---

    def _check(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        language = wish.get("language")
        language = language if language in LANGUAGES else "en"
        settings = config.load(self._file.path if self._file.path.is_file() else None)
        found = [one for one in examined(settings, self._folder) if not one.code.startswith("page_")]
        return {"findings": [one.told(str(language)) for one in found]}  # whoever asks looks at the page

    def _cure(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        try:
            cure = Cure(str(wish.get("cure")))
        except ValueError:
            return Problem("malformed", "there is no such cure")
        before = self._file.read()
        again = cured(cure, self._folder, self._file)
        if again:
            self._machine.restart(lambda: self._file.put_back(before))
        return {"again": again}

    def _save(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        changes = choices.chosen(wish.get("changes"))
        if isinstance(changes, Problem):
            return changes
        cameras = changes.get(("source", "camera", "devices"), [])
        assert isinstance(cameras, list)
        known = set(self._machine.config.source.camera.devices)
        if strangers := [
            one for one in cameras if one not in known and not self._cameras.may_use(one, may_type)
        ]:
            return Problem(
                "no_such_camera", f"{strangers[0][:60]} is not here", cure="Plug it in, and look again."
            )
        before = self._file.read()
        tried = self._file.tried(changes, str(wish.get("digest")))
        if isinstance(tried, Problem):
            return tried
        refused = self._usable(tried[1], cameras)
        if refused is not None:
            return refused
        self._keep(before, tried[0])
        return {"saved": True}

    def _usable(self, wanted: Config, cameras: list[str]) -> Problem | None:
        """What the daemon would find missing at its start; cameras that were calibrated here are written now."""
        if {"serial", "simulated"} & set(wanted.source.kinds):
            load_profile(wanted.board.profile, self._folder)
        if "camera" in wanted.source.kinds:
            if self._cameras.calibrated(cameras):
                return self._cameras.write(cameras)
            used = wanted.source.camera
            try:
                matched(find_rig(used.calibration, self._folder), used.devices)
            except SchartenError as error:
                return Problem(
                    "not_calibrated", error.message, {"camera": shown(used.devices[0])}, error.cure
                )
        return None

    def _keep(self, before: Written, text: str) -> None:
        self._file.write(text)
        set_up(self._folder, "finished")
        self._machine.restart(lambda: self._file.put_back(before))

    def _skip(self, wish: PageRequest, may_type: bool) -> PageAnswer:
        set_up(self._folder, "skipped")
        return {}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e5
