"""Every text that people see, as data: `<language>/<area>.json`, each one object of keys and texts.

A language is a folder here, or in the folder that the environment names in `SCHARTEN_WORDS` (to try a translation).
English is complete. A text that a language lacks is taken from English, and a key without any text stands for itself:
looking up a text never raises, because a missing text must not stop a game.

A package that adds a game (an entry point in `scharten.games`) has its texts in a folder `words` beside its module.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

ENGLISH: Final = "en"
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[a-z0-9]+)*")
PROBLEMS: Final = ("problem", "refusal", "remark", "because", "why")
"""The groups of texts for the codes of `Problem`, in the order in which they are read."""
_PLACE: Final = re.compile(r"\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}")


def _folders() -> Mapping[str, Path]:
    """The folder of each language, English first."""
    roots = [Path(__file__).parent, *map(Path, filter(None, [os.environ.get("SCHARTEN_WORDS")]))]
    found = {
        path.parent.name: path.parent
        for root in roots
        for path in sorted(root.glob("*/language.json"))
        if _LANGUAGE.fullmatch(path.parent.name)
    }
    return {ENGLISH: found.pop(ENGLISH), **found}


_FOLDERS: Final = _folders()
LANGUAGES: Final = tuple(_FOLDERS)
"""The languages, English first."""
AREAS: Final = tuple(sorted(path.stem for path in _FOLDERS[ENGLISH].glob("*.json")))
"""The files that English has; every language may have the same."""


def _packages() -> list[Path]:
    """Return the folder of texts of each package that adds a game."""
    modules = (point.module.partition(".")[0] for point in entry_points(group="scharten.games"))
    return [
        Path(spec.origin).parent / "words" for name in modules if (spec := find_spec(name)) and spec.origin
    ]


_PACKAGES: Final = _packages()


def _read(path: Path) -> Mapping[str, str]:
    try:
        found = dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, TypeError, ValueError, RecursionError) as error:
        import logging  # noqa: PLC0415 - `cli` clamps the date between this module and `logging`

        logging.getLogger(__name__).error(
            "%s cannot be read (%s): its texts are shown in English.", path, error
        )
        return {}
    return {key: text for key, text in found.items() if isinstance(text, str)}


@cache
def area(language: str, name: str) -> Mapping[str, str]:
    """The texts of one area by key, in English where the language lacks them."""
    found: dict[str, str] = {}
    for code in filter(_FOLDERS.get, dict.fromkeys((ENGLISH, language))):
        for folder in (_FOLDERS[code], *(package / code for package in _PACKAGES)):
            found |= _read(folder / f"{name}.json")
    return MappingProxyType(found)


@cache
def texts(language: str) -> Mapping[str, str]:
    """All texts of a language by key; those of English for a language that does not exist."""
    return MappingProxyType({key: text for name in AREAS for key, text in area(language, name).items()})


def text(language: str, key: str, /, **args: object) -> str:
    """The text of a key with its places filled, or the key where no language has it."""
    return fill(texts(language).get(key, key), args)


def first_text(language: str, /, *keys: str, **args: object) -> str:
    """The text of the first of these keys that has one, or the last key."""
    return text(language, next((key for key in keys if key in texts(language)), keys[-1]), **args)


def problem_text(language: str, code: str, words: str = "", args: Mapping[str, object] | None = None) -> str:
    """The text of a problem: by its finer reason (`args["why"]`) where that has one, else by its code, else `words`.

    In English `words` come first, because they name the value that is wrong. The page's `refusalText` does the same.
    """
    if language == ENGLISH and words:
        return words
    given = {name: _worded(language, value) for name, value in (args or {}).items()}
    finer = [f"{group}.{given['why']}" for group in PROBLEMS if "why" in given]
    reason = [f"{group}.{code}.{given['reason']}" for group in PROBLEMS if "reason" in given]
    keys = [*finer, *reason, *(f"{group}.{code}" for group in PROBLEMS)]
    found = next((key for key in keys if key in texts(language)), "")
    return text(language, found, **{"words": words.rstrip("."), **given}) if found else words or code


def source_text(language: str, source: Mapping[str, object]) -> str:
    """The detail of an entry of `health.sources`: in English as it came, else the text of its reason, else ""."""
    if language == ENGLISH:
        return str(source.get("detail") or "")
    return texts(language).get(f"source.{source.get('reason')}", "")


def _worded(language: str, value: object) -> object:
    """An argument as people read it: a side by its name, a list by its members, a text by language in this language."""
    if isinstance(value, Mapping) and ENGLISH in value:
        return str(value.get(language, value[ENGLISH])).rstrip(".")
    if isinstance(value, str) and f"side.{value}" in texts(language):
        return text(language, f"side.{value}")
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def fill(template: str, args: Mapping[str, object]) -> str:
    """Fill `{name}` with an argument, and `{count:dart|darts}` with the word for one or for any other number.

    A place without an argument stays as it is.
    """

    def place(found: re.Match[str]) -> str:
        name, single, plural = found.groups()
        if name not in args:
            return found[0]
        if plural is None:
            return str(args[name])
        return single if str(args[name]) == "1" else plural

    return _PLACE.sub(place, template)


def sentence(text: str) -> str:
    """A text as a sentence of its own: a capital first, a full stop last."""
    end = "" if text.endswith((".", "!", "?", "…")) else "."
    return f"{text[:1].upper()}{text[1:]}{end}"
