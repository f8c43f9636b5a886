"""Where board profiles are found: a path, the data folder's `profiles/`, or those that come with the program."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from scharten.dartboard.profile import BoardProfile, parse_profile
from scharten.errors import Problem, SchartenError

INSTALLED = "scharten_calibration"


def installed_profiles() -> tuple[str, ...]:
    """The names of the profiles that come with the program."""
    folder = files(INSTALLED) / "profiles"
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    )


def load_profile(wanted: str, data: Path | None = None) -> BoardProfile:
    """The profile called `wanted`; `SchartenError` names where it was looked for, or what is wrong in it."""
    places = [Path(wanted)] + ([data / "profiles" / f"{wanted}.toml"] if data else [])
    for place in places:
        if place.is_file():
            return _read(str(place), place.read_text(encoding="utf-8", errors="replace"))
    if wanted in installed_profiles():
        return _read(wanted, (files(INSTALLED) / "profiles" / f"{wanted}.toml").read_text(encoding="utf-8"))
    raise SchartenError.coded("no_profile", name=wanted, places=places, known=installed_profiles())


def _read(name: str, text: str) -> BoardProfile:
    profile = parse_profile(text)
    if isinstance(profile, Problem):
        raise SchartenError.coded("profile_wrong", name=name, why=profile)
    return profile
