"""The configuration file as a page changes it: verified, written whole, and with a person's comments kept."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scharten import config
from scharten.config import Config
from scharten.errors import Problem, SchartenError

FIRST_LINE = "# docs/configuration.md lists every key; what you write here stays.\n"
Keys = tuple[str, ...]
Value = str | int | float | bool | list[str]


def edited(text: str, changes: Mapping[Keys, Value]) -> str | Problem:
    """Return the TOML text with these values, each at its path such as `("source", "kind")`.

    Comments, order and everything else stay. Return a `Problem` unless it reads back with exactly these changes.
    """
    import tomlkit  # noqa: PLC0415  (30 ms of the daemon's start, and only a change needs it)

    try:
        document, wanted = tomlkit.parse(text), tomllib.loads(text)
        for path, value in changes.items():
            _put(wanted, path, value)
            _put(document, path, value)
        text = tomlkit.dumps(document)
        text.encode()
        if tomllib.loads(text) == wanted:
            return text
    except (ValueError, TypeError, RecursionError, AttributeError):
        pass  # not TOML, or letters that no file can hold
    lines = "; ".join(
        f"{'.'.join(path)} = {tomlkit.item(value).as_string()}" for path, value in changes.items()
    )
    words = f"the file is written in a way that only a person can change: {lines}"
    return Problem("by_hand", words, {"lines": lines}, "Write these keys by hand, then start again.")


def _put(data: MutableMapping[str, Any], path: Keys, value: Value) -> None:
    for part in path[:-1]:
        data = data.setdefault(part, {})
        if not isinstance(data, MutableMapping):
            raise TypeError(part)
    data[path[-1]] = value


@dataclass(frozen=True)
class FileContent:
    """The content of the file: its text ("" for a missing file) and the digest of the text."""

    text: str
    digest: str
    exists: bool


class ConfigFile:
    """`scharten.toml` of a daemon; `SchartenError` when the disk refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> FileContent:
        """Return the content of the file."""
        try:
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise SchartenError.coded("settings_unreadable", path=self.path, why=error) from error
        return FileContent(text, hashlib.sha256(text.encode()).hexdigest()[:16], self.path.exists())

    def top_keys(self) -> frozenset[str]:
        """Return the tables and keys at the top of the file; `?` for text that is not TOML."""
        try:
            return frozenset(tomllib.loads(self.read().text))
        except ValueError:
            return frozenset({"?"})

    def tried(self, changes: Mapping[Keys, Value], seen: str) -> tuple[str, Config] | Problem:
        """Return the text with these changes and its settings; `seen` is the digest of the file that they are for."""
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
            return error.problem("wrong_value")

    def write(self, text: str) -> None:
        """Replace the file by a configuration; `SchartenError` for text that is not one."""
        config.parse(text, self.path.name)
        self.replace(text)

    def replace(self, text: str) -> None:
        """Replace the file, whole or not at all; its mode and owner stay."""
        path = self.path.resolve()
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("w", encoding="utf-8") as file:
                if path.exists():
                    before = path.stat()
                    os.fchmod(file.fileno(), before.st_mode & 0o7777)
                    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                        os.fchown(file.fileno(), before.st_uid, before.st_gid)
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
            raise SchartenError.coded(
                "settings_unwritable", path=path, why=error.strerror or error, folder=path.parent
            ) from error

    def refusal(self) -> str:
        """Return why the file cannot be written now; "" when it can."""
        folder = self.path.resolve().parent
        while not folder.exists():
            folder = folder.parent
        return "" if os.access(folder, os.W_OK) else f"{self.path} cannot be written by this user"

    def put_back(self, before: FileContent) -> None:
        """Restore the file as it was read."""
        if before.exists:
            self.write(before.text)
        else:
            self.path.unlink(missing_ok=True)
