"""The texts that `scharten-calibrate` prints and shows, in the language that SCHARTEN_LANGUAGE chooses."""

from __future__ import annotations

from scharten.commands.words import chosen_language
from scharten.errors import Problem, sentences
from scharten.words import ENGLISH, problem_text, text, texts


def words(key: str, /, **args: object) -> str:
    """Return the text `calibrate.<key>` with its places filled."""
    return text(chosen_language(), f"calibrate.{key}", **args)


def refusal_words(problem: Problem, group: str = "") -> tuple[str, str]:
    """Return the reason of a refused fit with its code, and what helps ("" where the reason says it).

    In other languages than English the reason is `calibrate.<group>.<code>` where a group is given.
    """
    language = chosen_language()
    if group and language != ENGLISH:
        reason = words(f"{group}.{problem.code}")
    else:
        reason = problem_text(language, problem.code, problem.words, problem.args).rstrip(".")
    cure = f"calibrate.cure.{problem.code}"
    return words("refused", code=problem.code, why=reason), texts(language).get(cure, problem.cure)


def source_words(reason: str, english: str, cure: str) -> str:
    """Return how a port is: in English what its source reports with the cure, else the text of the reason."""
    language = chosen_language()
    own = f"source.{reason}"
    if language == ENGLISH or own not in texts(language):
        return sentences(english, cure)
    return text(language, own)
