"""Errors: `Problem`, a value that the core returns, and `SchartenError`, the only exception that a person sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from scharten.words import ENGLISH, LANGUAGES, problem_text, text, texts


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something is refused: a `code` for machines, an English message (`words`), JSON `args`, and the cure."""

    code: str
    words: str
    args: Mapping[str, object] = field(default_factory=dict)
    cure: str = ""

    @classmethod
    def reasoned(cls, code: str, reason: str, /, **values: object) -> Self:
        """Make a problem whose message is the text `detail.<reason>`, filled with these values, in each language.

        The values are arguments, and `words` has the message by language. A value that is a `Problem` is shown by its
        own message and is no argument; a value by language is shown in each.
        """
        worded = detail(reason, **values)
        args = {name: given for name, given in values.items() if not isinstance(given, Problem)}
        return cls(code, worded[ENGLISH], {**args, "words": worded})

    def within(self, reason: str, /, **values: object) -> Self:
        """Return the same problem with its message in the text `detail.<reason>`, as its value `what`.

        A finer reason (`why`) has no text of its own any more: the message contains it.
        """
        outer = type(self).reasoned(self.code, reason, what=self, **values)
        inner = {name: given for name, given in self.args.items() if name != "why"}
        return replace(outer, args={**inner, **outer.args}, cure=self.cure)

    def __str__(self) -> str:
        return sentences(self.words, self.cure) if self.cure else self.words


def sentences(*parts: str) -> str:
    """Join the parts that are not empty, each with one full stop."""
    return " ".join(f"{part.rstrip('. ')}." for part in parts if part)


class SchartenError(Exception):
    """An error message and its cure; the command line prints both and exits with 1.

    `coded` takes both from the words of the reader's language. A message in the call is for tools of developers.
    """

    def __init__(self, message: str = "", cure: str = "") -> None:
        super().__init__(message)
        self._english = message, cure
        self.code = ""
        self.values: Mapping[str, object] = {}

    @classmethod
    def coded(cls, code: str, /, **values: object) -> Self:
        """Make the error with the texts `error.<code>` and `error.<code>.cure`, filled with these values.

        A value is shown by the text `error.<its name>.<value>` if there is one, a `Problem` by its own text, and a
        reason by language (`detail`) in the reader's.
        """
        error = cls()
        error.args, error.code, error.values = (code,), code, values
        return error

    def words(self, language: str = ENGLISH) -> tuple[str, str]:
        """Return the message and the cure, "" without one, in a language."""
        if not self.code:
            return self._english
        values = {name: _worded(language, name, value) for name, value in self.values.items()}
        cure = f"error.{self.code}.cure"
        return (
            text(language, f"error.{self.code}", **values),
            text(language, cure, **values) if cure in texts(ENGLISH) else "",
        )

    @property
    def message(self) -> str:
        """The message in English."""
        return self.words()[0]

    @property
    def cure(self) -> str:
        """The cure in English."""
        return self.words()[1]

    def problem(self, code: str) -> Problem:
        """Return the error as a refusal with this code; its argument `words` has message and cure in each language."""
        return Problem(code, self.message, {"words": self.by_language()}, self.cure)

    def by_language(self) -> dict[str, str]:
        """Return message and cure in each language, for a page that chooses."""
        return {language: " ".join(filter(None, self.words(language))) for language in LANGUAGES}

    def shown(self, language: str = ENGLISH) -> str:
        """Return the message, and the cure on a line of its own."""
        return "\n".join(filter(None, self.words(language)))

    def __str__(self) -> str:
        return self.shown()


def detail(reason: str, /, **values: object) -> dict[str, str]:
    """Return the text `detail.<reason>`, filled with these values, in each language: the reason within an error."""
    return {
        language: text(
            language, f"detail.{reason}", **{name: _inner(language, given) for name, given in values.items()}
        )
        for language in LANGUAGES
    }


def _inner(language: str, value: object) -> object:
    """Return a value as it stands in a message: a problem's own message, and of a text by language this one."""
    if isinstance(value, Mapping) and ENGLISH in value:
        return value[language]
    if not isinstance(value, Problem):
        return value
    worded = value.args.get("words")
    if isinstance(worded, Mapping):
        return str(worded[language]).rstrip(".")
    return problem_text(language, value.code, value.words, value.args).rstrip(".")


def _worded(language: str, name: str, value: object) -> str:
    """Return a value as people read it; a reason without the full stop that the sentence around it has."""
    if isinstance(value, Problem | Mapping):
        shown = str(_inner(language, value))
    elif isinstance(value, list | tuple):
        shown = ", ".join(map(str, value))
    else:
        shown = texts(language).get(f"error.{name}.{value}", str(value))
    return shown.rstrip(".") if name == "why" else shown
