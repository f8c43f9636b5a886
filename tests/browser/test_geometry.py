"""The page's geometry agrees with the host's, since the board is drawn twice."""

from __future__ import annotations

from browser.conftest import Opener
from browser.fakes import FakeHost
from scharten.dartboard.beds import ALL_BEDS, BULL, MISS, OUTER_BULL, BedKind, neighbours, parse_bed, shade
from scharten.dartboard.locate import bed_at, centre_of
from scharten.display.generated.print_board import COLOURS
from scharten.games.scharten.board import FIELDS, bed_of, field_name


def test_fields_and_beds_are_the_hosts(host: FakeHost, opened: Opener) -> None:
    """The page has the eighty fields in the order of the position string, with the host's beds for White at
    the 3 and the 20."""
    page = opened()
    names = page.evaluate("import('/js/geometry.js').then((g) => g.fieldNames)")
    assert names == [field_name(field) for field in FIELDS]
    for white_sits_at in (3, 20):
        beds = page.evaluate(
            f"import('/js/geometry.js').then((g) => g.fieldNames.map((f) => g.bedOf(f, {white_sits_at})))"
        )
        assert beds == [str(bed_of(field, white_sits_at)) for field in FIELDS]


def test_millimetres_are_the_hosts(host: FakeHost, opened: Opener) -> None:
    """The page and the host find the same bed for the same millimetres, near every wire too."""
    page = opened()
    points = [(x * 7.3 - 240, y * 6.9 - 240) for x in range(66) for y in range(70)]
    script = "(points) => import('/js/geometry.js').then((d) => points.map(([x, y]) => d.bedAt(x, y)))"
    assert page.evaluate(script, points) == [str(bed_at(x, y)) for x, y in points]


def test_every_bed_has_its_middle_and_the_neighbours_of_the_host(host: FakeHost, opened: Opener) -> None:
    """A correction offers the beds of the host's table, and the picture of a bed shows the right place."""
    page = opened()
    names = [str(bed) for bed in ALL_BEDS if bed.kind not in (BedKind.MISS, BedKind.SINGLE)]
    script = "(names) => import('/js/geometry.js').then((g) => names.map((n) => g.bedMiddle(n)))"
    known = page.evaluate("import('/js/reference.js').then((r) => r.reference())")
    for name, middle in zip(names, page.evaluate(script, names), strict=True):
        bed = parse_bed(name)
        assert bed is not None and centre_of(bed) is not None
        assert str(bed_at(middle["x"], middle["y"])) == name
        assert known["neighbours"][name] == [str(near) for near in neighbours(bed)]


def test_ways_between_fields_stay_on_the_board(host: FakeHost, opened: Opener) -> None:
    """A gliding piece's path begins and ends on its fields, and each of its points lies within the board."""
    page = opened()
    script = """() => import('/js/geometry.js').then((g) => {
        const bad = [];
        for (const a of g.fieldNames) for (const b of g.fieldNames) {
            if (a === b) continue;
            const way = g.wayBetween(a, b);
            const [p, q] = [g.centre(a), g.centre(b)];
            const close = (u, v) => Math.hypot(u.x - v.x, u.y - v.y) < 0.01;
            const outside = way.some((w) => Math.hypot(w.x, w.y) > 510);
            if (!close(way[0], p) || !close(way.at(-1), q) || outside) bad.push(a + b);
        }
        return bad;
    })"""
    assert page.evaluate(script) == []


def test_beds_have_one_colour_on_screen_and_paper(host: FakeHost, opened: Opener) -> None:
    """Every bed has the host's shade, and the page draws it in the colour used on paper: D20 red, F20 black."""
    page = opened()
    beds = [bed for bed in ALL_BEDS if bed not in (MISS, BULL, OUTER_BULL)]
    script = "(beds) => import('/js/geometry.js').then((g) => beds.map(([n, ring]) => g.shade(n, ring)))"
    shades = page.evaluate(script, [[bed.number, bed.kind.value] for bed in beds])
    assert shades == [shade(bed) for bed in beds]
    for name, colour in COLOURS.items():
        drawn = page.locator(f"#board .field.{name}").evaluate_all(
            "fields => [...new Set(fields.map((field) => getComputedStyle(field).fill))]"
        )
        assert drawn == [f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"]
    assert "red" in str(page.locator('#board [data-field="e8"]').get_attribute("class"))  # D20
    assert "black" in str(page.locator('#board [data-field="e7"]').get_attribute("class"))  # F20
