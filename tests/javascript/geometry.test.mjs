import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const geometry = await script("geometry");
const { fieldNames, bedOf, fieldOf, bedAt, bedMiddle, onDartboard, onSchartbord, wayBetween } = geometry;

/** @param {number} actual @param {number} expected */
const near = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test("every field has a bed of its own, wherever White sits", () => {
  for (const sits of [3, 20]) {
    const beds = fieldNames.map((/** @type {string} */ name) => bedOf(name, sits));
    assert.equal(new Set(beds).size, 80);
    for (const name of fieldNames) assert.equal(fieldOf(bedOf(name, sits), sits), name);
  }
});

test("the middle of each bed lies in that bed", () => {
  for (const name of fieldNames) {
    const bed = bedOf(name, 3);
    const { x, y } = bedMiddle(bed);
    assert.equal(bedAt(x, y), bed);
  }
  assert.equal(bedAt(0, 0), "BULL");
  assert.equal(bedAt(0, 11), "25");
  assert.equal(bedAt(0, 171), "MISS");
  assert.equal(bedMiddle("MISS"), null);
});

test("a point of the dartboard comes back from the schartbord", () => {
  for (const sits of [3, 20]) {
    for (const [x, y] of [[0, 5], [30, 40], [-100, 20], [80, -140]]) {
      const back = onDartboard(onSchartbord(x, y, sits), sits);
      near(back.x, x);
      near(back.y, y);
    }
  }
});

test("a way begins and ends in the middle of its fields", () => {
  for (const [from, to] of [["a1", "b1"], ["e2", "e7"], ["a2", "d3"], ["o1", "i8"]]) {
    const way = wayBetween(from, to);
    const [start, end] = [geometry.centre(from), geometry.centre(to)];
    near(way[0].x, start.x);
    near(way[0].y, start.y);
    near(way.at(-1).x, end.x);
    near(way.at(-1).y, end.y);
  }
});

test("a way along a ring turns to the side that is free", () => {
  const direct = wayBetween("a1", "c1");
  const round = wayBetween("a1", "c1", (/** @type {string} */ field) => field !== "b1");
  assert.ok(round.length > direct.length);
});

test("a dart without a measured point has none", () => {
  assert.equal(geometry.pointOf({ x_mm: null, y_mm: 3 }), null);
  assert.deepEqual(geometry.pointOf({ x_mm: 0, y_mm: 3 }), { x: 0, y: 3 });
});
