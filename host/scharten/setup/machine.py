"""What the set-up knows of the machine and may ask of its daemon; who answers a page is made when one first asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scharten.config import Config
from scharten.display.setup_door import SetupAnswerer, SetupDoor
from scharten.setup.config_file import ConfigFile
from scharten.setup.first_start import first_start


@dataclass(frozen=True)
class Machine:
    """What the daemon does for the set-up: `release` lets its board's port go, `restart` starts it again.

    `restart` is told how to put the file back, should the new settings not start; `failed` is why the last did not.
    """

    folder: Path
    file: ConfigFile
    config: Config
    release: Callable[[], object]
    restart: Callable[[Callable[[], object]], object]
    failed: str = ""


def setup_door(machine: Machine, table: str, open_table: bool) -> SetupDoor:
    """The door for pages; `table` is that role's secret, `open_table` whether it is asked for here."""
    return SetupDoor(
        partial(_service, machine), partial(first_start, machine.folder, machine.file), table, open_table
    )


def _service(machine: Machine) -> SetupAnswerer:
    from scharten.setup.service import SetupService  # noqa: PLC0415  (brings OpenCV, slow to load)

    return SetupService(machine)
