"""Parts that the folders of all brokers share: checked names, and a secret for each account."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scharten.contract.topics import NAME
from scharten.errors import SchartenError
from scharten.system.secrets import new_secret, read_password, write_private


def check_words(names: tuple[str, ...]) -> None:
    """Refuse a name of a prefix, club or board that could widen a permission."""
    for name in names:
        if not NAME.fullmatch(name):
            raise SchartenError.coded("not_a_topic_name", name=name)


def ensure_secrets(accounts: tuple[str, ...], folder: Path, new_secrets: bool) -> Mapping[str, str]:
    """Return each account's secret from its file of mode 600; make missing ones, or all with `new_secrets`."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    secrets = {}
    for name in accounts:
        path = folder / name
        if new_secrets or not path.exists():
            write_private(path, new_secret() + "\n")
        secrets[name] = read_password(path)
    return secrets
