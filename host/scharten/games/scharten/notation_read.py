"""Reading a turn as players write it; malformed, illegal and ambiguous text are told apart (rules 9).

Optional when read: the marks of check and mate in every spelling, `e.p.`, the `x` of a piece, `=` before a promotion
and `!`/`?`. A text that names more than it needs (`Df2g5`, `e2e4`) is read too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.board import LINES, Field, Kind, field_name, line_of, parse_field, row_of
from scharten.games.scharten.effects import captured_field, is_en_passant
from scharten.games.scharten.explain import Explanation, explain
from scharten.games.scharten.geometry import LAST_ROW, PAWN_ATTACKS
from scharten.games.scharten.language import KINDS, Language, letter
from scharten.games.scharten.moves import Illegal, Move, Placement, after_placement, legal_moves
from scharten.games.scharten.notation_write import write_move
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, next_kind
from scharten.games.scharten.turn import Action, LostDart, Turn

MAX_TEXT: Final = 200
MALFORMED, ILLEGAL, AMBIGUOUS = "malformed", "illegal", "ambiguous"


@dataclass(frozen=True)
class NotationError:
    """Why a text is no turn: `code` is malformed, illegal or ambiguous; `words` in English.

    `args` fits into JSON. Illegal: `reason` is a code of `explain` (with its figures) or no_such_piece,
    nothing_captured, not_en_passant, wrong_piece, nothing_to_throw. Ambiguous: `candidates`, as one may write them.
    """

    code: str
    words: str
    args: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Written:
    """A move as written: what is named of the piece, its origin and its promotion, and what it claims to do."""

    kind: Kind
    to: Field
    line: str | None
    row: int | None
    promotion: Kind | None
    takes: bool
    en_passant: bool


_COMMENT: Final = re.compile(r"\{([^{}]*)\}\s*$")
_OFFER: Final = re.compile(r"\(\s*=\s*\)")
_MARKS: Final = re.compile(r"(?:\s|\+|#|†|‡|!|\?|(?<![a-z])e\.?p\.?(?![a-z0-9]))+$", re.IGNORECASE)
_EN_PASSANT: Final = re.compile(r"(?<![a-z])e\.?p\.?", re.IGNORECASE)


def _shape(language: Language) -> re.Pattern[str]:
    letters = "".join(KINDS[language])
    return re.compile(
        rf"(?P<kind>[{letters}])?(?:"
        rf"@(?P<at>-|[oa-i][1-8])|(?P<line>[oa-i])?(?P<row>[1-8])?(?P<takes>[x×:-])?"
        rf"(?P<to>[oa-i][1-8])(?:=?(?P<promotion>[{letters}]))?)",
        re.ASCII if language is not Language.FIGURINE else 0,
    )


_SHAPES: Final = {language: _shape(language) for language in Language}


def read_turn(
    text: str, position: Position, options: RuleOptions, language: Language = Language.DUTCH
) -> Turn | NotationError:
    """The turn that this text means in this position, or why it is none."""
    if len(text) > MAX_TEXT:
        return NotationError(MALFORMED, f"a turn has at most {MAX_TEXT} characters", {"text": text[:40]})
    bare = text.strip()
    comment = _COMMENT.search(bare)
    bare, offers = _OFFER.subn(" ", bare[: comment.start()] if comment else bare)
    marks = _MARKS.search(bare)
    core = (bare[: marks.start()] if marks else bare).strip().replace("\ufe0e", "")
    found = _SHAPES[language].fullmatch(core)
    if found is None:
        return _malformed(text.strip(), core, language)
    action: Action | NotationError
    if found["at"]:
        action = _read_throw(found, comment[1].strip() if comment else None, position, options, language)
    else:
        claimed = bool(marks and _EN_PASSANT.search(marks[0]))
        action = _read_move(_written(found, claimed, language), core, position, options, language)
    return action if isinstance(action, NotationError) else Turn(action, draw_offer=offers > 0)


def _malformed(text: str, core: str, language: Language) -> NotationError:
    """Say what the text is not, and in which language it could be read."""
    args: dict[str, object] = {"text": text}
    others = [other for other in Language if other is not language and _SHAPES[other].fullmatch(core)]
    if others:
        args["language"] = others[0].value
        names = {Language.DUTCH: "Dutch", Language.ENGLISH: "English", Language.FIGURINE: "figurines"}
        words = f"'{text}' is written in {names[others[0]]}, this sheet in {names[language]}"
        return NotationError(MALFORMED, words, args)
    letters = " ".join(letter(kind, Side.WHITE, language) for kind in Kind if kind is not Kind.PAWN)
    words = f"'{text}' is not a turn; pieces are {letters}, lines {LINES[0]} and a to i, rows 1 to 8"
    return NotationError(MALFORMED, words, args)


def _written(found: re.Match[str], en_passant: bool, language: Language) -> _Written:
    kinds = KINDS[language]
    to = parse_field(found["to"])
    assert to is not None
    return _Written(
        kind=kinds[found["kind"]] if found["kind"] else Kind.PAWN,
        to=to,
        line=found["line"],
        row=int(found["row"]) if found["row"] else None,
        promotion=kinds[found["promotion"]] if found["promotion"] else None,
        takes=found["takes"] in ("x", "×", ":"),
        en_passant=en_passant,
    )


def _read_throw(
    found: re.Match[str], bed: str | None, position: Position, options: RuleOptions, language: Language
) -> Placement | LostDart | NotationError:
    side = position.side
    due = next_kind(position, side) if options.loud else None
    if due is None:
        words = f"{side.word} has nothing to throw" if options.loud else "a silent game has no throws"
        return NotationError(ILLEGAL, words, {"reason": "nothing_to_throw"})
    thrown = KINDS[language][found["kind"]] if found["kind"] else Kind.PAWN
    if found["at"] == "-":
        return LostDart(bed or None)
    if thrown is not due:
        words = f"{side.word} throws a {due.name.lower()} next, not a {thrown.name.lower()}"
        return NotationError(
            ILLEGAL, words, {"reason": "wrong_piece", "next": due.value, "piece": thrown.value}
        )
    at = parse_field(found["at"])
    assert at is not None
    after = after_placement(position, at, options)
    if isinstance(after, Illegal):
        why = {"blocked": "is occupied", "leaves_check": "does not end the check"}.get(
            after.code, "is outside the zone"
        )
        args = {**after.args, "reason": after.code, "why": after.args.get("reason", after.code)}
        return NotationError(ILLEGAL, f"no piece can be put on {found['at']}: it {why}", args)
    return Placement(at)


def _read_move(
    written: _Written, text: str, position: Position, options: RuleOptions, language: Language
) -> Move | NotationError:
    legal = [m for m in legal_moves(position, options) if m.to == written.to and _names(written, position, m)]
    found = [m for m in legal if _does(written, position, m)]
    if len(found) == 1:
        return found[0]
    if found:
        candidates = [write_move(position, move, options, language) for move in found]
        words = f"'{text}' can mean {', '.join(candidates[:-1])} or {candidates[-1]}"
        return NotationError(AMBIGUOUS, words, {"candidates": candidates})
    if legal and written.en_passant:
        words = f"'{text}' says en passant, but that pawn does not capture en passant"
        return NotationError(ILLEGAL, words, {"reason": "not_en_passant", "field": field_name(written.to)})
    if legal:
        words = f"'{text}' says that something is captured, but nothing is on {field_name(written.to)}"
        return NotationError(ILLEGAL, words, {"reason": "nothing_captured", "field": field_name(written.to)})
    return _illegal(written, text, position, options)


def _names(written: _Written, position: Position, move: Move) -> bool:
    """Whether the text names this legal move's piece, origin and promotion, as far as it names any."""
    held = position.piece_at(move.origin)
    if held is None or held.kind is not written.kind or not _from(written, move.origin):
        return False
    if written.promotion not in (None, move.promotion):
        return False
    # A pawn named by nothing goes straight ahead; one that captures is named by its line (§17).
    straight = line_of(move.origin) == line_of(move.to)
    return written.kind is not Kind.PAWN or written.line is not None or straight


def _from(written: _Written, origin: Field) -> bool:
    return written.line in (None, line_of(origin)) and written.row in (None, row_of(origin))


def _does(written: _Written, position: Position, move: Move) -> bool:
    """Whether the move does what the text claims: capture, en passant."""
    if written.en_passant and not is_en_passant(position, move):
        return False
    return not written.takes or captured_field(position, move) is not None


_TELLING: Final = ("no_support", "protected", "leaves_check", "blocked", "not_a_move")
"""Of several pieces that cannot make the move, the reason that tells most is given."""


def _illegal(written: _Written, text: str, position: Position, options: RuleOptions) -> NotationError:
    side = position.side
    origins = [
        Field(at)
        for at, held in enumerate(position.board)
        if held and held.side is side and held.kind is written.kind and _from(written, Field(at))
    ]
    if written.kind is Kind.PAWN:
        origins = [at for at in origins if _pawn_means(written, side, at)] or origins
    if not origins:
        where = f" on {written.line or ''}{written.row or ''}" if written.line or written.row else ""
        words = f"'{text}' is not legal: {side.word} has no {written.kind.name.lower()}{where}"
        return NotationError(ILLEGAL, words, {"reason": "no_such_piece", "piece": written.kind.value})
    judged = [(at, explain(position, _whole(written, side, at), options)) for at in origins]
    if len(judged) > 1 and all(why.args.get("reason") == "pattern" for _, why in judged):
        words = f"'{text}' is not legal: no {side.word} {written.kind.name.lower()} can reach {field_name(written.to)}"
        return NotationError(ILLEGAL, words, {"reason": "not_a_move", "why": "pattern"})
    at, why = min(judged, key=lambda pair: _TELLING.index(pair[1].code or "not_a_move"))
    args = {**why.args, "why": why.args.get("reason", why.code), "reason": why.code, "from": field_name(at)}
    return NotationError(ILLEGAL, f"'{text}' is not legal: {_reason_words(why, at, written.to)}", args)


def _pawn_means(written: _Written, side: Side, origin: Field) -> bool:
    """Whether a pawn on this field is one the text could mean: attacking the goal, or on its line."""
    if written.line is not None and written.line != line_of(written.to):
        return written.to in PAWN_ATTACKS[side][origin]
    return line_of(origin) == line_of(written.to)


def _whole(written: _Written, side: Side, origin: Field) -> Move:
    due = written.kind is Kind.PAWN and written.to in LAST_ROW[side]
    return Move(origin, written.to, written.promotion or (Kind.QUEEN if due else None))


def _reason_words(why: Explanation, origin: Field, to: Field) -> str:
    args, names = why.args, f"the piece on {field_name(origin)}"
    if why.code == "no_support":
        return f"{field_name(to)} is worth {args['value']}, and {names} has only {args['support']} support"
    if why.code == "protected":
        return f"the piece on {args['field']} is protected until it moves"
    if why.code == "blocked":
        return f"{names} is blocked by {args['field']}"
    if why.code == "leaves_check":
        return "its own king would be in check"
    reason = str(args.get("reason", "pattern"))
    said = "" if reason == "pattern" else f" ({reason.replace('_', ' ')})"
    return f"{names} cannot move to {field_name(to)}{said}"
