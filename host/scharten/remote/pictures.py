"""Pictures of throws between two boards: the board's plane as one camera saw the dart, at most 60 kB.

Both sides store them. The receiver decodes what comes from the other machine, draws it again, and stores its own.
"""

from __future__ import annotations

import io
import json
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from scharten.dartboard.beds import Bed
from scharten.data_folder import read_small
from scharten.display.access import Bucket
from scharten.errors import Problem
from scharten.match.dart import Dart
from scharten.match.inputs import Reading
from scharten.remote.messages import HELLO_BYTES, PICTURE_BYTES, SeenDart, read
from scharten.sensors.sensor import CAMERA
from scharten.sensors.throw_files import REPLAYS, package_name, view_name

log = logging.getLogger(__name__)

FOLDER = "remote-throws"
SIDE, LARGEST_SIDE = 480, 1024
QUALITIES = (80, 65, 50, 35)
WAITS_MS = 20_000
"""How long to wait for the pictures of a dart: the cameras write them a moment later."""
MOST_KEPT, MOST_LISTED = 500, 60


def packed(header: SeenDart, jpeg: bytes) -> bytes:
    """Return a picture as a message: the header as a line of JSON, then the JPEG."""
    return header.encoded() + b"\n" + jpeg


def unpacked(payload: bytes) -> tuple[SeenDart, bytes] | Problem:
    """Read a message with a picture; a `Problem` names what is wrong."""
    if len(payload) > PICTURE_BYTES:
        return Problem("too_large", f"a picture of {len(payload)} bytes is longer than {PICTURE_BYTES}")
    line, _, jpeg = payload.partition(b"\n")
    header = read(line, SeenDart, HELLO_BYTES)
    if isinstance(header, Problem):
        return header
    drawn = small_picture(jpeg)
    return (header, drawn) if drawn else Problem("malformed", "a picture is not a JPEG of a board")


def small_picture(jpeg: bytes, most_bytes: int = PICTURE_BYTES - HELLO_BYTES) -> bytes | None:
    """Draw a JPEG again, small enough to send; None for anything else."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (slow to load, and few games have pictures)

    try:
        with Image.open(io.BytesIO(jpeg), formats=["JPEG"]) as picture:
            if max(picture.size) > LARGEST_SIDE:
                return None
            shown = picture.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    shown.thumbnail((SIDE, SIDE))
    for quality in QUALITIES:
        drawn = io.BytesIO()
        shown.save(drawn, "JPEG", quality=quality)
        if len(drawn.getvalue()) <= most_bytes:
            return drawn.getvalue()
    return None


@dataclass(frozen=True)
class RemoteThrows:
    """The pictures of a game between two boards, by the name that both sides give a throw."""

    folder: Path

    def keep(self, header: SeenDart, jpeg: bytes, match: str) -> None:
        """Store a picture, unless this throw has one, and remove the oldest; a full disk is logged."""
        base = self.folder / f"{header.at_ms:015d}"
        if base.with_suffix(".jpg").exists():
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            base.with_suffix(".jpg").write_bytes(jpeg)
            about = {**header.model_dump(mode="json", exclude={"v"}), "match": match}
            base.with_suffix(".json").write_text(json.dumps(about), encoding="utf-8")
            by_age = sorted(self.folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)
            for old in by_age[:-MOST_KEPT]:
                old.unlink(missing_ok=True)
                old.with_suffix(".json").unlink(missing_ok=True)
        except OSError as error:
            log.warning("the picture of a throw is not kept: %s", error)

    def list(self, match: str) -> list[dict[str, Any]]:
        """List the throws of a game, the newest first."""
        found = (self._about(path) for path in sorted(self.folder.glob("*.json"), reverse=True))
        return list(islice((throw for throw in found if throw and throw["match"] == match), MOST_LISTED))

    def about(self, at_ms: int) -> dict[str, Any] | None:
        """Return what a page shows beside the picture."""
        return self._about(self.folder / f"{at_ms:015d}.json")

    def picture(self, at_ms: int, camera: int) -> bytes | None:
        """Return the picture; a throw at another board has one."""
        try:
            return read_small(self.folder / f"{at_ms:015d}.jpg", PICTURE_BYTES) if camera == 0 else None
        except OSError:
            return None

    def packed(self, at_ms: int) -> bytes | None:
        """Return None: only the cameras' own machine can measure a throw again."""
        return None

    def gift(self, at_ms: int, bed: Bed) -> bytes | None:
        """Return None: the throw is not this house's to give."""
        return None

    def _about(self, path: Path) -> dict[str, Any] | None:
        try:
            about = json.loads(read_small(path))
            beds = about["beds"]
            rest = {"news": "dart", "segment": beds[0][0] if beds else None, "truth": None}
            return {**about, **rest, "cameras": 1, "numbers": [1]}
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None


class Pictures:
    """Both directions: send the pictures of the own cameras' darts, and store those of the other board.

    `work` runs a function in a worker; `complain` gets the reason why a picture is refused.
    """

    def __init__(
        self,
        folder: Path,
        send: Callable[[bytes], object],
        work: Callable[[Callable[[], object]], object],
        complain: Callable[[Problem], object],
    ) -> None:
        self._replays, self._send = folder / REPLAYS, send
        self._work, self._complain = work, complain
        self._throws = RemoteThrows(folder / FOLDER)
        self._due: deque[tuple[int, Path, SeenDart]] = deque(maxlen=64)
        self._noted: deque[Path] = deque(maxlen=64)
        self._arriving = Bucket(2, 8)

    def note(self, given: Reading, shown_ms: int, now_ms: int) -> None:
        """Note a reading of the own board; `shown_ms` is its time as both houses' pages get it."""
        dart = given.what
        if not isinstance(dart, Dart) or (dart.seen_ms is None and given.sensor != CAMERA):
            return
        seen_ms = given.at_ms if dart.seen_ms is None else dart.seen_ms
        path = self._replays / package_name(seen_ms) / view_name(0)
        if path in self._noted:
            return
        self._noted.append(path)
        beds = tuple((str(bed), share) for bed, share in dart.beds)
        name_ms = shown_ms if dart.seen_ms is None else seen_ms
        header = SeenDart(at_ms=name_ms, beds=beds, x_mm=dart.x_mm, y_mm=dart.y_mm)
        self._due.append((now_ms + WAITS_MS, path, header))

    def tick(self, match: str, now_ms: int) -> None:
        """Send the pictures that the cameras have written by now; call it in a worker."""
        for _ in range(len(self._due)):
            until_ms, path, header = self._due.popleft()
            try:
                jpeg = small_picture(path.read_bytes())
            except OSError:
                if now_ms < until_ms:
                    self._due.append((until_ms, path, header))
                continue
            if jpeg is not None:
                self._throws.keep(header, jpeg, match)
                self._send(packed(header, jpeg))

    def arrive(self, payload: bytes, match: str) -> None:
        """Store a picture of the other board, unless they come too fast."""
        if match and self._arriving.take():
            self._work(lambda: self._take(payload, match))

    def _take(self, payload: bytes, match: str) -> None:
        found = unpacked(payload)
        if isinstance(found, Problem):
            self._complain(found)
        else:
            self._throws.keep(*found, match)
