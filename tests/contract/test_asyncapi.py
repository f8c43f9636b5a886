"""`scharten asyncapi` prints the contract for other programs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from scharten.cli import build
from scharten.contract.schema import MESSAGE_NAMES, schemas
from scharten.errors import SchartenError


def run(*arguments: str) -> str:
    done = CliRunner().invoke(build("asyncapi"), ["asyncapi", *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.mark.long
def test_the_document_is_printed_as_json() -> None:
    """The command prints the whole contract, or one topic's schema."""
    assert json.loads(run())["asyncapi"] == "3.0.0"
    for name in MESSAGE_NAMES:
        assert json.loads(run("--topic", name)) == json.loads(json.dumps(schemas()[name]))


def test_an_unknown_topic_is_refused() -> None:
    """The error lists the known topics."""
    with pytest.raises(SchartenError) as caught:
        run("--topic", "states")
    assert "state, " in caught.value.cure
