"""Check that the container's archive runs as its own user and has nothing of the machine that built it.

usage: check_archive.py FILE.tar
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

USER = "10001"
CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----\s+[A-Za-z0-9+/]{40}")
SETTINGS = {"pip.conf", ".pypirc", ".netrc", "uv.toml"}
COMPILER = re.compile(r"(.+-)?(gcc|g\+\+|cc1|clang)(-\d+)?")


def faults(archive: IO[bytes]) -> Iterator[str]:
    """Yield each file and setting that does not belong into the image."""
    with tarfile.open(fileobj=archive) as image:
        manifest = json.load(_content(image, "manifest.json"))[0]
        config = json.load(_content(image, manifest["Config"]))
        settings = config["config"]
        if settings.get("User") != USER:
            yield f"it runs as {settings.get('User') or 'root'}, not as {USER}"
        for variable in settings.get("Env") or ():
            if re.match(r"(PIP|UV|SSL|REQUESTS|CURL)_|.*proxy", variable, re.IGNORECASE):
                yield f"its environment has {variable}"
        for name in manifest["Layers"]:
            with tarfile.open(fileobj=_content(image, name)) as layer:
                yield from _faults_of_layer(layer)


def _faults_of_layer(layer: tarfile.TarFile) -> Iterator[str]:
    for member in layer:
        name = PurePosixPath(member.name).name
        if name in SETTINGS:
            yield f"{member.name} has settings of the machine that built it"
        elif COMPILER.fullmatch(name) and member.mode & 0o111 and not member.isdir():
            yield f"{member.name} is a compiler"
        content = layer.extractfile(member) if member.isfile() else None
        if content is not None and CERTIFICATE.search(content.read()):
            yield f"{member.name} has a certificate"


def _content(image: tarfile.TarFile, name: str) -> IO[bytes]:
    content = image.extractfile(name)
    if content is None:
        raise ValueError(f"{name} is no file")
    return content


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as opened:  # noqa: PTH123  (a name of the command line)
        found = list(faults(opened))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)
