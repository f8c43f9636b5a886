"""The requests of the organiser's page about a match, one closed model each."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter

from scharten.club.match.model import MOST_TABLES, MatchGame, TableNumber
from scharten.game.options import Closed
from scharten.tournament.entries import BoardName, MemberName, PairingResult, PlayerKey


class BeginMatch(Closed):
    """Invite another club: our players in the order of the tables; colours alternate, beginning with `first` for us."""

    type: Literal["match"]
    home: MemberName
    visitors: MemberName
    game: MatchGame = MatchGame()
    first: Literal["white", "black"] = "white"
    players: Annotated[tuple[PlayerKey, ...], Field(min_length=1, max_length=MOST_TABLES, strict=False)]


class AcceptMatch(Closed):
    """Accept another club's invitation, the pasted text, with our players by table; again for a new link."""

    type: Literal["match_accept"]
    text: Annotated[str, Field(max_length=32_000)]
    players: Annotated[dict[str, PlayerKey], Field(max_length=MOST_TABLES, default_factory=dict)]


class SetMatchBoard(Closed):
    """Play a table at this board; null: at the next free one."""

    type: Literal["match_board"]
    number: TableNumber
    board: BoardName | None


class AskAgain(Closed):
    """Withdraw the invitation of a table whose game has not begun, or leave it, and begin again."""

    type: Literal["match_again"]
    number: TableNumber


class EnterMatchResult(Closed):
    """A result by hand; null follows the boards again."""

    type: Literal["match_result"]
    number: TableNumber
    result: PairingResult | None


class EndMatch(Closed):
    """The match is over; tables without a result give their boards back."""

    type: Literal["match_end"]


AnyMatchEntry = BeginMatch | AcceptMatch | SetMatchBoard | AskAgain | EnterMatchResult | EndMatch
MATCH_ENTRIES: TypeAdapter[AnyMatchEntry] = TypeAdapter(Annotated[AnyMatchEntry, Field(discriminator="type")])
MATCH_TYPES = frozenset(
    get_args(model.model_fields["type"].annotation)[0] for model in get_args(AnyMatchEntry)
)
