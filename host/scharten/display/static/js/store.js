// The page's store: the match it shows, and each feature's memory of its own topics (`remember`).

import { timeLeft } from "./clock.js";
import { Emitter } from "./events.js";

/** @typedef {{[Name in TopicName]?: (store: Store, payload: Topics[Name]) => void}} Takers */

/** @type {Takers[]} */
const features = [];

/**
 * Gives every store a value that follows a feature's topics; returns how to read it from a store.
 * @template Value
 * @param {Value} initial
 * @param {{[Name in TopicName]?: (payload: Topics[Name], value: Value, store: Store) => Value}} follow
 * @returns {(store: Store) => Value}
 */
export function remember(initial, follow) {
  const values = /** @type {WeakMap<Store, Value>} */ (new WeakMap());
  /** @param {Store} store */
  const read = (store) => (values.has(store) ? /** @type {Value} */ (values.get(store)) : initial);
  for (const [topic, next] of Object.entries(follow)) {
    features.push({ [topic]: (/** @type {Store} */ store, /** @type {never} */ payload) =>
      values.set(store, next(payload, read(store), store)) });
  }
  return read;
}

/** The store's reaction to each of the match's own topics. @type {Takers} */
const TAKES = {
  state: (store, snapshot) => {
    store.previous = store.snapshot;
    store.snapshot = snapshot;
    const before = store.previous ?? snapshot;
    rememberTurn(store, before, snapshot);
    if (before.match !== snapshot.match || before.turns !== snapshot.turns) store.reviewing = null; // show the new turn
  },
  sheet: (store, sheet) => { store.sheet = sheet; },
  availability: (store, availability) => { store.availability = availability; },
  remote: (store, line) => { store.remote = line; },
  link: (store, { broker }) => { store.brokerUp = broker; },
  welcome: (store, welcome) => {
    store.welcome = welcome;
    store.clockOffset = welcome.now_ms - Date.now();
  },
};

/**
 * Offers turns that are taken back until another one is played.
 * @param {Store} store
 * @param {Snapshot} before
 * @param {Snapshot} now
 */
function rememberTurn(store, before, now) {
  const { lasts, redo } = store;
  if (before.match !== now.match) [store.lasts, store.redo] = [[], []];
  else if (now.turns < before.turns) store.redo = [...lasts.slice(now.turns + 1, before.turns + 1), ...redo];
  else if (now.turns > before.turns) store.redo = redo[0]?.move === now.last?.move ? redo.slice(1) : [];
  store.lasts[now.turns] = now.last;
}

/** @extends {Emitter<{change: TopicName | "review"}>} */
export class Store extends Emitter {
  /** @type {Snapshot | null} */ snapshot = null; // the newest state of the match
  /** @type {Snapshot | null} */ previous = null; // the state before it
  /** @type {Sheet | null} */ sheet = null; // the score sheet, which may come after its state
  /** @type {Topics["availability"] | null} */ availability = null; // whether the host is online; null: not known yet
  /** @type {RemoteLine} */ remote = { side: "host", state: "none" }; // the line to a player at another board
  /** @type {Welcome | null} */ welcome = null; // the server's first message: what it can do
  /** @type {(Last | null)[]} */ lasts = []; // the last turn as it was at each number of turns
  /** @type {(Last | null)[]} */ redo = []; // turns that were taken back, the next one first
  /** @type {number | null} */ reviewing = null; // index into the sheet's entries, -1: the start, null: the present
  turnsToMover = false; // whether the board of this device turns to the side to move
  flipped = false; // whether this device turned the board by hand
  brokerUp = true; // whether the server reaches its broker
  clockOffset = 0; // the host's clock minus this device's, in ms

  /** @param {string} role */
  constructor(role) {
    super();
    this.role = role;
  }

  /**
   * Takes a topic's newest payload; topics that nobody follows change nothing.
   * @template {TopicName} Name
   * @param {Name} topic
   * @param {Topics[Name]} payload
   */
  take(topic, payload) {
    const takers = [TAKES, ...features].filter((table) => topic in table);
    for (const table of takers) table[topic]?.(this, payload);
    if (takers.length) this.emit("change", topic);
  }

  // The newest state, for what is drawn and pressed only while there is one.
  get present() {
    return /** @type {Snapshot} */ (this.snapshot);
  }

  // The taken-back move that can be played again, if the next one was a move.
  nextRedo() {
    const [next] = this.redo;
    if (!next || next.dart || next.by !== this.snapshot?.side) return null;
    return this.snapshot.moves.includes(next.move) ? next : null;
  }

  // Whether Black sits below: on Black's own page; on a shared one in Black's turn, where the board follows the turn;
  // and the other way round when it was flipped.
  turned() {
    const below = this.ownSide() ?? (this.turnsToMover ? this.snapshot?.side : null);
    return (below === "black") !== this.flipped;
  }

  flip() {
    this.flipped = !this.flipped;
    this.emit("change", "review");
  }

  /** @param {number | null} index */
  look(index) {
    const entries = this.entries();
    this.reviewing = index === null || index >= entries.length - 1 ? null : Math.max(-1, index);
    this.emit("change", "review");
  }

  entries() {
    return this.sheet && this.sheet.match === this.snapshot?.match ? this.sheet.entries : [];
  }

  // The position to show: the present one, or the one looked back at.
  position() {
    if (this.reviewing === null) return this.snapshot?.position;
    if (this.reviewing < 0) return this.sheet?.start ?? this.snapshot?.position;
    return this.entries()[this.reviewing]?.position;
  }

  whiteSitsAt() {
    return this.snapshot?.white_sits_at ?? this.welcome?.white_sits_at ?? 3;
  }

  // The seat that this page acts for: a house's shared table has its own seat while the other is at another board.
  seat() {
    const away = this.snapshot?.away;
    if (!away || this.role !== "table") return this.role;
    if (this.remote.side === "guest") return away;
    return away === "seat2" ? "seat1" : "seat2";
  }

  // The side that this page plays: null for the shared table and the arbiter, who act for both.
  ownSide() {
    return this.snapshot?.seats?.[/** @type {Seat} */ (this.seat())] ?? null;
  }

  // Whether darts and moves count for a game now.
  gameIsOn() {
    return Boolean(this.snapshot) && !["setup", "finished"].includes(this.present.phase);
  }

  mayAct() {
    return this.role !== "display";
  }

  mayMove() {
    const own = this.ownSide();
    return this.mayAct() && this.reviewing === null && (own === null || own === this.snapshot?.side);
  }

  // The seat that the computer plays, if it is its turn.
  computerToMove() {
    const { snapshot } = this;
    if (!snapshot || !["turn", "throwing", "settling"].includes(snapshot.phase)) return null;
    const seat = snapshot.seats.seat1 === snapshot.side ? "seat1" : "seat2";
    return snapshot.computers?.[seat] ? seat : null;
  }

  nowOfHost() {
    return Date.now() + this.clockOffset;
  }

  /** @param {Side} side */
  clockOf(side) {
    return timeLeft(this.snapshot?.clock, side, this.nowOfHost());
  }
}
