"""A second, slow generator of turns, written from rules.md alone: it shares no table and no code with the first.

Fields are pairs (s, depth); every step is arithmetic done again each time; legality is judged by playing the turn
and asking of every enemy piece whether it could capture the king.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

NAMES = "oabcdefghi"
ORDER = "PPPPPPPPPNNBBRRQQ"
VALUE = (2, 1, 3, 1)
Spot = tuple[int, int]


@dataclass(frozen=True)
class Rules:
    """The options, as words."""

    loud: bool = False
    zones: str = "half"
    support: str = "field_value"
    protection: str = ""
    double_step: str = "first_move"

    @property
    def protects(self) -> bool:
        return self.protection == "until_moved" or (not self.protection and self.loud)


def rules_of(flags: str) -> Rules:
    """Read `--loud --zones home`."""
    given: dict[str, object] = {}
    words = flags.split()
    while words:
        word = words.pop(0)
        if word == "--loud":
            given["loud"] = True
        elif word != "--silent":
            given[word[2:].replace("-", "_")] = words.pop(0)
    return Rules(**given)  # type: ignore[arg-type]


@dataclass
class Game:
    """A board of letters: upper case White, a star behind an unmoved piece."""

    board: dict[Spot, str]
    white: bool
    ep: Spot | None
    placed: list[int]
    rules: Rules = field(default_factory=Rules)


def name(spot: Spot) -> str:
    s, depth = spot
    return f"{NAMES[s % 10]}{depth + 1 if s < 10 else 8 - depth}"


def spot_of(text: str) -> Spot:
    line, row = NAMES.index(text[0]), int(text[1])
    return (line, row - 1) if row < 5 else (line + 10, 8 - row)


def read(text: str, rules: Rules) -> Game:
    pieces, side, ep, placed = text.split()[:4]
    board = {}
    for depth, ring in enumerate(pieces.split("/")):
        s = 0
        for token in re.findall(r"\d+|[A-Za-z]\*?", ring):
            if token[0].isdigit():
                s += int(token)
            else:
                board[s, depth] = token
                s += 1
    counts = [int(part) for part in placed.split("/")]
    return Game(board, side == "w", None if ep == "-" else spot_of(ep), counts, rules)


def is_white(token: str) -> bool:
    return token[0].isupper()


def lines(spot: Spot, kind: str):
    """The ways of a sliding piece, each as a list of fields."""
    s, d = spot
    ways = []
    if kind in "RQK":
        ways += [[((s + t * k) % 20, d) for k in range(1, 20)] for t in (1, -1)]
        ways.append([(s, d - k) for k in range(1, d + 1)])
        ways.append([(s, d + k) if d + k < 4 else ((s + 10) % 20, 7 - d - k) for k in range(1, 8 - d)])
    if kind in "BQK":
        for t in (1, -1):
            ways.append([((s + t * k) % 20, d - k) for k in range(1, d + 1)])
            inward = []
            for k in range(1, 8 - d):
                if d + k < 4:
                    inward.append(((s + t * k) % 20, d + k))
                else:
                    inward.append(((s + 10 + t * (6 - 2 * d - k)) % 20, 7 - d - k))
            ways.append(inward)
    return [way[:1] for way in ways] if kind == "K" else ways


def jumps(spot: Spot):
    """A knight's goals: any field whose depth, counted on over the centre, is 2 or 1 away with 1 or 2 sectors."""
    s, d = spot
    goals = set()
    for over in (-2, -1, 1, 2):
        for turn in (3 - abs(over), abs(over) - 3):
            y = d + over
            if 0 <= y < 4:
                goals.add(((s + turn) % 20, y))
            elif 4 <= y < 8 and 7 - y != d:
                goals.add(((s + 10 + turn) % 20, 7 - y))
    return goals


def ahead(spot: Spot, white: bool, steps: int) -> Spot | None:
    """Return the field this many steps towards the last row; None beyond it."""
    s, d = spot
    row = (d + 1 if s < 10 else 8 - d) + (steps if white else -steps)
    if not 1 <= row <= 8:
        return None
    return (s % 10, row - 1) if row < 5 else (s % 10 + 10, 8 - row)


def pawn_hits(spot: Spot, white: bool):
    front = ahead(spot, white, 1)
    return set() if front is None else {((front[0] + t) % 20, front[1]) for t in (1, -1)}


def attacked_by(board: dict[Spot, str], spot: Spot):
    """All fields that the piece on `spot` attacks."""
    kind = board[spot][0].upper()
    if kind == "P":
        return pawn_hits(spot, is_white(board[spot]))
    if kind == "N":
        return jumps(spot)
    found = set()
    for way in lines(spot, kind):
        for step in way:
            if step == spot:
                break
            found.add(step)
            if step in board:
                break
    return found


def support(board: dict[Spot, str], rules: Rules, origin: Spot, goal: Spot) -> int:
    total = 0
    for spot, token in board.items():
        if (
            spot == origin
            or is_white(token) != is_white(board[origin])
            or goal not in attacked_by(board, spot)
        ):
            continue
        total += 1 if token[0] in "Pp" or rules.support == "count" else VALUE[spot[1]]
    return total


def could_take(board: dict[Spot, str], rules: Rules, origin: Spot, goal: Spot) -> bool:
    """Whether the piece attacks the goal with enough support."""
    if goal not in attacked_by(board, origin):
        return False
    if board[origin][0] in "Pp":
        return True
    need = VALUE[goal[1]] - 1
    return need == 0 or support(board, rules, origin, goal) >= need


def checked(board: dict[Spot, str], rules: Rules, white: bool) -> bool:
    king = next(spot for spot, token in board.items() if token[0] == ("K" if white else "k"))
    enemies = [spot for spot, token in board.items() if is_white(token) != white]
    return any(could_take(board, rules, spot, king) for spot in enemies)


def without(board: dict[Spot, str], *spots: Spot) -> dict[Spot, str]:
    return {spot: token for spot, token in board.items() if spot not in spots}


def pawn_turns(game: Game, spot: Spot):
    """(goal, board afterwards without promotion, passed field)."""
    board, white = game.board, game.white
    token = board[spot]
    first, two = ahead(spot, white, 1), ahead(spot, white, 2)
    assert first is not None
    if first not in board:
        yield first, {**without(board, spot), first: token[0]}, None
        row = spot[1] + 1 if spot[0] < 10 else 8 - spot[1]
        ready = token.endswith("*") and (game.rules.double_step == "first_move" or row == (2 if white else 7))
        if ready and two is not None and two not in board:
            yield two, {**without(board, spot), two: token[0]}, first
    for goal in pawn_hits(spot, white):
        if takeable(game, goal):
            yield goal, {**without(board, spot), goal: token[0]}, None
        if goal == game.ep:
            victim = ahead(goal, not white, 1)
            assert victim is not None
            if victim[1] == spot[1] and (victim[0] - spot[0]) % 20 in (1, 19):
                yield goal, {**without(board, spot, victim), goal: token[0]}, None


def piece_turns(game: Game, spot: Spot):
    """(goal, board afterwards, None)."""
    board = game.board
    for goal in attacked_by(board, spot):
        if goal not in board or (takeable(game, goal) and could_take(board, game.rules, spot, goal)):
            yield goal, {**without(board, spot), goal: board[spot][0]}, None


def takeable(game: Game, goal: Spot) -> bool:
    token = game.board.get(goal)
    if token is None or is_white(token) == game.white or token[0] in "Kk":
        return False
    return not (game.rules.protects and token.endswith("*"))


def castlings(game: Game, king: Spot):
    board, rules, white = game.board, game.rules, game.white
    token = board[king]
    if token[-1] != "*" or checked(board, rules, white):
        return
    for way in lines(king, "R"):
        met = next((k for k, step in enumerate(way) if step in board), None)
        if met is None or met < 2 or board[way[met]] != ("R*" if white else "r*"):
            continue
        if checked({**without(board, king), way[0]: token}, rules, white):
            continue
        done = {**without(board, king, way[met]), way[1]: token[0], way[0]: board[way[met]][0]}
        if not checked(done, rules, white):
            yield way[1], done


def turns(game: Game):
    """Every legal turn as (text, game afterwards)."""
    if is_dead(game):
        return
    board, white, rules = game.board, game.white, game.rules
    for spot, token in list(board.items()):
        if is_white(token) != white:
            continue
        kind = token[0].upper()
        made = pawn_turns(game, spot) if kind == "P" else piece_turns(game, spot)
        for goal, later, passed in made:
            if checked(later, rules, white):
                continue
            text = name(spot) + name(goal)
            if kind == "P" and ahead(goal, white, 1) is None:
                for letter in "qrbn":
                    new = {**later, goal: (letter.upper() if white else letter) + "*"}
                    yield text + letter, replace(game, board=new, white=not white, ep=None)
            else:
                yield text, replace(game, board=later, white=not white, ep=passed)
        if kind == "K":
            for goal, later in castlings(game, spot):
                yield name(spot) + name(goal), replace(game, board=later, white=not white, ep=None)
    yield from placements(game)


def placements(game: Game):
    board, white = game.board, game.white
    placed = game.placed[0 if white else 1]
    if not game.rules.loud or placed > 16:
        return
    letter = ORDER[placed] if white else ORDER[placed].lower()
    for spot in [(s, d) for s in range(20) for d in range(4)]:
        if spot in board or not in_zone(spot, white, game.rules.zones):
            continue
        later = {**board, spot: letter + "*"}
        if not checked(later, game.rules, white):
            counts = [game.placed[0] + white, game.placed[1] + (not white)]
            yield "@" + name(spot), replace(game, board=later, white=not white, ep=None, placed=counts)


def in_zone(spot: Spot, white: bool, zones: str) -> bool:
    text = name(spot)
    if "=" in zones:
        lists = dict(part.split("=") for part in zones.split(";"))
        return text in lists["white" if white else "black"].split(",")
    row = int(text[1]) if white else 9 - int(text[1])
    return row <= (2 if zones == "home" else 4) and (text[0] != "o" or zones == "half_with_o")


def is_dead(game: Game) -> bool:
    others = "".join(token[0] for token in game.board.values() if token[0] not in "Kk").upper()
    throws = game.rules.loud and min(game.placed) < 17
    return not throws and others in ("", "B", "N")


def perft(game: Game, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(perft(turn, depth - 1) for _, turn in turns(game))


def status(game: Game) -> str:
    found = [text for text, _ in turns(game)]
    check = checked(game.board, game.rules, game.white)
    thrown = sum(text.startswith("@") for text in found)
    moves = len(found) - thrown
    state = "ongoing"
    left = game.rules.loud and game.placed[0 if game.white else 1] < 17
    if is_dead(game):
        # a pawn far out of play that nobody can throw: the dead rule off, to see whether any move is left
        stuck = not list(turns(replace(game, rules=replace(game.rules, loud=True), placed=[17, 0])))
        state = "stalemate" if stuck and not check else "dead"
    elif moves == 0 and check:
        state = "must_throw" if thrown else "checkmate"
    elif moves == 0 and not left:
        state = "stalemate"
    return f"check={check:d} moves={moves} placements={thrown} state={state}"
