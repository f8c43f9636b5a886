"""The cures that this program applies itself when a person asks for them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from scharten.errors import SchartenError
from scharten.setup.config_file import ConfigFile
from scharten.setup.doctor import BACKUPS, PICTURES, SECRETS
from scharten.setup.finding import Cure


def cured(cure: Cure, folder: Path, file: ConfigFile) -> bool:
    """Apply a cure; return whether the daemon must start again for it. `SchartenError` when it fails."""
    try:
        return _CURES[cure](folder, file)
    except OSError as error:
        path = error.filename or folder
        raise SchartenError.coded("unchangeable", path=path, why=error.strerror or error) from error


def _back_up(folder: Path, file: ConfigFile) -> bool:
    from scharten.backup import back_up_folder  # noqa: PLC0415  (rarely needed)

    back_up_folder(folder, folder / BACKUPS)
    return False


def _close_secrets(folder: Path, file: ConfigFile) -> bool:
    (folder / SECRETS).chmod(0o600)
    return False


def _drop_pictures(folder: Path, file: ConfigFile) -> bool:
    for throw in (folder / PICTURES).iterdir():
        if throw.is_dir() and not throw.is_symlink():
            shutil.rmtree(throw)
    return False


def _new_certificate(folder: Path, file: ConfigFile) -> bool:
    """Delete the certificate, which the next start makes again; devices still trust its authority."""
    (folder / "tls" / "server.pem").unlink(missing_ok=True)
    return True


def _ask_for_secrets(folder: Path, file: ConfigFile) -> bool:
    found = file.tried({("web", "shared_machine"): True}, file.read().digest)
    if not isinstance(found, tuple):
        raise SchartenError.coded("refused", why=found)
    file.write(found[0])
    return True


_CURES: Final[Mapping[Cure, Callable[[Path, ConfigFile], bool]]] = {
    Cure.BACK_UP: _back_up,
    Cure.CLOSE_SECRETS: _close_secrets,
    Cure.DROP_PICTURES: _drop_pictures,
    Cure.NEW_CERTIFICATE: _new_certificate,
    Cure.ASK_FOR_SECRETS: _ask_for_secrets,
}
