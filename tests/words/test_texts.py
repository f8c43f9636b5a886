"""The texts of every language: complete, alike in shape, a text for every code, in the words of the glossary."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import scharten.words
from scharten.contract.caller import CALLED
from scharten.contract.news_models import Health
from scharten.contract.schema import reference
from scharten.daemon.health import NO_REPORT
from scharten.dartboard.lines import NOTICES
from scharten.game.basics import Foul, NotAMove, Reason, Side
from scharten.game.protocol import AnyGame
from scharten.games import GAMES, GAMES_BY_KEY
from scharten.games.square_game import WHY
from scharten.homes.happenings import HomeEvent
from scharten.homes.home_assistant import BUTTONS
from scharten.match.codes import ComputerFault, Message, QuestionCode, RefusalCode, WhyNotCounted, WhyRefused
from scharten.match.inputs import SensorState
from scharten.match.phases import PhaseName
from scharten.match.rights import RIGHTS, SeatRight
from scharten.sensors.board_talk import PortState
from scharten.sensors.combined.automaton import WARNINGS
from scharten.setup.finding import Cure, Weight, bad, warns
from scharten.words import (
    AREAS,
    LANGUAGES,
    PROBLEMS,
    area,
    fill,
    first_text,
    problem_text,
    sentence,
    text,
    texts,
)
from words import program
from words.problem_codes import Sources

FOLDER = Path(scharten.words.__file__).parent
OTHERS = pytest.mark.parametrize("other", LANGUAGES[1:])
GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"
ALIKE = {"app.title", "arbiter", "detail.rig_camera", "command.run.arbiter",
         "message.adoube", "new.darts", "board.label", "new.zones", "said.paused", "pause",
         "bed.D", "bed.T", "bed.S", "bed.BULL", "bed.long.BULL", "bed.long.S", "evening.system.keizer", "evening.kind",
         "evening.head.rating",
         "club.offline", "status.broker", "status.source.granboard", "setup.kind.granboard", "status.version",
         "status.title", "pages.status", "status.file", "finding.versions", "finding.camera", "game.scharten",
         "game.fischer_random", "game.shatranj", "game.shakti", "game.of_kind", "players.ring.single",
         "players.ring.bull",
         "players.darts", "command.review.hand_share", "home.event_fogling", "home.phase",
         *(f"learn.{game}.title" for game in ("fischer_random", "shatranj", "shakti"))}  # fmt: skip
"""Keys whose texts may be the same in two languages: names, and words that both have."""


def own(language: str) -> dict[str, str]:
    """The texts that a language brings itself, without those it takes from English; no key is in two areas."""
    found: dict[str, str] = {}
    for path in sorted((FOLDER / language).glob("*.json")):
        if path.stem == "help":  # by the English text; tests/test_help.py
            continue
        assert path.stem in AREAS, path
        area = json.loads(path.read_text(encoding="utf-8"))
        assert not found.keys() & area.keys(), path
        found |= area
    return found


ENGLISH = own("en")


def helps(language: str) -> dict[str, str]:
    """The texts of `--help` in a language other than English by their English, without what people type."""
    found = {} if language == "en" else area(language, "help")
    return {
        english: re.sub(r"`[^`]*`|  +scharten.*|\w+://\S+|--\S+", "", text) for english, text in found.items()
    }


def places(template: str) -> set[str]:
    """The names of the places to fill."""
    return set(re.findall(r"\{(\w+)", template))


@OTHERS
def test_every_language_has_the_same_keys(other: str) -> None:
    """No text of English is missing in another language, and no other language has a key of its own."""
    assert ENGLISH.keys() ^ own(other).keys() == set()


@OTHERS
def test_every_language_fills_the_same_places(other: str) -> None:
    """A translation names the same arguments as the English text."""
    theirs = own(other)
    wrong = [key for key, template in ENGLISH.items() if places(template) != places(theirs[key])]
    assert wrong in ([], ["finding.port"])


@OTHERS
def test_no_text_is_left_untranslated(other: str) -> None:
    """A text that two languages share is a name, a figure or listed here."""
    theirs = own(other)
    shared = {
        key
        for key, template in ENGLISH.items()
        if theirs[key] == template and re.search(r"[a-z]{4}", re.sub(r"\{\w+\}", "", template))
    }
    assert {key for key in shared if not key.startswith(("language.", "letter."))} <= ALIKE


def men(game: AnyGame) -> set[str]:
    """The letters of a game's pieces at the start."""
    options = game.options_model(kind="silent")
    return set(re.findall("[A-Z]", game.situation(game.begin(options), options).text.split()[0]))


MEN = sorted(set("PQRBN").union(*map(men, GAMES)))
LETTERS = [man for man in MEN if man != "P"]
NOT_A_MOVE = [reason for reason in get_args(NotAMove) if reason != "pattern"]
MISSING = [state for state in SensorState if state is not SensorState.FOUND]
SHOWN = [phase for phase in PhaseName if phase is not PhaseName.FINISHED]
SPOKEN = [code for code in CALLED if code not in (Message.FINISHED, Message.LOST)]
HOME = [*(f"event_{event}" for event in HomeEvent), *(f"button_{command}" for command in BUTTONS)]
CONFIRMED = [name for name, right in RIGHTS.items() if right.seats is SeatRight.CONFIRMED]


@pytest.mark.parametrize(
    ("group", "codes"),
    [
        ("game", GAMES_BY_KEY), ("why", WHY), ("why.not_a_move", NOT_A_MOVE), ("piece", MEN), ("letter", LETTERS),
        ("piece.white", MEN), ("piece.black", MEN), ("side", [side.word for side in Side]), ("message", Message),
        ("why_not", WhyNotCounted), ("foul", Foul), ("reason", Reason), ("question", QuestionCode),
        ("refusal", RefusalCode), ("why", ["no_support", "protected", "blocked", "leaves_check", "not_a_move"]),
        ("because", WhyRefused), ("computer", ComputerFault), ("request", CONFIRMED), ("health", MISSING),
        ("status.state", SensorState), ("phase", SHOWN), ("said", SPOKEN), ("setup.cure", Cure),
        ("setup.weight", Weight), ("home", HOME),
    ],
)  # fmt: skip
def test_every_code_has_a_text(group: str, codes: Iterable[str]) -> None:
    """Whatever code the program may show, English has its text; with the same keys every language has."""
    assert [code for code in map(str, codes) if f"{group}.{code}" not in ENGLISH] == []


@pytest.mark.long
def test_every_code_of_a_problem_has_words() -> None:
    """Whatever the program refuses, each language has words for it, and `problem_text` finds them by the code."""
    codes = sorted(Sources().codes())
    assert {"no_such_player", "not_stored", "wrong_profile", "rings", "paused", "clocks"} <= set(codes)
    assert [code for code in codes if not any(f"{group}.{code}" in ENGLISH for group in PROBLEMS)] == []
    shown = {(language, code): problem_text(language, code) for language in LANGUAGES for code in codes}
    assert [asked for asked, found in shown.items() if found == asked[1]] == []


def test_a_problem_has_words_for_its_finer_reason_and_its_arguments() -> None:
    """English names the wrong value; another language has the text of the reason, and names of sides."""
    assert problem_text("en", "wrong_profile", "name is too long.") == "name is too long."
    assert problem_text("nl", "wrong_profile", "name is too long.") == (
        "Het bordprofiel is niet te gebruiken: name is too long."
    )
    assert problem_text("de", "not_allowed", "the opening is drawn", {"why": "drawn"}) == text(
        "de", "because.drawn"
    )
    assert problem_text("nl", "not_your_turn", "", {"side": "white"}) == text(
        "nl", "refusal.not_your_turn", side="Wit"
    )
    assert problem_text("de", "cameras_lost", "", {"cameras": [1, 3], "left": 1, "of": 3}).startswith(
        "Kamera 1, 3"
    )
    assert (
        problem_text("nl", "no_such_code", "words") == "words"
        and problem_text("nl", "no_such_code") == "no_such_code"
    )


def _codes_of_warnings() -> set[str]:
    """Return the literal first argument of each call that sets a warning of `health`."""
    found = set()
    for _, call in chain.from_iterable(program.calls().values()):
        name, arguments = ast.unparse(call.func), call.args
        if name == "partial" and ast.unparse(arguments[0]).endswith("set_warning"):
            arguments = arguments[1:]
        elif not name.endswith(("set_warning", "_at.warn", "self._warn")) and name != "warn":
            continue
        if len(arguments) == 2 or name == "partial":
            found |= {code.value for code in arguments[:1] if isinstance(code, ast.Constant)}
    return {code for code in found if isinstance(code, str)}


@pytest.mark.long
def test_every_warning_of_health_has_a_text() -> None:
    """A page or `doctor` can show each warning and each reason to stop in the reader's language."""
    codes = _codes_of_warnings() - {"calibrate"}  # with figures of its own: `health.calibrate`
    assert {"journal", "open_broker", "another_host", "players", "backup"} <= codes
    stops = get_args(get_args(get_type_hints(Health)["reason_code"])[0])
    assert [code for code in (*codes, *stops) if f"notice.{code}" not in ENGLISH] == []
    assert [code for code in stops if f"notice.{code}.todo" not in ENGLISH] == []


def _reasons_of_sources() -> set[str]:
    """Return each `reason` that a sensor's code gives as a literal, and those of its tables."""
    calls = [
        call
        for module, call in chain.from_iterable(program.calls().values())
        if module.startswith("scharten.sensors.")
    ]
    given = [word.value for call in calls for word in call.keywords if word.arg == "reason"]
    given += [
        call.args[at] for call in calls for name, at in (("_tell", 2), ("SensorChanged", 2))
        if ast.unparse(call.func).endswith(name) and len(call.args) > at
    ]  # fmt: skip
    literals = {node.value for node in given if isinstance(node, ast.Constant)}
    states = {state.value for state in PortState if state is not PortState.UP}
    return {str(code) for code in literals | states | NOTICES.keys() | WARNINGS.keys()} | {
        NO_REPORT["reason"]
    }


@pytest.mark.long
def test_every_reason_of_a_source_has_a_text() -> None:
    """The status page and `doctor` have words in each language for why a source is not there."""
    reasons = _reasons_of_sources()
    assert {
        "unplugged",
        "no_right",
        "granboard_lost",
        "unfelt",
        "clock_jumped",
        "no_report",
        "ghosts",
    } <= reasons
    assert [code for code in sorted(reasons) if f"source.{code}" not in ENGLISH] == []
    lost = bad("source_lost", kind="serial", detail="raw English", source="unplugged")
    assert "raw English" in lost.words("en")[0]
    assert text("nl", "source.unplugged") in lost.words("nl")[0] and "raw" not in lost.words("nl")[0]


@OTHERS
def test_doctor_shows_a_warning_in_the_readers_language(other: str) -> None:
    """A finding with the code of a warning or a reason shows its text; an unknown code shows the host's words."""
    warned = warns("daemon_warns", words="raw English", notice="date").words(other)[0]
    assert text(other, "notice.date") in warned and "raw English" not in warned
    stopped = bad("daemon_stopped", reason="raw", cure="English", notice="not_stored").words(other)
    assert text(other, "notice.not_stored") in stopped[0]
    assert stopped[1] == text(other, "notice.not_stored.todo")
    assert (
        "raw English" in warns("daemon_warns", words="raw English", notice="computer_seat1").words(other)[0]
    )


def test_every_option_of_a_game_has_a_text() -> None:
    """Each option that the dialog asks for, and each of its choices."""
    for game in GAMES:
        schema = game.options_model.model_json_schema()
        for name in reference()["games"][game.key]["options"]["properties"]:  # type: ignore[index]
            option = schema["properties"][name]
            kinds = [schema["$defs"][kind["$ref"].split("/")[-1]] if "$ref" in kind else kind
                     for kind in option.get("anyOf", option.get("allOf", [option]))]  # fmt: skip
            choices = [choice for kind in kinds for choice in kind.get("enum", [])]
            asked = [f"new.{name}", *(f"new.{name}.{choice}" for choice in choices)]
            if [kind["type"] for kind in kinds] == ["object"]:
                asked = [f"new.{name}.{side}" for side in kinds[0]["properties"]]
            assert [key for key in asked if key not in ENGLISH] == []


def forbidden(language: str) -> list[tuple[str, str]]:
    """The words that the glossary forbids in a language, each with the word to use."""
    _, _, section = GLOSSARY.read_text(encoding="utf-8").partition(f"(`{language}`)\n")
    rows = [
        re.split(r"(?<!\\) \| ", row.strip("| "))
        for row in section.partition("\n## ")[0].splitlines()
        if row.startswith("| ")
    ]
    return [
        (word.replace("\\|", "|"), use)  # Markdown escapes a bar within a cell
        for _, use, words in rows[2:]
        for word in re.findall(r"`([^`]+)`", words)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_use_the_words_of_the_glossary(language: str) -> None:
    """No text has a word that docs/glossary.md forbids; what a score sheet always said is read as before."""
    words = forbidden(language)
    assert len(words) >= 8, "the glossary has a table for this language"
    wrong = [
        f"{key}: '{word}' in {template!r}, use {use}"
        for key, template in {**own(language), **helps(language)}.items()
        if not key.endswith(".sheet")
        for word, use in words
        if re.search(rf"\b{word}\b", re.sub(r"\{\w+", "", template))
    ]
    assert not wrong, "\n".join(wrong)


ABOUT_THE_DARTBOARD = (
    "calibrate.",
    "gift.",
    "look.",
    "practice.board",
    "setup.cameras.",
    "setup.port.",
    "setup.map",
)
ABOUT_BOARDS = ("evening.", "club.", "broker_config.", "remote.", "archive.")


def test_german_has_one_word_for_the_dartboard_and_one_for_a_board_of_a_club() -> None:
    """The dartboard, which is calibrated, is `Scheibe`; a place to play, and the picture of the game, is `Brett`."""
    german = own("de")
    dartboard = [key for key in german if key.startswith(ABOUT_THE_DARTBOARD) and "rett" in german[key]]
    boards = [key for key in german if key.startswith(ABOUT_BOARDS) and "cheibe" in german[key]]
    assert dartboard == [] and [key for key in boards if "pictures" not in key] == []
    placed = re.compile(r"club of boards|another board|board's name|boards' |players of this board")
    assert all("Brett" in text for english, text in helps("de").items() if placed.search(english))


def test_a_text_without_an_entry_never_raises() -> None:
    """An unknown key stands for itself, an unknown language for English, a place without an argument stays."""
    assert text("nl", "no.such.key") == "no.such.key" and text("xx", "close") == "Close"
    assert first_text("en", "no.such.key", "reason.stalemate") == "stalemate"
    assert fill("{name}: {count:dart|darts} {other}", {"name": "Ann", "count": 1}) == "Ann: dart {other}"
    assert fill("{count:dart|darts}", {"count": 3}) == "darts" and fill("{a} {b", {"a": "{b}"}) == "{b} {b"
    assert (sentence("stalemate"), sentence("Why?")) == ("Stalemate.", "Why?")


def test_a_language_is_one_folder(tmp_path: Path) -> None:
    """A folder named in SCHARTEN_WORDS is a language; what it lacks or what cannot be read is English."""
    (tmp_path / "fy").mkdir()
    (tmp_path / "fy" / "language.json").write_text('{"language.name": "Frysk", "number.1": 3}')
    (tmp_path / "fy" / "speech.json").write_text('{"said.check": "Skaak."}')
    (tmp_path / "fy" / "play.json").write_text("{")
    (tmp_path / "fy" / "game.json").write_text("[1]")
    (tmp_path / "Not a language").mkdir()
    code = "from scharten.words import LANGUAGES, text\n" + (
        "print(LANGUAGES, *(text('fy', key) for key in ('language.name', 'said.check', 'number.1', 'close')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"SCHARTEN_WORDS": str(tmp_path)}
    )
    assert done.stdout == "('en', 'de', 'nl', 'fy') Frysk Skaak. one Close\n", done.stderr


def test_every_language_says_all_of_english_at_run_time() -> None:
    """The dictionary that the program uses is complete in each language."""
    assert all(texts(language).keys() == ENGLISH.keys() for language in LANGUAGES)
