"""The caller: what to call out after a step of the match, in every language ("Outer fifteen. ...")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from scharten.contract.models import VERSION
from scharten.contract.news_models import Said
from scharten.game.basics import Drop, LostDart, Move, Pass, Side
from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.phases import PhaseName
from scharten.match.state import Match, PlayedTurn
from scharten.words import LANGUAGES, first_text, sentence, text, texts

CORRECTIONS: Final = frozenset({Message.CORRECTED, Message.DELETED, Message.ADDED, Message.TAKEN_BACK,
                                Message.REOPENED, Message.POSITION_SET})  # fmt: skip
"""Events that interrupt the caller's current sentence."""
PLAIN: Final = frozenset({Message.DRAW_OFFERED, Message.DRAW_DECLINED, Message.PAUSED, Message.RESUMED,
                          Message.WHICH_BED, Message.ASK_LOST_DART})  # fmt: skip
TURNS: Final = frozenset({Message.MOVED, Message.PLACED, Message.LOST, Message.PASSED})
CALLED: Final = (*TURNS, *CORRECTIONS, *PLAIN, Message.NEW_GAME, Message.WHITE_FOUND, Message.FINISHED)
"""The codes of `said`."""
WITHOUT_MOVER: Final = frozenset({PhaseName.DECIDING, PhaseName.DRAWING, PhaseName.PAUSED})

SpokenPart = Callable[[str], str]
"""A sentence in the language asked for."""


@dataclass
class _Call:
    """A call in the making: its sentences are put into words at the end, in each language."""

    match: Match
    parts: list[SpokenPart] = field(default_factory=list)
    args: dict[str, object] = field(default_factory=dict)
    important: bool = False

    def add(self, key: str, side: Side | None = None, **args: SpokenPart | str) -> None:
        """Add the sentence of a key; name a side by its player where the name is known."""
        if side is not None:
            args["side"] = lambda language: self.name(side, language)
        self.parts.append(lambda language: sentence(text(language, key, **_in_words(args, language))))

    def in_each_language(self) -> dict[str, str]:
        """Return the whole call by language."""
        return {language: " ".join(part(language) for part in self.parts) for language in LANGUAGES}

    def name(self, side: Side, language: str) -> str:
        """Return the player's name, or the colour."""
        return self.match.name_of(side) or text(language, f"side.{side.word}")


def _in_words(args: Mapping[str, SpokenPart | str], language: str) -> dict[str, str]:
    return {name: part if isinstance(part, str) else part(language) for name, part in args.items()}


def bed_words(language: str, bed: str) -> str:
    """Return a bed as it is called, outer and inner single apart: `F15` is `Outer fifteen`."""
    if f"bed.long.{bed}" in texts(language):
        return text(language, f"bed.long.{bed}")
    return text(language, f"bed.long.{bed[0]}", number=number_words(language, int(bed[1:])))


def number_words(language: str, number: int) -> str:
    """Return a number in words from 1 to 20, else in digits."""
    return texts(language).get(f"number.{number}", str(number))


def call(match: Match, events: Iterable[Event]) -> Said | None:
    """Return what to call out after a step that led to `match` with these events; None for nothing."""
    happened = {
        Message(event.code): event for event in events if isinstance(event, Happened) and event.code in CALLED
    }
    if not happened:
        return None
    made = _Call(match)
    code = next((code for code in CALLED if code in happened and code in CORRECTIONS), next(iter(happened)))
    made.important = bool(CORRECTIONS & happened.keys()) or code in (*PLAIN, Message.NEW_GAME)
    for message, event in happened.items():
        if message in CORRECTIONS or message in PLAIN:
            made.add(f"said.{message}", Side.WHITE if event.args.get("side") == "white" else Side.BLACK)
            made.args.update(event.args)
    if Message.NEW_GAME in happened:
        made.add("said.new_game")
    if Message.WHITE_FOUND in happened and match.name_of(Side.WHITE):
        made.add("said.white_found", Side.WHITE)
    if match.turns and (TURNS & happened.keys() or Message.CORRECTED in happened):
        _turn(made, match.turns[-1], happened)
    _ending(made, Message.FINISHED in happened)
    return {
        "v": VERSION,
        "match": match.id,
        "seq": match.seq,
        "code": code.value,
        "args": made.args,
        "important": made.important,
        "stop": bool(CORRECTIONS & happened.keys()),
        "words": made.in_each_language(),
    }


def _turn(made: _Call, turn: PlayedTurn, happened: dict[Message, Happened]) -> None:
    bed = None if turn.bed is None else str(turn.bed)
    event_args = next((happened[code].args for code in happened if code in TURNS), {})
    made.args |= {"side": turn.side.word, "text": turn.text, "bed": bed, "fields": list(turn.fields)}
    if bed is not None:
        made.parts.append(lambda language: sentence(bed_words(language, bed)))
    match turn.action:
        case Drop(name):
            letter = turn.text.partition("@")[0] or "P"
            made.args |= {"piece": letter, "field": name}
            made.add("said.placed", piece=_piece(letter), field=name)
        case Move():
            _move(made, turn, turn.action)
        case LostDart(foul):
            made.important = True
            made.args["foul"] = foul.value
            if not (bed == "MISS" and foul.value == "off_board"):
                made.add(f"foul.{foul}")
            _count(made, turn.side, event_args.get("fouls"))
        case Pass():
            made.add("said.passed", turn.side)


def _piece(letter: str) -> SpokenPart:
    return lambda language: text(language, f"piece.{letter}")


def _count(made: _Call, side: Side, count: object) -> None:
    """Add how many darts in a row the side has lost, and how many lose the game."""
    limit = made.match.options.foul_limit
    most = limit.white if side is Side.WHITE else limit.black
    if not isinstance(count, int) or made.match.result is not None:
        return
    made.args |= {"fouls": count, "limit": most}
    made.add(
        "said.fouls",
        count=lambda language: number_words(language, count),
        limit=lambda language: number_words(language, most),
    )


def _move(made: _Call, turn: PlayedTurn, move: Move) -> None:
    letter = turn.text[0] if f"piece.{turn.text[0]}" in texts("en") else "P"
    made.args |= {"piece": letter, "field": move.to}
    if turn.text.startswith("O-O"):
        made.add("said.castles", turn.side)
        return
    made.add("said.takes" if "x" in turn.text else "said.moved", piece=_piece(letter), field=move.to)
    if move.promotion:
        made.add("said.becomes", piece=_piece(move.promotion.upper()))


def _ending(made: _Call, finished: bool) -> None:
    """Add the result, or check and whose turn it is."""
    match = made.match
    if finished and match.result is not None:
        made.important = True
        made.args |= {"result": match.result, "reason": match.reason}
        _result(made, match.result, match.reason)
        return
    if not match.under_way or match.phase.name in WITHOUT_MOVER:
        return
    if match.situation.check:
        made.important = True
        made.args["check"] = list(match.situation.check)
        made.add("said.check")
    made.args["next"] = match.side.word
    made.add("said.next" if match.turns else "said.begins", match.side)


def _result(made: _Call, result: str, reason: str | None) -> None:
    winner = {"1-0": Side.WHITE, "0-1": Side.BLACK}.get(result)
    if reason is not None:
        loser = winner.other if winner else made.match.side
        limits = made.match.options.foul_limit
        limit = limits.white if loser is Side.WHITE else limits.black
        keys = (f"reason.{reason}",) if winner else (f"reason.{reason}.draw", f"reason.{reason}")
        made.parts.append(
            lambda language: sentence(
                first_text(
                    language,
                    *keys,
                    side=made.name(loser, language),
                    limit=limit,
                    number=number_words(language, limit),
                )
            )
        )
    if winner is not None:
        made.add("said.wins", winner)
    elif result == "½-½":
        made.add("said.draw")
    else:
        made.add("said.result", result=result)
