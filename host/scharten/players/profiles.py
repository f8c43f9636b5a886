"""A registered player: name, initials or picture, language, colour of the darts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, ValidationError, field_validator

from scharten.errors import Problem
from scharten.game.options import Closed, LanguageName
from scharten.game.plain_text import plain

MOST_PLAYERS = 2000


class Profile(Closed):
    """A player's own details; `colour` is that of the flights, `picture` a small data URL or "".

    With `stand_in` the player agrees that the computer plays with their scatter and errors.
    """

    name: Annotated[str, Field(min_length=1, max_length=40)]
    initials: Annotated[str, Field(max_length=3)] = ""
    picture: Annotated[
        str, Field(max_length=12_000, pattern=r"^(data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2})?$")
    ] = ""
    language: LanguageName | None = None
    stand_in: StrictBool = False
    colour: Literal["red", "orange", "yellow", "green", "blue", "purple", "black", "white"] | None = None

    def stored(self) -> dict[str, Any]:
        """Return the profile for the register; an agreement only if there is one, so that older versions read it."""
        return self.model_dump(mode="json", exclude=None if self.stand_in else {"stand_in"})

    @field_validator("name", "initials")
    @classmethod
    def _one_line(cls, text: str) -> str:
        seen = plain(text)
        if text and not seen:
            raise ValueError("needs letters")
        return seen


@dataclass(frozen=True, slots=True)
class Player:
    """A player of the register; a deleted player (`gone`) has only an id."""

    id: str
    profile: Profile
    since_ms: int
    gone: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the player as JSON."""
        if self.gone:
            return {"id": self.id, "gone": True}
        own = self.profile.model_dump(mode="json")
        return {"id": self.id, **own, "initials": self.profile.initials or initials_of(self.profile.name)}


def initials_of(name: str) -> str:
    """Return the initials of the first and last word: `Anneke de Vries` is AV."""
    words = name.split()
    return "".join(word[0] for word in dict.fromkeys((words[0], words[-1]))).upper() if words else ""


def read_profile(given: Any) -> Profile | Problem:
    """Read a profile from JSON; a refusal names the wrong field."""
    try:
        return Profile.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return Problem("malformed", f"{where or 'the player'}: {first['msg']}", {"field": where})
