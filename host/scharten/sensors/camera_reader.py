"""One camera being read: a thread that keeps its newest picture, loses it and finds it again."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from scharten.errors import SchartenError
from scharten.sensors.camera_files import shown
from scharten.sensors.video import Picture, open_camera, unlocked_words

RETRY_S = 1.0
GONE_S = 1.5
"""A camera that gives no picture for so long is lost."""
_RATE_OVER = 30  # pictures over which the rate is counted


@dataclass(frozen=True)
class Condition:
    """How a camera is, for people: `state` is found or lost."""

    name: str
    state: str
    fps: float
    detail: str


def _file(path: str) -> int | None:
    """Which file has this name now, or None."""
    try:
        return Path(path).stat().st_ino
    except OSError:
        return None


class Reader:
    """Reads a device, a URL or a file.

    A file plays at its own rate from `epoch` on, and its last picture stays; when another file takes its name, that
    one plays.
    """

    def __init__(
        self,
        source: str,
        size: tuple[int, int],
        fps: int,
        *,
        epoch: float,
        news: Callable[[], None],
    ) -> None:
        self.source = f"/dev/video{source}" if source.isdecimal() else source
        self._size, self._fps, self._epoch, self._news = size, fps, epoch, news
        self._lock = threading.Lock()
        self._newest: tuple[int, Picture] | None = None
        self._times: list[float] = []
        self._detail = "not opened yet"
        self._note = ""  # what is to be known of it although it gives pictures
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {shown(source)}", daemon=True)
        self._thread.start()

    @property
    def is_file(self) -> bool:
        """Whether it plays a file instead of watching."""
        return "://" not in self.source and not self.source.startswith("/dev/")

    def newest(self) -> tuple[int, Picture] | None:
        """The number and the newest picture, or None while the camera is lost."""
        with self._lock:
            if not self._times or time.monotonic() - self._times[-1] > GONE_S:
                return None
            return self._newest

    def condition(self) -> Condition:
        """How the camera is now."""
        found = self.newest() is not None
        with self._lock:
            span = self._times[-1] - self._times[0] if len(self._times) > 1 else 0.0
            rate = (len(self._times) - 1) / span if found and span > 0 else 0.0
            detail = self._note if found else self._detail
        return Condition(shown(self.source), "found" if found else "lost", round(rate, 1), detail)

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        self._thread.join(2)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                opened = open_camera(self.source, self._size, self._fps)
            except SchartenError as error:
                self._tell(f"{error.message}. {error.cure}".replace(self.source, shown(self.source)))
            except cv2.error:
                self._tell("OpenCV cannot read it")
            else:
                capture = opened.capture
                self._tell("it gives no pictures: is its plug loose?", unlocked_words(opened.unlocked))
                again = self._play(capture) if self.is_file else self._watch(capture)
                capture.release()
                if again:
                    continue
            self._stopping.wait(RETRY_S)

    def _tell(self, detail: str, note: str = "") -> None:
        with self._lock:
            self._detail, self._note = detail, note

    def _watch(self, capture: cv2.VideoCapture) -> bool:
        """A live camera, until it is lost; gives whether it is to be opened again at once."""
        while not self._stopping.is_set():
            fine, picture = capture.read()
            if not fine:
                return False
            if not self._keep(np.asarray(picture, np.uint8)):
                return False
        return False

    def _play(self, capture: cv2.VideoCapture) -> bool:
        """A file: the picture that is due by the clock; overdue ones are skipped, the last one stays."""
        period = 1 / (capture.get(cv2.CAP_PROP_FPS) or self._fps)
        started = self._epoch if self._newest is None else time.monotonic()
        final = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) - 1
        final = final if final > 0 else sys.maxsize  # some files do not tell their length
        file, number, last = _file(self.source), -1, None
        while not self._stopping.is_set():
            now = _file(self.source)
            if now is None:
                self._lose("the file is gone")
            if now is None or now != file:
                return now is not None
            due = min(int((time.monotonic() - started) / period), final)
            while number < due - 1 and capture.grab():  # overdue
                number += 1
            if number < due:
                fine, picture = capture.read()
                last = np.asarray(picture, np.uint8) if fine else last
                number = due
            if number == final:
                self._tell(self._detail, "the film has ended; its last picture stays")
            if last is not None and not self._keep(last):
                return False
            self._stopping.wait(period - (time.monotonic() - started) % period)
        return False

    def _lose(self, detail: str) -> None:
        with self._lock:
            self._times.clear()
            self._detail = detail
        self._news()

    def _keep(self, picture: Picture) -> bool:
        if picture.shape[1::-1] != self._size:
            given, wanted = ("x".join(map(str, size)) for size in (picture.shape[1::-1], self._size))
            self._lose(f"it gives {given} pixels but was calibrated with {wanted}: calibrate it again")
            return False
        with self._lock:
            number = self._newest[0] + 1 if self._newest else 0
            self._newest = (number, picture)
            self._times.append(time.monotonic())
            del self._times[:-_RATE_OVER]
        self._news()
        return True
