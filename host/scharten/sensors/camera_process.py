"""The cameras' own process: pictures stay in here, one JSON object per line comes out on stdout.

Its first line of stdin is a `CameraSection` with the data folder; further lines announce other light or request the
newest pictures; when stdin ends, it ends. A process of its own, because a busy Python thread would hold up the broker
and the referee.
"""

from __future__ import annotations

import base64
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
from scharten.sensors.camera_remarks import as_json, aside, lasting, lost_cameras, resized_cameras
from scharten.sensors.kept_throws import KeptThrows
from scharten.sensors.light_trust import LightTrust, light_delay_ms
from scharten.sensors.rig_files import RigFile, find_rig, matched, read_rig
from scharten.sensors.settings import CameraSection
from scharten.sensors.throw_files import REPLAYS
from scharten.sensors.video import CameraReader, Picture, encode_png
from scharten.vision.detect.board_view import board_view
from scharten.vision.detect.camera import CalibratedCamera, find_novelty, take_in
from scharten.vision.detect.fuse import fuse
from scharten.vision.detect.sighting import Sighting
from scharten.vision.follow.look_away import Lookout, look_away, waiting, watch
from scharten.vision.follow.remarks import trouble
from scharten.vision.follow.takeout import open_tracker
from scharten.vision.follow.throw_states import Happening, HappeningKind, TakeoutState
from scharten.vision.follow.throw_tracker import ThrowTracker
from scharten.vision.shots import Shot, Shots, whole

_TELL_S = 1.0
_BREAK_MS = 500  # without pictures for so long, a dart may have come and gone
_SHARED_MS = 2000  # a person who calibrates moves a camera, or the light of a projector
_KEPT = (HappeningKind.DART, HappeningKind.SURROUND, HappeningKind.BOUNCED, HappeningKind.UNCLEAR)


def main() -> None:
    """Watch until stdin ends."""
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is not a message
    try:
        given = json.loads(sys.stdin.readline())
        folder = Path(given.pop("data"))
        watcher = Watcher(CameraSection.model_validate(given), folder, out)
    except SchartenError as error:
        _say(out, "failed", words=error.by_language())
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
    """When the newest pictures were processed, and since when without a gap, in ms of the process's clock."""

    newest_ms: int = 0
    since_ms: int = 0

    def updated(self, now: int, *, away: bool) -> Looked:
        """Note pictures of this moment; `away`: the cameras look away from them."""
        if away:
            return Looked(self.newest_ms, now)
        return Looked(now, now if now - self.newest_ms > _BREAK_MS else self.since_ms)

    def as_json_at(self, now: int) -> dict[str, int]:
        """The keys of a message sent now."""
        return {"looked_ms": self.newest_ms, "looking_ms": self.since_ms, "said_ms": now}


class Watcher:
    """The loop: newest pictures in, happenings out."""

    def __init__(self, settings: CameraSection, folder: Path, out: TextIO) -> None:
        cv2.setNumThreads(1)
        self._settings, self._out, self._period = settings, out, 1 / settings.fps
        self._zero_ms = (
            time.time_ns() - time.monotonic_ns()
        ) // 1_000_000  # a date that is set moves nothing
        self._rig = matched(find_rig(settings.calibration, folder), settings.devices)
        self._cameras, self._written_ns = self._rig.calibrated(), _written(self._rig.path)
        self._replays = KeptThrows(folder / REPLAYS, settings.replays_mb * 1_000_000)
        self._news = threading.Condition()
        self._lights: list[tuple[str, bool, int, int]] = []
        self._picture_requests: list[int] = []
        self._trust, self._delay_ms = LightTrust(), light_delay_ms(self._rig.path)
        self._stopping = False
        self._askew: Problem | None = None
        self._unkept: Problem | None = None
        self._unused: Problem | None = None
        self._aside: tuple[Problem, ...] = ()
        self._reported_s = 0.0
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
        """Take requests, and news of light that changes for some ms, until the daemon is gone."""
        for line in lines:
            message = json.loads(line)
            with self._news:
                if "pictures" in message:
                    self._picture_requests.append(int(message["pictures"]))
                else:
                    by, by_page = str(message["light"]), bool(message["by_page"])
                    self._lights.append((by, by_page, self._now_ms(), int(message["for_ms"])))
                self._news.notify()
        self._stopping = True
        self._wake()

    def run(self) -> None:
        """Watch until stdin ends."""
        active: tuple[int, ...] = ()
        numbers: tuple[int, ...] = ()
        lookout: Lookout | None = None
        while not self._stopping:
            newest = {n: shot for n, reader in enumerate(self._readers) if (shot := reader.newest())}
            shared = self._share({n: shot for n, (_, shot) in newest.items()})
            if self._taken_up() or tuple(newest) != active:
                active, lookout = tuple(newest), self._lookout(tuple(newest))
            lookout = self._looked_away(lookout)
            if shared and lookout:
                lookout = look_away(lookout, self._now_ms() + _SHARED_MS)
            self._tell(lookout)
            given = tuple(number for number, _ in newest.values())
            if lookout is None or any(a == b for a, b in zip(given, numbers, strict=False)):
                with self._news:
                    self._news.wait(self._period / 2)
                continue
            numbers = given
            lookout = self._step(lookout, active, tuple(shot for _, shot in newest.values()))
        for reader in self._readers:
            reader.stop()

    def _share(self, shots: dict[int, Shot]) -> bool:
        """Answer requests for the newest pictures, by camera of the rig; returns whether there were any."""
        with self._news:
            requests, self._picture_requests = self._picture_requests, []
        if requests:
            devices = {self._rig.cameras[n].device: whole(shot) for n, shot in shots.items()}
            encoded = {
                device: base64.b64encode(encode_png(picture, device)).decode()
                for device, picture in devices.items()
            }
            _say(self._out, "pictures", number=requests[-1], pictures=encoded)
        return bool(requests)

    def _taken_up(self) -> bool:
        """Use a new calibration, if there is a usable one; return whether there was."""
        written = _written(self._rig.path)
        if written == self._written_ns:
            return False
        self._written_ns = written
        try:
            rig = matched(read_rig(self._rig.path), self._settings.devices)
            unchanged_size = [(c.model.width, c.model.height) for c in rig.cameras] == [
                (c.model.width, c.model.height) for c in self._rig.cameras
            ]
            if not unchanged_size:
                raise SchartenError.coded("other_resolution")
        except SchartenError as error:
            words = f"the new calibration is not used: {error.message} {error.cure}"
            self._unused = Problem("unused", words, {"reason": error.by_language()})
            self._reported_s = 0.0
            return False
        self._rig, self._cameras = rig, rig.calibrated()
        self._askew, self._unused, self._reported_s = None, None, 0.0
        return True

    def _lookout(self, active: tuple[int, ...]) -> Lookout | None:
        if not active:
            return None
        cameras = tuple(self._cameras[n] for n in active)
        empties = tuple(self._rig.empties[n] for n in active)
        return Lookout(open_tracker(cameras, empties, tuple(n + 1 for n in active)))

    def _looked_away(self, lookout: Lookout | None) -> Lookout | None:
        """Look away while the light changes, as long as the announcing client is trusted."""
        with self._news:
            asked, self._lights = self._lights, []
        if asked:
            self._delay_ms = light_delay_ms(self._rig.path)
        for by, by_page, t_ms, for_ms in asked:
            before = self._trust.problem(t_ms)
            self._trust = self._trust.with_request(by, t_ms, for_ms + self._delay_ms, by_page=by_page)
            self._reported_s = self._reported_s if self._trust.problem(t_ms) == before else 0.0
        if lookout is None or self._trust.until_ms <= self._now_ms():
            return lookout  # cameras that are found meanwhile look away, too
        return look_away(lookout, self._trust.until_ms, self._trust.by)

    def _step(self, lookout: Lookout, active: tuple[int, ...], shots: Shots) -> Lookout:
        now, before = self._now_ms(), lookout.tracker.state
        lookout, happened = watch(lookout, shots, now)
        self._looked = self._looked.updated(now, away=lookout.until_ms is not None)
        tracker = lookout.tracker
        if tracker.state is not before:
            _say(self._out, "tracking", state=tracker.state.value, **self._looked.as_json_at(now))
        for happening in happened:
            result = result_of(happening)
            _say(self._out, "happened", said_ms=now, **result)
            if happening.kind in _KEPT:
                self._keep(happening, result, active, tracker.calibrated)
            if happening.kind in (HappeningKind.ASKEW, HappeningKind.STRAIGHT):
                self._askew, self._reported_s = happening.why, 0.0
        return lookout

    def _now_ms(self) -> int:
        return self._zero_ms + time.monotonic_ns() // 1_000_000

    def _keep(
        self,
        happened: Happening,
        result: dict[str, Any],
        active: tuple[int, ...],
        cameras: tuple[CalibratedCamera, ...],
    ) -> None:
        """Save the throw's package; a full disk does not stop play."""
        seen = RigFile(
            self._rig.path,
            tuple(self._rig.cameras[n] for n in active),
            tuple(self._rig.empties[n] for n in active),
        )
        pictures = {"before": happened.before, "after": happened.current}
        lines = _lines(cameras, happened)
        pictures["view"] = _views(cameras, happened, lines)
        alone = {str(n): _alone(own) for n, own in zip(active, lines, strict=True)}
        whose = {"alone": alone, "numbers": [n + 1 for n in active]}
        try:
            self._replays.keep(seen, {**result, **whose}, pictures)
            self._unkept = None
        except OSError as error:
            words = f"throws are not kept in {self._replays.folder}: {error.strerror}"
            self._unkept = Problem("unkept", words, {"reason": error.strerror})

    def _tell(self, lookout: Lookout | None) -> None:
        """Report the cameras' state once a second, and at once when it changed."""
        now, tracker = time.monotonic(), lookout.tracker if lookout else None
        if now - self._reported_s < _TELL_S:
            return
        self._reported_s = now
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
            **self._looked.as_json_at(self._now_ms()),
            askew=as_json(self._askew) if self._askew and state is TakeoutState.ASKEW else None,
            trouble=as_json(blind) if blind else None,
            remarks=[as_json(remark) for remark in self._remarks(tracker, found)],
        )

    def _remarks(self, tracker: ThrowTracker | None, conditions: list[dict[str, Any]]) -> tuple[Problem, ...]:
        """Warnings that do not prevent darts from counting."""
        now = aside(tracker, self._now_ms()) if tracker else ()
        lasts, self._aside = lasting(now, self._aside), now
        others = (self._unused, self._unkept, self._trust.problem(self._now_ms()))
        first = (lost_cameras(conditions), *resized_cameras(conditions))
        return tuple(remark for remark in (*first, *lasts, *others) if remark is not None)


def _lines(cameras: tuple[CalibratedCamera, ...], happened: Happening) -> tuple[tuple[Sighting, ...], ...]:
    """The clearest line of each camera."""
    trios = zip(cameras, happened.before, happened.current, strict=True)
    return tuple(
        find_novelty(camera, take_in(camera, old), take_in(camera, new)).first() for camera, old, new in trios
    )


def _alone(lines: tuple[Sighting, ...]) -> str | None:
    """The bed by the line of a single camera."""
    dart = fuse((lines,))
    return str(dart.bed) if dart else None


def _views(
    cameras: tuple[CalibratedCamera, ...], happened: Happening, lines: tuple[tuple[Sighting, ...], ...]
) -> tuple[Picture, ...]:
    """The board's plane as each camera sees it, with the lines found, for people."""
    at = (happened.dart.x_mm, happened.dart.y_mm) if happened.dart else None
    shown = zip(cameras, happened.current, lines, strict=True)
    return tuple(board_view(camera, new, own, at) for camera, new, own in shown)


def why_blind(lookout: Lookout, t_ms: int) -> Problem | None:
    """Why no dart can be reported, or None."""
    return waiting(lookout, t_ms) or trouble(lookout.tracker, t_ms)


def result_of(happened: Happening) -> dict[str, Any]:
    """A happening as JSON, for the referee and the replay package."""
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
