"""The messages between host and guest, as JSON. Pure; each is read from bytes of anybody, so sizes are bounded."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scharten.errors import Problem
from scharten.match.orders import BIGGEST, BedName, PlayerName, SeatName

VERSION = 1
"""The version of the protocol between two boards; another one is refused by name."""
READING_BYTES = 4 * 1024
NOT_FROM_AFAR = frozenset({"new_game", "practice", "practice_dart", "virtual_throw", "set_computer"})
"""Commands that only the host's own pages may give; guest and host both refuse them from a guest."""
HELLO_BYTES = 4 * 1024
PICTURE_BYTES = 60 * 1024
Number = Annotated[int, Field(ge=0, le=BIGGEST)]
Moment = Annotated[int, Field(ge=-BIGGEST, le=BIGGEST)]
Text = Annotated[str, Field(max_length=200)]
Secret = Annotated[str, Field(min_length=20, max_length=64)]
MessageT = TypeVar("MessageT", bound="Message")


class Message(BaseModel):
    """A message: closed, frozen, with the version of the protocol."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    v: int = VERSION

    def encoded(self) -> bytes:
        """Return the message as JSON."""
        return self.model_dump_json().encode()


class Offer(Message):
    """`guest/<seat>/offer`, retained, before a guest has accepted: who invites to what."""

    seat: SeatName
    by: PlayerName = ""
    game: Text
    kind: Text
    clock: dict[str, Any] | None = None
    rated: bool = False
    asks: bool = False
    """Whether the host answers a yes: the invitation stood in a lobby."""
    proof: Text
    """Shows that the host knows the letters: no machine in between does."""


class Accept(Message):
    """`guest/<seat>/accept`: the guest says yes; from now on `key` is its password, and the letters are used up."""

    key: Secret
    name: PlayerName = ""
    cameras: bool = False


class Sensor(BaseModel):
    """A sensor of the guest's board and its state."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(max_length=32)]
    state: Annotated[str, Field(max_length=32)]


class Hello(Message):
    """`guest/<seat>/hello`, twice a second: the guest is there.

    `sent_ms` by its own clock, `offset_ms` as it measures it, `have`: how many inputs of `match` its proof has,
    `differs`: where its own referee came to another result. `leaves`: it goes, and its board with it.
    """

    n: Number
    sent_ms: Moment
    offset_ms: Moment = 0
    round_trip_ms: Number | None = None
    sensors: Annotated[list[Sensor], Field(max_length=8)] = []
    match: Annotated[str, Field(max_length=64)] = ""
    have: Number = 0
    differs: Text = ""
    leaves: bool = False


class _What(BaseModel):
    """The observation of a sensor, as the journal writes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Millimetres = Annotated[float, Field(ge=-2000, le=2000, allow_inf_nan=False)]
Contacts = Annotated[
    tuple[Annotated[int, Field(ge=0, le=255)], Annotated[int, Field(ge=0, le=255)]], Field(strict=False)
]
SensorName = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,32}$")]


class OpinionWhat(_What):
    """One sensor's view of a dart."""

    source: SensorName
    bed: BedName | None
    probability: Share


class DartWhat(_What):
    """A dart."""

    what: Literal["dart"]
    beds: Annotated[
        tuple[Annotated[tuple[BedName, Share], Field(strict=False)], ...], Field(max_length=82, strict=False)
    ]
    x_mm: Millimetres | None
    y_mm: Millimetres | None
    bounced: bool
    contact: Contacts | None
    seen_ms: Moment | None = None
    opinions: Annotated[tuple[OpinionWhat, ...], Field(max_length=4, strict=False)] = ()


class KnockWhat(_What):
    """A knock without a contact."""

    what: Literal["knock"]
    peak: Annotated[int, Field(ge=0, le=65535)]


class ButtonWhat(_What):
    """A button."""

    what: Literal["button"]
    name: Literal["miss", "ready", "undo", "other"]


class NoDartWhat(_What):
    """A contact or a knock that was not a dart."""

    what: Literal["no_dart"]
    contact: Contacts | None
    bed: BedName | None


class ClearedWhat(_What):
    """An empty board."""

    what: Literal["cleared"]


AnyWhat = Annotated[DartWhat | KnockWhat | ButtonWhat | NoDartWhat | ClearedWhat, Field(discriminator="what")]


class GuestReading(Message):
    """`guest/<seat>/reading`: an input of the guest's board, with its id and its time by the host's clock."""

    id: Annotated[list[Number], Field(min_length=2, max_length=2)]
    at_ms: Moment
    sensor: SensorName
    what: AnyWhat
    revises: bool = False


class SeenDart(Message):
    """The header of a picture, on `guest/<seat>/picture` of the guest and `guest/<seat>/shown` of the host.

    `at_ms` names the throw: the time at which both houses' pages get its dart from cameras.
    """

    at_ms: Annotated[int, Field(ge=0, lt=10**15)]
    beds: Annotated[
        tuple[Annotated[tuple[BedName, Share], Field(strict=False)], ...], Field(max_length=82, strict=False)
    ]
    x_mm: Millimetres | None = None
    y_mm: Millimetres | None = None


class Taken(Message):
    """`guest/<seat>/taken`: what the host's journal has (`reading`), or the answer to a hello."""

    reading: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = None
    n: Number | None = None
    sent_ms: Moment | None = None
    host_ms: Moment | None = None
    waits: bool = False
    """The host plays another game; this one is adjourned until it is resumed there."""
    rows: Number | None = None
    """With `n` or `over`: how many inputs of the game the host's journal has, and so the whole proof."""
    over: str = ""
    """Why the guest's board is its own again: `over`, `left`, `lapsed`; "" while the game goes on."""


class Proof(Message):
    """`guest/<seat>/proof`: an input of the game and the digest after it; `n` counts from 0, with the game's start."""

    match: Annotated[str, Field(max_length=64)]
    n: Number
    digest: Text
    input: dict[str, Any]
    judged: bool = True
    start: dict[str, Any] | None = None


def read(payload: bytes, kind: type[MessageT], largest: int) -> MessageT | Problem:
    """Read a message of at most `largest` bytes; a `Problem` names what is wrong."""
    if len(payload) > largest:
        return Problem("too_large", f"a message of {len(payload)} bytes is longer than {largest}")
    try:
        raw = json.loads(payload)
    except (ValueError, RecursionError):
        return Problem("malformed", "a message is not JSON")
    if isinstance(raw, dict) and raw.get("v") != VERSION:
        return Problem(
            "version",
            f"the other side speaks version {str(raw.get('v'))[:20]} of the protocol, this one {VERSION}",
            cure="Install the same version of Scharten on both machines.",
        )
    try:
        return kind.model_validate_json(payload)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        return Problem("malformed", f"a message has a wrong field: {where[:80]}")
