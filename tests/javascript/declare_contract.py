"""Writes contract.d.ts, the types that tsc holds the page's scripts to; run it after a change of the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scharten.contract.schema import schema

TARGET = Path(__file__).with_name("contract.d.ts")
MESSAGES = {
    "state": "Snapshot",
    "sheet": "Sheet",
    "hits": "Hit",
    "said": "Said",
    "health": "Health",
    "advice": "Advice",
    "light": "Light",
    "next": "NextPair",
    "answer": "Answer",
}
HEAD = """\
// Made by tests/javascript/declare_contract.py from the contract's JSON Schema: change the models, then run it again.
"""


def typescript(part: dict[str, Any]) -> str:
    """Return the type of one part of a schema."""
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2])
    if "anyOf" in part:
        return " | ".join(dict.fromkeys(typescript(choice) for choice in part["anyOf"]))
    if "const" in part or "enum" in part:
        return " | ".join(
            json.dumps(value, ensure_ascii=False) for value in part.get("enum", [part.get("const")])
        )
    match part.get("type"):
        case "array":
            inner = typescript(part["items"])
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case "object":
            more = part.get("additionalProperties", True)
            return f"Record<string, {'any' if more is True else typescript(more)}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as kind:
            return str(kind)
    return "any"


def interface(name: str, part: dict[str, Any]) -> str:
    """Return one object of the schema as an interface."""
    needed = set(part.get("required", ()))
    fields = [
        f"  {key}{'' if key in needed else '?'}: {typescript(value)};"
        for key, value in part["properties"].items()
    ]
    if part.get("additionalProperties") is True:
        fields.append("  [more: string]: any;")
    return "\n".join([f"interface {name} {{", *fields, "}"])


def declarations() -> str:
    """Return the whole file."""
    found: dict[str, str] = {}
    for topic, name in MESSAGES.items():
        whole: Any = schema(topic)
        for inner, part in whole.get("$defs", {}).items():
            found[inner] = interface(inner, part)
        found[name] = interface(name, whole)
    return "\n".join([HEAD, *(found[name] for name in sorted(found)), ""])


if __name__ == "__main__":
    TARGET.write_text(declarations(), encoding="utf-8")
