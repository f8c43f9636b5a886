"""Chess and Fischer Random as PGN, both ways (games 7).

A dart that hit stands behind its move as `[%bed D12]`. A lost dart that ended a turn is a null move with
`[%lost e4d5 F5]`: the move that was tried, and the bed if it is known. One lost in check, where the turn goes on,
stands behind the move before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TextIO, cast

import chess
import chess.pgn

from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem
from scharten.game.basics import Action, Foul, LostDart, Move, move_from_text
from scharten.games.chess import CHESS, Chess, Position
from scharten.games.fischer_random import FISCHER_RANDOM
from scharten.games.loud import SquareOptions

MAX_PGN: Final = 400_000
MAX_TURNS: Final = 4_000
RESULTS: Final = {"½-½": "1/2-1/2"}
_TAG: Final = re.compile(r"\[%(bed|lost)\s+([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class PgnTurn:
    """One turn: the action, the bed that its dart hit, and a comment of the writer's."""

    action: Action
    bed: str | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game on paper; `headers` are Event, Site, Date, Round, White, Black and any others but the rules' own."""

    game: Chess
    options: SquareOptions
    start: Position
    turns: tuple[PgnTurn, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    result: str = "*"


def write_pgn(paper: PgnGame) -> str:
    """The game as text that `read_pgn` and any PGN reader read; ValueError if a turn is not legal."""
    root = chess.pgn.Game()
    for name, text in paper.headers.items():
        root.headers[name] = text
    board = paper.start.board
    if board != chess.Board() or board.chess960:
        root.setup(board)
    if paper.options.loud:
        root.headers["Kind"] = "loud"
        root.headers["Fouls"] = "{}/{}".format(*paper.start.fouls)
    root.headers["Result"] = RESULTS.get(paper.result, paper.result)
    node: chess.pgn.GameNode = root
    position = paper.start
    for turn in paper.turns:
        played = paper.game.play(position, turn.action, paper.options)
        if isinstance(played, Problem):
            raise ValueError(f"{turn.action.text} is not legal: {played.words}")
        node = _written(node, position, turn, over=played.position.side is not position.side)
        position = played.position
    return str(root) + "\n"


def _written(
    node: chess.pgn.GameNode, position: Position, turn: PgnTurn, *, over: bool
) -> chess.pgn.GameNode:
    if isinstance(turn.action, LostDart):
        told = f"[%lost {turn.action.aim.text if turn.action.aim else ''} {turn.bed or ''}".rstrip() + "]"
        if over:
            node = node.add_variation(chess.Move.null())
        node.comment = f"{node.comment} {told} {turn.comment}".strip()
        return node
    bed = f"[%bed {turn.bed}]" if turn.bed else ""
    return node.add_variation(
        position.moves[turn.action.text], comment=f"{bed} {_plain(turn.comment)}".strip()
    )


def _plain(text: str) -> str:
    return " ".join(text.replace("{", "(").replace("}", ")").split())


class _Lines:
    """Text as the lines that python-chess asks for."""

    def __init__(self, text: str) -> None:
        self._lines: Iterator[str] = iter(text.splitlines(keepends=True))

    def readline(self) -> str:
        """The next line, empty at the end."""
        return next(self._lines, "")


_OWN: Final = ("Result", "Variant", "SetUp", "FEN", "Kind", "Fouls")


def read_pgn(text: str) -> PgnGame | Problem:
    """The first game of a PGN text, every turn checked by the rules; or the first thing that is wrong with it."""
    if len(text) > MAX_PGN:
        return Problem("too_long", f"a PGN has at most {MAX_PGN} characters")
    root = chess.pgn.read_game(cast(TextIO, _Lines(text)))
    if root is None:
        return Problem("empty", "there is no game in this text")
    if root.errors:
        return Problem("turn", f"the PGN cannot be read: {root.errors[0]}")
    variant = root.headers.get("Variant", "Standard").lower()
    if variant not in ("standard", "chess", "chess960", "fischerandom", "fischer random"):
        return Problem("variant", f"this is a game of {variant}, not of chess or Fischer Random")
    game: Chess = CHESS if variant in ("standard", "chess") else FISCHER_RANDOM
    kind = root.headers.get("Kind", "silent")
    if kind not in ("silent", "loud"):
        return Problem("kind", f"Kind is silent or loud, not '{kind}'")
    options = game.options_model.model_validate({"kind": kind})
    fen = root.board().fen() + (f" {root.headers.get('Fouls', '0/0')}" if kind == "loud" else "")
    start = game.read(fen, options)
    if isinstance(start, Problem):
        return start
    turns = _turns(root, game, options, start)
    if isinstance(turns, Problem):
        return turns
    result = root.headers.get("Result", "*").replace("1/2", "½")
    headers = {name: value for name, value in root.headers.items() if name not in _OWN}
    return PgnGame(game, options, start, tuple(turns), headers, result)


def _turns(
    root: chess.pgn.Game, game: Chess, options: SquareOptions, start: Position
) -> Sequence[PgnTurn] | Problem:
    """The turns of the main line, each played by the rules."""
    turns: list[PgnTurn] = []
    position = start
    nodes: list[chess.pgn.GameNode] = [root, *root.mainline()]
    if len(nodes) > MAX_TURNS:
        return Problem("too_long", f"a game has at most {MAX_TURNS} turns")
    for node in nodes:
        for turn in _of_node(node, position):
            played = turn if isinstance(turn, Problem) else game.play(position, turn.action, options)
            if isinstance(played, Problem) or isinstance(turn, Problem):
                where = f"{position.number}{'.' if position.board.turn else '...'}"
                words = played.words if isinstance(played, Problem) else ""
                return Problem("turn", f"turn {where}: {words}", {"turn": where})
            position = played.position
            turns.append(turn)
    return turns


def _of_node(node: chess.pgn.GameNode, position: Position) -> list[PgnTurn | Problem]:
    """The turns that a node stands for: its move, and darts lost in check behind it."""
    tags = _TAG.findall(node.comment)
    lost = [_lost(given) for tag, given in tags if tag == "lost"]
    if node.move is None:
        return lost
    if not node.move:
        return lost or [
            Problem("turn", "a null move is a lost dart, and says which move was tried: [%lost e4d5]")
        ]
    bed = next((given.strip() for tag, given in tags if tag == "bed"), None)
    if bed is not None and parse_bed(bed) is None:
        return [Problem("bed", f"there is no bed '{bed}'")]
    comment = " ".join(_TAG.sub("", node.comment).split())
    return [PgnTurn(move_from_text(position.board.uci(node.move)), bed, comment), *lost]


def _lost(given: str) -> PgnTurn | Problem:
    tried, _, bed = given.strip().partition(" ")
    if not re.fullmatch(r"[a-h][1-8][a-h][1-8][qrbn]?", tried) or (bed and parse_bed(bed) is None):
        return Problem("turn", f"'{given}' is no lost dart: the move that was tried, and a bed")
    foul = Foul.WRONG_COLOUR if bed else Foul.DECLARED
    aim: Move = move_from_text(tried)
    return PgnTurn(LostDart(foul, aim, bed or None), bed or None)
