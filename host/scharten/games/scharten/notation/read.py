"""Reading a turn as players write it; malformed, illegal and ambiguous text have different codes (rules 9).

Optional when read: the marks of check and mate in every spelling, `e.p.`, the `x` of a piece, `=` before a promotion
and `!`/`?`. A text that names more than it needs (`Df2g5`, `e2e4`) is read too. What is not a turn is a `Problem`:
malformed, illegal (its `reason` is a code of `explain`, with the figures, or no_such_piece, nothing_captured,
not_en_passant, wrong_piece, nothing_to_throw) or ambiguous (with `candidates`, as one may write them).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Action, Drop, FieldName, Foul, LostDart, Move, Side
from scharten.game.protocol import Explanation, WrittenTurn
from scharten.games.letters import FIGURINE, SHEET_LANGUAGES, SOURCES_LANGUAGE, other_language
from scharten.games.scharten.actions import move_of, play
from scharten.games.scharten.board import (
    CODES,
    EMPTY,
    Field,
    PieceKind,
    Q,
    field_name,
    line_of,
    parse_field,
    row_of,
)
from scharten.games.scharten.explain import explain_move
from scharten.games.scharten.geometry import BIT, LAST, NO_FIELD, PAWN, scan
from scharten.games.scharten.notation.write import KINDS_BY_LETTER, letter, write_action
from scharten.games.scharten.position import Position, captured_at, is_en_passant
from scharten.games.scharten.turns import Turn, turns_of
from scharten.words import ENGLISH, LANGUAGES, problem_text
from scharten.words import text as word

MAX_TEXT: Final = 200
MALFORMED, ILLEGAL, AMBIGUOUS = "malformed", "illegal", "ambiguous"


@dataclass(frozen=True, slots=True)
class _Written:
    """A move as written: the named parts of piece, origin and promotion, and its claims."""

    kind: PieceKind
    to: Field
    line: str | None
    row: int | None
    promotion: PieceKind | None
    takes: bool
    en_passant: bool


_COMMENT: Final = re.compile(r"\{([^{}]*)\}\s*$")
_OFFER: Final = re.compile(r"\(\s*=\s*\)")
_MARKS: Final = re.compile(r"(?:\s|\+|#|†|‡|!|\?|(?<![a-z])e\.?p\.?(?![a-z0-9]))+$", re.IGNORECASE)
_EN_PASSANT: Final = re.compile(r"(?<![a-z])e\.?p\.?", re.IGNORECASE)


def _shape(language: str) -> re.Pattern[str]:
    letters = "".join(KINDS_BY_LETTER[language])
    return re.compile(
        rf"(?P<kind>[{letters}])?(?:"
        rf"@(?P<at>-|[oa-i][1-8])|(?P<line>[oa-i])?(?P<row>[1-8])?(?P<takes>[x×:-])?"
        rf"(?P<to>[oa-i][1-8])(?:=?(?P<promotion>[{letters}]))?)",
        re.ASCII if language != FIGURINE else 0,
    )


_SHAPES: Final = {language: _shape(language) for language in SHEET_LANGUAGES}


def read_turn(text: str, position: Position, language: str = SOURCES_LANGUAGE) -> WrittenTurn | Problem:
    """Return the turn that this text means in this position, or why it means none."""
    if len(text) > MAX_TEXT:
        return Problem.reasoned(MALFORMED, "turn_length", text=text[:40], most=MAX_TEXT)
    bare = text.strip()
    comment = _COMMENT.search(bare)
    bare, offers = _OFFER.subn(" ", bare[: comment.start()] if comment else bare)
    marks = _MARKS.search(bare)
    core = (bare[: marks.start()] if marks else bare).strip().replace("\ufe0e", "")
    found = _SHAPES[language].fullmatch(core)
    if found is None:
        return _malformed(text.strip(), core, language)
    action: Action | Problem
    if found["at"]:
        action = _read_throw(found, comment[1].strip() if comment else None, position, language)
    else:
        claimed = bool(marks and _EN_PASSANT.search(marks[0]))
        action = _read_move(_written(found, claimed, language), core, position, language)
    return action if isinstance(action, Problem) else WrittenTurn(action, draw_offer=offers > 0)


def _malformed(text: str, core: str, language: str) -> Problem:
    """Refuse a text, with the language in which it would be a turn."""
    others = [other for other in SHEET_LANGUAGES if other != language and _SHAPES[other].fullmatch(core)]
    if others:
        return other_language(text, others[0], language)
    letters = " ".join(letter(kind, Side.WHITE, language) for kind in PieceKind if kind is not PieceKind.PAWN)
    return Problem.reasoned(MALFORMED, "not_a_turn", text=text, letters=letters)


def _written(found: re.Match[str], en_passant: bool, language: str) -> _Written:
    kinds = KINDS_BY_LETTER[language]
    to = parse_field(found["to"])
    assert to is not None
    return _Written(
        kind=kinds[found["kind"]] if found["kind"] else PieceKind.PAWN,
        to=to,
        line=found["line"],
        row=int(found["row"]) if found["row"] else None,
        promotion=kinds[found["promotion"]] if found["promotion"] else None,
        takes=found["takes"] in ("x", "×", ":"),
        en_passant=en_passant,
    )


def _read_throw(found: re.Match[str], bed: str | None, position: Position, language: str) -> Action | Problem:
    side, loud = position.side, position.rules.loud
    due = position.next_kind(side) if loud else None
    if due is None:
        reason = "nothing_to_throw" if loud else "silent_throw"
        return Problem.reasoned(ILLEGAL, reason, reason="nothing_to_throw", side=_side(side))
    thrown = KINDS_BY_LETTER[language][found["kind"]] if found["kind"] else PieceKind.PAWN
    if found["at"] == "-":
        return LostDart(Foul.DECLARED, bed=bed or None)
    if thrown is not due:
        pieces = {"next": _piece(due), "piece": _piece(thrown)}
        return Problem.reasoned(ILLEGAL, "wrong_piece", reason="wrong_piece", side=_side(side), **pieces)
    drop = Drop(FieldName(found["at"]))
    reached = play(position, drop)
    if isinstance(reached, Problem):
        args = {**reached.args, "reason": reached.code, "why": reached.args.get("reason", reached.code)}
        detail = _NO_PLACE.get(reached.code, "place_outside")
        return Problem.reasoned(ILLEGAL, detail, **{**args, "field": found["at"]})
    return drop


_NO_PLACE: Final = {"blocked": "place_occupied", "leaves_check": "place_leaves_check"}


def _read_move(written: _Written, text: str, position: Position, language: str) -> Move | Problem:
    legal = [turn for turn in turns_of(position).moves() if _names(written, position, turn)]
    found = [turn for turn in legal if _does(written, position, turn)]
    if len(found) == 1:
        return move_of(*found[0])
    if found:
        candidates = [write_action(position, move_of(*turn), language) for turn in found]
        return Problem.reasoned(
            AMBIGUOUS, "ambiguous", text=text, known=", ".join(candidates), candidates=candidates
        )
    goal = field_name(written.to)
    if legal and written.en_passant:
        return Problem.reasoned(ILLEGAL, "not_en_passant", reason="not_en_passant", text=text, field=goal)
    if legal:
        return Problem.reasoned(ILLEGAL, "nothing_captured", reason="nothing_captured", text=text, field=goal)
    return _illegal(written, text, position)


def _names(written: _Written, position: Position, turn: Turn) -> bool:
    """Return whether this legal move fits the text's piece, goal, and any named origin and promotion."""
    origin, to, promotion = turn
    if to != written.to or position.kind_at[origin] != CODES[written.kind] or not _from(written, origin):
        return False
    if written.promotion is not None and promotion != CODES[written.promotion]:
        return False
    # Without a line the pawn goes straight ahead; a pawn that captures has its line named (§17).
    straight = line_of(Field(origin)) == line_of(Field(to))
    return written.kind is not PieceKind.PAWN or written.line is not None or straight


def _from(written: _Written, origin: int) -> bool:
    at = Field(origin)
    return written.line in (None, line_of(at)) and written.row in (None, row_of(at))


def _does(written: _Written, position: Position, turn: Turn) -> bool:
    """Return whether the move fulfils the text's claims: capture, en passant."""
    origin, to, _ = turn
    if written.en_passant and not is_en_passant(position, origin, to):
        return False
    return not written.takes or captured_at(position, origin, to) != NO_FIELD


_TELLING: Final = ("no_support", "protected", "leaves_check", "blocked", "not_a_move")
"""The codes by importance: of several pieces that cannot make the move, report the first reason."""


def _illegal(written: _Written, text: str, position: Position) -> Problem:
    side, piece = position.side, _piece(written.kind)
    own = position.sets[side.index][CODES[written.kind]]
    origins = [at for at in scan(own) if _from(written, at)]
    if written.kind is PieceKind.PAWN:
        origins = [at for at in origins if _pawn_means(written, side, at)] or origins
    if not origins:
        place = f"{written.line or ''}{written.row or ''}"
        detail = "no_such_piece_on" if place else "no_such_piece"
        facts = {"text": text, "side": _side(side), "piece": piece, "place": place}
        return Problem.reasoned(ILLEGAL, detail, reason="no_such_piece", **facts)
    promotion = _promotion(written, side)
    judged = [(at, explain_move(position, at, written.to, promotion)) for at in origins]
    if len(judged) > 1 and all(why.args.get("reason") == "pattern" for _, why in judged):
        facts = {"text": text, "piece": piece, "field": field_name(written.to)}
        return Problem.reasoned(ILLEGAL, "none_reaches", reason="not_a_move", why="pattern", **facts)
    at, why = min(judged, key=lambda pair: _TELLING.index(pair[1].code or "not_a_move"))
    args = {**why.args, "why": why.args.get("reason", why.code), "reason": why.code, "from": field_name(at)}
    return Problem.reasoned(ILLEGAL, "not_legal", **args, given=text, code=_reasons(why, at, written))


def _pawn_means(written: _Written, side: Side, origin: int) -> bool:
    """Return whether the text could mean a pawn on this field: it attacks the goal, or is on its line."""
    if written.line is not None and written.line != line_of(written.to):
        return bool(PAWN[side.index][origin] & BIT[written.to])
    return line_of(Field(origin)) == line_of(written.to)


def _promotion(written: _Written, side: Side) -> int:
    """Return the written promotion; if it is due and missing, a queen, to find other errors."""
    if written.promotion is not None:
        return CODES[written.promotion]
    due = written.kind is PieceKind.PAWN and BIT[written.to] & LAST[side.index]
    return Q if due else EMPTY


def _reasons(why: Explanation, origin: int, written: _Written) -> dict[str, str]:
    """Return the reason by language."""
    args = {"field": field_name(written.to), **why.args}
    others = {language: problem_text(language, str(why.code), args=args) for language in LANGUAGES}
    return others | {ENGLISH: _reason_words(why, origin, written)}


def _side(side: Side) -> dict[str, str]:
    return {language: word(language, f"side.{side.word}") for language in LANGUAGES}


def _piece(kind: PieceKind) -> dict[str, str]:
    return {language: word(language, f"piece.{kind.value}") for language in LANGUAGES}


def _reason_words(why: Explanation, origin: int, written: _Written) -> str:
    args, names, to = why.args, f"the piece on {field_name(origin)}", field_name(written.to)
    if why.code == "no_support":
        return f"{to} is worth {args['value']}, and {names} has only {args['support']} support"
    if why.code == "protected":
        return f"the piece on {args['field']} is protected until it moves"
    if why.code == "blocked":
        return f"{names} is blocked by {args['field']}"
    if why.code == "leaves_check":
        return "its own king would be in check"
    reason = str(args.get("reason", "pattern"))
    if reason == "no_promotion_piece" and written.promotion is not None:
        return f"a {written.promotion.name.lower()} is not a promotion piece"
    because = "" if reason == "pattern" else f" ({reason.replace('_', ' ')})"
    return f"{names} cannot move to {to}{because}"
