"""Copy the data folder once a day into the folder of `backup.folder`, in a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from scharten.backup import back_up_folder, newest_copy
from scharten.errors import SchartenError

log = logging.getLogger(__name__)

DAY_S = 86_400.0
LOOK_EVERY_S = 600.0


Warn = Callable[[str, str | None], object]


def daily(folder: str, data: Path, warn: Warn) -> list[Callable[[], None]]:
    """The calls that make a daily copy into `folder`; make them regularly. None without a folder."""
    return [DailyBackup(data, Path(folder).expanduser(), warn).look_after] if folder else []


class DailyBackup:
    """Makes a copy when the newest one is a day old; `warn` gets the reason of a failure, None after a success."""

    def __init__(self, data: Path, folder: Path, warn: Warn) -> None:
        self._data, self._folder, self._warn = data, folder, warn
        self._look_at = 0.0
        self._thread: threading.Thread | None = None

    def look_after(self) -> None:
        """Start a copy if one is due; call it regularly."""
        running = self._thread is not None and self._thread.is_alive()
        if running or time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + LOOK_EVERY_S
        newest = newest_copy(self._folder)
        if newest is None or time.time() - newest > DAY_S:
            self._thread = threading.Thread(target=self._copy, name="backup", daemon=True)
            self._thread.start()

    def _copy(self) -> None:
        try:
            done = back_up_folder(self._data, self._folder)
        except SchartenError as error:
            log.error("no copy was made: %s", error)
            self._warn("backup", f"No copy was made: {error.message} {error.cure}")
        else:
            log.info("%s: %d files copied", done.path, len(done.files))
            self._warn("backup", None)
