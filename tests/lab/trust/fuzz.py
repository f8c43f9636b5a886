"""Every parser of outside input gets mutated and hostile text: it returns a value or its own refusal."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import tempfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive.played import RESIGNED, play, records
from lab.trust.rows import Attack
from scharten import config
from scharten.broker.codec import Decoder
from scharten.club.form import read_entry
from scharten.contract.light import parse_light
from scharten.contract.messages import parse_command, parse_throw
from scharten.dartboard.lines import parse_board_line
from scharten.dartboard.link import LineReader
from scharten.dartboard.profile import parse_profile, profile_text
from scharten.display.web_server import json_object
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Kind
from scharten.game.flags import parse_flags
from scharten.games import GAMES_BY_KEY
from scharten.games.pgn import games_of_pgn, read_pgn
from scharten.games.scharten.notation.read import read_turn
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position_text import opening, parse_position, position_text
from scharten.games.sheet_read import read_sheet
from scharten.journal.importing import import_games
from scharten.journal.records import read_record, replayed
from scharten.journal.stored_inputs import decode_stored
from scharten.match.codec import UnreadableInputError
from scharten.match.digest import digest
from scharten.match.referee import begun_by, step
from scharten.match.settings import Start
from scharten.match.state import begin
from scharten.mqtt.address import parse_url
from scharten.problems.bundled import bundled
from scharten.problems.line import HEAD, id_of, opened, parse_file, parse_line
from scharten.remote.invitation import read_link
from scharten.remote.letters import read_letters
from scharten.remote.messages import HELLO_BYTES, Accept, GuestReading, Hello, Offer, Proof, Taken
from scharten.remote.messages import read as read_message
from scharten.remote.proof import ProofKeeper
from scharten.sensors.profiles import load_profile
from scharten.sensors.simulator.script import parse_script
from scharten.sensors.throw_files import unpacked
from scharten.tournament.model import Club
from scharten.vision.model import CameraModel
from scharten.vision.rig import RigCamera, parse_rig, rig_text

RULES = rules_of(Options(kind=Kind.SILENT))
START = opening(RULES)
MODEL = CameraModel(
    1920, 1080, (1.5, 0.1, 900.0, -0.1, -1.6, 500.0, 0.0001, 0.0002, 1.0), -0.1, 3.0, 0.8, 0.7
)
CONFIG = '[board]\nid = "board1"\n[source]\nkind = "camera"\n[source.camera]\ndevices = ["a"]\nfps = 30\n'
SHEET = '[White "A \\"B\\""]\n[Kind "loud"]\n[Language "nl"]\n\n1. e4 e5 2. Pc3 {rustig} Pc6 (=) 3. d4 *\n'
SCRIPT = "0 T20\n+1.5 12.5,-103\n3 miss\n4 button ready\n5 stuck T20\n+0 wait host\n+1 end\n"
PEAK_MB = 80.0
"""Upper bound on a parser's memory, in MB, for a megabyte of nonsense."""


def _decoded(text: str) -> object:
    return decode_stored(json.loads(text))


PGN = (
    '[White "A"]\n[Result "1-0"]\n\n1. e4 {[%clk 0:05:00]} e5 2. Qh5 Nc6 (2... g6) 3. Bc4 Nf6 4. Qxf7# 1-0\n'
)


for _name in ("chess.pgn", "scharten.remote.proof"):  # they log every illegal move and every difference
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def _packets(text: str) -> None:
    """Read packets of MQTT 3.1.1 or 5, with and without a CONNECT before them."""
    data = text.encode("latin-1", "replace")
    for version in (b"", *MQTT_HELLOS):
        decoder = Decoder(65_536)
        decoder.feed(version + data)
        while not isinstance(decoder.next(), Problem | None):
            pass


MQTT_HELLOS = (b"\x10\x0d\0\4MQTT\4\2\0\x3c\0\1a", b"\x10\x0e\0\4MQTT\5\2\0\x3c\0\0\1a")


def _zipped(text: str) -> None:
    """Unpack a file of saved throws."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "throws.zip"
        path.write_bytes(text.encode("latin-1", "replace"))
        for package in unpacked(path):
            list(package.iterdir())


def _sample_zip() -> str:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("20261123-120000-000/result.json", '{"at_ms": 1}')
        file.writestr("20261123-120000-000/after0.jpg", "x" * 40)
    return made.getvalue().decode("latin-1")


def _remote(text: str) -> object:
    data = text.encode("utf-8", "surrogatepass")
    return [read_message(data, kind, HELLO_BYTES) for kind in (Offer, Accept, Hello, GuestReading, Taken)]


def _proven(text: str) -> None:
    """Feed a guest's judge with the host's inputs: the first of a game, then another."""
    with tempfile.TemporaryDirectory() as folder:
        keeper = ProofKeeper(Path(folder))
        for line in text.splitlines():
            proof = read_message(line.encode("utf-8", "surrogatepass"), Proof, 10**6)
            if not isinstance(proof, Problem):
                keeper.take(proof)


def _recorded(text: str) -> object:
    record = read_record(text.encode("utf-8", "surrogatepass"))
    return record if isinstance(record, Problem) else replayed(record)


def _sample_record() -> str:
    """Return the record of a short game that the referee played."""
    with tempfile.TemporaryDirectory() as folder:
        return records(play(Path(folder) / "board", *RESIGNED))[0].decode()


def _sample_proof() -> str:
    """Return the same game as a host sends it to a guest, input by input."""
    record = json.loads(RECORD)
    match = begin(Start.model_validate_json(json.dumps(record["start"])), GAMES_BY_KEY)
    lines = []
    for n, raw in enumerate(record["inputs"]):
        match = step(match, decode_stored(raw))[0] if n else begun_by(match, decode_stored(raw))
        start = {} if n else {"start": record["start"]}
        lines.append(
            json.dumps({"v": 1, "match": "m1", "n": n, "digest": digest(match), "input": raw, **start})
        )
    return "\n".join(lines)


def _problem(text: str) -> object:
    """Read a problem with its columns, as a hostile file would give them, and open its position."""
    columns = tuple(text.split("\t"))
    puzzle = parse_line("\t".join((*columns, id_of(columns))))
    return puzzle if isinstance(puzzle, Problem) else opened(puzzle, GAMES_BY_KEY)


RECORD = _sample_record()
PARSERS: dict[str, tuple[Callable[[str], object], str]] = {
    "MQTT packets": (_packets, "\x32\x09\0\3a/b\0\7xy\x82\x08\0\1\0\3a/#\1\xc0\0"),
    "PGN": (lambda text: [read_pgn(game) for game in games_of_pgn(text)] or read_pgn(text), PGN),
    "saved throws": (_zipped, _sample_zip()),
    "command": (
        lambda text: parse_command(text.encode("utf-8", "surrogatepass")),
        '{"v":1,"id":"a","match":"m","seq":3,"type":"move","move":"e2e4","side":"white"}',
    ),
    "throw": (
        lambda text: parse_throw(text.encode("utf-8", "surrogatepass")),
        '{"v":1,"x_mm":1.5,"y_mm":-7}',
    ),
    "line": (lambda text: parse_board_line(text.encode("latin-1", "replace")), "$H,1,2,3,4567*ABCD"),
    "stream": (lambda text: LineReader().feed(text.encode("latin-1", "replace")), "$H,1,2,3,4567*ABCD\n" * 3),
    "profile": (parse_profile, profile_text(load_profile("simulated"))[:600]),
    "configuration": (config.parse, CONFIG),
    "position": (lambda text: parse_position(text, RULES), position_text(START)),
    "turn": (lambda text: read_turn(text, START), "Pc3xe4=D+"),
    "options": (lambda text: parse_flags(text, Options), "--loud --zones half --foul-limit 3/3"),
    "sheet": (read_sheet, SHEET),
    "cameras": (parse_rig, rig_text((RigCamera("a", (1.0, 2.0), "e.png", MODEL),))),
    "script": (parse_script, SCRIPT),
    "broker address": (parse_url, "mqtts://broker.example:8883/"),
    "stored input": (
        _decoded,
        '{"input":"reading","t_ms":1,"at_ms":1,"sensor":"board","what":"dart","beds":[["T20",0.9],["F20",0.1]],'
        '"x_mm":1.5,"y_mm":null,"bounced":false,"contact":[1,2],"receipt":[7,3]}',
    ),
    "invitation": (read_link, "scharten://[fe80::1]:8884/ABCD-EFGH#" + "a" * 43),
    "letters of an invitation": (read_letters, "ABCD EFGH"),
    "message between boards": (
        _remote,
        '{"v":1,"seat":"seat1","by":"A","game":"chess","kind":"silent","clock":{"main_s":60},"proof":"abc"}',
    ),
    "proof of a remote game": (_proven, _sample_proof()),
    "record of a finished game": (_recorded, RECORD),
    "entry of the organiser": (
        lambda text: read_entry(Club(), 1, text),
        '{"type":"member","key":"p1","name":"Anna","rating":1500}',
    ),
    "light": (
        lambda text: parse_light(text.encode("utf-8", "surrogatepass")),
        '{"v":2,"by":"lamps","at_ms":1,"back_ms":2}',
    ),
    "message of a page": (json_object, '{"topic":"command","payload":{"v":1,"x":1.5,"y":"\\u00e9"}}'),
    "games to import": (import_games, SHEET),
    "problem": (_problem, "\t".join(bundled()[0].columns)),
    "file of problems": (lambda text: list(parse_file(text)), f"{HEAD}\n{bundled()[0].line}\n"),
    "input of an old journal": (
        _decoded,
        '{"input":"HitsDropped","t_ms":1,"source":"board","count":2,"told":[1,2]}',
    ),
}
CORPUS = Path(__file__).with_name("corpus")
"""Texts that once crashed a parser, by parser; every run feeds them first."""
REFUSALS: dict[str, type[Exception] | tuple[type[Exception], ...]] = {
    "configuration": SchartenError,
    "saved throws": SchartenError,
    "broker address": SchartenError,
    "stored input": (UnreadableInputError, ValueError),
    "input of an old journal": (UnreadableInputError, ValueError),
}
"""The exceptions with which parsers refuse that do not return a value."""
HOSTILE = [
    "9" * 5000, "1e999", "-0", "nan", "[" * 40, "{" * 40, '"' * 3, "'''", "\\", "\x00", "\ud800", "\u202e", "٣", "²",
    "\n", "#", "=", "1979-05-27T07:32:00Z", "$", "*", ",", "true", "null", "é", "𝕏",
]  # fmt: skip
LONG = {
    "open brackets": "[" * 1_000_000,
    "open braces": '{"a":' * 200_000,
    "nested in TOML": "a = " + "[" * 500_000,
    "digits": "9" * 1_000_000,
    "a long number in TOML": "width = " + "9" * 100_000,
    "slashes": "/" * 1_000_000,
    "lines": "\n" * 100_000,
    "dollars": "$" * 1_000_000,
}
OWN = {"options", "saved throws", "stored input", "input of an old journal"}
"""Parsers of text from the keyboard or from the journal itself: no outsider chooses its length."""
STRANGERS = sorted(PARSERS.keys() - OWN)


@st.composite
def mutated(draw: st.DrawFn, sample: str) -> str:
    """Return the sample with a few pieces removed, duplicated, or replaced by hostile ones."""
    text = sample
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(HOSTILE) | st.text(max_size=6) | st.just(text[at:end] * 2))
        text = text[:at] + new + text[end:]
    return text


def fuzz(name: str, examples: int, always_new: bool = False) -> int:
    """Feed a parser with this many mutations and random texts; return their number, or raise its exception.

    With `always_new` the texts differ each time, even where CI requires the same ones.
    """
    parse, sample = PARSERS[name]
    fed = 0
    for text in corpus(name):
        _refuse(name, parse, text)

    random = settings(derandomize=False) if always_new else settings()

    @settings(
        random, max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(mutated(sample) | st.text(max_size=60))
    def feed_parser(text: str) -> None:
        nonlocal fed
        fed += 1
        _refuse(name, parse, text)

    feed_parser()
    return fed


def corpus(name: str) -> list[str]:
    """Return the stored texts of a parser."""
    folder = CORPUS / name.replace(" ", "-")
    return [path.read_text(encoding="utf-8", errors="surrogatepass") for path in sorted(folder.glob("*.txt"))]


def fuzz_for(name: str, seconds: float) -> tuple[int, str]:
    """Feed a parser for `seconds`, and store a text that crashes it. Return the count and the error, if any."""
    fed, until = 0, time.monotonic() + seconds
    last = [""]
    parse, sample = PARSERS[name]

    def noting(text: str) -> object:
        last[0] = text
        return parse(text)

    PARSERS[name] = (noting, sample)
    try:
        while time.monotonic() < until:
            fed += fuzz(name, 500, always_new=True)
    except Exception as error:
        folder = CORPUS / name.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        kept = last[0].encode("utf-8", "surrogatepass")
        (folder / f"{hashlib.sha256(kept).hexdigest()[:12]}.txt").write_bytes(kept)
        return fed, f"{type(error).__name__}: {error}".partition("\n")[0]
    finally:
        PARSERS[name] = (parse, sample)
    return fed, ""


def _refuse(name: str, parse: Callable[[str], object], text: str) -> None:
    """Parse the text, and accept only the exceptions that the parser may raise."""
    try:
        parse(text)
    except REFUSALS.get(name, ()):
        return


def peak_of_nonsense(name: str) -> float:
    """Return a parser's peak memory in MB for a megabyte of brackets, digits or separators."""
    parse, _ = PARSERS[name]
    tracemalloc.start()
    try:
        for text in LONG.values():
            _refuse(name, parse, text)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def fuzzed(examples: int) -> Attack:
    """Fuzz every parser with this many examples."""
    fed, fell = 0, []
    for name in PARSERS:
        try:
            fed += fuzz(name, examples)
        except Exception as error:
            fed += 1
            fell.append(f"{name}: {error!r:.60}")
    return Attack(f"mutated and hostile text for {len(PARSERS)} parsers", fed, len(fell), "; ".join(fell))


def swamped() -> Attack:
    """Feed every parser that an unauthenticated client can reach with megabytes of nonsense."""
    peaks = {name: peak_of_nonsense(name) for name in STRANGERS}
    worst = max(peaks, key=lambda name: peaks[name])
    words = f"memory at most {peaks[worst]:.0f} MB ({worst}; aim {PEAK_MB:.0f} MB)"
    tried = len(peaks) * len(LONG)
    return Attack(
        "a megabyte of brackets, digits or separators for a parser",
        tried,
        sum(peak >= PEAK_MB for peak in peaks.values()),
        words,
    )
