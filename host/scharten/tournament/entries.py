"""Entries of a club's journal, one closed model each: the club's state follows from them alone."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from scharten.game.options import Closed, LanguageName
from scharten.game.plain_text import plain
from scharten.tournament.model import Presence, Unpaired
from scharten.tournament.options import SeasonOptions

PlayerKey = Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")]
"""A player's key in the player register."""
MemberName = Annotated[
    str, Field(min_length=1, max_length=40), AfterValidator(lambda name: plain(name) or "?")
]
BoardName = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,32}$")]
Number = Annotated[int, Field(ge=1, le=9999)]
PairingResult = Literal["1-0", "0-1", "½-½", "0-0", "½-0", "0-½", "+/-", "-/+", "-/-"]


class EnterMember(Closed):
    """A member is new, or changes."""

    type: Literal["member"]
    key: PlayerKey
    name: MemberName
    rating: Annotated[int, Field(ge=0, le=4000)] = 0
    foul_limit: Annotated[int, Field(ge=1, le=99)] | None = None
    language: LanguageName = "en"


class RemoveMember(Closed):
    """A member leaves the club: the name goes, games stay."""

    type: Literal["remove_member"]
    key: PlayerKey


class BeginSeason(Closed):
    """A season begins; the one before is over."""

    type: Literal["season"]
    name: MemberName
    options: SeasonOptions


class OpenEvening(Closed):
    """An evening begins, with no one present yet."""

    type: Literal["evening"]
    date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]


class CloseEvening(Closed):
    """The evening is over; `open_pairs` says what becomes of pairs without a result, null if there are none.

    `adjourn`: they play when both are present on a later evening. `void`: the pairs are withdrawn.
    """

    type: Literal["close_evening"]
    open_pairs: Literal["adjourn", "void"] | None = None


class TickPresence(Closed):
    """A member is here, or is not."""

    type: Literal["presence"]
    key: PlayerKey
    said: Annotated[Presence, Field(strict=False)]


class PairText(Closed):
    """One pair of a draw."""

    white: PlayerKey
    black: PlayerKey


class SetStartList(Closed):
    """The start list before round 1: these members and those who are present, by strength."""

    type: Literal["start_list"]
    keys: Annotated[tuple[PlayerKey, ...], Field(max_length=1000, strict=False)]


class AskBye(Closed):
    """A member asks for a bye in a round to come, worth the points of `excused`; or no longer asks for it."""

    type: Literal["bye"]
    key: PlayerKey
    number: Number
    asked: bool = True


class ForbidPair(Closed):
    """Two members never meet, in later seasons too; with `forbidden` false they may again."""

    type: Literal["forbid"]
    first: PlayerKey
    second: PlayerKey
    forbidden: bool = True


class FixPair(Closed):
    """The organiser pairs two members by hand in a round; with `fixed` false the draw decides again."""

    type: Literal["fix"]
    number: Number
    white: PlayerKey
    black: PlayerKey
    fixed: bool = True


class PublishDraw(Closed):
    """A draw is published: a new round, or the last one again (`number` says which)."""

    type: Literal["draw"]
    number: Number
    pairs: Annotated[tuple[PairText, ...], Field(max_length=500, strict=False)]
    unpaired: dict[PlayerKey, Annotated[Unpaired, Field(strict=False)]] = Field(default_factory=dict)


class WithdrawRound(Closed):
    """The last round is taken back; only while none of its games has begun."""

    type: Literal["withdraw_round"]
    number: Number


class ReleaseBoard(Closed):
    """The game on a board no longer counts: its pair waits for another board, and the next call ends the game."""

    type: Literal["release"]
    board: BoardName
    match: Annotated[str, Field(min_length=1, max_length=64)]


class CallBoard(Closed):
    """A pairing gets a board, or none; `left` is the board that was called before and no longer answers."""

    type: Literal["call"]
    number: Number
    table: Number
    board: BoardName | None
    left: BoardName | None = None


class BeginGame(Closed):
    """The game of a pairing is begun on its board."""

    type: Literal["begin"]
    number: Number
    table: Number
    match: Annotated[str, Field(max_length=64)]


class EnterResult(Closed):
    """A result, from the board (`match`, `seq`) or by hand; null takes it back."""

    type: Literal["result"]
    number: Number
    table: Number
    result: PairingResult | None
    reason: Annotated[str, Field(max_length=40)] | None = None
    match: Annotated[str, Field(max_length=64)] | None = None
    seq: Annotated[int, Field(ge=0)] = 0


class StartRound(Closed):
    """The clocks of the last round may run."""

    type: Literal["start_round"]
    number: Number


class AnnounceStart(Closed):
    """When the next round begins, for all to see; null: nothing is announced."""

    type: Literal["next_start"]
    at_ms: Annotated[int, Field(ge=0, le=2**53 - 1)] | None


Entry = (
    EnterMember
    | RemoveMember
    | BeginSeason
    | OpenEvening
    | CloseEvening
    | TickPresence
    | SetStartList
    | AskBye
    | ForbidPair
    | FixPair
    | PublishDraw
    | WithdrawRound
    | ReleaseBoard
    | CallBoard
    | BeginGame
    | EnterResult
    | StartRound
    | AnnounceStart
)
ENTRIES: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="type")])
