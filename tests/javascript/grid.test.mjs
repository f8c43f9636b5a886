import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { Grid } = await script("grid");
const { Schartbord } = await script("schartbord");
const layout = { files: "abcdefgh", rows: 8, chequered: true };

test("a1 is dark, h1 is light, and a plain board has neither", () => {
  const grid = new Grid(layout);
  assert.equal(grid.classes("a1"), "square dark");
  assert.equal(grid.classes("h1"), "square light");
  assert.equal(new Grid({ files: "ab", rows: 2 }).classes("a1"), "square plain");
});

test("arrow keys follow the screen, also on a turned board", () => {
  assert.equal(new Grid(layout).neighbour("e2", "ArrowUp"), "e3");
  assert.equal(new Grid(layout, { turned: true }).neighbour("e2", "ArrowUp"), "e1");
  assert.equal(new Grid(layout).neighbour("a1", "ArrowLeft"), null);
  assert.equal(new Grid(layout).neighbour("a1", "Enter"), null);
});

test("White's own row is below, and above on a turned board", () => {
  assert.ok(new Grid(layout).centre("a1").y > new Grid(layout).centre("a8").y);
  assert.ok(new Grid(layout, { turned: true }).centre("a1").y < 0);
});

test("the border of two neighbours leaves out the side between them", () => {
  const grid = new Grid(layout);
  assert.equal(grid.border(new Set(["a1"])).match(/M/g)?.length, 4);
  assert.equal(grid.border(new Set(["a1", "a2"])).match(/M/g)?.length, 6);
});

test("nothing on squares can be thrown at", () => {
  const grid = new Grid(layout);
  assert.equal(grid.dartboard, false);
  assert.equal(grid.bedAt({ x: 0, y: 0 }), null);
});

test("on the schartbord a turned board turns the points, not the beds", () => {
  const [board, turned] = [new Schartbord(), new Schartbord({ turned: true })];
  const [point, opposite] = [board.centre("e2"), turned.centre("e2")];
  assert.ok(Math.hypot(point.x + opposite.x, point.y + opposite.y) < 1e-9);
  assert.equal(board.bedAt(point), turned.bedAt(opposite));
  assert.equal(board.bedAt(point), board.bedOf("e2"));
});

test("an arrow key on the inner ring of the schartbord crosses the hub", () => {
  const board = new Schartbord();
  assert.equal(board.neighbour("e4", "ArrowUp"), "e5");
  assert.equal(board.neighbour("e1", "ArrowDown"), null);
});
