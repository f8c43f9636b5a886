"""`scharten review`: what head, hand and luck made of a finished game."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from scharten.commands.idle import run_at_idle_priority
from scharten.commands.options import AsJson, ConfigFile, DataFolder
from scharten.commands.words import accepted, chosen_language, words
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Side
from scharten.words import ENGLISH, LANGUAGES, text

COLUMNS = (
    "turn",
    "n",
    "side",
    "text",
    "white",
    "pawns",
    "before",
    "after",
    "head",
    "hand",
    "luck",
    "sign",
    "best",
)
GUEST_MM = 30.0
NO_ENGINE = "none"


def review(
    match: Annotated[str, typer.Argument(help="The match, by its id (`scharten games` lists them).")],
    *,
    data: DataFolder = None,
    out: Annotated[
        Path | None, typer.Option(help="File: .html, .json, .csv, .txt (score sheet) or .pgn (chess).")
    ] = None,
    language: Annotated[str, typer.Option(help=f"Of .html and .txt: {', '.join(LANGUAGES)}.")] = ENGLISH,
    white_mm: Annotated[
        float | None,
        typer.Option(min=3, max=160, help="White's scatter in mm, instead of the estimated one."),
    ] = None,
    black_mm: Annotated[
        float | None,
        typer.Option(min=3, max=160, help="Black's scatter in mm, instead of the estimated one."),
    ] = None,
    idle: Annotated[
        bool, typer.Option("--idle", help="Run at idle priority, so that a game may go on.")
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Chess engine that judges a silent game; else `opponent.review`. `none`: no engine."
        ),
    ] = None,
    config_file: ConfigFile = None,
    cards: Annotated[bool, typer.Option("--cards", hidden=True)] = False,
    as_json: AsJson = False,
) -> None:
    """Review a game: the value of every turn, and what head, hand and luck made of it.

    The review is stored beside the journal and made again when the game, the scatter, the engine or this program's
    figures change.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if language not in LANGUAGES:
        raise SchartenError.coded("no_such_language", language=language, known=LANGUAGES)
    if out is not None and out.suffix not in WRITERS:
        raise SchartenError.coded("no_such_review", path=out, kind=out.suffix, known=tuple(WRITERS))
    if idle:
        run_at_idle_priority()
    played, folder = _match(data, match)
    scatters = _scatters(played, folder, (white_mm, black_mm))
    from scharten.commands.reviews import stored_review

    with _engine(engine, config_file, folder, played) as splits:
        found = stored_review(played, folder, scatters, _report if cards else _progress(), _waits, splits)
    if out is not None:
        out.write_text(WRITERS[out.suffix](found, played, language), encoding="utf-8")
    if cards:
        typer.echo(json.dumps({"cards": _cards(found, language)}))
    elif as_json:
        typer.echo(_json(found, played, language), nl=False)
    elif out is None:
        typer.echo(_plain(found))
    else:
        typer.echo(words("review.written", path=out, match=match), err=True)


def _match(data: Path | None, wanted: str) -> tuple[Any, Path]:
    """Return the replayed match, finished, and the data folder: from the journal, else from another board's record."""
    from scharten.config import JOURNAL, data_folder
    from scharten.games import GAMES_BY_KEY
    from scharten.journal.collected import CollectedGames
    from scharten.journal.records import replayed
    from scharten.players.book import PlayerBook

    folder = data or data_folder()
    record = CollectedGames(folder).read(wanted)
    played = None
    if isinstance(record, Problem) or (folder / JOURNAL).is_file():
        played = _in_journal(folder / JOURNAL, wanted)
    if played is None and not isinstance(record, Problem):
        played = accepted(replayed(record), f"{wanted}: ")
    if played is None:
        raise SchartenError.coded("no_such_match", path=folder / JOURNAL, match=wanted)
    if played.result is None:
        raise SchartenError.coded("match_on", match=wanted)
    gone = PlayerBook(folder, JOURNAL, GAMES_BY_KEY).deleted() if any(played.start.players) else ()
    return played.without_names_of(gone), folder


def _in_journal(path: Path, wanted: str) -> Any:
    """Return the replayed match of a journal, None without it."""
    from scharten.games import GAMES_BY_KEY
    from scharten.journal.journal import JournalReader
    from scharten.journal.replay import replay

    reader = JournalReader(path)
    try:
        stored = reader.match(wanted)
        last = deque(replay(reader, stored, GAMES_BY_KEY), maxlen=1) if stored else deque[Any]()
    finally:
        reader.close()
    return last[0].match if last else None


@contextmanager
def _engine(name: str | None, file: Path | None, folder: Path, played: Any) -> Iterator[Any]:
    """Give what judges the game by an engine: the one named, or the configuration's where it can; else None."""
    from scharten.config import find, load
    from scharten.opponent.engine_review import engine_splitter

    settings = load(find(file, folder)).opponent
    wanted = settings.review if name is None else name.replace(NO_ENGINE, "")
    if not wanted or (name is None and (played.options.kind == "loud" or played.game.uci_variant is None)):
        yield None
        return
    with engine_splitter(wanted, settings, played.game, played.options) as splits:
        yield splits


def _scatters(played: Any, folder: Path, given: tuple[float | None, float | None]) -> tuple[float, float]:
    """Return White's and Black's scatter: as given, of the computer's level, estimated, or a guest's 30 mm."""
    from scharten.config import JOURNAL
    from scharten.games import GAMES_BY_KEY
    from scharten.match.white import Seat
    from scharten.play.levels import LEVELS
    from scharten.players.book import PlayerBook

    estimated: dict[str, float] = {}
    if any(played.start.players) and played.options.kind == "loud":
        rows = PlayerBook(folder, JOURNAL, GAMES_BY_KEY).overview()
        estimated = {str(row["id"]): float(row["scatter"]["mm"]) for row in rows}
    found = []
    for side, chosen in zip(Side, given, strict=True):
        seat = 0 if played.side_of(Seat.SEAT1) is side else 1
        level, stand_in = played.computers[seat], played.stand_ins[seat]
        mm = estimated.get(played.player_of(side), GUEST_MM)
        if level:
            mm = LEVELS[level].scatter.mm if stand_in is None else stand_in.mm
        found.append(mm if chosen is None else chosen)
    return round(found[0], 1), round(found[1], 1)


def _progress() -> Callable[[int, int], None]:
    """Return what prints the first number of reviewed turns, each tenth, and the last."""
    shown = False

    def show(done: int, turns: int) -> None:
        nonlocal shown
        if done == turns or done % 10 == 0 or not shown:
            typer.echo(words("review.progress", done=done, turns=turns), err=True)
        shown = True

    return show


def _report(done: int, turns: int) -> None:
    """Report the progress to the board's page: a line of JSON for each turn."""
    typer.echo(json.dumps({"done": done, "turns": turns}))
    sys.stdout.flush()


def _waits() -> None:
    typer.echo(words("review.waits"), err=True)


def _json(found: dict[str, Any], _played: Any, _language: str) -> str:
    return json.dumps(found, ensure_ascii=False) + "\n"


def _html(found: dict[str, Any], played: Any, language: str) -> str:
    from scharten.display.pictures.game import after_turns
    from scharten.journal.archive import shown
    from scharten.review.page import page

    boards = {
        turn: f"data:image/png;base64,{b64encode(picture).decode()}"
        for turn, picture in after_turns(shown(played), found["decided"]).items()
    }
    return page(found, language, boards)


def _cards(found: dict[str, Any], language: str) -> str:
    """Return the part of a page that the board's page shows."""
    from scharten.review.page import cards

    return cards(found, language)


def _csv(found: dict[str, Any], _played: Any, _language: str) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(found["turns"])
    return out.getvalue()


def _sheet(found: dict[str, Any], played: Any, language: str) -> str:
    """Return the score sheet with a comment on each turn that cost much or fell far from what was expected."""
    from scharten.contract.score_sheet import sheet, sheet_text
    from scharten.journal.sheets import begun

    paper: dict[str, Any] = dict(sheet(played))
    paper["entries"] = [
        {**entry, "comment": _comment(turn, language)}
        for entry, turn in zip(paper["entries"], found["turns"], strict=True)
    ]
    return sheet_text(paper, language, begun(played.start.t_ms))


def _comment(turn: dict[str, Any], language: str = ENGLISH) -> str:
    """Return the better turn where the turn has a sign, and each part of at least a twentieth of a point."""
    parts = [f"{turn['sign']} {turn['best']}"] if turn["sign"] else []
    parts += [
        f"{words(f'review.{part}_share', language)} {turn[part]:+.2f}"
        for part in ("head", "hand", "luck")
        if abs(turn[part]) >= 0.05
    ]
    return "; ".join(parts)


def _pgn(found: dict[str, Any], played: Any, _language: str) -> str:
    from scharten.journal.sheets import pgn_text
    from scharten.review.review import pawns

    comments = []
    for turn in found["turns"]:
        white = turn["after"] if turn["side"] == "white" else 1 - turn["after"]
        comments.append(f"[%eval {pawns(white):.2f}] {_comment(turn)}".strip())
    return accepted(pgn_text(played, comments))


def _plain(found: dict[str, Any]) -> str:
    """Return the sums and the turns that decided, for a terminal."""
    language = chosen_language()
    game, kind = found["game"], found["kind"]
    if language != ENGLISH:  # other programs read the English words
        game, kind = text(language, f"game.{game}"), text(language, f"kind.{kind}")
    lines = [
        words(
            "review.head",
            match=found["match"],
            game=game,
            kind=kind,
            turns=len(found["turns"]),
            result=found["result"],
        )
    ]
    if found.get("engine"):
        lines.append(words("review.engine", engine=found["engine"]))
    for side in ("white", "black"):
        own = found[side]
        shares = {part: f"{own[part]:+.2f}" for part in ("head", "hand", "luck")}
        signs = " ".join(f"{sign} {count}" for sign, count in own["signs"].items())
        counts = {name: own[name] for name in ("turns", "darts", "scatter_mm")}
        name = own["name"] or _side(side, language)
        lines.append(words("review.side", name=name, signs=signs, **shares, **counts))
    alike = found["alike"]
    lines.append(words("review.alike", replays=alike["replays"], white=f"{alike['white']:.0%}"))
    for number in found["decided"]:
        turn = found["turns"][number - 1]
        lines.append(
            words(
                "review.turn",
                n=turn["n"],
                text=turn["text"],
                side=_side(turn["side"], language),
                comment=_comment(turn, language) or words("review.little"),
                best=turn["best"],
            )
        )
    return "\n".join(lines)


def _side(side: str, language: str) -> str:
    return side if language == ENGLISH else text(language, f"side.{side}")


WRITERS: Final[dict[str, Callable[[dict[str, Any], Any, str], str]]] = {
    ".html": _html,
    ".json": _json,
    ".csv": _csv,
    ".txt": _sheet,
    ".pgn": _pgn,
}
