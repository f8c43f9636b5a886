"""The configuration file as a person writes it."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from scharten.config import Config, load, parse
from scharten.config_errors import MOVED
from scharten.errors import SchartenError
from scharten.game.options import GameOptions
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.options import Options

EVERYTHING = """
log_level = "debug"
[board]
id = "club-3"
profile = "reference-8x11"
white_sits_at = 20
[game]
kind = "silent"
foul_limit = { white = 5, black = 3 }
zones = { white = ["a1", "b2"], black = ["a8"] }
support = "count"
protection = "off"
double_step = "home_row"
touch_move = "on"
white_by = "lot"
arming = "announce"
settle_ms = 900
bounce_counts = false
clock = { stages = [{ moves = 40, minutes = 100 }, { minutes = 15 }], increment_s = 5 }
[source]
kind = "serial"
[source.serial]
port = "/dev/serial/by-id/board"
baud = 250000
[broker]
url = "mqtts://club.local:8883"
credentials = "secrets"
[web]
port = 0
"""


def test_no_file_is_a_game_at_once() -> None:
    """Every key is optional: no file gives the simulated board, loud, auto-armed, on this machine only."""
    config = load(None)
    options = config.options(config.game_key)
    assert (config.source.kind, config.game_key, options.kind, options.arming) == (
        "simulated",
        "scharten",
        "loud",
        "auto",
    )
    assert (config.web.host, config.broker.url, options.bounce_counts) == ("127.0.0.1", "embedded", True)


def test_every_key_can_be_set() -> None:
    """A file that sets keys of every table is read as written."""
    config = parse(EVERYTHING)
    options = config.options("scharten")
    assert isinstance(options, Options) and not isinstance(options.zones, str)
    assert options.clock is not None and options.clock.stages[1].moves is None
    assert (config.board.white_sits_at, options.foul_limit.white, config.source.serial.baud) == (
        20,
        5,
        250000,
    )
    assert options.zones.white == ("a1", "b2") and options.settle_ms == 900


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[bord]\nid = 'x'", "did you mean board"),
        ("[game]\nfoul_limits = {}", "did you mean game.foul_limit"),
        ("[game]\nfoul_limit = { wite = 3 }", "did you mean game.foul_limit.white"),
        ("[source.serial]\nprot = 'x'", "did you mean source.serial.port"),
        ("[board]\nid = 'Board One'", "board.id"),
        ("[board]\nwhite_sits_at = 6", "it says 6"),
        ("[source]\nkind = 'serial'", "names no port"),
        ("[source]\nkind = 'camera'", "names no devices"),
        ("[game]\nsettle_ms = -1", "game.settle_ms"),
        ("[source]\nkind = []", "source: kind names no sensor: use one, or a list such as"),
        ("[source]\nkind = ['camera', 'camera']", "source: kind names 'camera' twice"),
        ("[source]\nkind = ['serial', 'camra']", "source.kind[2]: use 'serial', 'camera', 'granboard'"),
        (
            "[source]\nkind = ['serial', 'simulated']",
            "joins one board and 'camera', not 'serial' and 'simulated'",
        ),
        ("[source]\nkind = ['serial', 'camera', 'granboard']", "kind joins one board and 'camera', not"),
        ("[source]\nkind = ['serial', 'camera']\n[source.serial]\nport = '/dev/x'", "names no devices"),
        ("[broker]\nurl = 'http://x'", "broker.url"),
        ("[web]\nproxy = '127.0.0.1'", "the proxy's own machine"),
        ("[web]\nproxy = 'ha.local'", "the proxy's own machine"),
        (
            "[game]\nzones = { white = ['zz'], black = ['a8'] }",
            "game.zones.white[1]: use a text of another form",
        ),
        ("[game]\nzones = 'hall'", "use 'half', 'half_with_o' or 'home' or a table, such as { white = ["),
        (
            "[game]\nfoul_limit = 5",
            "game.foul_limit: use a table, such as { white = 3, black = 3 } (it says 5)",
        ),
        ("[game]\ngame = 'go'", "game.game: use 'scharten',"),
        ("[game]\nkind = 'quiet'", "game.kind: use 'silent' or 'loud' (it says 'quiet')"),
        ("[game.chess]\nknd = 'loud'", "did you mean game.chess.kind"),
        ("[game.chess]\nzones = 'half'", "game.chess.zones is not a known key"),
        (
            "[game.chess]\nclock = { stages = [{ moves = 40, minutes = 9 }] }",
            "chess.clock: stage 1 is the last",
        ),
        ("board = 3", "board: use a table, such as [board]"),
        ("[source.camera]\ndevices = '/dev/video0'", 'devices: use a list, such as ["/dev/video0"'),
        ("[web]\ntls = {}", "web.tls.cert is missing"),
        (
            "[game]\nzones = { white = ['a8'], black = ['a8'] }",
            "the zone of white may not contain its last row",
        ),
        ("[game]\nclock = { stages = [{ moves = 40, minutes = 9 }] }", "stage 1 is the last"),
        ("[game]\nclock = { stages = [{ moves = 700, minutes = 9 }, { minutes = 9 }] }", "from 1 to 500"),
        ("[web]\nhost = 'the hall'", "web.host: use an address such as"),
        ("[game", "is not TOML"),
    ],
)
def test_a_wrong_key_is_named_with_the_nearest_known_one(text: str, says: str) -> None:
    """Unknown keys and impossible values are refused in words that name the key and the cure."""
    with pytest.raises(SchartenError) as caught:
        parse(text, "scharten.toml")
    assert says in str(caught.value) and "scharten.toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A configuration that does not exist is an error that names it, not silent defaults."""
    with pytest.raises(SchartenError, match=r"no\.toml"):
        load(tmp_path / "no.toml")


def test_cameras_ask_for_announcing_and_a_dart_that_stays() -> None:
    """Defaults that depend on the source: cameras announce, and a bounce does not count."""
    config = Config.model_validate({"source": {"kind": "camera", "camera": {"devices": ["0"]}}})
    for key in GAMES_BY_KEY:
        assert (config.options(key).arming, config.options(key).bounce_counts) == ("announce", False), key
    chosen = parse(
        '[game]\narming = "auto"\n[game.chess]\nbounce_counts = true\n[source]\nkind = "granboard"'
    )
    assert chosen.options("scharten").arming == "auto" and chosen.options("chess").arming == "announce"


@pytest.mark.parametrize("key", MOVED)
def test_a_key_of_an_earlier_version_names_what_to_write_now(key: str) -> None:
    """A key that was merged or removed is refused in the words that say what replaces it."""
    table, _, last = key.rpartition(".")
    with pytest.raises(SchartenError) as caught:
        parse(f"[{table}]\n{last} = 'x'" if table else f"[{last}]\nx = 1")
    assert f"{key} {MOVED[key]}" in caught.value.message


def test_each_game_has_a_table_of_its_own_options() -> None:
    """`[game.<key>]` sets the options of another game than Scharten; every game has its defaults without one."""
    config = parse(
        '[game]\ngame = "shatranj"\nkind = "silent"\n[game.shatranj]\nking_on = "d"\nkind = "loud"'
    )
    assert config.game_key == "shatranj"
    schema = config.options("shatranj").model_dump(mode="json")
    assert (schema["king_on"], schema["kind"]) == ("d", "loud")
    for key, game in GAMES_BY_KEY.items():
        assert isinstance(config.options(key), game.options_model)
    assert config.model_dump(mode="json")["game"]["scharten"]["kind"] == "silent"


def described() -> dict[str, str]:
    """Every key that docs/configuration.md lists, with the default beside it."""
    text = (Path(__file__).parents[1] / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `([a-z_.]+)` \| ([^|]*) \|", text, re.MULTILINE)
    assert len(rows) == len(dict(rows))
    return {key: default.strip().strip("`") for key, default in rows}


def keys(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, object]]:
    """Every key of the configuration's tables with its default; a table inside an option is one key."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        table = isinstance(kind, type) and issubclass(kind, BaseModel)
        if table and (not before or kind.__name__.endswith("Section") or name in GAMES_BY_KEY):
            yield from keys(kind, f"{before}{name}.")
        else:
            yield before + name, field.get_default(call_default_factory=True)


def test_the_document_lists_every_key_with_its_default() -> None:
    """docs/configuration.md has a row for each key and no other; its default is the model's."""
    schema, common = described(), set(GameOptions.model_fields)
    known = {
        key: default
        for key, default in keys(Config)
        if not (key.count(".") == 2 and key.startswith("game.") and key.rpartition(".")[2] in common)
    }
    assert set(schema) == set(known)
    by_source = {"game.arming", "game.bounce_counts", "game.protection"}
    for key in set(known) - by_source:
        wanted = known[key].model_dump(mode="json") if isinstance(known[key], BaseModel) else known[key]
        shown = schema[key]
        assert wanted in ("", None, ()) if shown == "–" else tomllib.loads(f"x = {shown}")["x"] == wanted, key
