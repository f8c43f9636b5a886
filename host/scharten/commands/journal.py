"""`scharten replay` and `scharten games`: the games of a journal."""

from __future__ import annotations

import json
import time
from collections import deque
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten.commands.options import AsJson, DataFolder, named_game
from scharten.commands.words import accepted, chosen_language, words
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Side
from scharten.game.plain_text import plain
from scharten.games.sheet_words import result_words
from scharten.words import ENGLISH, LANGUAGES, text

MAX_PAPER = 4_000_000
"""The most characters of a file of games."""
JournalFile = Annotated[
    Path | None,
    typer.Argument(help="A journal or its folder; by default that of the data folder.", metavar="[JOURNAL]"),
]


def replay(
    file: JournalFile = None,
    *,
    data: DataFolder = None,
    match: Annotated[str | None, typer.Option(help="Only this match, by its id.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print every input and the turn it made.")
    ] = False,
) -> None:
    """Replay stored matches and check every digest; the file is only read.

    Exit status 1 at the first input that no longer gives the game that was played.
    """
    from scharten.games import GAMES_BY_KEY
    from scharten.journal.journal import JournalReader
    from scharten.journal.replay import replay as played

    journal = _journal(file, data)
    reader = JournalReader(journal)
    chosen = [stored for stored in reader.matches() if match in (None, stored.id)]
    if not chosen:
        raise _no_match(journal, match)
    for stored in chosen:
        last: deque[Any] = deque(maxlen=1)
        for done in played(reader, stored, GAMES_BY_KEY):
            if verbose:
                turn = done.match.turns[-1].text if done.match.turns else "-"
                typer.echo(f"{done.n:6} {type(done.given).__name__:15} {done.match.phase.name:9} {turn}")
            last.append(done)
        end = last[0].match if last else None
        shown = end.situation.text if end else words("replay.empty")
        typer.echo(words("replay.agrees", match=stored.id, inputs=stored.inputs, position=shown))


def games(
    file: JournalFile = None,
    *,
    data: DataFolder = None,
    resume: Annotated[str | None, typer.Option(help="Resume this match at the next start.")] = None,
    export: Annotated[str | None, typer.Option(help="Write the score sheet of this match.")] = None,
    language: Annotated[
        str,
        typer.Option(
            help=f"Of the sheet: {', '.join(LANGUAGES)}, figurine; pgn for chess. "
            "Without it the configured language, else en."
        ),
    ] = "",
    out: Annotated[Path | None, typer.Option(help="File for the sheet; without it, the screen.")] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="MATCH", help="Draw this match into --out: its end as .png, its positions as .gif."
        ),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option(
            "--import", metavar="SHEET", help="Import finished games from a score sheet or a PGN file."
        ),
    ] = None,
    game: Annotated[
        str,
        typer.Option(
            help="Of an import whose headers name none: chess reads bare moves as PGN. "
            "Without it, chess for a .pgn file, else scharten."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the games in a journal, choose the game to resume, export or import a score sheet."""
    from scharten.journal.journal import JournalReader

    if import_ is not None:
        _import(file, data, import_, game)
        return
    journal = _journal(file, data)
    if resume is not None:
        _resume(journal, resume)
    elif picture is not None:
        _draw(journal, picture, language, out)
    elif export is not None:
        _export(JournalReader(journal), export, language, out)
    else:
        _list(journal, JournalReader(journal), as_json=as_json)


def _resume(journal: Path, match: str) -> None:
    """Resume a match at the next start."""
    from scharten.journal.journal import Journal

    writer = Journal(journal)
    writer.go_on_with(match)
    writer.close()
    typer.echo(words("games.resumes", match=match))


def _list(journal: Path, reader: Any, *, as_json: bool) -> None:
    """Print the games of a journal."""
    begun = [stored for stored in reader.matches() if not stored.id.startswith("setup-")]
    if as_json:
        typer.echo(json.dumps([_as_json(stored) for stored in begun], ensure_ascii=False))
        return
    if not begun:
        typer.echo(words("games.none", journal=journal), err=True)
    for stored in begun:
        typer.echo(_line(stored, json.loads(stored.summary)))


def _draw(journal: Path, match: str, language: str, out: Path | None) -> None:
    """Write a match as a picture or an animation."""
    from scharten.display.pictures import game as pictures
    from scharten.games import GAMES_BY_KEY
    from scharten.journal.archive import Archive

    draw = {".png": pictures.picture, ".gif": pictures.animation}.get(out.suffix if out else "")
    if out is None or draw is None:
        raise SchartenError.coded("picture_file")
    found = Archive(journal, GAMES_BY_KEY).game(match)
    if found is None:
        raise _no_match(journal, match)
    out.write_bytes(draw(found, language if language in LANGUAGES else ENGLISH))
    typer.echo(f"{out}: {out.stat().st_size // 1000} kB")


def _journal(file: Path | None, data: Path | None) -> Path:
    """The journal that was named by its file or its folder, else that of the data folder."""
    from scharten.config import JOURNAL, data_folder

    found = file or data or data_folder()
    if found.is_dir() or file is None:
        found /= JOURNAL
    if not found.is_file():
        raise SchartenError.coded("no_journal", path=found)
    return found


def _as_json(stored: Any) -> dict[str, Any]:
    return {
        "id": stored.id,
        "started_ms": stored.started_ms,
        "resumes": stored.going_on,
        "inputs": stored.inputs,
        **json.loads(stored.summary),
    }


def _line(stored: Any, summary: dict[str, Any]) -> str:
    began = datetime.fromtimestamp(stored.started_ms / 1000).strftime("%Y-%m-%d %H:%M")
    names, language = summary.get("names", {}), chosen_language()
    players = " - ".join(names.get(side) or text(language, f"side.{side}") for side in ("white", "black"))
    mark = "→" if stored.going_on else " "
    turns = words("games.turns", language, turns=summary.get("turns", 0))
    game, kind, result = summary.get("game", "scharten"), summary.get("kind", "silent"), summary.get("result")
    if language == ENGLISH:  # other programs read these words
        ended = f"{result} ({summary.get('reason')})" if result else summary.get("phase", "?")
    else:
        game, kind = text(language, f"game.{game}"), text(language, f"kind.{kind}")
        ended = words("games.unfinished", language)
        if result:
            ended = f"{result} ({result_words(result, str(summary.get('reason')), language)})"
    return f"{mark} {stored.id}  {began}  {game} {kind:6}  {plain(players)}  {turns}  {ended}"


def _export(reader: Any, wanted: str, language: str, out: Path | None) -> None:
    from scharten.config import find, load
    from scharten.games import GAMES_BY_KEY
    from scharten.games.letters import SHEET_LANGUAGES
    from scharten.journal.replay import replay as played
    from scharten.journal.sheets import pgn_text, sheet_text

    stored = reader.match(wanted)
    if stored is None:
        raise _no_match(reader.path, wanted)
    language = language or load(find(None, reader.path.parent)).web.language or ENGLISH
    if language not in (*SHEET_LANGUAGES, "pgn"):
        raise SchartenError.coded("no_sheet_language", language=language, known=SHEET_LANGUAGES)
    last = deque(played(reader, stored, GAMES_BY_KEY), maxlen=1)
    text: str | Problem = ""
    if last:
        text = pgn_text(last[0].match) if language == "pgn" else sheet_text(last[0].match, language)
    paper = accepted(text)
    if out is None:
        typer.echo(paper, nl=False)
    else:
        out.write_text(paper, encoding="utf-8")
        typer.echo(words("games.exported", path=out, match=wanted))


def _import(file: Path | None, data: Path | None, paper: Path, game: str) -> None:
    """Play all games of the paper through the referee, then store those that are new; an error stores none."""
    from scharten.config import JOURNAL, data_folder
    from scharten.journal.importing import import_games
    from scharten.journal.journal import Journal, JournalReader

    if game:
        named_game(game)
    elif _is_pgn(paper):
        game = "chess"
    read = import_games(_read(paper), game=game, imported_at_ms=time.time_ns() // 1_000_000)
    found = accepted(read, f"{paper}: ", words("games.import_cure"))
    journal = file or (data or data_folder()) / JOURNAL
    journal.parent.mkdir(parents=True, exist_ok=True)
    writer = Journal(journal)
    try:
        reader = JournalReader(journal)
        held = {stored.id for stored in reader.matches()}
        reader.close()
        fresh = [imported for imported in found if imported.match.id not in held]
        if not fresh:
            raise SchartenError.coded("imported_already", path=journal, match=found[0].match.id)
        for imported in fresh:
            _store(writer, imported)
    finally:
        writer.close()
    for imported in found:
        typer.echo(_imported(imported, known=imported.match.id in held))


def _is_pgn(paper: Path) -> bool:
    return paper.suffix.lower() == ".pgn"


def _read(paper: Path) -> str:
    """Return the text of a paper; a file that is too long is refused without reading the rest.

    PGN that is not UTF-8 is read in ISO 8859-1, the encoding of its standard.
    """
    try:
        try:
            text = _read_as(paper, "utf-8-sig")
        except UnicodeDecodeError:
            if not _is_pgn(paper):
                raise
            text = _read_as(paper, "iso-8859-1")
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("paper_unreadable", path=paper, why=error) from error
    if len(text) > MAX_PAPER:
        raise SchartenError.coded("paper_too_long", path=paper, most=MAX_PAPER)
    return text


def _read_as(paper: Path, encoding: str) -> str:
    with paper.open(encoding=encoding) as opened:
        return opened.read(MAX_PAPER + 1)


def _store(writer: Any, imported: Any) -> None:
    from scharten.journal.step_record import as_record
    from scharten.match.referee import digest

    match = imported.inputs[0][1]
    start = match.start.model_dump_json()
    writer.append_game(
        [
            as_record(stepped, given, events, match.id, mark=digest(stepped), start=start)
            for given, stepped, events in imported.inputs
        ]
    )


def _imported(imported: Any, *, known: bool) -> str:
    """Return a sentence on an imported game."""
    match, language = imported.match, chosen_language()
    names = (match.name_of(side) or text(language, f"side.{side.word}") for side in Side)
    what = words(
        "games.imported",
        match=match.id,
        game=match.game.key if language == ENGLISH else text(language, f"game.{match.game.key}"),
        players=plain(" - ".join(names)),
        turns=words("games.turns", turns=len(match.turns)),
        result=match.result,
    )
    remarks = "".join(f"; {plain(remark[language])}" for remark in imported.remarks)
    return f"{what}{words('games.held') if known else remarks}."


def _no_match(journal: Path, wanted: str | None) -> SchartenError:
    return SchartenError.coded("no_such_match" if wanted else "no_match_yet", path=journal, match=wanted)
