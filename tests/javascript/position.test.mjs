import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { fieldsOf, readPosition, sideOf } = await script("position");
const { formOf } = await script("forms");
const CHESS = { form: "grid", files: "abcdefgh", rows: 8, chequered: true };
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

test("a move names its origin and its goal, a drop its field", () => {
  assert.deepEqual(fieldsOf("e2e4"), ["e2", "e4"]);
  assert.deepEqual(fieldsOf("e7e8q"), ["e7", "e8"]);
  assert.deepEqual(fieldsOf("@c3"), ["c3"]);
  assert.deepEqual(fieldsOf(null), []);
});

test("a capital letter is a white piece", () => {
  assert.equal(sideOf("K"), "white");
  assert.equal(sideOf("q"), "black");
});

test("a position of chess is read and written back", () => {
  const { pieces, gone, side } = readPosition(START, CHESS);
  assert.equal(pieces.size, 32);
  assert.deepEqual(pieces.get("e1"), { letter: "K", unmoved: false });
  assert.equal(side, "white");
  assert.equal(formOf({ layout: CHESS }).write(pieces, gone), START.split(" ")[0]);
});

test("tiles that are gone are read and written back", () => {
  const layout = { form: "grid", files: "abc", rows: 2 };
  const { pieces, gone, side } = readPosition("K_1/1w_ b", layout);
  assert.deepEqual([...gone], ["b2", "c1"]);
  assert.equal(side, "black");
  assert.equal(formOf({ layout }).write(pieces, gone), "K_1/1w_");
});

test("a position on the schartbord keeps which pieces have not moved", () => {
  const rings = "K*2R17/20/20/q19";
  const { pieces } = readPosition(`${rings} w`, undefined);
  assert.deepEqual([...pieces.values()].map(({ letter, unmoved }) => [letter, unmoved]),
    [["K", true], ["R", false], ["q", false]]);
  assert.equal(formOf().write(pieces, new Set()), "K*2R16/20/20/q19");
});

test("no position is an empty board", () => {
  assert.equal(readPosition(undefined, CHESS).pieces.size, 0);
});
