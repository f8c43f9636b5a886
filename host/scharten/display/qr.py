"""QR codes of addresses, as SVG."""

from __future__ import annotations

import io
from typing import Any


def qr_svg(address: str) -> str:
    """Return an address as a QR code in SVG."""
    drawn = io.BytesIO()
    _code(address).save(drawn, kind="svg", border=2, omitsize=True, xmldecl=False)
    return drawn.getvalue().decode()


def qr_data_uri(address: str) -> str:
    """Return the same as a data URI, for an image's `src`."""
    return str(_code(address).svg_data_uri(border=2, omitsize=True))


def _code(address: str) -> Any:
    import segno  # noqa: PLC0415  (30 ms of the daemon's start, and a code is shown only to somebody who asks)

    return segno.make(address, error="m", micro=False)
