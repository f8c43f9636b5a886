"""The configuration file as a person writes it."""

from pathlib import Path

import pytest

from scharten.config import Config, load, parse
from scharten.errors import SchartenError

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
[web]
port = 0
[journal]
path = "club.sqlite3"
"""


def test_no_file_is_a_game_at_once() -> None:
    """Every key is optional: no file gives the simulated board, loud, auto-armed, on this machine only."""
    config = load(None)
    assert (config.source.kind, config.game.kind, config.arming) == ("simulated", "loud", "auto")
    assert (config.web.host, config.broker.url, config.bounce_counts) == ("127.0.0.1", "embedded", True)


def test_every_key_can_be_set() -> None:
    """A file that sets every key of the issue is read as written."""
    config = parse(EVERYTHING)
    assert config.game.clock is not None and config.game.clock.stages[1].moves is None
    assert (config.board.white_sits_at, config.game.foul_limit.white, config.source.serial.baud) == (
        20,
        5,
        250000,
    )
    assert config.game.zones.white == ("a1", "b2")  # type: ignore[union-attr]


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
        ("[broker]\nurl = 'http://x'", "broker.url"),
        ("[game]\nzones = { white = ['zz'], black = ['a8'] }", "game: zones cannot be"),
        (
            "[game]\nzones = { white = ['a8'], black = ['a8'] }",
            "the zone of white may not contain its last row",
        ),
        ("[game]\nclock = { stages = [{ moves = 40, minutes = 9 }] }", "stage 1 is the last"),
        ("[game]\nclock = { stages = [{ moves = 700, minutes = 9 }, { minutes = 9 }] }", "from 1 to 500"),
        ("[web]\nhost = 'the hall'", "web.host: an address such as"),
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
    assert (config.arming, config.bounce_counts) == ("announce", False)
