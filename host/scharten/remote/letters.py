"""The eight letters of an invitation, and the keys that both sides derive from them. Pure.

Letters are few enough to read out on the telephone. The key is derived slowly and bound to the certificate that the
guest sees, so that a machine in between, which shows another certificate, learns nothing that the host accepts.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which look like digits."""
COUNT = 8
_COST = 2**14


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys made from the letters: the guest's first password, and the host's proof that it knows the letters too."""

    password: str
    proof: str


def letters_from(chance: int) -> str:
    """Return eight letters from a large random number."""
    found = ""
    for _ in range(COUNT):
        chance, place = divmod(chance, len(ALPHABET))
        found += ALPHABET[place]
    return found


def read_letters(text: str) -> str | None:
    """Return the eight letters in what somebody typed; None for anything else."""
    letters = "".join(text.upper().replace("-", " ").split())
    return letters if len(letters) == COUNT and set(letters) <= set(ALPHABET) else None


def spaced(letters: str) -> str:
    """Return the letters in two groups of four, as people read them out."""
    return f"{letters[:4]} {letters[4:]}"


def derive_keys(letters: str, salt: str) -> Keys:
    """Derive the keys from the letters; `salt` is the certificate's fingerprint. It takes about 50 ms."""
    made = hashlib.scrypt(
        letters.encode(), salt=f"scharten-remote {salt}".encode(), n=_COST, r=8, p=1, dklen=64
    )
    return Keys(made[:32].hex(), made[32:].hex())


def is_equal(first: str, second: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))


def digest_of(secret: str) -> str:
    """Return what a file may hold of a secret of 160 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
