"""The configuration file as a page changes it: verified, written beside, renamed; a person's own words stay."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scharten import config
from scharten.config import Config
from scharten.errors import Problem, SchartenError
from scharten.setup.toml_edit import Path as Keys
from scharten.setup.toml_edit import Value, edited

FIRST_LINE = "# docs/configuration.md lists every key; what you write here stays.\n"


@dataclass(frozen=True)
class Written:
    """The file as it was read: its text, "" where there is none yet, and a digest that tells it from any other."""

    text: str
    digest: str
    there: bool


class ConfigFile:
    """`scharten.toml` of a daemon; `SchartenError` in words when the disk refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Written:
        """What stands there now."""
        try:
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise SchartenError(f"{self.path} cannot be read: {error}", "Give it back its text.") from error
        return Written(text, hashlib.sha256(text.encode()).hexdigest()[:16], self.path.exists())

    def says(self) -> frozenset[str]:
        """The tables and keys at the top of the file; empty when there is none, or nothing in it."""
        try:
            return frozenset(tomllib.loads(self.read().text))
        except ValueError:
            return frozenset({"?"})

    def tried(self, changes: Mapping[Keys, Value], seen: str) -> tuple[str, Config] | Problem:
        """The text with these changes and what it means; `seen` is the digest of the file that the changes are for."""
        before = self.read()
        if seen != before.digest:
            words = f"{self.path.name} was changed meanwhile by somebody else"
            return Problem("changed_meanwhile", words, cure="Look at it again, then save.")
        text = edited(before.text or FIRST_LINE, changes)
        if isinstance(text, Problem):
            return text
        try:
            return text, config.parse(text, self.path.name)
        except SchartenError as error:
            return Problem("wrong_value", error.message, {"words": error.message}, error.cure)

    def write(self, text: str) -> None:
        """Put a configuration in the file's place; what could not be read back is a `SchartenError`."""
        config.parse(text, self.path.name)
        self.replace(text)

    def replace(self, text: str) -> None:
        """Put a text in the file's place, whole or not at all; the file's mode and owner stay."""
        path = self.path.resolve()
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("w", encoding="utf-8") as file:
                if path.exists():
                    there = path.stat()
                    os.fchmod(file.fileno(), there.st_mode & 0o7777)
                    if (there.st_uid, there.st_gid) != (os.geteuid(), os.getegid()):
                        os.fchown(file.fileno(), there.st_uid, there.st_gid)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if draft.read_text(encoding="utf-8") != text:
                raise OSError("it reads back as another text")
            draft.replace(path)
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise SchartenError(
                f"{path} cannot be written: {error.strerror or error}.",
                f"Give this user the right to write in {path.parent}, or make room there.",
            ) from error

    def refusal(self) -> str:
        """Why the file could not be written now, in words; "" when it could."""
        folder = self.path.resolve().parent
        while not folder.exists():
            folder = folder.parent
        return "" if os.access(folder, os.W_OK) else f"{self.path} cannot be written by this user"

    def put_back(self, before: Written) -> None:
        """The file as it was read."""
        if before.there:
            self.write(before.text)
        else:
            self.path.unlink(missing_ok=True)
