import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { readTyped } = await script("typed");

test("coordinates are a move, in any case and with signs between them", () => {
  assert.deepEqual(readTyped("e2e4"), { move: "e2e4" });
  assert.deepEqual(readTyped(" E2-E4 "), { move: "e2e4" });
  assert.deepEqual(readTyped("e7xd8q"), { move: "e7d8q" });
});

test("a bed is a dart in its middle, a miss is a miss", () => {
  assert.deepEqual(readTyped("bull"), { dart: { x_mm: 0, y_mm: 0 } });
  assert.deepEqual(readTyped("d20"), { dart: { x_mm: 0, y_mm: 166 } });
  assert.deepEqual(readTyped("miss"), { dart: { miss: true } });
});

test("anything else is nothing", () => {
  for (const text of ["", "D21", "e2", "hello", "T0"]) assert.equal(readTyped(text), null);
});
