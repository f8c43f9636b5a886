import assert from "node:assert/strict";
import test from "node:test";
import { script } from "./page.mjs";

const { Store, remember } = await script("store");
const { throws } = await script("features/throws");
const { advised } = await script("features/advice");

const E4 = { by: "white", move: "e2e4", dart: false };
/** @param {object} more */
const state = (more = {}) => ({ match: "m1", seq: 1, turns: 0, phase: "turn", side: "white", last: null, moves: [],
  seats: { seat1: "white", seat2: "black" }, computers: { seat1: null, seat2: 3 }, position: "now", ...more });

/** @param {string} role @param {object[]} states */
function storeOf(role, ...states) {
  const store = new Store(role);
  for (const snapshot of states) store.take("state", snapshot);
  return store;
}

test("the newest state and the one before it are kept", () => {
  const store = storeOf("table", state(), state({ seq: 2 }));
  assert.equal(store.snapshot.seq, 2);
  assert.equal(store.previous.seq, 1);
});

test("a change names its topic; a topic that nobody follows changes nothing", () => {
  const store = new Store("table");
  /** @type {string[]} */
  const changes = [];
  const stop = store.on("change", (/** @type {string} */ topic) => changes.push(topic));
  store.take("link", { broker: false });
  store.take("answer", { accepted: true });
  stop();
  store.take("link", { broker: true });
  assert.deepEqual(changes, ["link"]);
  assert.equal(store.brokerUp, true);
});

test("a turn that was taken back is offered again until another one is played", () => {
  const played = state({ turns: 1, side: "black", last: E4 });
  const store = storeOf("table", state(), played, state({ moves: ["e2e4"] }));
  assert.equal(store.nextRedo()?.move, "e2e4");
  store.take("state", state({ turns: 1, side: "black", last: { ...E4, move: "d2d4" } }));
  assert.equal(store.nextRedo(), null);
});

test("a dart that was taken back cannot be played again", () => {
  const store = storeOf("table", state(), state({ turns: 1, last: { ...E4, dart: true } }), state({ moves: ["e2e4"] }));
  assert.equal(store.nextRedo(), null);
});

test("looking back ends with the next turn, not with another state of the same turn", () => {
  const store = storeOf("table", state());
  store.take("sheet", { match: "m1", start: "start", entries: [{ position: "one" }, { position: "two" }] });
  store.look(0);
  assert.equal(store.position(), "one");
  store.take("state", state({ seq: 2 }));
  assert.equal(store.reviewing, 0);
  store.take("state", state({ seq: 3, turns: 1 }));
  assert.equal(store.position(), "now");
});

test("looking back goes to the start and no further, and on to the present", () => {
  const store = storeOf("table", state());
  store.take("sheet", { match: "m1", start: "start", entries: [{ position: "one" }, { position: "two" }] });
  store.look(-5);
  assert.equal(store.position(), "start");
  store.look(7);
  assert.equal(store.reviewing, null);
});

test("the sheet of another match is not shown", () => {
  const store = storeOf("table", state());
  store.take("sheet", { match: "m0", entries: [{}] });
  assert.deepEqual(store.entries(), []);
});

test("a seat plays its own side, the table both, a display none", () => {
  assert.equal(storeOf("seat1", state()).mayMove(), true);
  assert.equal(storeOf("seat2", state()).mayMove(), false);
  assert.equal(storeOf("table", state()).mayMove(), true);
  assert.equal(storeOf("display", state()).mayMove(), false);
});

test("Black sits below on Black's own page, and the other way round when flipped", () => {
  const store = storeOf("seat2", state());
  assert.equal(store.turned(), true);
  store.flip();
  assert.equal(store.turned(), false);
});

test("the seat of a computer is named while it is its turn", () => {
  assert.equal(storeOf("table", state({ side: "black" })).computerToMove(), "seat2");
  assert.equal(storeOf("table", state()).computerToMove(), null);
  assert.equal(storeOf("table", state({ side: "black", phase: "paused" })).computerToMove(), null);
});

test("a feature follows its own topics in each store by itself", () => {
  const count = remember(0, { link: (/** @type {unknown} */ _, /** @type {number} */ value) => value + 1 });
  const [first, second] = [new Store("table"), new Store("table")];
  first.take("link", { broker: true });
  first.take("link", { broker: true });
  second.take("link", { broker: true });
  assert.deepEqual([count(first), count(second), count(new Store("table"))], [2, 1, 0]);
});

test("readings are kept newest first, and forgotten with the match", () => {
  const store = storeOf("table", state());
  store.take("look", { at_ms: 5 });
  for (let seq = 0; seq < 50; seq++) store.take("hits", { match: "m1", seq });
  assert.equal(throws(store).readings.length, 40);
  assert.equal(throws(store).readings[0].seq, 49);
  assert.equal(throws(store).again, null);
  store.take("state", state({ match: "m2" }));
  assert.deepEqual(throws(store).readings, []);
});

test("advice counts only for the turn it was asked for", () => {
  const store = storeOf("table", state());
  store.take("advice", { match: "m1", seq: 1, advice: { fields: [] } });
  assert.deepEqual(advised(store), { fields: [] });
  store.take("state", state({ seq: 2 }));
  assert.equal(advised(store), null);
});
