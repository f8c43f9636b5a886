"""Copies of values without secrets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

HIDDEN = "(hidden)"
_SECRETIVE = ("secret", "password", "token", "credential")
_USERINFO = re.compile(r"//[^/@\s]+@")


def redacted(value: Any, secrets: Collection[str], name: str = "") -> Any:
    """Return a copy without values named like a secret, these secrets in any text, and accounts in URLs."""
    if value and any(word in name.lower() for word in _SECRETIVE) and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, Mapping):
        return {str(key): redacted(member, secrets, str(key)) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(member, secrets, name) for member in value]
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN) if secret else value
        return _USERINFO.sub(f"//{HIDDEN}@", value)
    return value
