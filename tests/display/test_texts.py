"""The page's words: Dutch, English and German complete, and a word for every code that the host can send."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

import scharten.display
from scharten.contract.schema import PLAYED, reference
from scharten.display.access import HEADERS
from scharten.display.files import load
from scharten.game.basics import Foul, NotAMove, Reason
from scharten.game.protocol import AnyGame
from scharten.games import GAMES, GAMES_BY_KEY
from scharten.games.square_game import WHY
from scharten.match.codes import ComputerFault, Message, QuestionCode, RefusalCode, WhyNotCounted, WhyRefused
from scharten.match.inputs import SensorState
from scharten.match.phases import PhaseName
from scharten.match.rights import RIGHTS, SeatRight

STATIC = Path(scharten.display.__file__).parent / "static"
PAIR = re.compile(r'"([\w.]+)": "((?:[^"\\]|\\.)*)"')
SCRIPTS = "\n".join(path.read_text() for path in sorted((STATIC / "js").rglob("*.js")))


def opening(game: AnyGame) -> str:
    """The position text at the start."""
    options = game.options_model(kind="silent")
    return game.situation(game.begin(options), options).text


MEN = sorted(
    {letter for game in GAMES for letter in re.findall("[A-Z]", opening(game).split()[0])} | set("PQRBN")
)


def words(language: str) -> dict[str, str]:
    """The dictionaries of a language; a key twice is an error."""
    files = sorted((STATIC / "texts").glob(f"*{language}.js"))
    pairs = [pair for file in files for pair in PAIR.findall(file.read_text())]
    found = dict(pairs)
    assert len(found) == len(pairs), "a key stands there twice"
    return found


EN, NL, DE = words("en"), words("nl"), words("de")
OTHERS = pytest.mark.parametrize("other", [NL, DE], ids=["nl", "de"])


@OTHERS
def test_all_languages_have_the_same_keys(other: dict[str, str]) -> None:
    """What one language can say, the others can."""
    assert EN.keys() ^ other.keys() == set()


@OTHERS
def test_all_languages_fill_the_same_places(other: dict[str, str]) -> None:
    """No figure is lost in translation: the {places} are the same, and those with a plural too."""
    for key, text in EN.items():
        assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", other[key])), key


@OTHERS
def test_no_text_is_left_untranslated(other: dict[str, str]) -> None:
    """Texts that are the same in both languages are names, not forgotten ones."""
    same = {
        key
        for key, text in EN.items()
        if other[key] == text and re.search(r"[a-z]{4}", text.replace("{", " {"))
    }
    placed = {key for key in same if not re.sub(r"\{\w+\}", "", EN[key]).strip(" .:·→—")}
    named = {
        "app.title",
        "arbiter",
        "message.adoube",
        "set.language.nl",
        "set.language.en",
        "set.language.de",
        "new.darts",
        "board.label",
        "new.zones",
    }
    named |= {"board.label", "new.zones", "bed.D", "bed.T", "bed.S", "bed.BULL"}
    named |= {f"learn.{game}.title" for game in ("fischer_random", "shatranj", "shakti")}
    named |= {"game.scharten", "game.fischer_random", "game.shatranj", "game.shakti", "game.of_kind"}
    named |= {
        "evening.system.keizer",
        "club.offline",
        "status.broker",
        "status.source.granboard",
        "setup.kind.granboard",
        "pause",
        "status.version",
    }
    assert same - placed <= named


@pytest.mark.parametrize(
    ("group", "codes"),
    [
        ("game", list(GAMES_BY_KEY)), ("why", list(WHY)),
        ("why.not_a_move", [one for one in get_args(NotAMove) if one != "pattern"]),
        ("piece", MEN), ("piece.white", MEN), ("piece.black", MEN),
        ("message", Message), ("why_not", WhyNotCounted), ("foul", Foul), ("reason", Reason),
        ("question", QuestionCode), ("refusal", RefusalCode),
        ("why", ["no_support", "protected", "blocked", "leaves_check", "not_a_move"]), ("because", WhyRefused),
        ("computer", ComputerFault),
        ("request", [name for name, right in RIGHTS.items() if right.seats is SeatRight.CONFIRMED]),
        ("health", [state.value for state in SensorState if state is not SensorState.FOUND]),
        ("phase", [phase.value for phase in PhaseName if phase is not PhaseName.FINISHED]),
    ],
)  # fmt: skip
def test_every_code_has_words(group: str, codes: list[str]) -> None:
    """Whatever code the contract knows is said in words."""
    assert codes and [code for code in codes if f"{group}.{code}" not in EN] == []


def test_every_option_of_a_game_has_words() -> None:
    """Each option that the dialog asks for, and each of its choices, in the page's own words."""
    for game in PLAYED:
        schema = game.options_model.model_json_schema()
        for name in reference()["games"][game.key]["options"]["properties"]:  # type: ignore[index]
            option = schema["properties"][name]
            kinds = [schema["$defs"][one["$ref"].split("/")[-1]] if "$ref" in one else one
                     for one in option.get("anyOf", option.get("allOf", [option]))]  # fmt: skip
            choices = [choice for kind in kinds for choice in kind.get("enum", [])]
            asked = [f"new.{name}", *(f"new.{name}.{choice}" for choice in choices)]
            if [kind["type"] for kind in kinds] == ["object"]:
                asked = [f"new.{name}.{side}" for side in kinds[0]["properties"]]
            assert [key for key in asked if key not in EN] == []


def test_every_key_that_a_script_names_exists() -> None:
    """A key in a script that no dictionary has would be shown raw."""
    named = re.findall(r"""\bt\(\s*["']([\w.]+)["']""", SCRIPTS)
    named += re.findall(r"""\b(?:big|wish)\("([\w.]+)",""", SCRIPTS)
    named += re.findall(r"""\bstep\("[^"]*", "([\w.]+)",""", SCRIPTS)
    assert [key for key in named if key not in EN] == []
    assert len(named) > 80


def test_every_text_is_used() -> None:
    """A text that no script can ask for is dead."""
    literals = set(re.findall(r"""["'`]([\w.]+)["'`]""", SCRIPTS))
    grouped = (
        re.findall(r"`([\w.]+)\.\$\{", SCRIPTS)
        + re.findall(r'tell\("(\w+)"', SCRIPTS)
        + ["new", "set", "mark"]
    )
    asked = [*literals, *(f"{key}.help" for key in literals)]
    unused = [
        key for key in EN if key not in asked and not key.startswith(tuple(f"{group}." for group in grouped))
    ]
    assert unused == []


def test_no_script_or_style_stands_in_the_markup() -> None:
    """The Content-Security-Policy forbids inline code; none is there, nor an address elsewhere."""
    for path in STATIC.rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?://", text), path.name
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", SCRIPTS
    )
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", SCRIPTS)


def test_the_page_can_be_installed_and_keeps_nothing_that_could_be_stale() -> None:
    """A manifest with an icon, allowed by the policy; no service worker and no cache of the page's own."""
    files = load()
    manifest = json.loads(files["/manifest.webmanifest"].body)
    assert manifest["display"] == "standalone" and manifest["start_url"] == "."
    assert all(f"/{icon['src']}" in files for icon in manifest["icons"])
    assert b'rel="manifest"' not in files["/"].body, "only where TLS is on: the script adds it"
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    for icon in manifest["icons"][:2]:
        body = files[f"/{icon['src']}"].body
        assert "x".join(str(int.from_bytes(body[at : at + 4])) for at in (16, 20)) == icon["sizes"]
    assert "manifest-src 'self'" in HEADERS["Content-Security-Policy"]
    assert not re.search(r"serviceWorker|caches\.open", SCRIPTS)
