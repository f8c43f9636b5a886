"""A TCP proxy that can fall silent: connections stay open but carry no more bytes."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class SilentProxy:
    """Pass bytes to the port `target` until `silent` is set. Connections accepted while silent never pass any."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.target = 0
        self.silent = False
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                self._sockets.append(near)
                if self.silent:
                    continue
                far = socket.create_connection(("127.0.0.1", self.target))
                self._sockets.append(far)
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.silent:
                    return  # both ends stay open
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def stop(self) -> None:
        """Close every connection."""
        self._listening.close()
        for connection in self._sockets:
            connection.close()
