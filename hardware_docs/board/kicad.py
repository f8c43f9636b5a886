"""Write a carrier as KiCad 6 files: board and project, with the footprints inside the board."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

from carriers import Carrier
from circuit import Kind
from route import CLEARANCE, SIGNAL, VIA, VIA_DRILL, Tracks, width_of
from shapes import HEAD, INCH10, M3, Pad, Placed

LAYERS = ("F.Cu", "B.Cu")
REVISION = 2
ORIGIN = 50_000  # µm: the sheet's place of the board's upper left corner
ALL_LAYERS = {
    0: ("F.Cu", "signal"), 31: ("B.Cu", "signal"), 34: ("B.Paste", "user"), 35: ("F.Paste", "user"),
    36: ("B.SilkS", 'user "B.Silkscreen"'), 37: ("F.SilkS", 'user "F.Silkscreen"'),
    38: ("B.Mask", "user"), 39: ("F.Mask", "user"), 44: ("Edge.Cuts", "user"), 45: ("Margin", "user"),
    46: ("B.CrtYd", 'user "B.Courtyard"'), 47: ("F.CrtYd", 'user "F.Courtyard"'), 48: ("B.Fab", "user"),
    49: ("F.Fab", "user"),
}  # fmt: skip


def _mm(value: int) -> str:
    return f"{value / 1000:g}"


def _at(x: int, y: int) -> str:
    return f"{_mm(x + ORIGIN)} {_mm(y + ORIGIN)}"


def _stamp(*what: object) -> str:
    return f"(tstamp {uuid.uuid5(uuid.NAMESPACE_URL, ' '.join(map(str, what)))})"


def _text(words: str, x: int, y: int, layer: str, *, size: float = 0.8, justify: str = "") -> str:
    font = f"(effects (font (size {size} {size}) (thickness {size * 0.15:g})){justify})"
    return f'  (gr_text "{words}" (at {_at(x, y)}) (layer "{layer}") {font} {_stamp(words, x, y)})'


def _pad(pad: Pad, placed: Placed, nets: dict[str, int], first: bool) -> str:
    where = f"(at {_mm(pad.x - placed.x)} {_mm(pad.y - placed.y)}) (size {_mm(pad.width)} {_mm(pad.height)})"
    net = f' (net {nets[pad.net]} "{pad.net}")' if pad.net else ""
    stamp = _stamp(placed.part.ref, "pad", pad.name)
    if pad.drill:
        shape = "rect" if first else "circle"
        hole = f"thru_hole {shape} {where} (drill {_mm(pad.drill)}) (layers *.Cu *.Mask)"
        return f'    (pad "{pad.name}" {hole}{net} {stamp})'
    return f'    (pad "{pad.name}" smd rect {where} (layers "F.Cu" "F.Paste" "F.Mask"){net} {stamp})'


def _cover(placed: Placed) -> Iterator[str]:
    left, top, right, bottom = placed.cover
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    for i, first in enumerate(corners):
        second = corners[(i + 1) % 4]
        ends = " ".join(
            f"({word} {_mm(x - placed.x)} {_mm(y - placed.y)})"
            for word, (x, y) in zip(("start", "end"), (first, second), strict=True)
        )
        yield f'    (fp_line {ends} (layer "F.CrtYd") (width 0.05) {_stamp(placed.part.ref, "cover", i)})'


def _footprint(placed: Placed, nets: dict[str, int]) -> Iterator[str]:
    part = placed.part
    yield f'  (footprint "scharten:{part.kind}" (layer "F.Cu") {_stamp(part.ref)}'
    yield f"    (at {_at(placed.x, placed.y)})"
    yield f"    (attr {'smd' if part.kind is Kind.CLAMP else 'through_hole'})"
    font = "(effects (font (size 0.8 0.8) (thickness 0.12)))"
    for what, words in (("reference", part.ref), ("value", part.value or part.what)):
        yield f'    (fp_text {what} "{words}" (at 0 0) (layer "F.Fab") {font} {_stamp(part.ref, what)})'
    if part.kind is not Kind.CONTROLLER:
        yield from _cover(placed)
    marked = part.kind in (Kind.HEADER, Kind.DIODE, Kind.ELECTROLYTIC)
    for i, pad in enumerate(placed.pads):
        yield _pad(pad, placed, nets, marked and i == 0)
    yield "  )"


def _hole(number: int, x: int, y: int) -> Iterator[str]:
    ref = f"H{number}"
    yield f'  (footprint "scharten:M3" (layer "F.Cu") {_stamp(ref)}'
    yield f"    (at {_at(x, y)})"
    yield "    (attr exclude_from_pos_files exclude_from_bom)"
    font = "(effects (font (size 0.8 0.8) (thickness 0.12)))"
    for what, words in (("reference", ref), ("value", "M3")):
        yield f'    (fp_text {what} "{words}" (at 0 0) (layer "F.Fab") {font} {_stamp(ref, what)})'
    circle = f"(fp_circle (center 0 0) (end {_mm(HEAD // 2)} 0)"
    yield f'    {circle} (layer "F.CrtYd") (width 0.05) (fill none) {_stamp(ref, "cover")})'
    pad = f"(size {_mm(M3)} {_mm(M3)}) (drill {_mm(M3)}) (layers *.Cu *.Mask)"
    yield f'    (pad "" np_thru_hole circle (at 0 0) {pad} {_stamp(ref, "pad")})'
    yield "  )"


def _labels(carrier: Carrier) -> Iterator[str]:
    """Return the texts for soldering: each part's value between its pads, each header's pins."""
    every = [pad for placed in carrier.placed for pad in placed.pads]
    for placed in carrier.placed:
        part = placed.part
        xs = [pad.x for pad in placed.pads]
        if part.kind in (Kind.RESISTOR, Kind.DIODE):
            words = part.ref if part.kind is Kind.DIODE else f"{part.ref} {part.value}"
            yield _text(words, (min(xs) + max(xs)) // 2, placed.y, "F.SilkS")
        elif part.kind is Kind.CLAMP:
            yield _text(part.ref, placed.x, placed.y + 1950, "F.SilkS")
        elif part.kind in (Kind.CAPACITOR, Kind.ELECTROLYTIC):
            yield _text(f"{part.ref} {part.value}", (min(xs) + max(xs)) // 2, placed.y - 1500, "F.SilkS")
        elif part.kind is Kind.HEADER:
            yield from _header_labels(placed, every)
        if part.kind is Kind.HEADER and (spot := _name_spot(placed, every)) is not None:
            yield _text(part.ref, *spot, "F.SilkS")
    yield _text(carrier.title, round(carrier.width * 500), 1000, "B.Fab", size=1)
    x, y = (round(value * 1000) for value in carrier.hint_at)
    yield _text("Square pad: pin 1, cathode, plus. dr drive, se sense.", x, y, "F.SilkS")
    yield _text(f"{carrier.name} rev {REVISION}", x, y - 1700, "F.SilkS")


def _header_labels(placed: Placed, every: list[Pad]) -> Iterator[str]:
    """Return the text of each pin: to its left, or above it beside another pad; the first may name the header too."""
    named = _name_spot(placed, every) is not None
    for i, pad in enumerate(placed.pads):
        words = _short(pad.net) if named or i else f"{placed.part.ref} {_short(pad.net)}"
        if any(0 < pad.x - other.x < INCH10 + 1 and pad.y == other.y for other in every):
            yield _text(words, pad.x, pad.y - 1350, "F.SilkS")
        else:
            yield _text(words, pad.x - 1100, pad.y, "F.SilkS", justify=" (justify right)")


def _name_spot(placed: Placed, every: list[Pad]) -> tuple[int, int] | None:
    """Return the place above or below a header's first or last pin where its name covers no pad, or None."""
    ends = (placed.pads[0], placed.pads[-1])
    spots = ((end.x, end.y + away) for end in ends for away in (-1900, 1900))
    free = (spot for spot in spots if spot[1] >= 1000 and all(pad.distance(*spot) > 600 for pad in every))
    return next(free, None)


def _short(net: str) -> str:
    """Return the text beside a header's pin: dr0 is drive 0, se0 is sense 0; D0 would be a diode."""
    name = net.removeprefix("tail_").removeprefix("button_").removeprefix("led_").removeprefix("reset_")
    kind, _, number = name.partition("_")
    return f"{kind[:2]}{number}" if kind in ("drive", "sense") else name.lower()[:5]


def _ground(carrier: Carrier, nets: dict[str, int]) -> Iterator[str]:
    rim = 500
    right, bottom = round(carrier.width * 1000) - rim, round(carrier.height * 1000) - rim
    corners = " ".join(
        f"(xy {_at(x, y)})" for x, y in ((rim, rim), (right, rim), (right, bottom), (rim, bottom))
    )
    for layer in LAYERS:
        yield (
            f'  (zone (net {nets["GND"]}) (net_name "GND") (layer "{layer}") {_stamp("ground", layer)}'
            " (hatch edge 0.508) (connect_pads (clearance 0.3)) (min_thickness 0.25)"
            f" (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.4)) (polygon (pts {corners})))"
        )


def _copper(tracks: Tracks, nets: dict[str, int]) -> Iterator[str]:
    for i, (net, layer, x1, y1, x2, y2) in enumerate(tracks.segments):
        yield (
            f"  (segment (start {_at(x1, y1)}) (end {_at(x2, y2)}) (width {_mm(width_of(net))})"
            f' (layer "{LAYERS[layer]}") (net {nets[net]}) {_stamp("track", i)})'
        )
    for i, (net, x, y) in enumerate(tracks.vias):
        size = f"(size {_mm(VIA)}) (drill {_mm(VIA_DRILL)})"
        yield f'  (via (at {_at(x, y)}) {size} (layers "F.Cu" "B.Cu") (net {nets[net]}) {_stamp("via", i)})'


def board_file(carrier: Carrier, tracks: Tracks) -> str:
    """Return the .kicad_pcb; KiCad fills the pour (`make -C hardware_docs board`)."""
    names = sorted({pad.net for placed in carrier.placed for pad in placed.pads if pad.net})
    nets = {name: i for i, name in enumerate(names, 1)}
    holes = [(round(x * 1000), round(y * 1000)) for x, y in carrier.holes]
    width, height = round(carrier.width * 1000), round(carrier.height * 1000)
    lines = [
        "(kicad_pcb (version 20211014) (generator scharten)",
        "  (general (thickness 1.6))",
        '  (paper "A4")',
        f'  (title_block (title "{carrier.title}") (rev "{REVISION}")'
        ' (comment 1 "GPL-3.0-or-later; not yet made by anybody"))',
        "  (layers",
        *(f'    ({number} "{name}" {kind})' for number, (name, kind) in ALL_LAYERS.items()),
        "  )",
        "  (setup (pad_to_mask_clearance 0))",
        '  (net 0 "")',
        *(f'  (net {number} "{name}")' for name, number in nets.items()),
    ]
    for placed in carrier.placed:
        lines += _footprint(placed, nets)
    for number, (x, y) in enumerate(holes, 1):
        lines += _hole(number, x, y)
    frame = f"(gr_rect (start {_at(0, 0)}) (end {_at(width, height)})"
    lines.append(f'  {frame} (layer "Edge.Cuts") (width 0.1) (fill none) {_stamp("edge")})')
    lines += [*_labels(carrier), *_copper(tracks, nets), *_ground(carrier, nets), ")"]
    return "\n".join(lines) + "\n"


def project_file(name: str) -> str:
    """Return the .kicad_pro with the design rules that KiCad checks."""
    rules = {
        "min_clearance": CLEARANCE / 1000, "min_track_width": SIGNAL / 1000, "min_via_diameter": VIA / 1000,
        "min_through_hole_diameter": VIA_DRILL / 1000, "min_hole_to_hole": 0.25, "min_hole_clearance": 0.25,
        "min_copper_edge_clearance": 0.3, "min_via_annular_width": 0.15, "min_silk_clearance": 0.0,
    }  # fmt: skip
    net_class = {
        "name": "Default", "clearance": CLEARANCE / 1000, "track_width": SIGNAL / 1000,
        "via_diameter": VIA / 1000, "via_drill": VIA_DRILL / 1000,
    }  # fmt: skip
    settings = {
        "board": {"design_settings": {"rules": rules, "rule_severities": {"lib_footprint_issues": "ignore"}}},
        "meta": {"filename": f"{name}.kicad_pro", "version": 1},
        "net_settings": {"classes": [net_class], "meta": {"version": 2}},
    }
    return json.dumps(settings, indent=2) + "\n"
