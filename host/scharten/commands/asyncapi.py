"""`scharten asyncapi`: the MQTT contract as a document that other programs read."""

from __future__ import annotations

import typer


def asyncapi(
    topic: str = typer.Option("", help="Only the JSON Schema of one topic: state, command, answer, ..."),
) -> None:
    """Print the MQTT contract as AsyncAPI 3.0 (JSON), or one topic's JSON Schema."""
    import json

    from scharten import __version__
    from scharten.contract.asyncapi import document
    from scharten.contract.schema import MESSAGE_NAMES, schema
    from scharten.errors import SchartenError

    if topic and topic not in MESSAGE_NAMES:
        raise SchartenError.coded("no_such_topic", topic=topic, known=tuple(MESSAGE_NAMES))
    typer.echo(json.dumps(schema(topic) if topic else document(__version__), indent=2))
