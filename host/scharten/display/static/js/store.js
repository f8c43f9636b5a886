// What the page knows of the match: the newest payload of each topic, and which moment of the game is being looked at.

const RECENT = 40;

export class Store extends EventTarget {
  constructor(role) {
    super();
    this.role = role;
    /** @type {Snapshot | null} */
    this.snapshot = null;
    /** @type {Snapshot | null} */
    this.previous = null;
    /** @type {Sheet | null} */
    this.sheet = null;
    /** @type {Health | null} */
    this.health = null;
    this.availability = null;
    /** @type {Advice | null} */
    this.advice = null;
    this.welcome = null;
    this.results = [];
    this.seated = { seat1: null, seat2: null }; // the kept players who sat down for the next game
    this.links = { local: true, links: [] };
    this.flipped = false; // by hand, from this device's own side
    this.lasts = []; // the last turn as it was at each number of turns
    /** @type {Last[]} */
    this.redo = []; // turns that were taken back, the next one first
    /** @type {number | null} */
    this.throwAgain = null; // the time of the throw that is looked at again
    this.brokerUp = true;
    /** @type {(Hit & {arrived: number, turns: number})[]} */
    this.readings = [];
    this.clockOffset = 0;
    this.reviewing = null; // index into the sheet's entries, or null for the present
  }

  take(topic, payload) {
    if (topic === "state") {
      this.previous = this.snapshot;
      this.snapshot = payload;
      const { match, turns } = this.previous ?? payload;
      if (match !== payload.match) [this.readings, this.throwAgain] = [[], null];
      this.#remember(this.previous ?? payload, payload);
      if (match !== payload.match || turns !== payload.turns) this.reviewing = null; // a new turn is looked at
    } else if (topic === "sheet") this.sheet = payload;
    else if (topic === "health") this.health = payload;
    else if (topic === "availability") this.availability = payload;
    else if (topic === "results") this.results = payload.games;
    else if (topic === "seated") this.seated = payload;
    else if (topic === "advice") this.advice = payload;
    else if (topic === "links") this.links = payload;
    else if (topic === "link") this.brokerUp = payload.broker;
    else if (topic === "hits") this.#read(payload);
    else if (topic === "look") this.throwAgain = payload.at_ms;
    else if (topic === "welcome") {
      this.welcome = payload;
      this.clockOffset = payload.now_ms - Date.now();
    } else return;
    this.dispatchEvent(new CustomEvent("change", { detail: topic }));
  }

  #read(hit) {
    this.throwAgain = null;
    const reading = { ...hit, arrived: Date.now(), turns: this.snapshot?.turns };
    this.readings = [reading, ...this.readings].slice(0, RECENT);
  }

  // Turns that are taken back are offered again, until another one is played.
  #remember(before, now) {
    if (before.match !== now.match) [this.lasts, this.redo] = [[], []];
    else if (now.turns < before.turns) this.redo = [...this.lasts.slice(now.turns + 1, before.turns + 1), ...this.redo];
    else if (now.turns > before.turns) this.redo = this.redo[0]?.move === now.last?.move ? this.redo.slice(1) : [];
    this.lasts[now.turns] = now.last;
  }

  // The taken-back move that can be played again, if the next one was a move.
  again() {
    const next = this.redo[0];
    if (!next || next.dart || next.by !== this.snapshot?.side) return null;
    return this.snapshot.moves.includes(next.move) ? next : null;
  }

  // Whether Black sits below: on Black's own page, and the other way round when it was flipped.
  turned() {
    return (this.ownSide() === "black") !== this.flipped;
  }

  flip() {
    this.flipped = !this.flipped;
    this.dispatchEvent(new CustomEvent("change", { detail: "review" }));
  }

  look(index) {
    const entries = this.entries();
    this.reviewing = index === null || index >= entries.length - 1 ? null : Math.max(-1, index);
    this.dispatchEvent(new CustomEvent("change", { detail: "review" }));
  }

  entries() {
    return this.sheet && this.sheet.match === this.snapshot?.match ? this.sheet.entries : [];
  }

  // The position to show: the present one, or the one looked back at.
  position() {
    if (this.reviewing === null) return this.snapshot?.position;
    if (this.reviewing < 0) return this.sheet.start ?? this.snapshot?.position;
    return this.entries()[this.reviewing]?.position;
  }

  whiteSitsAt() {
    return this.snapshot?.white_sits_at ?? this.welcome?.white_sits_at ?? 3;
  }

  // The side that this page plays: null for the shared table and the arbiter, who act for both.
  ownSide() {
    return this.snapshot?.seats?.[this.role] ?? null;
  }

  mayAct() {
    return this.role !== "display";
  }

  mayMove() {
    const own = this.ownSide();
    return this.mayAct() && this.reviewing === null && (own === null || own === this.snapshot?.side);
  }

  // What was advised for the turn that is on, if anybody asked.
  advised() {
    const { match, seq, advice } = this.advice ?? {};
    return match === this.snapshot?.match && seq === this.snapshot?.seq ? advice : null;
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

  // Milliseconds left on a side's clock now, or null without a clock.
  clockOf(side) {
    const clock = this.snapshot?.clock;
    const value = clock?.[`${side}_ms`];
    if (value === undefined || value === null) return null;
    return clock.running === side ? value - Math.max(0, this.nowOfHost() - clock.since_ms) : value;
  }
}
