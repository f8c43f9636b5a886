"""Share the newest pictures of running cameras: a camera device opens only once, so calibrations ask its owner.

The door is a socket named after the calibration file, for processes of the same user. The daemon passes each request
to the cameras' process over its pipe (`CameraSensor.pictures`).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from scharten.sensors.video import Picture, decode_picture

PATIENCE_S = 4.0
"""How long a client waits for pictures."""
_SEND_S = 2.0


def _address(rig: Path) -> str:
    """The abstract socket of a calibration file; unlike a socket in the folder it ends with its process."""
    return "\0scharten-pictures-" + hashlib.sha256(str(rig.resolve()).encode()).hexdigest()


def _is_trusted(connection: socket.socket) -> bool:
    """Whether the other process belongs to this user or to root."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1] in (0, os.getuid())


class PictureDoor:
    """Answer each connection with the newest pictures: PNG in base64, by device, as one JSON object.

    A second daemon with the same calibration has no door, and its cameras go on.
    """

    def __init__(self, rig: Path, pictures: Callable[[], Mapping[str, str]]) -> None:
        self._rig, self._pictures = rig, pictures
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._thread = threading.Thread(target=self._serve, name="picture-door", daemon=True)

    def open(self) -> None:
        """Begin to answer."""
        with contextlib.suppress(OSError):
            self._socket.bind(_address(self._rig))
            self._socket.listen()
            self._thread.start()

    def close(self) -> None:
        """Stop answering."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes `accept`
        if self._thread.ident is not None:
            self._thread.join(PATIENCE_S)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):  # the client is gone
                if not _is_trusted(connection):
                    continue
                connection.settimeout(_SEND_S)
                connection.sendall(json.dumps(dict(self._pictures())).encode())


def request_pictures(rig: Path, patience_s: float = PATIENCE_S) -> dict[str, Picture]:
    """The newest pictures, by device, from the daemon that plays with this calibration; empty without an answer."""
    received = bytearray()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(patience_s)
            client.connect(_address(rig))
            if not _is_trusted(client):
                return {}
            while part := client.recv(1 << 20):
                received += part
        pictures: dict[str, str] = json.loads(received)
    except (OSError, ValueError):
        return {}
    return {device: decode_picture(base64.b64decode(png), device) for device, png in pictures.items()}
