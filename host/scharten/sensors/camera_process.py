"""The cameras' own process: pictures stay in here, one JSON object per line comes out on stdout.

Its first line of stdin is a `CameraSettings`, each further one says that the light changes; when stdin ends, it ends.
A process of its own because a busy Python thread would hold up the broker and the referee.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import cv2

from scharten.errors import Problem, SchartenError
from scharten.sensors.camera_remarks import as_json, aside, lasting, lost_cameras
from scharten.sensors.kept_throws import KeptThrows
from scharten.sensors.light_trust import LightTrust, light_delay_ms
from scharten.sensors.rig_files import RigFile, find_rig, lend, matched, read_rig
from scharten.sensors.sensor import CameraSettings
from scharten.sensors.video import CameraReader, Picture
from scharten.vision.board_view import board_view
from scharten.vision.detect import CalibratedCamera, look, take_in
from scharten.vision.fuse import Sighting, fuse
from scharten.vision.look_away import Lookout, look_away, waiting, watch
from scharten.vision.takeout import open_tracker, trouble
from scharten.vision.throw_states import Happening, HappeningKind, TakeoutState
from scharten.vision.throw_tracker import ThrowTracker

_TELL_S = 1.0
_BREAK_MS = 500  # without pictures for so long, a dart may have come and gone
_LENT_MS = 2000  # whoever calibrates moves a camera, or the light of a projector
_KEPT = (HappeningKind.DART, HappeningKind.SURROUND, HappeningKind.BOUNCED, HappeningKind.UNCLEAR)


def main() -> None:
    """Watch until stdin ends."""
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is not a message
    try:
        told = json.loads(sys.stdin.readline())
        watcher = Watcher(CameraSettings(**{**told, "devices": tuple(told["devices"])}), out)
    except SchartenError as error:
        _say(out, "failed", words=f"{error.message} {error.cure}")
        return
    threading.Thread(target=watcher.listen, args=(sys.stdin,), daemon=True).start()
    watcher.run()


def _written(path: Path) -> int:
    """When a file was written, or 0 while it is missing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _say(out: TextIO, kind: str, **more: Any) -> None:
    out.write(json.dumps({"kind": kind, **more}) + "\n")
    out.flush()


@dataclass(frozen=True)
class Looked:
    """When the newest pictures were looked at, and since when without a break, in ms of the process."""

    newest_ms: int = 0
    since_ms: int = 0

    def after(self, now: int, *, away: bool) -> Looked:
        """With pictures of this moment; `away`: the cameras look away from them."""
        if away:
            return Looked(self.newest_ms, now)
        return Looked(now, now if now - self.newest_ms > _BREAK_MS else self.since_ms)

    def told(self, now: int) -> dict[str, int]:
        """As messages have it."""
        return {"looked_ms": self.newest_ms, "looking_ms": self.since_ms, "said_ms": now}


class Watcher:
    """The loop: newest pictures in, happenings out."""

    def __init__(self, settings: CameraSettings, out: TextIO) -> None:
        cv2.setNumThreads(1)
        self._settings, self._out, self._period = settings, out, 1 / settings.fps
        self._zero_ms = (
            time.time_ns() - time.monotonic_ns()
        ) // 1_000_000  # a date that is set moves nothing
        self._rig = matched(find_rig(settings.calibration, Path(settings.data)), settings.devices)
        self._cameras, self._written_ns = self._rig.calibrated(), _written(self._rig.path)
        self._replays = KeptThrows(Path(settings.data) / settings.replays, settings.replays_mb * 1_000_000)
        self._news = threading.Condition()
        self._lights: list[tuple[str, int, int]] = []
        self._trust, self._delay_ms = LightTrust(), light_delay_ms(self._rig.path)
        self._stopping = False
        self._askew: Problem | None = None
        self._unkept: Problem | None = None
        self._unused: Problem | None = None
        self._aside: tuple[Problem, ...] = ()
        self._told_s = 0.0
        self._looked = Looked()
        epoch = time.monotonic() + 0.2
        self._readers = tuple(
            CameraReader(device, (c.model.width, c.model.height), settings.fps, epoch=epoch, news=self._wake)
            for device, c in zip(settings.devices, self._rig.cameras, strict=True)
        )

    def _wake(self) -> None:
        with self._news:
            self._news.notify()

    def listen(self, lines: TextIO) -> None:
        """Who changes the light, for how many ms; until the daemon is gone."""
        for line in lines:
            told = json.loads(line)
            with self._news:
                self._lights.append((str(told["light"]), self._now_ms(), int(told["for_ms"])))
        self._stopping = True
        self._wake()

    def run(self) -> None:
        """Watch until told to stop."""
        active: tuple[int, ...] = ()
        numbers: tuple[int, ...] = ()
        lookout: Lookout | None = None
        while not self._stopping:
            shots = {n: shot for n, reader in enumerate(self._readers) if (shot := reader.newest())}
            lent = lend(self._rig, {n: picture for n, (_, picture) in shots.items()})
            if self._taken_up() or tuple(shots) != active:
                active, lookout = tuple(shots), self._lookout(tuple(shots))
            lookout = self._looked_away(lookout)
            if lent and lookout:
                lookout = look_away(lookout, self._now_ms() + _LENT_MS)
            self._tell(lookout)
            newest = tuple(number for number, _ in shots.values())
            if lookout is None or any(a == b for a, b in zip(newest, numbers, strict=False)):
                with self._news:
                    self._news.wait(self._period / 2)
                continue
            numbers = newest
            lookout = self._step(lookout, active, tuple(picture for _, picture in shots.values()))
        for reader in self._readers:
            reader.stop()

    def _taken_up(self) -> bool:
        """Whether there is a new calibration, which is used from now on; one that cannot be used changes nothing."""
        written = _written(self._rig.path)
        if written == self._written_ns:
            return False
        self._written_ns = written
        try:
            rig = matched(read_rig(self._rig.path), self._settings.devices)
            same = [(c.model.width, c.model.height) for c in rig.cameras] == [
                (c.model.width, c.model.height) for c in self._rig.cameras
            ]
            if not same:
                raise SchartenError("it is for another resolution", "Restart scharten.")
        except SchartenError as error:
            why = f"{error.message}. {error.cure}"
            self._unused = Problem("unused", f"the new calibration is not used: {why}", {"reason": why})
            self._told_s = 0.0
            return False
        self._rig, self._cameras = rig, rig.calibrated()
        self._askew, self._unused, self._told_s = None, None, 0.0
        return True

    def _lookout(self, active: tuple[int, ...]) -> Lookout | None:
        if not active:
            return None
        cameras = tuple(self._cameras[n] for n in active)
        empties = tuple(self._rig.empties[n] for n in active)
        return Lookout(open_tracker(cameras, empties, tuple(n + 1 for n in active)))

    def _looked_away(self, lookout: Lookout | None) -> Lookout | None:
        """Away from the board for as long as its light changes, as far as whoever says so is believed."""
        with self._news:
            asked, self._lights = self._lights, []
        if asked:
            self._delay_ms = light_delay_ms(self._rig.path)
        for by, t_ms, for_ms in asked:
            before = self._trust.problem(t_ms)
            self._trust = self._trust.asked(by, t_ms, for_ms + self._delay_ms)
            self._told_s = self._told_s if self._trust.problem(t_ms) == before else 0.0
        if lookout is None or self._trust.until_ms <= self._now_ms():
            return lookout  # cameras that are found meanwhile look away, too
        return look_away(lookout, self._trust.until_ms, self._trust.by)

    def _step(self, lookout: Lookout, active: tuple[int, ...], pictures: tuple[Picture, ...]) -> Lookout:
        now, before = self._now_ms(), lookout.tracker.state
        lookout, happened = watch(lookout, pictures, now)
        self._looked = self._looked.after(now, away=lookout.until_ms is not None)
        tracker = lookout.tracker
        if tracker.state is not before:
            _say(self._out, "tracking", state=tracker.state.value, **self._looked.told(now))
        for each in happened:
            told = result_of(each)
            _say(self._out, "told", said_ms=now, **told)
            if each.kind in _KEPT:
                self._keep(each, told, active, tracker.calibrated)
            if each.kind in (HappeningKind.ASKEW, HappeningKind.STRAIGHT):
                self._askew, self._told_s = each.why, 0.0
        return lookout

    def _now_ms(self) -> int:
        return self._zero_ms + time.monotonic_ns() // 1_000_000

    def _keep(
        self,
        happened: Happening,
        told: dict[str, Any],
        active: tuple[int, ...],
        cameras: tuple[CalibratedCamera, ...],
    ) -> None:
        """The throw's package; a full disk keeps nobody from playing."""
        seen = RigFile(
            self._rig.path,
            tuple(self._rig.cameras[n] for n in active),
            tuple(self._rig.empties[n] for n in active),
        )
        pictures = {"before": happened.before, "after": happened.after}
        lines = _lines(cameras, happened)
        pictures["view"] = _views(cameras, happened, lines)
        alone = {str(n): _alone(own) for n, own in zip(active, lines, strict=True)}
        whose = {"alone": alone, "numbers": [n + 1 for n in active]}
        try:
            self._replays.keep(seen, {**told, **whose}, pictures)
            self._unkept = None
        except OSError as error:
            words = f"throws are not kept in {self._replays.folder}: {error.strerror}"
            self._unkept = Problem("unkept", words, {"reason": error.strerror})

    def _tell(self, lookout: Lookout | None) -> None:
        """Once a second, and at once when something changed for the worse or the better."""
        now, tracker = time.monotonic(), lookout.tracker if lookout else None
        if now - self._told_s < _TELL_S:
            return
        self._told_s = now
        found = [asdict(reader.condition()) for reader in self._readers]
        blind = why_blind(lookout, self._now_ms()) if lookout else None
        state = tracker.state if tracker else TakeoutState.WAKING
        if not any(camera["state"] == "found" for camera in found):
            self._askew = None
        _say(
            self._out,
            "cameras",
            cameras=found,
            tracking=state.value,
            **self._looked.told(self._now_ms()),
            askew=as_json(self._askew) if self._askew and state is TakeoutState.ASKEW else None,
            trouble=as_json(blind) if blind else None,
            remarks=[as_json(each) for each in self._remarks(tracker, found)],
        )

    def _remarks(self, tracker: ThrowTracker | None, conditions: list[dict[str, Any]]) -> tuple[Problem, ...]:
        """What is to be said while darts are told."""
        now = aside(tracker, self._now_ms()) if tracker else ()
        lasts, self._aside = lasting(now, self._aside), now
        others = (self._unused, self._unkept, self._trust.problem(self._now_ms()))
        first = lost_cameras(conditions)
        return tuple(each for each in (first, *lasts, *others) if each is not None)


def _lines(cameras: tuple[CalibratedCamera, ...], happened: Happening) -> tuple[tuple[Sighting, ...], ...]:
    """Each camera's clearest line."""
    trios = zip(cameras, happened.before, happened.after, strict=True)
    return tuple(
        look(camera, take_in(camera, old), take_in(camera, new)).first() for camera, old, new in trios
    )


def _alone(lines: tuple[Sighting, ...]) -> str | None:
    """The bed by one camera's line only."""
    dart = fuse((lines,))
    return str(dart.bed) if dart else None


def _views(
    cameras: tuple[CalibratedCamera, ...], happened: Happening, lines: tuple[tuple[Sighting, ...], ...]
) -> tuple[Picture, ...]:
    """For people: the board's plane by each camera, with the lines that were found."""
    at = (happened.dart.x_mm, happened.dart.y_mm) if happened.dart else None
    shown = zip(cameras, happened.after, lines, strict=True)
    return tuple(board_view(camera, new, own, at) for camera, new, own in shown)


def why_blind(lookout: Lookout, t_ms: int) -> Problem | None:
    """Why no dart can be told."""
    return waiting(lookout, t_ms) or trouble(lookout.tracker, t_ms)


def result_of(happened: Happening) -> dict[str, Any]:
    """A happening as JSON: what the referee and a replay package need of it."""
    unclear = happened.kind is HappeningKind.UNCLEAR
    dart = None if unclear else happened.dart
    missed = happened.kind is HappeningKind.SURROUND
    return {
        "news": happened.kind.value,
        "at_ms": happened.at_ms,
        "confidence": round(happened.confidence, 4),
        "beds": [] if unclear else [(str(bed), round(share, 4)) for bed, share in happened.beds],
        "segment": str(happened.beds[0][0]) if missed or dart else None,
        "x_mm": round(dart.x_mm, 2) if dart else None,
        "y_mm": round(dart.y_mm, 2) if dart else None,
        "wire_mm": round(dart.wire_mm, 2) if dart else None,
        "words": happened.why.words if happened.why else "",
    }


if __name__ == "__main__":
    main()
