import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { lastOutcome } = await script("turns");

const layout = { form: "grid", files: "abcdefgh", rows: 8, chequered: true };
const last = { by: "black", text: "R@b7", move: "@b7", fields: ["b7"], foul: null, dart: true };
const STANDS = "8/1r6/8/8/8/8/8/8 w - - 0 1";
const LEFT = "8/8/8/8/8/8/8/8 w - - 0 1";

/** @param {string} position @param {object} [changes] */
function outcome(position, changes = {}) {
  return lastOutcome(/** @type {any} */ ({ last: { ...last, ...changes }, position, game: { layout } }));
}

test("a piece on its field is named by its kind", () => {
  assert.equal(outcome(STANDS), "rook on b7");
});

test("a piece that has left its field is named in words by its letter in the notation", () => {
  assert.equal(outcome(LEFT), "rook on b7");
  assert.equal(outcome(LEFT, { text: "Nxb7", move: "c5b7" }), "knight from c5 takes on b7");
});

test("a pawn that has left its field has no letter", () => {
  assert.equal(outcome(LEFT, { text: "@b7" }), "pawn on b7");
});
