"""The words of what commands print: their language, their lines and their refusals.

`SCHARTEN_LANGUAGE` chooses the language, also of `--help` (`scharten.cli`). Logs stay English (docs/glossary.md).
"""

from __future__ import annotations

import os
from typing import TypeVar

import typer

from scharten.errors import Problem, SchartenError
from scharten.words import ENGLISH, LANGUAGES, problem_text, text

T = TypeVar("T")


def chosen_language(configured: str = "") -> str:
    """Return the language of SCHARTEN_LANGUAGE, else the configured one, else English; refuse an unknown one."""
    wanted = os.environ.get("SCHARTEN_LANGUAGE") or configured or ENGLISH
    if wanted not in LANGUAGES:
        raise SchartenError.coded("language_variable", language=wanted, known=LANGUAGES)
    return wanted


def refusal(problem: Problem, where: str = "", cure: str = "") -> SchartenError:
    """Return the error of a problem, after `where` and with its own cure or this one, in the chosen language."""
    language = chosen_language()
    if language == ENGLISH:
        return SchartenError(f"{where}{problem.words}", problem.cure or cure)
    return SchartenError(f"{where}{problem_text(language, problem.code, problem.words, problem.args)}")


def accepted(found: T | Problem, where: str = "", cure: str = "") -> T:
    """Return what was found; raise the error of a problem."""
    if isinstance(found, Problem):
        raise refusal(found, where, cure)
    return found


def confirmed(question: str, language: str = "") -> bool:
    """Ask until the answer is yes or no in the reader's language; no answer is no."""
    yes, no = (half.split() for half in words("answers", language).split("|"))
    while True:
        given = typer.prompt(
            f"{question} [{words('answers.shown', language)}]", default="", show_default=False
        )
        if given.strip().lower() in (*yes, *no, ""):
            return given.strip().lower() in yes
        typer.echo(words("answers.again", language))


def words(key: str, /, language: str = "", **args: object) -> str:
    """Return the text of a command, by its key in the area `commands`."""
    return text(language or chosen_language(), f"command.{key}", **args)
