import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { outline, shapes, stillness } = await script("light-shapes");
const { MM } = await script("geometry");

/** @param {object} more */
const state = (more = {}) => ({ match: "m1", turns: 3, phase: "throwing", side: "white", white_sits_at: 3, last: null,
  question: null, practice: null, drops: ["e2"], can: { throw: true },
  shown: { zone: ["e2", "e3"], fouls: { white: 1, black: 0 } },
  game: { layout: { form: "schartbord" }, options: { arming: "announce", foul_limit: { white: 3, black: 3 } } }, ...more });
const sign = () => "♖";
/** @param {object} snapshot */
const kinds = (snapshot) => shapes(snapshot, null, sign).map((/** @type {{kind: string}} */ { kind }) => kind);

test("while a dart is due nothing may move", () => {
  assert.notEqual(stillness(state(), null), null);
  assert.equal(stillness(state(), null), stillness(state({ drops: [] }), null));
  assert.notEqual(stillness(state(), null), stillness(state({ turns: 4 }), null));
});

test("a turn in which no dart counts keeps nothing still", () => {
  assert.equal(stillness(state({ phase: "turn" }), null), null);
});

test("where every dart counts, a turn in which one may throw is still", () => {
  const game = { layout: { form: "schartbord" }, options: { arming: "auto" } };
  assert.notEqual(stillness(state({ phase: "turn", game }), null), null);
  assert.equal(stillness(state({ phase: "turn", game, can: { throw: false } }), null), null);
});

test("a throw lights the zone, the free fields and the fouls", () => {
  assert.deepEqual(kinds(state()), ["zone", "zone", "legal", "foul", "left", "left"]);
});

test("the odds light each free bed by its chance, and come before the throw is announced or not at all", () => {
  const odds = [{ bed: "F20", field: "e2", hit: 0.25 }, { bed: "D20", field: "e1", hit: 0.5 }];
  const lit = shapes(state(), null, sign, odds).filter((/** @type {{kind: string}} */ { kind }) => kind === "odds");
  assert.deepEqual(lit.map((/** @type {{bed: string, share: number}} */ { bed, share }) => [bed, share]),
    [["F20", 0.25], ["D20", 0.5]]);
  assert.equal(stillness(state(), null, odds), stillness(state(), null, []));
  const game = { layout: { form: "schartbord" }, options: { arming: "auto" } };
  assert.notEqual(stillness(state({ phase: "turn", game }), null, odds), stillness(state({ phase: "turn", game }), null));
});

test("a placed dart is lit with its piece, a lost one without", () => {
  const last = { by: "white", dart: true, bed: "T20", foul: null, x_mm: 1, y_mm: 100 };
  assert.deepEqual(kinds(state({ phase: "settling", last })).slice(0, 3), ["dart", "dart", "sign"]);
  const lost = { ...last, foul: "outside_zone", x_mm: null, y_mm: null };
  assert.deepEqual(kinds(state({ phase: "settling", last: lost })).slice(0, 1), ["lost"]);
});

test("practice lights its targets, until it is over", () => {
  const practice = { over: false, targets: ["D20"] };
  assert.deepEqual(kinds(state({ phase: "setup", practice })), ["target"]);
  assert.deepEqual(kinds(state({ phase: "setup", practice: { ...practice, over: true } })), []);
});

test("the outline of a bed stays within its ring", () => {
  for (const [x, y] of outline("T20")) {
    const radius = Math.hypot(x, y);
    assert.ok(radius > MM.trebleIn - 1e-9 && radius < MM.trebleOut + 1e-9);
    assert.ok(y > 0);
  }
  assert.equal(outline("MISS"), null);
});
