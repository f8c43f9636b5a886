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
    "answer": "Answer",
}
HEAD = """\
// Made by tests/javascript/declare_contract.py from the contract's JSON Schema: change the models, then run it again.
// What dispatches a CustomEvent is listened to as an Event.
interface Event { readonly detail: any }
interface Option { group?: string; default?: any; $ref?: string; anyOf?: any[]; allOf?: any[]; [more: string]: any }
interface OptionsSchema { properties: Record<string, Option>; $defs: Record<string, any> }
interface GameReference { layout: LayoutModel; options: OptionsSchema }
interface App {
  store: import("../../host/scharten/display/static/js/store.js").Store;
  connection: import("../../host/scharten/display/static/js/connection.js").Connection;
  board: import("../../host/scharten/display/static/js/board.js").Board;
  controller?: import("../../host/scharten/display/static/js/controller.js").Controller;
  throwing?: import("../../host/scharten/display/static/js/throwing.js").Throwing;
  role: string;
  command(type: string, fields?: object): Promise<Answer>;
  ask(type: string, fields?: object): Promise<Answer>;
  say(text: string, kind?: string): void;
  throwDart(payload: object): void;
  look(at_ms: number | null): void;
  fetchAsArbiter(path: string): Promise<Response>;
  play(name: string): void;
}
interface Reference { games: Record<string, GameReference>; neighbours: Record<string, string[]> }
"""


def typescript(part: dict[str, Any]) -> str:
    """The type of one part of a schema."""
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2])
    if "anyOf" in part:
        return " | ".join(dict.fromkeys(typescript(one) for one in part["anyOf"]))
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
    """One object of the schema as an interface."""
    needed = set(part.get("required", ()))
    fields = [
        f"  {key}{'' if key in needed else '?'}: {typescript(value)};"
        for key, value in part["properties"].items()
    ]
    if part.get("additionalProperties") is True:
        fields.append("  [more: string]: any;")
    return "\n".join([f"interface {name} {{", *fields, "}"])


def declarations() -> str:
    """The whole file."""
    found: dict[str, str] = {}
    for topic, name in MESSAGES.items():
        whole: Any = schema(topic)
        for inner, part in whole.get("$defs", {}).items():
            found[inner] = interface(inner, part)
        found[name] = interface(name, whole)
    return "\n".join([HEAD, *(found[name] for name in sorted(found)), ""])


if __name__ == "__main__":
    TARGET.write_text(declarations(), encoding="utf-8")
