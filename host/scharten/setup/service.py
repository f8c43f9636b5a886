"""The requests of the page of set-up: look, calibrate, check, cure, save; one at a time.

A request and its answer are JSON objects; `setup.feature` checks which pages may ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scharten import config
from scharten.config import Config
from scharten.display.context import DaemonControl
from scharten.display.hostnames import own_address
from scharten.errors import Problem, SchartenError
from scharten.sensors.kinds import selectable
from scharten.sensors.ports import NAMES, hello_of, ports
from scharten.sensors.profiles import load_profile
from scharten.sensors.rig_files import find_rig, matched
from scharten.sensors.video import shown
from scharten.setup import choices
from scharten.setup.cameras import CameraCalibration
from scharten.setup.config_file import ConfigFile, FileContent
from scharten.setup.cures import cured
from scharten.setup.doctor import examined
from scharten.setup.finding import Cure
from scharten.setup.first_start import first_start, set_up
from scharten.setup.mapping import MappingRun
from scharten.words import ENGLISH, LANGUAGES

PageRequest = Mapping[str, Any]
PageAnswer = dict[str, Any] | Problem


class SetupService:
    """Carries out the requests of a page; one thread at a time calls it."""

    def __init__(self, daemon: DaemonControl) -> None:
        assert isinstance(daemon.config, Config)
        self._daemon, self._config = daemon, daemon.config
        self._folder, self._file = daemon.folder, ConfigFile(daemon.file)
        self._cameras = CameraCalibration(daemon.folder)
        self._mapping: MappingRun | None = None
        self._released = False
        self._actions: dict[str, Callable[[PageRequest, bool], PageAnswer]] = {
            "look": self._look, "hello": self._hello, "picture": self._picture, "point": self._point,
            "wires": self._wires, "check": self._check, "cure": self._cure, "save": self._save, "skip": self._skip,
            "map": self._map, "map_word": self._map_word,
        }  # fmt: skip
        self.on_mapping: Callable[[dict[str, Any]], object] = lambda _state: None

    def do(self, request: PageRequest, may_type: bool) -> PageAnswer:
        """Carry out a request; `may_type`: the page may type the address of a camera."""
        act = self._actions.get(str(request.get("type")))
        if act is None:
            return Problem("malformed", f"a request is one of {', '.join(self._actions)}")
        try:
            return act(request, may_type)
        except SchartenError as error:
            return error.problem("trouble")

    def stop(self) -> None:
        """Stop the wizard, if it runs."""
        if self._mapping is not None:
            self._mapping.stop()

    # --- connected devices ---

    def _look(self, request: PageRequest, may_type: bool) -> PageAnswer:
        now, file = choices.now(self._config), self._file.read()
        serial = "serial" in self._config.source.kinds
        own = str(now["source.serial.port"])
        boards = [
            {"port": port.path, "name": NAMES.get(port.board, ""), "title": port.title} for port in ports()
        ]
        if serial and own not in {board["port"] for board in boards}:
            boards.append({"port": own, "name": "", "title": ""})
        return {
            "file": {"name": str(self._file.path), "digest": file.digest, "refusal": self._file.refusal()},
            "now": now,
            "kinds": selectable(),
            "in_use": own if serial else None,
            "boards": boards[:24],
            "cameras": self._cameras.available(),
            "profiles": [self._profile(name) for name in choices.profiles(self._folder)[:40]],
            "may_type": may_type,
            "address": own_address(),
            "failed": self._daemon.failed,
            "first": first_start(self._folder, self._file),
        }

    def _profile(self, name: str) -> dict[str, object]:
        try:
            found = load_profile(name, self._folder)
        except SchartenError as error:
            return {"name": name, "words": error.message}
        return {"name": name, "contacts": len(found.beds), "drives": found.drives, "senses": found.senses}

    def _hello(self, request: PageRequest, may_type: bool) -> PageAnswer:
        port = request.get("port")
        if not choices.CHOICES["source.serial.port"](port):
            return Problem("malformed", "a port is a serial port in /dev")
        hello = hello_of(str(port), 250000 if request.get("baud") == 250000 else 115200)
        return {
            "board": hello.board,
            "firmware": hello.firmware,
            "drives": hello.drives,
            "senses": hello.senses,
        }

    # --- calibrating ---

    def _picture(self, request: PageRequest, may_type: bool) -> PageAnswer:
        device = request.get("device")
        if not isinstance(device, str) or not self._cameras.may_use(device, may_type):
            return Problem("no_such_camera", "that camera is not here", cure="Plug it in, and look again.")
        return self._cameras.picture(device)

    def _point(self, request: PageRequest, may_type: bool) -> PageAnswer:
        device, x, y = request.get("device"), request.get("x"), request.get("y")
        if not isinstance(device, str) or not (_is_number(x) and _is_number(y)):
            return Problem("malformed", "a point is a device with x and y")
        return self._cameras.point(device, (float(x), float(y)))  # type: ignore[arg-type]

    def _wires(self, request: PageRequest, may_type: bool) -> PageAnswer:
        device, points = request.get("device"), request.get("points")
        if not isinstance(device, str) or not (isinstance(points, list) and all(map(_is_point, points))):
            return Problem("malformed", "wires are a device and four points of x and y")
        return self._cameras.wires(device, tuple((float(x), float(y)) for x, y in points))

    def _map(self, request: PageRequest, may_type: bool) -> PageAnswer:
        port, name = request.get("port"), request.get("name")
        if not choices.CHOICES["source.serial.port"](port) or not choices.CHOICES["board.profile"](name):
            return Problem("malformed", "a mapping needs a port and a name of at most 32 letters")
        if not choices.is_new_profile(name, self._config.source.camera.calibration):
            words = f"{name} is the calibration of the cameras"
            return Problem("name_taken", words, {"name": str(name)}, "Choose another name.")
        if self._mapping is not None and self._mapping.running:
            return Problem("busy", "a board is being mapped already")
        source = self._config.source
        if "serial" in source.kinds and source.serial.port == port:
            self._daemon.release()  # only one program can have the port
            self._released = True
        baud = 250000 if request.get("baud") == 250000 else 115200
        out = self._folder / "profiles" / f"{name}.toml"
        self._mapping = MappingRun(str(port), baud, out, self._mapped, _language(request))
        return {}

    def _mapped(self, state: dict[str, Any]) -> None:
        self.on_mapping(state)
        if state["ended"] and self._released:
            self._released = False
            self._daemon.restart(lambda: None)  # the board's port is the daemon's again

    def _map_word(self, request: PageRequest, may_type: bool) -> PageAnswer:
        if self._mapping is None or not self._mapping.running:
            return Problem("no_mapping", "no board is being mapped")
        return self._mapping.answer(request.get("word")) or {}

    # --- checking and saving ---

    def _check(self, request: PageRequest, may_type: bool) -> PageAnswer:
        settings = config.load(self._file.path if self._file.path.is_file() else None)
        found = examined(settings, self._folder)
        shown = [
            finding for finding in found if not finding.code.startswith("page_")
        ]  # the page is open already
        return {"findings": [finding.as_json(_language(request)) for finding in shown]}

    def _cure(self, request: PageRequest, may_type: bool) -> PageAnswer:
        try:
            cure = Cure(str(request.get("cure")))
        except ValueError:
            return Problem("malformed", "there is no such cure")
        before = self._file.read()
        restarts = cured(cure, self._folder, self._file)
        if restarts:
            self._daemon.restart(lambda: self._file.put_back(before))
        return {"again": restarts}

    def _save(self, request: PageRequest, may_type: bool) -> PageAnswer:
        changes = choices.chosen(request.get("changes"))
        if isinstance(changes, Problem):
            return changes
        cameras = changes.get(("source", "camera", "devices"), [])
        assert isinstance(cameras, list)
        known = set(self._config.source.camera.devices)
        for device in cameras:
            if device not in known and not self._cameras.may_use(device, may_type):
                words = f"{device[:60]} is not here"
                return Problem("no_such_camera", words, cure="Plug it in, and look again.")
        before = self._file.read()
        tried = self._file.tried(changes, str(request.get("digest")))
        if isinstance(tried, Problem):
            return tried
        refused = self._usable(tried[1], cameras)
        if refused is not None:
            return refused
        self._store(before, tried[0])
        return {"saved": True}

    def _usable(self, wanted: Config, cameras: list[str]) -> Problem | None:
        """Return the reason why the daemon could not start; write the cameras that were calibrated here."""
        lacking = wanted.source.unusable()
        if lacking is not None:
            return lacking
        if wanted.source.on_line:
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

    def _store(self, before: FileContent, text: str) -> None:
        self._file.write(text)
        set_up(self._folder, "finished")
        self._daemon.restart(lambda: self._file.put_back(before))

    def _skip(self, request: PageRequest, may_type: bool) -> PageAnswer:
        set_up(self._folder, "skipped")
        return {}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e5


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _language(request: PageRequest) -> str:
    """Return the language of the page that asks, English for one that has no words here."""
    language = request.get("language")
    return language if isinstance(language, str) and language in LANGUAGES else ENGLISH
