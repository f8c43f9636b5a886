// Throwing at the board on the screen, where the dartboard is simulated: the meaning of a press, its effect, the
// dart's flight, and the throw itself. Every dart is announced first, so that none of them is without effect.

import { Dartboard } from "./dartboard.js";
import { h } from "./dom.js";
import { aimWords } from "./turns.js";
import { settings } from "./settings.js";
import { bedName, pieceName, t } from "./words.js";

const NOTICED_MS = 700; // a dart that the board's electronics have not noticed by then is lost
const PATIENCE_MS = 2000; // how long to wait for the answer to a dart before the next one

/** @param {App} app */
export class Throwing {
  /** @param {App} app @param {HTMLElement} second the place of the dartboard beside squares */
  constructor(app, second) {
    this.app = app;
    /** @type {Throw | null} */
    this.sent = null; // the throw whose effect has not been seen yet
    this.before = ""; // what had happened before that throw
    this.landed = false; // whether that throw has reached the board
    this.wanted = ""; // the second dartboard as it is drawn, as a text
    const { board } = app;
    this.label = h("div", { class: "aim-label", "aria-live": "polite", hidden: true });
    this.second = second;
    board.host.append(this.label);
    board.takesThrow = (field, long) => this.takes(field, long);
    board.on("aim", (aimed) => this.#aim(aimed));
    board.on("throw", ({ point }) => this.at(point));
  }

  // Whether a dart may be thrown now, by this page and without hands.
  due() {
    return !this.sent && this.open();
  }

  // The same while a dart is on its way.
  open() {
    const { store } = this.app;
    const { snapshot } = store;
    if (!snapshot || !store.welcome?.simulated || !store.mayAct() || store.reviewing !== null) return false;
    if (document.body.dataset.view === "projector") return false; // fingers rest on that picture
    if (snapshot.question) return false;
    if (snapshot.phase === "deciding") return true;
    if (!store.mayMove()) return false;
    return snapshot.phase === "throwing"
      || (["turn", "settling"].includes(snapshot.phase) && Boolean(snapshot.can?.throw));
  }

  // A press is a dart, unless it picks up a piece that can move. Once a throw is announced every press is a dart; a
  // long one always is.
  /** @param {string | undefined} field @param {boolean} long */
  takes(field, long) {
    const { board, controller, store } = this.app;
    if (!board.form.dartboard || controller.chosen || !this.due()) return false;
    return long || !field || ["throwing", "deciding"].includes(store.present.phase) || !controller.movable(field);
  }

  // Aims at a point of the drawing; the dart lands round it as the chosen scatter has it.
  /** @param {Point} point */
  at(point) {
    const middle = this.app.board.form.millimetres(point);
    return middle ? this.throw(scattered(middle)) : null;
  }

  /** @param {Throw} payload */
  async throw(payload) {
    if (!this.due()) return;
    const { app } = this;
    this.sent = payload;
    this.before = happened(app.store.present);
    this.#aim(null);
    this.#showDue();
    const { board } = app;
    const lands = board.form.dartboard && "x_mm" in payload ? board.form.point(payload) : null;
    const [announced] = await Promise.all([this.#announce(), board.darts.fly(lands)]);
    if (!announced) return this.#over(payload);
    this.landed = true;
    setTimeout(() => this.#over(payload), PATIENCE_MS);
    if ("miss" in payload) return void this.#lose(); // no sensor notices a dart beside the board
    app.throwDart(payload);
    setTimeout(() => this.sent === payload && this.#lose(), NOTICED_MS);
  }

  #lose() {
    const { match, seq } = this.app.store.present;
    return this.app.ask("miss", { match, seq }); // refused as stale where the host has seen the dart meanwhile
  }

  async #announce() {
    const { store } = this.app;
    const { match, seq, phase } = store.present;
    if (["throwing", "deciding"].includes(phase)) return true;
    // The last turn may settle at the moment of the press: then this is the first throw of the next state.
    if (phase === "settling") {
      if ((await this.app.ask("announce_throw", { match, seq })).accepted) return true;
      for (let n = 0; n < 20 && store.present.seq === seq; n++) await new Promise((done) => setTimeout(done, 25));
    }
    const seen = happened(store.present) === this.before ? store.present.seq : seq;
    return (await this.app.command("announce_throw", { match, seq: seen })).accepted;
  }

  // After a new snapshot the dart on its way may have had its effect.
  refresh() {
    if (this.landed && this.sent && happened(this.app.store.present) !== this.before) this.#over(this.sent);
    this.#showWanted();
    this.#showDue();
  }

  // On squares a dart is thrown for an entered move: a dartboard with the beds that hit, for that one throw.
  #showWanted() {
    const { store } = this.app;
    const onSquares = store.snapshot?.game.layout.form === "grid"; // the board itself is drawn a moment later
    const aim = store.snapshot?.phase === "throwing" && onSquares ? store.snapshot.shown.aim : null;
    this.second.hidden = !aim;
    if (!aim) return void (this.wanted = "");
    const key = JSON.stringify([aim, this.due()]);
    if (key === this.wanted) return;
    this.wanted = key;
    this.second.replaceChildren();
    const dartboard = new Dartboard(this.second, { active: this.due(), label: aimWords(aim, store.present) });
    dartboard.light({ asked: aim.beds });
    dartboard.on("aim", ({ x_mm, y_mm }) => this.throw(scattered({ x: x_mm, y: y_mm })));
  }

  #showDue() {
    this.app.board.host.classList.toggle("takes-darts", this.due());
  }

  /** @param {Throw} payload */
  #over(payload) {
    if (this.sent !== payload) return;
    this.sent = null;
    this.landed = false;
    this.#showDue();
  }

  // --- the effect of a press ---

  /** @param {import("./board.js").Aimed | null} aimed */
  #aim(aimed) {
    const { board } = this.app;
    const bed = aimed && board.form.bedAt(aimed.point);
    board.showAimed(bed ? aimed?.field ?? bed : null);
    this.label.hidden = !bed;
    if (!bed) return;
    const { point, field } = aimed;
    this.label.textContent = this.words(bed, field);
    /** @param {number} value */
    const share = (value) => Math.min(82, Math.max(18, 50 + (100 * value) / board.form.size));
    this.label.style.left = `${share(point.x)}%`;
    this.label.style.top = `${50 + (100 * point.y) / board.form.size}%`;
  }

  /** @param {string} bed @param {string | undefined} field */
  words(bed, field) {
    const { present } = this.app.store;
    if (present.phase === "deciding") return bedName(bed);
    const what = this.#outcome(present, bed, field);
    return `${[bedName(bed), field].filter(Boolean).join(", ")}: ${what}`;
  }

  /** @param {Snapshot} snapshot @param {string} bed @param {string | undefined} field */
  #outcome(snapshot, bed, field) {
    if (field && snapshot.drops.includes(field)) {
      const next = snapshot.shown.next?.[snapshot.side];
      return next ? pieceName(snapshot.side === "white" ? next : next.toLowerCase()) : "";
    }
    if (!field) return t(bed === "MISS" ? "foul.off_board" : "foul.bull");
    if (this.app.board.pieces.has(field)) return t("foul.occupied");
    return t(snapshot.shown.zone?.includes(field) ? "foul.missed_in_check" : "foul.outside_zone");
  }
}

// The part of a state that only a dart, a move or a correction changes, not an announcement.
/** @param {Snapshot} snapshot */
function happened({ match, turns, tosses, question, side, result }) {
  return JSON.stringify([match, turns, tosses, question, side, result]);
}

// A throw that misses as people do: a normal spread round the aim, in mm.
/** @param {Point} middle */
export function scattered({ x, y }) {
  const spread = () =>
    settings.scatter * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  /** @param {number} mm */
  const round = (mm) => Math.round(mm * 10) / 10;
  return { x_mm: round(x + spread()), y_mm: round(y + spread()) };
}
