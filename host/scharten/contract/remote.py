"""The message `remote`: a club's organiser invites to, or accepts, a game between this board and another club's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError

from scharten.contract.models import VERSION
from scharten.errors import Problem
from scharten.game.options import Closed
from scharten.match.orders import ContractVersion, Id, PlayerId, PlayerName, SeatName

_LIMIT = 16 * 1024
REMOTE_CODES = (
    *("bad_link", "disk", "failed", "forged", "game_on", "guest_here", "no_door", "no_meeting", "no_offer"),
    *("not_met", "refused", "unreachable", "version"),
)
"""The `code` of an answer to a request that was refused, besides those of commands."""
RequestType = Literal["status", "invite", "withdraw", "join", "leave"]


class RemoteRequest(Closed):
    """`invite` offers `seat` in the game that `order` describes; `join` accepts the invitation behind `link`.

    `withdraw` ends the invitation or the line at the host, `leave` at the guest. Each is answered on
    `answer/organiser`; the answer's `remote` has the line's state.
    """

    v: ContractVersion
    id: Id
    type: RequestType
    seat: SeatName = "seat2"
    order: Annotated[dict[str, JsonValue], Field(max_length=16, default_factory=dict)]
    by: PlayerName = ""
    link: Annotated[str, Field(max_length=400)] = ""
    name: PlayerName = ""
    player: PlayerId | None = None


def parse_remote(data: bytes) -> RemoteRequest | Problem:
    """Read one `remote`; never raises, whatever the bytes are."""
    if len(data) > _LIMIT:
        return Problem("too_large", "a request about another board is one small JSON object")
    try:
        return RemoteRequest.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Problem("malformed", f"{place}: {first['msg']}"[:200])


def remote_request(command_id: str, kind: RequestType, **fields: JsonValue) -> dict[str, JsonValue]:
    """Build the message of a request."""
    return {"v": VERSION, "id": command_id, "type": kind, **fields}
