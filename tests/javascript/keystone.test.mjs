import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { apply, convex, fitted, mapping, matrix3d, solve, soundMap, square } = await script("keystone");
const BENT = [{ x: 10, y: 20 }, { x: 300, y: 5 }, { x: 280, y: 260 }, { x: 30, y: 240 }];
const FLAT = { width: 200, height: 100, homography: [1, 0, 50, 0, 1, 40, 0, 0, 1], k1: 0 };

test("the map takes each corner to its target, and its inverse brings it back", () => {
  const map = mapping(square(100), BENT);
  const back = mapping(BENT, square(100));
  for (const [index, corner] of square(100).entries()) {
    const { x, y } = apply(map, corner);
    assert.ok(Math.hypot(x - BENT[index].x, y - BENT[index].y) < 1e-6);
    const home = apply(back, BENT[index]);
    assert.ok(Math.hypot(home.x - corner.x, home.y - corner.y) < 1e-6);
  }
});

test("equations without a single answer have none", () => {
  assert.equal(solve([[1, 2], [2, 4]], [1, 2]), null);
  assert.deepEqual(solve([[0, 2], [4, 0]], [2, 4]), [1, 1]);
});

test("the map that moves nothing is the unit matrix", () => {
  assert.equal(matrix3d([1, 0, 0, 0, 1, 0, 0, 0]), "matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)");
});

test("corners that cross or fold are not convex; a mirrored picture is", () => {
  assert.equal(convex(square(1)), true);
  assert.equal(convex(square(1).reverse()), true);
  assert.equal(convex([{ x: 0, y: 0 }, { x: 1, y: 1 }, { x: 1, y: 0 }, { x: 0, y: 1 }]), false);
  assert.equal(convex([{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 0.2, y: 0.1 }, { x: 0, y: 1 }]), false);
});

test("a measured map places mm on a window of any size", () => {
  assert.deepEqual(fitted(FLAT, 3, 4, { width: 400, height: 100 }), { x: 107, y: 44.5 });
});

test("a measured map that lacks numbers is refused", () => {
  assert.deepEqual(soundMap(FLAT), FLAT);
  assert.equal(soundMap(null), null);
  assert.equal(soundMap({ ...FLAT, homography: [1, 2] }), null);
  assert.equal(soundMap({ ...FLAT, width: 0 }), null);
  assert.equal(soundMap({ ...FLAT, k1: NaN }), null);
});
