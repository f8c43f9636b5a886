"""Chess and Fischer Random as PGN, both ways (games 7).

A dart that hit stands behind its move as `[%bed D12]`, a draw offer as `[%offer]`, the time that a turn took as
`[%emt 0:00:42]`. A lost dart that ended a turn is a null move with `[%lost e4d5 F5]`: the move that was tried, and the
bed if it is known. One lost in check, where the turn goes on, stands behind the move before it. Tags of our own name
the rules (`Kind`, `Options`, `FoulLimit`, `TouchMove`) and the end (`Reason`). PGN has no result in which a side loses
half or both lose: such a game ends with `*` and `Termination "arbiter: 0-0"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TextIO, cast

import chess
import chess.pgn

from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem
from scharten.game.basics import Foul, LostDart, Move, Reason, move_from_text
from scharten.games import GAMES
from scharten.games.chess import Chess
from scharten.games.chess_position import Position
from scharten.games.letters import english_letters, language_name, names_of_language
from scharten.games.loud import SquareOptions
from scharten.games.sheet import MAX_SHEET, MAX_TURNS, Headers, ScoreSheet, SheetTurn, read_game, rule_headers
from scharten.games.sheet_words import ARBITERS_RESULTS, UNFINISHED, read_result
from scharten.words import ENGLISH, LANGUAGES

RESULTS: Final = {str(result): UNFINISHED for result in ARBITERS_RESULTS} | {"½-½": "1/2-1/2"}
_ARBITER: Final = "arbiter: "
_TAG: Final = re.compile(r"\[%(bed|lost|offer|emt)\s*([^\]]*)\]")
_EMT: Final = re.compile(r"(\d{1,3}):([0-5]?\d):([0-5]?\d)(?:\.\d+)?", re.ASCII)


def write_pgn(paper: ScoreSheet) -> str:
    """Write the game for `read_pgn` and any PGN reader; ValueError if a turn is not legal."""
    game, options, start = paper.game, paper.options, paper.start
    if not isinstance(game, Chess):
        raise ValueError(f"{game.key} has no PGN: only chess and its variants do")
    root = chess.pgn.Game()
    rules = rule_headers(game, options, game.text(start, game.own(options)))
    headers = {**dict(paper.headers), **rules, **({"Reason": paper.reason} if paper.reason else {})}
    if paper.result in ARBITERS_RESULTS:
        headers["Termination"] = _ARBITER + paper.result.replace("½", "1/2")
    for name, text in headers.items():
        if name not in ("Game", "Position"):
            root.headers[name] = re.sub(r'(["\\])', r"\\\1", text)
    board = start.board
    if board != game.begin(options).board or board.chess960 or type(board) is not chess.Board:
        root.setup(board)
    if any(start.fouls):
        root.headers["Fouls"] = "{}/{}".format(*start.fouls)
    root.headers["Result"] = RESULTS.get(paper.result, paper.result)
    node: chess.pgn.GameNode = root
    position = start
    for entry in paper.entries:
        played = game.play(position, entry.action, options)
        if isinstance(played, Problem):
            raise ValueError(f"{entry.action.text} is not legal: {played.words}")
        node = _written(node, position, entry, over=played.position.side is not position.side)
        position = played.position
    return str(root) + "\n"


def _written(
    node: chess.pgn.GameNode, position: Position, entry: SheetTurn, *, over: bool
) -> chess.pgn.GameNode:
    action, tags = entry.action, [_plain(entry.comment or "")]
    if isinstance(action, LostDart):
        tags.insert(0, f"[%lost {action.aim.text if action.aim else ''} {entry.bed or ''}".rstrip() + "]")
    elif entry.bed:
        tags.insert(0, f"[%bed {entry.bed}]")
    if entry.draw_offer:
        tags.append("[%offer]")
    if entry.spent_s is not None:
        minutes, seconds = divmod(entry.spent_s, 60)
        tags.append(f"[%emt {minutes // 60}:{minutes % 60:02}:{seconds:02}]")
    if isinstance(action, LostDart):
        node = node.add_variation(chess.Move.null()) if over else node
    else:
        node = node.add_variation(position.moves[action.text])
    node.comment = " ".join(word for word in (node.comment, *tags) if word)
    return node


def _plain(text: str) -> str:
    return " ".join(text.replace("{", "(").replace("}", ")").split())


class _TextLines:
    """The lines of a text, for python-chess; `read` are those since it was last emptied."""

    def __init__(self, text: str) -> None:
        self._lines: Iterator[str] = iter(text.splitlines(keepends=True))
        self.read: list[str] = []

    def readline(self) -> str:
        """Return the next line, empty at the end."""
        self.read.append(next(self._lines, ""))
        return self.read[-1]


class _GameBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game; its first error has a `Problem` as its argument, and none is logged."""

    def handle_error(self, error: Exception) -> None:
        """Keep the first error with its turn."""
        if self.game.errors:
            return
        found = _SAN_ERROR.match(str(error))
        problem = Problem.reasoned("turn", "pgn_unread", why=error)
        if found:
            reason = "pgn_ambiguous" if found[1] == "ambiguous" else "pgn_illegal"
            move = Problem.reasoned("turn", reason, move=found[2])
            problem = move.within("in_turn", turn=_turn_number(self.variation_stack[-1].board()))
        self.game.errors.append(ValueError(problem))


def games_of_pgn(text: str) -> Iterator[str]:
    """Split a PGN file into the texts of its games."""
    lines = _TextLines(text)
    while chess.pgn.skip_game(cast(TextIO, lines)):
        yield "".join(lines.read)
        lines.read.clear()


_RULES: Final = ("Kind", "Options", "FoulLimit", "TouchMove", "TimeControl")
_OWN: Final = (*_RULES, "Result", "Variant", "SetUp", "FEN", "Fouls", "Reason")
_NO_MOVES: Final = re.compile(
    r'^[ \t]*\[\w+[^\n]*"\][ \t]*$|^%[^\n]*|\{[^}]*\}|;[^\n]*', re.MULTILINE | re.ASCII
)
_VARIATION: Final = re.compile(r"\([^()]*\)")
_WORD: Final = re.compile(
    r"(?:\d+\.+|\d+|\d+\.*(?:1-0|0-1|1/2-1/2)|\$\d+|1-0|0-1|1/2-1/2|e\.?p\.?|\W+"
    r"|(?:\d+\.+)?(?:[NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])?|[O0]-[O0](?:-[O0])?|--|Z0|0000)\W*)",
    re.ASCII,
)
"""A word of the moves, with its number before and marks behind."""
_SAN_ERROR: Final = re.compile(r"(illegal|invalid|ambiguous) san: '([^']*)'")
"""The errors of python-chess for a move."""
_LETTER_O: Final = re.compile(r"(?<=\s)(?:1-o|o-1)\s*\Z")
"""A result at the end with the letter o for the nought, as the source writes it."""
_BOTH_LOST: Final = '[Result "0-0"]'
"""A result of other programs that is no PGN; python-chess would read it as castling where it ends the moves."""


def read_pgn(text: str, game_key: str = "") -> ScoreSheet | Problem:
    """Read a game in PGN and check every turn, or return the first error.

    `game_key` is the game if no tag names its variant.
    """
    root = _parsed(text)
    if isinstance(root, Problem):
        return root
    variant = root.headers.get("Variant", game_key or "Standard").lower()
    chosen = (game for game in GAMES if isinstance(game, Chess) and variant in {game.key, *game.pgn_variants})
    game = next(chosen, None)
    if game is None:
        return Problem("variant", f"this is a game of {variant}, not of chess or Fischer Random")
    named = read_game(_rules(root, game))
    if isinstance(named, Problem):
        return named
    options = game.own(named[1])
    fen = root.board().fen() + (f" {root.headers.get('Fouls', '0/0')}" if options.loud else "")
    start = game.read(fen, options)
    if isinstance(start, Problem):
        return start
    result = _result(root)
    if read_result(result) is None:
        return Problem.reasoned("result", "no_result", given=result[:40])
    entries = _turns(root, game, options, start)
    if isinstance(entries, Problem):
        return entries
    reason = root.headers.get("Reason")
    return ScoreSheet(
        game,
        options,
        start,
        tuple(entries),
        tuple(
            held for held in root.headers.items() if held[0] not in _OWN and not held[1].startswith(_ARBITER)
        ),
        result,
        reason if reason in list(Reason) else None,
        language="en",
    )


def _parsed(text: str) -> chess.pgn.Game | Problem:
    """Return the game as python-chess reads it, with its tags unescaped, or the first error."""
    if len(text) > MAX_SHEET:
        return Problem.reasoned("too_long", "pgn_length", most=MAX_SHEET)
    text = _LETTER_O.sub(lambda found: found[0].replace("o", "0"), text)
    if _BOTH_LOST in text and text.split()[-1] == "0-0":
        text = text.rstrip().removesuffix("0-0") + "*"
    unknown = _unknown_word(text)
    if unknown:
        return unknown
    try:
        root = chess.pgn.read_game(cast(TextIO, _TextLines(text)), Visitor=_GameBuilder)
    except IndexError:  # from python-chess, at a bracket too many behind a wrong move
        return Problem.reasoned("turn", "pgn_bracket")
    if root is None:
        return Problem("empty", "there is no game in this text")
    for name, value in root.headers.items():
        root.headers[name] = re.sub(r'\\(["\\])', r"\1", value)
    return cast(Problem, root.errors[0].args[0]) if root.errors else root


def _unknown_word(text: str) -> Problem | None:
    """Return the first word that is not PGN: python-chess reads the `f3` of a Dutch `Pf3`, and drops the letter."""
    moves, count = _NO_MOVES.sub(" ", text), 1
    while count:
        moves, count = _VARIATION.subn(" ", moves)
    unknown = [word for word in moves.split() if not _WORD.fullmatch(word)]
    if not unknown:
        return None
    word, letters = unknown[0], {word.lstrip("0123456789.")[:1] for word in unknown}
    languages = [
        name for name in LANGUAGES if name != ENGLISH and letters <= english_letters("QRBN", name).keys()
    ]
    if not languages:
        return Problem.reasoned("turn", "pgn_word", word=word[:40])
    name, title = languages[0], language_name(languages[0])
    titles = names_of_language(name)
    cure = f'Write [Game "chess"] and [Language "{name}"] above it: a score sheet may be in {title}.'
    return replace(Problem.reasoned("turn", "pgn_letters", word=word[:40], title=titles), cure=cure)


def _result(root: chess.pgn.Game) -> str:
    ruled = root.headers.get("Termination", "").removeprefix(_ARBITER).replace("1/2", "½")
    return ruled if ruled in ARBITERS_RESULTS else root.headers.get("Result", UNFINISHED).replace("1/2", "½")


def _rules(root: chess.pgn.Game, game: Chess) -> Headers:
    """Return our own headers, without a TimeControl of another program that is not a clock of ours."""
    headers: dict[str, tuple[str, int]] = {
        name: (root.headers[name], 1) for name in _RULES if name in root.headers
    }
    headers["Game"] = (game.key, 1)
    clock: Headers = {name: held for name, held in headers.items() if name in ("Game", "TimeControl")}
    if isinstance(read_game(clock), Problem):
        del headers["TimeControl"]
    return headers


def _turns(
    root: chess.pgn.Game, game: Chess, options: SquareOptions, start: Position
) -> Sequence[SheetTurn] | Problem:
    """Return the turns of the main line, checked by the rules."""
    entries: list[SheetTurn] = []
    position = start
    nodes: list[chess.pgn.GameNode] = [root, *root.mainline()]
    if len(nodes) > MAX_TURNS:
        return Problem.reasoned("too_long", "pgn_turns", most=MAX_TURNS)
    for node in nodes:
        for entry in _of_node(node, position):
            played = entry if isinstance(entry, Problem) else game.play(position, entry.action, options)
            if isinstance(played, Problem) or isinstance(entry, Problem):
                return Problem.reasoned("turn", "in_turn", turn=_turn_number(position.board), what=played)
            position = played.position
            entries.append(entry)
    return entries


def _turn_number(board: chess.Board) -> str:
    return f"{board.fullmove_number}{'.' if board.turn else '...'}"


def _of_node(node: chess.pgn.GameNode, position: Position) -> list[SheetTurn | Problem]:
    """Return a node's turns in the order of their tags: its move, and the lost darts after it."""
    found: list[SheetTurn | Problem] = []
    if node.move:
        comment = " ".join(_TAG.sub("", node.comment).split()) or None
        found.append(SheetTurn(move_from_text(position.board.uci(node.move)), comment=comment))
    for tag, given in _TAG.findall(node.comment):
        last = found[-1] if found else None
        if tag == "lost":
            found.append(_lost(given))
        elif not isinstance(last, SheetTurn):
            break
        elif tag == "offer":
            found[-1] = replace(last, draw_offer=True)
        elif tag == "emt":
            found[-1] = replace(last, spent_s=_seconds(given))
        elif parse_bed(given.strip()) is None:
            found[-1] = Problem.reasoned("bed", "no_bed", bed=given.strip())
        else:
            found[-1] = replace(last, bed=given.strip())
    if not found and node.move is not None:
        found.append(Problem.reasoned("turn", "null_move"))
    return found


def _seconds(given: str) -> int | None:
    found = _EMT.fullmatch(given.strip())
    if found is None:
        return None
    hours, minutes, seconds = map(int, found.groups())
    return (hours * 60 + minutes) * 60 + seconds


def _lost(given: str) -> SheetTurn | Problem:
    tried, _, bed = given.strip().partition(" ")
    if not re.fullmatch(r"[a-h][1-8][a-h][1-8][qrbn]?", tried) or (bed and parse_bed(bed) is None):
        return Problem.reasoned("turn", "lost_dart", given=given)
    foul = Foul.WRONG_COLOUR if bed else Foul.DECLARED
    aim: Move = move_from_text(tried)
    return SheetTurn(LostDart(foul, aim, bed or None), bed=bed or None)
