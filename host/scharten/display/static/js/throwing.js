// Throwing at the board on the screen, where the dartboard is simulated: what a press there is, what it would do, the
// dart's flight, and the throw itself. Every dart is announced first, so that none of them is without effect.

import { Dartboard } from "./dartboard.js";
import { h } from "./dom.js";
import { aimWords } from "./panels/aim.js";
import { settings } from "./settings.js";
import { bedName, pieceName, t } from "./words.js";

const NOTICED_MS = 700; // a dart that the board's electronics did not notice by then passed them by: it is lost
const PATIENCE_MS = 2000; // so long the answer to a dart is waited for before the next one is taken

/** @param {App} app */
export class Throwing {
  constructor(app) {
    this.app = app;
    this.sent = null; // the throw whose effect has not been seen yet
    const { board } = app;
    this.label = h("div", { class: "aim-label", "aria-live": "polite", hidden: true });
    this.second = h("div", { class: "second-dartboard", hidden: true });
    board.host.append(this.label, this.second);
    board.takesThrow = (field, long) => this.takes(field, long);
    board.addEventListener("aim", ({ detail }) => this.#aim(detail));
    board.addEventListener("throw", ({ detail }) => this.at(detail.point));
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
  takes(field, long) {
    const { board, controller, store } = this.app;
    if (!board.form.dartboard || controller.chosen || !this.due()) return false;
    return long || !field || ["throwing", "deciding"].includes(store.snapshot.phase) || !controller.movable(field);
  }

  // Aims at a point of the drawing; the dart lands round it as the chosen scatter has it.
  at(point) {
    const middle = this.app.board.form.millimetres(point);
    return middle ? this.throw(scattered(middle)) : null;
  }

  // What the simulated board takes: {x_mm, y_mm}, {miss: true} or {bounce_out: true}.
  async throw(payload) {
    if (!this.due()) return;
    const { app } = this;
    this.sent = payload;
    this.before = happened(app.store.snapshot);
    this.#aim(null);
    this.#showDue();
    const { board } = app;
    const lands = board.form.dartboard && "x_mm" in payload ? board.form.point(payload) : null;
    const [announced] = await Promise.all([this.#announce(), board.darts.fly(lands)]);
    if (!announced) return this.#over(payload);
    this.landed = true;
    setTimeout(() => this.#over(payload), PATIENCE_MS);
    if ("miss" in payload) return void this.#lose(); // beside the board there is nothing that could notice it
    app.throwDart(payload);
    setTimeout(() => this.sent === payload && this.#lose(), NOTICED_MS);
  }

  #lose() {
    const { match, seq } = this.app.store.snapshot;
    return this.app.ask("miss", { match, seq }); // refused as stale where the host has seen the dart meanwhile
  }

  async #announce() {
    const { snapshot } = this.app.store;
    if (["throwing", "deciding"].includes(snapshot.phase)) return true;
    const { match, seq } = snapshot;
    return (await this.app.command("announce_throw", { match, seq })).accepted;
  }

  // A new snapshot: the dart that was on its way has done what it does.
  refresh() {
    if (this.landed && this.sent && happened(this.app.store.snapshot) !== this.before) this.#over(this.sent);
    this.#showWanted();
    this.#showDue();
  }

  // On squares a dart is thrown for an entered move: a dartboard with the beds that hit, for that one throw.
  #showWanted() {
    const { store, board } = this.app;
    const aim = store.snapshot?.phase === "throwing" && !board.form.dartboard ? store.snapshot.shown.aim : null;
    this.second.hidden = !aim;
    if (!aim) return void (this.wanted = null);
    const key = JSON.stringify([aim, this.due()]);
    if (key === this.wanted) return;
    this.wanted = key;
    this.second.replaceChildren();
    const dartboard = new Dartboard(this.second, { active: this.due(), label: aimWords(aim, store.snapshot.side) });
    dartboard.light({ asked: aim.beds });
    dartboard.addEventListener("aim", ({ detail }) => this.throw(scattered({ x: detail.x_mm, y: detail.y_mm })));
  }

  #showDue() {
    this.app.board.host.classList.toggle("takes-darts", this.due());
  }

  #over(payload) {
    if (this.sent !== payload) return;
    this.sent = null;
    this.landed = false;
    this.#showDue();
  }

  // --- what it would do ---

  #aim(detail) {
    const { board } = this.app;
    const bed = detail && board.form.bedAt(detail.point);
    this.label.hidden = !bed;
    if (!bed) return;
    this.label.textContent = this.words(bed, detail.field);
    const share = (value) => Math.min(82, Math.max(18, 50 + (100 * value) / board.form.size));
    this.label.style.left = `${share(detail.point.x)}%`;
    this.label.style.top = `${50 + (100 * detail.point.y) / board.form.size}%`;
  }

  words(bed, field) {
    const { snapshot } = this.app.store;
    if (snapshot.phase === "deciding") return bedName(bed);
    const what = this.#outcome(snapshot, bed, field);
    return `${[bedName(bed), field].filter(Boolean).join(", ")}: ${what}`;
  }

  #outcome(snapshot, bed, field) {
    if (snapshot.drops.includes(field)) {
      const next = snapshot.shown.next?.[snapshot.side];
      return next ? pieceName(snapshot.side === "white" ? next : next.toLowerCase()) : "";
    }
    if (!field) return t(bed === "MISS" ? "foul.off_board" : "foul.bull");
    if (this.app.board.pieces.has(field)) return t("foul.occupied");
    return t(snapshot.shown.zone?.includes(field) ? "foul.missed_in_check" : "foul.outside_zone");
  }
}

// What only a dart, a move or a correction changes: an announcement does not.
function happened({ match, turns, tosses, question, side, result }) {
  return JSON.stringify([match, turns, tosses, question, side, result]);
}

// A throw that misses as people do: a normal spread round the aim, in mm.
export function scattered({ x, y }) {
  const spread = () =>
    settings.scatter * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  const round = (mm) => Math.round(mm * 10) / 10;
  return { x_mm: round(x + spread()), y_mm: round(y + spread()) };
}
