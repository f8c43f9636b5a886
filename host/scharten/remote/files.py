"""Files of host and guest about a game between two boards; only their owner may read them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from scharten.data_folder import read_small
from scharten.remote.invitation import INVITATION, Invitation
from scharten.remote.messages import GuestReading
from scharten.system.secrets import write_private

log = logging.getLogger(__name__)
ValueT = TypeVar("ValueT")

INVITED, GUEST, OUTBOX, LINE = (
    *("remote-invitation.json", "remote-guest.json"),
    *("remote-outbox.json", "remote-line.json"),
)
_OUTBOX: TypeAdapter[list[GuestReading]] = TypeAdapter(list[GuestReading])


class GuestState(BaseModel):
    """The game that this machine is a guest of: where, with which secret, and what its board has handed over.

    `session` and `next` number readings of sensors that store nothing. `away`: the board plays there now.
    """

    model_config = ConfigDict(extra="forbid")

    link: str
    pin: str
    root: str
    seat: str
    key: str
    by: str = ""
    name: str = ""
    player: str = ""
    session: int
    next: int = 0
    away: bool = True
    match: str = ""


def read_invitation(folder: Path) -> Invitation | None:
    """Return the open invitation, None without one."""
    return _read(folder / INVITED, INVITATION)


def write_invitation(folder: Path, invitation: Invitation | None) -> None:
    """Store the invitation; None removes it."""
    _write(folder / INVITED, None if invitation is None else INVITATION.dump_json(invitation))


def read_guest(folder: Path) -> GuestState | None:
    """Return the game that this machine is a guest of, None without one."""
    return _read(folder / GUEST, TypeAdapter(GuestState))


def write_guest(folder: Path, state: GuestState | None) -> None:
    """Store the guest's state; None removes it, with what it had not handed over."""
    _write(folder / GUEST, None if state is None else state.model_dump_json().encode())
    if state is None:
        (folder / OUTBOX).unlink(missing_ok=True)


def read_outbox(folder: Path) -> list[GuestReading]:
    """Return the readings of sensors without a memory that the host did not have yet."""
    return _read(folder / OUTBOX, _OUTBOX) or []


def write_outbox(folder: Path, waiting: list[GuestReading]) -> None:
    """Store these readings before they count as sent."""
    _write(folder / OUTBOX, _OUTBOX.dump_json(waiting, exclude_none=True))


def read_line(folder: Path) -> tuple[int, int] | None:
    """Return session and number of the board's last line that another host's journal has."""
    return _read(folder / LINE, TypeAdapter(tuple[int, int]))


def write_line(folder: Path, session: int, number: int) -> None:
    """Store the board's last line that another host's journal has."""
    write_private(folder / LINE, f"[{session}, {number}]")


def _read(path: Path, adapter: TypeAdapter[ValueT]) -> ValueT | None:
    try:
        return adapter.validate_json(read_small(path))
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.warning("%s is unreadable and is not used: %s", path, str(error).partition("\n")[0])
        return None


def _write(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink(missing_ok=True)
    else:
        write_private(path, content.decode())
