"""Symbols of a schematic as SVG. Every text carries its length, so that it fits in any font."""

from __future__ import annotations

from html import escape

from reportlab.pdfbase.pdfmetrics import stringWidth

SIZE = 15


class Drawing:
    """Lines, symbols and texts in the order in which they were added; units are pixels, y downwards."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' role="img" aria-label="{escape(title)}" font-family="Arial, Helvetica, sans-serif">'
        )
        self._body = [f'<rect width="{width}" height="{height}" fill="#fff"/>']

    def svg(self) -> str:
        """Return the whole picture."""
        return "\n".join([self._head, *self._body, "</svg>"]) + "\n"

    def text(
        self, words: str, x: float, y: float, *, anchor: str = "start", size: int = SIZE, bold: bool = False
    ) -> None:
        """Draw a text at its anchor, as wide as in Helvetica with any font."""
        width = stringWidth(words, "Helvetica-Bold" if bold else "Helvetica", size)
        weight = ' font-weight="bold"' if bold else ""
        self._body.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" textLength="{width:.0f}"'
            f' lengthAdjust="spacingAndGlyphs"{weight}>{escape(words)}</text>'
        )

    def shape(self, element: str) -> None:
        """Add an element as it is."""
        self._body.append(element)

    def path(self, data: str, fill: str = "none") -> None:
        """Draw a stroked path."""
        self._body.append(f'<path d="{data}" fill="{fill}" stroke="#000" stroke-width="2"/>')

    def wire(self, *points: tuple[float, float]) -> None:
        """Draw a wire along the points."""
        self.path("M" + " L".join(f"{x:g} {y:g}" for x, y in points))

    def dot(self, x: float, y: float) -> None:
        """Draw a dot where wires meet."""
        self._body.append(f'<circle cx="{x:g}" cy="{y:g}" r="4"/>')

    def end(self, x: float, y: float, words: str) -> None:
        """Draw the named start of an external wire, its name to the left."""
        self._body.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="#fff" stroke="#000" stroke-width="2"/>')
        self.text(words, x - 12, y + 5, anchor="end")

    def pin(self, x: float, y: float, words: str) -> None:
        """Draw a pin of the controller with its name in a flag to the right."""
        width = stringWidth(words, "Helvetica", SIZE) + 22
        self.path(f"M{x} {y} l10 -13 h{width:.0f} v26 h{-width:.0f} z", "#eef")
        self.text(words, x + 14, y + 5)

    def resistor(self, x: float, y: float, words: str, down: bool = False) -> None:
        """Draw a resistor, 60 long, from x, y to the right or downwards, with its value."""
        if down:
            self.path(f"M{x} {y} v10 m-8 0 h16 v40 h-16 z m8 40 v10", "#fff")
            self.text(words, x + 14, y + 35)
        else:
            self.path(f"M{x} {y} h10 m0 -8 h40 v16 h-40 z m40 8 h10", "#fff")
            self.text(words, x + 30, y - 15, anchor="middle")

    def ground(self, x: float, y: float) -> None:
        """Draw ground below x, y."""
        self.path(f"M{x} {y} v10 m-14 0 h28 m-23 6 h18 m-13 6 h8")

    def supply(self, x: float, y: float, words: str) -> None:
        """Draw the supply above x, y."""
        self.path(f"M{x} {y} v-10 m-12 0 h24")
        self.text(words, x, y - 17, anchor="middle")

    def diode(self, x: float, y: float, words: str, zener: bool = False) -> None:
        """Draw a diode, 60 long, from the cathode at x, y down to the anode; a TVS has a bent cathode."""
        bent = "M{0} {1} m-16 6 l4 -6 h24 l4 -6" if zener else "M{0} {1} m-12 0 h24"
        self.path(f"M{x} {y} v20")
        self.path(bent.format(x, y + 20))
        self.path(f"M{x} {y + 20} l12 20 h-24 z m0 20 v20", "#fff")
        self.text(words, x + 20, y + 36)

    def diode_down(self, x: float, y: float, words: str) -> None:
        """Draw an LED, 60 long, from the anode at x, y down to the cathode."""
        self.path(f"M{x} {y} v20 m-12 0 h24 l-12 20 z m0 20 h24 m-12 0 v20", "#fff")
        self.path(f"M{x - 16} {y + 28} l-12 8 m4 -6 l-4 6 l7 0 M{x - 16} {y + 38} l-12 8 m4 -6 l-4 6 l7 0")
        self.text(words, x + 18, y + 36)

    def capacitor(self, x: float, y: float, words: str) -> None:
        """Draw a capacitor, 60 long, from x, y downwards."""
        self.path(f"M{x} {y} v26 m-14 0 h28 m-28 8 h28 m-14 0 v26")
        self.text(words, x + 20, y + 35)
