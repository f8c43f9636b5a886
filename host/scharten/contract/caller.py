"""The caller: what a step of the match is called out as, in every language, as on a stage ("Outer fifteen. ...")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, cast

from scharten.contract.caller_words import LANGUAGES, Words, bed_words, number_words, sentence
from scharten.contract.models import VERSION
from scharten.contract.news_models import Said, SpokenWords
from scharten.game.basics import Drop, LostDart, Move, Pass, Reason, Side
from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.phases import PhaseName
from scharten.match.state import Match, PlayedTurn

CORRECTIONS: Final = frozenset({Message.CORRECTED, Message.DELETED, Message.ADDED, Message.TAKEN_BACK,
                                Message.REOPENED, Message.POSITION_SET})  # fmt: skip
"""After these, whatever a speaker was saying no longer holds."""
PLAIN: Final = frozenset({Message.DRAW_OFFERED, Message.DRAW_DECLINED, Message.PAUSED, Message.RESUMED,
                          Message.WHICH_BED, Message.ASK_LOST_DART})  # fmt: skip
TURNS: Final = frozenset({Message.MOVED, Message.PLACED, Message.LOST, Message.PASSED})
CALLED: Final = (*TURNS, *CORRECTIONS, *PLAIN, Message.NEW_GAME, Message.WHITE_FOUND, Message.FINISHED)
"""The codes of `said`."""
WITHOUT_MOVER: Final = frozenset({PhaseName.DECIDING, PhaseName.DRAWING, PhaseName.PAUSED})

SpokenPart = Callable[[Words], str]


@dataclass
class _Call:
    """One call while it is put together: its parts are worded in each language at the end."""

    match: Match
    parts: list[SpokenPart] = field(default_factory=list)
    args: dict[str, object] = field(default_factory=dict)
    important: bool = False

    def say(self, key: str, side: Side | None = None, **args: str) -> None:
        """One sentence; a side is called by its player's name where there is one."""
        self.parts.append(
            lambda words: sentence(
                words, key, **args, **({} if side is None else {"side": self.name(side, words)})
            )
        )

    def worded(self) -> dict[str, str]:
        """All of it in each language."""
        return {key: " ".join(part(words) for part in self.parts) for key, words in LANGUAGES.items()}

    def name(self, side: Side, words: Words) -> str:
        """The player, or the colour."""
        return self.match.name_of(side) or words.sides[side.word]


def call(after: Match, events: Iterable[Event]) -> Said | None:
    """What is called out after a step that left `after` and these events; None when nothing is."""
    happened = {Message(one.code): one for one in events if isinstance(one, Happened) and one.code in CALLED}
    if not happened:
        return None
    made = _Call(after)
    code = next((one for one in CALLED if one in happened and one in CORRECTIONS), next(iter(happened)))
    made.important = bool(CORRECTIONS & happened.keys()) or code in (*PLAIN, Message.NEW_GAME)
    for one, event in happened.items():
        if one in CORRECTIONS or one in PLAIN:
            made.say(one.value, Side.WHITE if event.args.get("side") == "white" else Side.BLACK)
            made.args.update(event.args)
    if Message.NEW_GAME in happened:
        made.say("new_game")
    if Message.WHITE_FOUND in happened and after.name_of(Side.WHITE):
        made.say("white_found", Side.WHITE)
    if after.turns and (TURNS & happened.keys() or Message.CORRECTED in happened):
        _turn(made, after.turns[-1], happened)
    _ending(made, Message.FINISHED in happened)
    return {
        "v": VERSION,
        "match": after.id,
        "seq": after.seq,
        "code": code.value,
        "args": made.args,
        "important": made.important,
        "stop": bool(CORRECTIONS & happened.keys()),
        "words": cast(SpokenWords, made.worded()),
    }


def _turn(made: _Call, turn: PlayedTurn, happened: dict[Message, Happened]) -> None:
    bed = None if turn.bed is None else str(turn.bed)
    told = next((happened[one].args for one in happened if one in TURNS), {})
    made.args |= {"side": turn.side.word, "text": turn.text, "bed": bed, "fields": list(turn.fields)}
    if bed is not None:
        made.parts.append(lambda words: f"{bed_words(words, bed)}.")
    match turn.action:
        case Drop(name):
            letter = turn.text.partition("@")[0] or "P"
            made.args |= {"piece": letter, "field": name}
            made.parts.append(lambda words: sentence(words, "placed", piece=words.pieces[letter], field=name))
        case Move():
            _move(made, turn, turn.action)
        case LostDart(foul):
            made.important = True
            made.args["foul"] = foul.value
            if not (bed == "MISS" and foul.value == "off_board"):
                made.parts.append(lambda words: sentence(words, "lost", foul=words.fouls[foul.value]))
            _count(made, turn.side, told.get("fouls"))
        case Pass():
            made.say("passed", turn.side)


def _count(made: _Call, side: Side, count: object) -> None:
    """How many lost darts in a row that is, of how many."""
    limit = made.match.options.foul_limit
    most = limit.white if side is Side.WHITE else limit.black
    if not isinstance(count, int) or made.match.result is not None:
        return
    made.args |= {"fouls": count, "limit": most}
    made.parts.append(
        lambda words: sentence(
            words, "fouls", count=number_words(words, count), limit=number_words(words, most)
        )
    )


def _move(made: _Call, turn: PlayedTurn, move: Move) -> None:
    letter = turn.text[0] if turn.text[0] in LANGUAGES["en"].pieces else "P"
    made.args |= {"piece": letter, "field": move.to}
    if turn.text.startswith("O-O"):
        made.say("castles", turn.side)
        return
    key = "takes" if "x" in turn.text else "moved"
    made.parts.append(lambda words: sentence(words, key, piece=words.pieces[letter], field=move.to))
    became = move.promotion
    if became:
        made.parts.append(lambda words: sentence(words, "becomes", piece=words.pieces[str(became).upper()]))


def _ending(made: _Call, finished: bool) -> None:
    """Check, mate and result, or whose turn it is."""
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
        made.say("check")
    made.args["next"] = match.side.word
    made.say("next" if match.turns else "begins", match.side)


def _result(made: _Call, result: str, reason: str | None) -> None:
    winner = {"1-0": Side.WHITE, "0-1": Side.BLACK}.get(result)
    if reason is not None:
        end, loser = Reason(reason).value, winner.other if winner else made.match.side
        made.parts.append(lambda words: words.ends[end].format(loser=made.name(loser, words)) + ".")
    if winner is not None:
        made.say("wins", winner)
    elif result == "½-½":
        made.say("draw")
    else:
        made.say("result", result=result)
