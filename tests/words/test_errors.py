"""The texts of errors: every error has them in each language, with all its values, and commands print them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scharten.errors import Problem, SchartenError
from scharten.games.sheet_read import read_sheet
from scharten.words import AREAS, LANGUAGES, PROBLEMS, area, problem_text, text
from words import program

TEXTS = area("en", "errors")
KINDS = {"noun", "activity", "todo", "writer", "what"}
"""Values that have texts of their own, such as `error.noun.journal`."""
CODES = {key.split(".")[1] for key in TEXTS} - KINDS
COMMANDS = {"scharten.commands.words", "scharten.commands.links", "scharten.commands.players"}
"""Modules that take an error's message from the area `commands`, or from a problem."""


def places(code: str) -> set[str]:
    """Return the names of the places in the texts of an error."""
    return {
        name
        for key in (f"error.{code}", f"error.{code}.cure")
        for name in re.findall(r"\{(\w+)", TEXTS.get(key, ""))
    }


def codes_of(call: ast.Call) -> list[str]:
    """Return the codes that a call names itself."""
    given = call.args[0]
    options = [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]
    return [str(option.value) for option in options if isinstance(option, ast.Constant)]


def test_every_error_has_its_text_and_fills_every_place() -> None:
    """An error that names its code has a text for it, and a value for each place of message and cure."""
    named = [(module, call, code) for module, call in program.calls()["coded"] for code in codes_of(call)]
    assert len(named) > 180
    assert [f"{module}: {code}" for module, _, code in named if code not in CODES] == []
    unfilled = [
        f"{module}:{call.lineno} {code}"
        for module, call, code in named
        if all(word.arg for word in call.keywords)
        and not places(code) <= {word.arg for word in call.keywords}
    ]
    assert unfilled == []


def test_every_text_of_an_error_is_used() -> None:
    """No text stays behind when its error goes."""
    constants = {
        node.value
        for tree in program.modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(CODES - constants) == []


@pytest.mark.long
def test_every_reason_of_a_problem_has_its_text_and_every_text_its_reason() -> None:
    """`detail.<reason>` has a text for each reason that the source names, and none that it does not."""
    details = {key.removeprefix("detail.") for key in area("en", "details")}
    constants = {
        node.value
        for tree in program.modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    named = {
        option
        for name, position in (("reasoned", 1), ("within", 0), ("detail", 0), ("EngineProblem", 0))
        for _, call in program.calls()[name]
        if len(call.args) == position + 1
        for option in codes_of(ast.Call(call.func, call.args[position:], []))
    }
    assert len(named) > 15 and sorted(named - details) == []
    assert sorted(details - constants - {"due.white", "due.black"}) == []


def test_no_reason_within_a_refusal_is_english_in_every_language() -> None:
    """A refusal whose text takes in a message (`{words}`) is made by `reasoned`, which has it in each language."""
    taken_in = {
        key.partition(".")[2]
        for language in LANGUAGES
        for name in AREAS
        for key, template in area(language, name).items()
        if key.partition(".")[0] in PROBLEMS and "{words}" in template
    }
    written = [
        f"{module}:{call.lineno} {code}"
        for module, call in program.calls()["Problem"]
        for code in codes_of(call)
        if code in taken_in and not any("words" in ast.unparse(given) for given in call.args[2:])
    ]
    assert len(taken_in) > 20 and written == [], "use Problem.reasoned(code, reason) and words/*/details.json"


def test_a_problem_in_another_has_its_reason_in_the_readers_language() -> None:
    """The line of a sheet, the game of a file and the cause within are in one language; the cause stays an argument."""
    found = read_sheet('[Game "chess"]\n\n1. e4 e5 2. Ke3')
    assert isinstance(found, Problem) and found.args["cause"] == "not_a_move" and found.args["line"] == 3
    assert found.words == "line 3, turn 2.: 'Ke3' is no legal move here"
    german = problem_text("de", found.code, found.words, found.args)
    assert german.startswith("Ein Zug geht nicht: Zeile 3, Zug 2.: 'Ke3'")
    assert german.endswith("hier kein erlaubter Zug.")
    outer = found.within("of_games", number=2, total=5)
    assert outer.words.startswith("game 2 of 5: line 3") and outer.args["cause"] == "not_a_move"
    assert "Zug geht nicht: Partie 2 von 5: Zeile 3" in problem_text(
        "de", outer.code, outer.words, outer.args
    )


def test_no_error_has_words_of_its_own() -> None:
    """The program raises every error by its code: a message in the source would be English in every language."""
    written = [
        f"{module}:{call.lineno}"
        for name, found in program.calls().items()
        if name.endswith(("SchartenError", "StoreError", "PortError", "ReplayError"))
        for module, call in found
        if module not in COMMANDS
    ]
    assert written == [], "raise SchartenError.coded(code, ...) and add `error.<code>` to words/*/errors.json"


ENGLISH_FOR_PROGRAMS = {
    "This is for the arbiter: send Authorization: Bearer <the arbiter's secret>.\n",
    "A page from elsewhere may not open this socket.\n",
    "There is no such page here.\n",
}
"""Answers to programs, each of which has the status of HTTP that says the same."""


def test_no_answer_to_a_browser_has_words_of_its_own() -> None:
    """A server refuses an address with `RefusedError`, which has the text of a code: people follow links to it."""
    written = [
        f"{module}:{call.lineno}"
        for name, found in program.calls().items()
        if name.startswith("HTTP") or name == "Response"
        for module, call in found
        if module != "scharten.display.answers"
        for word in call.keywords
        if word.arg == "text" and isinstance(word.value, ast.Constant | ast.JoinedStr)
        and getattr(word.value, "value", "") not in ENGLISH_FOR_PROGRAMS
    ]  # fmt: skip
    assert written == [], "raise RefusedError(status, Problem(code, ...))"


def test_an_error_as_a_refusal_has_its_text_in_every_language() -> None:
    """A page and a command show the error behind a refusal in their language, with its cure."""
    error = SchartenError.coded("no_hello", port="/dev/ttyACM0")
    refused = error.problem("trouble")
    for language in LANGUAGES:
        words = refused.args["words"][language]  # type: ignore[index]
        assert words == error.shown(language).replace("\n", " ")
        assert language == "en" or words in problem_text(language, refused.code, refused.words, refused.args)


def test_an_error_shows_values_and_problems_in_the_readers_language() -> None:
    """A known value has its own text, a problem its words, a list its members; a cure stands on its own line."""
    lost = SchartenError.coded("disk_full", path="/d/x", activity="journal")
    assert str(lost) == "The disk that holds /d/x is full.\nMake room; the game goes on by itself."
    assert lost.shown("nl") == "De schijf met /d/x is vol.\nMaak ruimte; de partij gaat vanzelf verder."
    wrong = SchartenError.coded("archive_game", match="m1", why=Problem("no_such_player", "No such player."))
    assert wrong.message == "Game m1 is damaged: No such player."
    assert (
        text("de", "error.archive_game", match="m1", why=text("de", "problem.no_such_player")[:-1])
        == wrong.words("de")[0]
    )
    assert "chess, shakti" in SchartenError.coded("no_such_game", game="x", known=("chess", "shakti")).cure


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_line_prints_an_error_in_the_chosen_language(language: str, tmp_path: Path) -> None:
    """`SCHARTEN_LANGUAGE` decides in which language a command's error stands on stderr; the status is 1."""
    done = subprocess.run(
        [sys.executable, "-m", "scharten", "backup", str(tmp_path), "--data", str(tmp_path / "none")],
        capture_output=True,
        text=True,
        env={**os.environ, "SCHARTEN_LANGUAGE": language},
    )
    shown = SchartenError.coded("nothing_to_copy", folder=tmp_path / "none").shown(language)
    assert (done.returncode, done.stderr) == (1, f"scharten: {shown}\n")
