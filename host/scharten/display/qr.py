"""QR codes of addresses, as SVG."""

from __future__ import annotations

import io

import segno


def qr_svg(address: str) -> str:
    """Return an address as a QR code in SVG."""
    drawn = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        drawn, kind="svg", border=2, omitsize=True, xmldecl=False
    )
    return drawn.getvalue().decode()


def qr_data_uri(address: str) -> str:
    """Return the same as a data URI, for an image's `src`."""
    return str(segno.make(address, error="m", micro=False).svg_data_uri(border=2, omitsize=True))
