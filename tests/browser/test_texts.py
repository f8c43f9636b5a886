"""The page's words, as a browser gets them: three languages complete, and words for all the host's codes."""

from __future__ import annotations

import importlib.util
import json
import pkgutil
import re
from collections.abc import Iterator
from importlib.abc import SourceLoader
from pathlib import Path
from types import CodeType
from typing import get_args

import pytest

import scharten
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.servers import Served
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

FILES = load()
LANGUAGES = ("en", "nl", "de")
OTHERS = pytest.mark.parametrize("other", LANGUAGES[1:])
PAGES = sorted(path for path, file in FILES.items() if file.mime.startswith("text/html"))
ELSEWHERE = """[...document.querySelectorAll("[src], [href]")].map((one) => one.src || one.href)
    .filter((one) => typeof one === "string" && new URL(one).origin !== location.origin)"""
Words = dict[str, str]


def opening(game: AnyGame) -> str:
    """The position text at the start."""
    options = game.options_model(kind="silent")
    return game.situation(game.begin(options), options).text


MEN = sorted(
    {letter for game in GAMES for letter in re.findall("[A-Z]", opening(game).split()[0])} | set("PQRBN")
)


@pytest.fixture(scope="module")
def words(pool: Pages, display: Served) -> dict[str, Words]:
    """The dictionaries of each language, imported by a browser; a key in two files is an error."""
    page = pool.open(f"{display.url}/learn")
    found: dict[str, Words] = {}
    for language in LANGUAGES:
        files = [path for path in FILES if re.fullmatch(rf"/texts/(\w+-)*{language}\.js", path)]
        parts = [page.evaluate("(path) => import(path).then((one) => one.default)", file) for file in files]
        found[language] = {key: text for part in parts for key, text in part.items()}
    return found


@OTHERS
def test_all_languages_have_the_same_keys(words: dict[str, Words], other: str) -> None:
    """What one language can say, the others can."""
    assert words["en"].keys() ^ words[other].keys() == set()


@OTHERS
def test_all_languages_fill_the_same_places(words: dict[str, Words], other: str) -> None:
    """No figure is lost in translation: the {places} are the same, and those with a plural too."""
    for key, text in words["en"].items():
        assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", words[other][key])), key


@OTHERS
def test_no_text_is_left_untranslated(words: dict[str, Words], other: str) -> None:
    """Texts that are the same in both languages are names, not forgotten ones."""
    english, theirs = words["en"], words[other]
    same = {
        key
        for key, text in english.items()
        if theirs[key] == text and re.search(r"[a-z]{4}", text.replace("{", " {"))
    }
    placed = {key for key in same if not re.sub(r"\{\w+\}", "", english[key]).strip(" .:·→—")}
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
def test_every_code_has_words(words: dict[str, Words], group: str, codes: list[str]) -> None:
    """Whatever code the contract knows is said in words."""
    assert codes and [code for code in codes if f"{group}.{code}" not in words["en"]] == []


def test_every_option_of_a_game_has_words(words: dict[str, Words]) -> None:
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
            assert [key for key in asked if key not in words["en"]] == []


def test_the_club_night_page_quotes_what_is_said(words: dict[str, Words]) -> None:
    """Each message in the first column of its tables is a word of the page or a constant of the compiled program."""
    said = [*words["en"].values(), *(one for name in modules() for one in constants(code_of(name)))]
    text = (Path(__file__).parents[2] / "deploy" / "club-night.md").read_text()
    rows = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    quoted = [quote for row in rows for quote in re.findall(r"`([^`]+)`", row)]
    assert len(quoted) > 25
    assert [quote for quote in quoted if not any(quote in one for one in said)] == []


def modules() -> Iterator[str]:
    """The program's modules by name."""
    return (one.name for one in pkgutil.walk_packages(scharten.__path__, "scharten.") if not one.ispkg)


def code_of(name: str) -> CodeType | None:
    """What the interpreter runs when it imports the module; None of a module that is machine code."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    return spec.loader.get_code(name) if isinstance(spec.loader, SourceLoader) else None


def constants(code: CodeType | None) -> Iterator[str]:
    """The texts in a piece of code, those of what it defines among them."""
    for one in code.co_consts if code else ():
        if isinstance(one, CodeType):
            yield from constants(one)
        elif isinstance(one, str | tuple):
            yield from (each for each in ([one] if isinstance(one, str) else one) if isinstance(each, str))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_needs_nothing_from_elsewhere_and_no_script_in_its_markup(
    host: FakeHost, pages: Pages, display: Served, path: str
) -> None:
    """The policy forbids inline code and other hosts; the browser complains of none, and no address leads elsewhere."""
    page = pages.open(f"{display.url}{path}")
    still(page)
    complaints = [said for said in pages.console if "status of 404" not in said]  # no journal, no archive
    assert not complaints, complaints
    assert page.evaluate(ELSEWHERE) == []


def test_the_page_can_be_installed_and_keeps_nothing_that_could_be_stale(
    host: FakeHost, pages: Pages, display: Served
) -> None:
    """A manifest with an icon, allowed by the policy; no service worker and no cache of the page's own."""
    page = pages.open(display.url)
    still(page)
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    assert page.evaluate("caches.keys()") == []
    files = FILES
    manifest = json.loads(files["/manifest.webmanifest"].body)
    assert manifest["display"] == "standalone" and manifest["start_url"] == "."
    assert all(f"/{icon['src']}" in files for icon in manifest["icons"])
    assert b'rel="manifest"' not in files["/"].body, "only where TLS is on: the script adds it"
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    for icon in manifest["icons"][:2]:
        body = files[f"/{icon['src']}"].body
        assert "x".join(str(int.from_bytes(body[at : at + 4])) for at in (16, 20)) == icon["sizes"]
    assert "manifest-src 'self'" in HEADERS["Content-Security-Policy"]
