"""The caller: its call after each step, in every language."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from match.driver import Table
from scharten.contract.caller import CALLED, bed_words, call
from scharten.contract.schema import schema
from scharten.dartboard.beds import ALL_BEDS
from scharten.match.events import Event
from scharten.match.inputs import Input
from scharten.words import LANGUAGES, texts

SAID = jsonschema.Draft202012Validator(schema("said"))
NAMES = {"white": "Ella", "black": "Bas"}


class Hearing(Table):
    """A table where every call is checked against the contract."""

    said: dict[str, Any] | None = None

    def give(self, given: Input) -> tuple[Event, ...]:
        events = super().give(given)
        made = call(self.match, events)
        if made is not None:
            self.said = json.loads(json.dumps(made))
            SAID.validate(self.said)
        return events


def called(table: Hearing) -> dict[str, Any]:
    """Return the calls since the last look."""
    said, table.said = table.said, None
    assert said is not None
    return said


def table(**options: Any) -> Hearing:
    made = Hearing(begin=False)
    made.ok("new_game", names=NAMES, **options)
    return made


def test_a_placed_pawn_is_called_as_on_a_stage() -> None:
    """The call has the bed, the piece with its field, and the next player. Outer and inner single differ in
    each language."""
    playing = table()
    assert called(playing)["words"]["en"] == "New game. Ella has White. Ella begins."
    playing.throw("F3")
    said = called(playing)
    assert said["words"] == {
        "en": "Outer three. Pawn on e2. Bas.",
        "nl": "Buitenste drie. Pion op e2. Bas.",
        "de": "Äußere drei. Bauer auf e2. Bas.",
    }
    assert (said["code"], said["important"], said["stop"]) == ("placed", False, False)
    assert said["args"] == {"side": "white", "text": "@e2", "bed": "F3", "fields": ["e2"], "piece": "P",
                            "field": "e2", "next": "black"}  # fmt: skip
    playing.throw("L20")
    assert called(playing)["words"]["en"] == "Inner twenty. Pawn on e5. Ella."


def test_lost_darts_are_counted_aloud_and_the_last_ends_the_game() -> None:
    """The call has the reason, the count in a row, and fogling with the winner."""
    playing = table()
    playing.throw("BULL")
    said = called(playing)
    assert said["words"]["en"] == "Bull. The bull is not a field. One of three. Bas." and said["important"]
    for bed in ("F20", "BULL", "F12", "D20"):
        playing.throw(bed)
    said = called(playing)
    assert said["words"]["nl"] == "Dubbel twintig. Buiten de zone. Ella verloor drie darts op rij. Bas wint."
    assert said["args"]["reason"] == "fogling"


def test_a_correction_stops_the_current_call() -> None:
    """Corrections and take-backs are called, and a speaker falls silent."""
    playing = table()
    playing.throw("F3")
    playing.ok("correct", bed="T3")
    said = called(playing)
    assert said["stop"] and said["words"]["en"] == "Correction. Treble three. Pawn on e3. Bas."
    playing.ok("take_back", turns=1)
    said = called(playing)
    assert said["stop"] and said["words"]["de"] == "Zurückgenommen. Ella beginnt."


def test_moves_captures_and_check_are_called() -> None:
    """In a silent game: the piece and its target; check before whose turn it is; a mate with the end."""
    playing = table(kind="silent")
    playing.ok("move", move="f1f3" if "f1f3" in playing.match.situation.moves else "b1c3")
    assert called(playing)["words"]["en"].startswith("Knight to c3. Bas.")
    playing.ok("resign", side="black")
    assert called(playing)["words"]["nl"] == "Bas geeft op. Ella wint."


def test_screen_events_are_not_called() -> None:
    """An announced throw is not called."""
    playing = table(options={"arming": "announce"})
    called(playing)
    playing.ok("announce_throw")
    assert playing.said is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_bed_and_code_has_words(language: str) -> None:
    """Each bed has a separate name, and each code of `said` a sentence."""
    names = [bed_words(language, str(bed)) for bed in ALL_BEDS]
    assert len(set(names)) == len(names) and not any("{" in name for name in names)
    without = {str(code) for code in CALLED if f"said.{code}" not in texts(language)}
    assert without == {"finished", "lost"}
