"""A game's options as the command line and score sheets write them, `--loud --zones home`, both ways (rules 11)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.game.options import Closed, GameOptions

O = TypeVar("O", bound=GameOptions)  # noqa: E741  # options


def read_options(model: type[O], values: Mapping[str, object]) -> O | Problem:
    """Return the options with these values, or the first problem with its name."""
    try:
        return model.model_validate_json(json.dumps(values, default=_plain))
    except ValidationError as error:
        # Of a choice between forms the deepest error is the most specific.
        return _problem(model, max(error.errors(), key=lambda found: len(found["loc"])))


def _plain(value: object) -> object:
    if isinstance(value, Closed):
        return value.model_dump(mode="json")
    raise TypeError(f"{value!r} is not an option's value")


def _problem(model: type[GameOptions], error: ErrorDetails) -> Problem:
    if not error["loc"]:
        return Problem("malformed", f"these options cannot be read: {error['msg']}")
    name, context = str(error["loc"][0]), error.get("ctx", {})
    where = ".".join(str(part) for part in error["loc"] if str(part).isidentifier())
    if error["type"] == "extra_forbidden":
        return replace(
            Problem.reasoned("unknown_option", "unknown_option", name=name),
            cure=f"Use {_choices(list(model.model_fields))}.",
        )
    if "cure" in context:
        return Problem(error["type"], str(context["words"]), {}, str(context["cure"]))
    names = [word for word in get_args(model.model_fields[name].annotation) if isinstance(word, str)]
    for part in get_args(model.model_fields[name].annotation):
        names += [word for word in get_args(part) if isinstance(word, str)]
    cure = f"Use {_choices(names)}" if names else error["msg"]
    lists = _per_side(model, name)
    cure += ", or fields per side: white=a1,b1;black=a8,b8" if lists else "."
    given = error["input"] if isinstance(error["input"], str | int | float) else "that"
    found = Problem.reasoned("unknown_value", "unknown_value", name=name if lists else where, given=given)
    return replace(found, cure=cure)


def _per_side(model: type[GameOptions], name: str) -> bool:
    """Return whether an option may be a list of fields for each side."""
    parts = get_args(model.model_fields[name].annotation)
    return any(isinstance(part, type) and issubclass(part, Closed) for part in parts)


def _choices(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def flags_of(model: type[GameOptions]) -> dict[str, str]:
    """Return the flags of a game's own options by flag; the options of every game have none."""
    own = [name for name in model.model_fields if name not in GameOptions.model_fields]
    return {f"--{name.replace('_', '-')}": name for name in own}


def parse_flags(text: str, model: type[O]) -> O | Problem:
    """Parse options as on the command line; an empty text is the silent game with its defaults."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        return Problem("malformed", f"options '{text}' cannot be read: {error}")
    flags = flags_of(model)
    chosen: dict[str, object] = {}
    kinds: set[str] = set()
    at = 0
    while at < len(words):
        name, equals, given = words[at].partition("=")
        at += 1
        if name in _KINDS and not equals:
            kinds.add(_KINDS[name])
            continue
        if name not in flags:
            known = _choices([*_KINDS, *flags])
            return replace(
                Problem.reasoned("unknown_option", "unknown_option", name=name), cure=f"Use {known}."
            )
        if not equals:
            if at < len(words) and not words[at].startswith("--"):
                given, at = words[at], at + 1
            elif _is_switch(model, flags[name]):
                given = "on"
            else:
                return Problem("malformed", f"option {name} has no value")
        chosen[flags[name]] = flag_value(model, flags[name], given)
    if len(kinds) == 2:
        return Problem("malformed", "a game is loud or silent, not both")
    return read_options(model, {"kind": kinds.pop() if kinds else Kind.SILENT.value, **chosen})


_KINDS: Final = {"--loud": Kind.LOUD.value, "--silent": Kind.SILENT.value}


def _is_switch(model: type[GameOptions], name: str) -> bool:
    return set(get_args(model.model_fields[name].annotation)) == {"off", "on"}


def _parts(annotation: object) -> list[object]:
    """Return all types inside an annotation."""
    return [annotation, *(part for inner in get_args(annotation) for part in _parts(inner))]


def flag_value(model: type[GameOptions], name: str, text: str) -> object:
    """Convert a flag's value to a number, values per side (`white=a1,b1;black=a8`), or text."""
    annotation = model.model_fields[name].annotation
    if text.isascii() and text.isdigit() and int in _parts(annotation):
        return int(text)
    words = isinstance(annotation, type) and issubclass(annotation, Closed)
    if not ((words or _per_side(model, name)) and "=" in text):
        return text
    sides: dict[str, object] = {}
    for part in text.split(";"):
        side, _, names = part.partition("=")
        fields = [entry.strip() for entry in names.split(",") if entry.strip()]
        if side.strip() in sides or not fields:
            return text
        sides[side.strip()] = fields[0] if words and len(fields) == 1 else fields
    return sides


def flags_text(options: GameOptions) -> str:
    """Write options as `parse_flags` reads them, without those at their defaults."""
    parts = ["--loud"] if options.kind is Kind.LOUD else []
    for flag, name in flags_of(type(options)).items():
        chosen = getattr(options, name)
        if chosen == type(options).model_fields[name].default:
            continue
        switch = _is_switch(type(options), name) and chosen == "on"
        parts.append(flag if switch else f"{flag} {shlex.quote(_written(chosen))}")
    return " ".join(parts)


def _written(chosen: object) -> str:
    if not isinstance(chosen, Closed):
        return str(chosen)
    sides = chosen.model_dump().items()
    return ";".join(f"{side}={held if isinstance(held, str) else ','.join(held)}" for side, held in sides)
