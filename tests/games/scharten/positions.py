"""Random positions that reach for the corners: castlings, en passant, checks with support, throws, every option."""

from __future__ import annotations

import random

from scharten.game.basics import Side
from scharten.game.flags import flag_value, flags_text, read_options
from scharten.games.scharten.actions import action_of, play
from scharten.games.scharten.board import FIELDS, Field, PieceKind, field_name, piece, row_of
from scharten.games.scharten.geometry import (
    KING_STEPS,
    LAST_ROW,
    LINE_PATHS,
    NO_FIELD,
    PAWN_FORWARD,
    ring_paths,
    scan,
)
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, place_pieces
from scharten.games.scharten.position_text import opening, parse_position, position_text
from scharten.games.scharten.turns import turns_of

OFFICERS = "QRBN"


def random_options(rng: random.Random) -> Options:
    """Any combination of the options, lists of fields among the zones."""
    zones = rng.choice(("half", "half", "half_with_o", "home", "list"))
    if zones == "list":
        lists = {
            side: ",".join(
                map(field_name, rng.sample([f for f in FIELDS if row_of(f) != last], rng.randint(1, 30)))
            )
            for side, last in (("white", 8), ("black", 1))
        }
        zones = ";".join(f"{side}={fields}" for side, fields in lists.items())
    options = read_options(
        Options,
        {
            "kind": "loud" if rng.random() < 0.6 else "silent",
            "zones": flag_value(Options, "zones", zones),
            "support": rng.choice(("field_value", "field_value", "count")),
            "protection": rng.choice((None, None, "until_moved", "off")),
            "double_step": rng.choice(("first_move", "first_move", "home_row")),
        },
    )
    assert isinstance(options, Options), options
    return options


def random_position(rng: random.Random, options: Options) -> Position:
    """A valid position; tries shapes until one is."""
    while True:
        shape = rng.choice((_scattered, _crowded_king, _castling, _passing, _smothered))
        held: dict[int, str] = {}
        ep = shape(rng, held)
        found = parse_position(_text(rng, held, ep, options), rules_of(options))
        if isinstance(found, Position):
            return found


def played_position(rng: random.Random, options: Options, turns: int) -> Position:
    """Return the opening after this many random turns, or fewer when the game ends."""
    position = opening(rules_of(options))
    for _ in range(turns):
        found = turns_of(position)
        moves, places = found.moves(), [(NO_FIELD, at, 6) for at in scan(found.placements())]
        if not moves and not places:
            break
        chosen = places if places and (not moves or rng.random() < 0.5) else moves
        new = play(position, action_of(rng.choice(chosen)))
        assert isinstance(new, Position)
        position = new
    return position


def row(position: Position, options: Options) -> tuple[str, str]:
    """The position and the options as the rows of perft files write them."""
    return position_text(position), flags_text(options).replace("'", "")


def _text(rng: random.Random, held: dict[int, str], ep: tuple[str, str] | None, options: Options) -> str:
    board = [None] * len(FIELDS)
    for at, token in held.items():
        side = Side.WHITE if token[0].isupper() else Side.BLACK
        board[at] = piece(side, PieceKind(token[0].upper()), not token.endswith("*"))
    placed = (17, 17)
    if rules_of(options).loud:
        placed = (rng.choice((17, rng.randint(0, 17))), rng.choice((17, rng.randint(0, 17))))
    side = ep[1] if ep else rng.choice("wb")
    base = place_pieces(
        rules_of(options),
        tuple(board),
        Side(side),
        placed=placed,
        fouls=(rng.randint(0, 2), 0),
        clocks=(3, 2),
        move_number=rng.randint(1, 80),
    )
    text = position_text(base)
    return text.replace(f" {side} - ", f" {side} {ep[0]} ") if ep else text


def _put(rng: random.Random, held: dict[int, str], token: str, at: int | None = None) -> None:
    """On a free field, a pawn not on its last row; a field already taken is left alone."""
    if at is None:
        at = rng.choice([f for f in FIELDS if f not in held])
    side = Side.WHITE if token.isupper() else Side.BLACK
    if at in held or (token.upper() == "P" and at in LAST_ROW[side]):
        return
    held[at] = token + ("*" if rng.random() < 0.45 else "")


def _some(rng: random.Random, held: dict[int, str], count: int) -> None:
    for _ in range(count):
        token = rng.choice("PPPPQRRBNN")
        _put(rng, held, token if rng.random() < 0.5 else token.lower())


def _kings(rng: random.Random, held: dict[int, str]) -> None:
    for token in "Kk":
        if not any(have[0] == token for have in held.values()):
            _put(rng, held, token)


def _scattered(rng: random.Random, held: dict[int, str]) -> None:
    _kings(rng, held)
    _some(rng, held, rng.choice((1, 2, 3, 6, 10, 20, 35)))


def _crowded_king(rng: random.Random, held: dict[int, str]) -> None:
    """Many pieces near one king, so that support, pins and mates come about."""
    _put(rng, held, "K")
    king = next(iter(held))
    near = sorted({g for f in KING_STEPS[king] for g in (f, *KING_STEPS[f])})
    if rng.random() < 0.3:
        _put(rng, held, "k", rng.choice(near))
    _kings(rng, held)
    for _ in range(rng.randint(2, 9)):
        _put(rng, held, rng.choice("PPNBRQpnbrqpnbrq"), rng.choice(near))
    _some(rng, held, rng.randint(0, 8))
    if rng.random() < 0.5:
        for at, token in list(held.items()):
            held[at] = token.swapcase()
        for at, token in list(held.items()):
            side = Side.WHITE if token[0].isupper() else Side.BLACK
            if token[0] in "Pp" and at in LAST_ROW[side]:
                del held[at]


def _smothered(rng: random.Random, held: dict[int, str]) -> None:
    """A king among its own pieces with an enemy queen, rook or bishop far off: mates, stalemates, saving throws."""
    white = rng.random() < 0.5
    king = Field(rng.choice(FIELDS))
    held[king] = "K" if white else "k"
    for near in KING_STEPS[king]:
        token = rng.choice("PPPNB")
        _put(rng, held, token if white else token.lower(), near if rng.random() < 0.9 else None)
    _kings(rng, held)
    for _ in range(rng.randint(1, 3)):
        token = rng.choice("QRBN")
        _put(rng, held, token.lower() if white else token)


def _castling(rng: random.Random, held: dict[int, str]) -> None:
    """Unmoved kings with unmoved rooks on their ring and line."""
    for king, rook in (("K", "R"), ("k", "r")):
        home = rng.choice(
            [f for f in FIELDS if f not in held and (rng.random() < 0.1 or f in (5, 15))] or [40]
        )
        if home in held:
            continue
        held[home] = king + "*"
        ways = [path for path in (*ring_paths(Field(home)), *LINE_PATHS[home]) if len(path) > 2]
        for path in rng.sample(ways, rng.randint(1, len(ways))):
            at = rng.choice(path[rng.choice((0, 2, 2)) :])
            held.setdefault(at, rook + ("*" if rng.random() < 0.85 else ""))
    _kings(rng, held)
    _some(rng, held, rng.choice((0, 1, 2, 4, 8)))


def _passing(rng: random.Random, held: dict[int, str]) -> tuple[str, str] | None:
    """A pawn that has just gone two steps, with enemy pawns beside it."""
    mover = rng.choice(tuple(Side))
    token, enemy = ("P", "p") if mover is Side.WHITE else ("p", "P")
    steps = PAWN_FORWARD[mover]
    passed = rng.choice([f for f in FIELDS if steps[f] is not None and steps[f] not in LAST_ROW[mover]])
    goal = steps[passed]
    assert goal is not None
    held[goal] = token
    origin = next((f for f in FIELDS if steps[f] == passed), None)
    if origin is None:
        return None
    for path in ring_paths(goal):
        if rng.random() < 0.8 and path[0] not in LAST_ROW[mover.other]:
            held[path[0]] = enemy + ("*" if rng.random() < 0.3 else "")
    free = [f for f in FIELDS if f not in held and f not in (passed, origin)]
    for token in "Kk":
        at = rng.choice(free)
        free.remove(at)
        held[at] = token + ("*" if rng.random() < 0.3 else "")
    for _ in range(rng.randint(0, 8)):
        at = rng.choice(free)
        _put(rng, held, rng.choice("PQRBNpqrbn"), at)
        free.remove(at)
    return field_name(passed), mover.other.value
