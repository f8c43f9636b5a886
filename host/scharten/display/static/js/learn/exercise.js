// One exercise on the board: fields to find, a move to play, a dart to throw. The play page's own controller moves the
// pieces; in the host's place the exercise answers it from the data.

import { Board } from "../board.js";
import { Controller } from "../controller.js";
import { button, fill, find, h } from "../dom.js";
import { bedAt, bedMiddle, bedOf } from "../geometry.js";
import { drawPiece } from "../pieces.js";
import { fieldsOf, readPosition } from "../position.js";
import { bedName, notation, pieceName, t } from "../words.js";

const LOOK_MS = 1300; // so long a legal move that was not asked for stays on the board

/**
 * @typedef {object} Flow how one gets on
 * @property {(key: string) => void} done
 * @property {(key: string) => void} next
 * @property {(key: string) => (() => void) | null} back
 */

/** @implements {MovingApp} */
export class Exercise {
  /** @type {ExerciseData | null} */ task = null;
  key = ""; // of the exercise
  finished = false;
  flying = false; // whether a dart is on its way
  timer = 0; // until the exercise begins again
  connection = { status: "open" };
  feedback = h("div");
  buttons = h("div");
  darts = h("div");
  pips = h("span");

  /** @param {Lessons} data @param {HTMLElement} host @param {Flow} flow */
  constructor(data, host, { done, next, back }) {
    this.data = data;
    this.done = done;
    this.next = next;
    this.back = back;
    this.board = new Board(host, { interactive: true, label: (name, letter, classes) =>
      this.#label(name, letter, classes) });
    this.board.svg.setAttribute("aria-label", t("board.label"));
    host.classList.add("interactive");
    this.board.show({ layout: data.layout, whiteSitsAt: data.white_sits_at });
    this.store = { reviewing: null, snapshot: /** @type {MovingApp["store"]["snapshot"]} */ (null), mayAct: () => true,
      mayMove: () => Boolean(this.task?.moves) && !this.finished };
    this.controller = new Controller(this);
    this.controller.on("change", () => this.#mark());
    this.board.takesThrow = () => this.task?.kind === "throw" && !this.finished;
    this.board.on("throw", ({ point }) => this.#aimed(this.board.form.millimetres(point)));
    this.board.on("field", ({ field }) => this.task?.kind === "tap" && this.#found(field));
  }

  // The exercise, for what happens only while one is open.
  get present() {
    return /** @type {ExerciseData} */ (this.task);
  }

  // Opens the exercise with this key; returns the elements of its text.
  /** @param {string} key */
  open(key) {
    clearTimeout(this.timer);
    this.key = key;
    this.task = this.data.exercises.find((exercise) => exercise.key === key) ?? null;
    this.feedback = h("div", { class: "lesson-feedback", role: "status" });
    this.buttons = h("div", { class: "action-row lesson-buttons" });
    this.darts = h("div", { class: "lesson-darts" });
    if (this.present.kind === "throw") this.#layThrower();
    this.reset(false);
    const words = t(`learn.${key}.words`).split("\n").map((line) => h("p", {}, line));
    const task = h("p", { class: "lesson-task" }, h("strong", {}, t("learn.task")), " ", t(`learn.${key}.task`));
    return [h("div", { class: "lesson-words" }, words), task, this.darts, this.feedback, this.buttons];
  }

  close() {
    clearTimeout(this.timer);
    this.task = null;
    const opening = this.data.exercises.find((exercise) => exercise.key === "board.3")?.position
      ?? this.data.exercises[0].position;
    this.#stand(opening);
    this.board.mark({});
    this.board.showDarts([]);
  }

  /** @param {boolean} [animate] */
  reset(animate = true) {
    const task = this.present;
    this.finished = false;
    this.#allow(Object.keys(task.moves ?? {}));
    this.#stand(task.position, { animate, showUnmoved: task.protection });
    this.board.showDarts([]);
    this.#pips(task.fouls);
    this.controller.refresh();
    this.controller.choose(null);
    this.#tell("");
    this.#drawButtons();
  }

  // --- in the host's place, for the controller ---

  /** @param {string} type @param {Record<string, any>} fields */
  async command(type, { move }) {
    const found = /** @type {LessonMove} */ (this.present.moves?.[move]);
    this.#put(found.after);
    this.controller.refresh();
    if (found.good) this.#finish();
    else {
      this.#tell(t("learn.not_asked", { text: notation(found.text, "white") }), "hint");
      this.timer = setTimeout(() => this.#goBack(), LOOK_MS);
      this.finished = true;
    }
    return { accepted: true };
  }

  /** @param {string} type @param {Record<string, any>} fields */
  async ask(type, { move }) {
    const legal = Object.keys(this.present.moves ?? {}).find((known) => known.startsWith(move));
    if (legal) return { accepted: true, args: {} };
    const why = this.present.why?.[move] ?? { code: "not_a_move", args: {} };
    return { accepted: false, code: "illegal", args: { field: fieldsOf(move)[1], ...why.args, why: why.code } };
  }

  /** @param {string} text */
  say(text) {
    if (this.task?.kind === "move" && !this.finished) this.#tell(text, "hint");
  }

  /** @param {string[]} moves what the controller may play */
  #allow(moves) {
    this.store.snapshot = { side: "white", moves };
  }

  #goBack() {
    const said = this.feedback.textContent ?? "";
    this.reset();
    this.#tell(said, "hint");
  }

  // --- the learner's actions ---

  /** @param {string} field */
  #found(field) {
    const known = this.data.fields[field];
    const words = t("learn.field",
      { field, ring: t(`learn.ring.${known.ring}`), value: known.value, line: known.line });
    const right = this.present.fields.includes(field);
    this.board.mark({ [right ? "chosen" : "last"]: [field] });
    if (right) this.#finish(words);
    else this.#tell(words, "hint");
  }

  /** @param {Point | null} at */
  async #aimed(at) {
    if (!at || this.flying) return;
    this.flying = true;
    await this.board.darts.fly(this.board.form.point({ x_mm: at.x, y_mm: at.y }));
    this.flying = false;
    this.#throw({ x_mm: at.x, y_mm: at.y, bed: bedAt(at.x, at.y) });
  }

  /** @param {DartPoint & {bed: string}} dart */
  #throw({ x_mm, y_mm, bed }) {
    if (this.finished || this.task?.kind !== "throw") return;
    const task = this.present;
    const [effect, field] = task.beds[bed];
    const lost = effect !== "placed";
    this.board.showDarts([{ x_mm, y_mm, lost }]);
    if (!lost) this.#put(task.placed[field]);
    this.#pips(lost ? task.fouls_after : 0);
    const words = lost ? t("last.bed", { bed: bedName(bed), outcome: t(`foul.${effect}`) })
      : t("learn.placed", { bed: bedName(bed), field, piece: t(`piece.${task.next}`) });
    const right = task.good === (lost ? "lost" : "placed");
    if (right) return this.#finish(words);
    this.finished = true;
    this.#tell(`${words}. ${t("learn.again_words")}`, "hint");
    this.timer = setTimeout(() => this.#goBack(), 2 * LOOK_MS);
  }

  /** @param {string} position @param {{animate?: boolean, showUnmoved?: boolean}} [how] */
  #stand(position, how = {}) {
    const { pieces, gone } = readPosition(position, this.data.layout);
    this.board.setPieces(pieces, how);
    this.board.setGone(gone);
  }

  /** @param {string} position */
  #put(position) {
    this.#stand(position, { animate: true, showUnmoved: this.present.protection });
  }

  /** @param {string} [words] */
  #finish(words = "") {
    this.finished = true;
    this.#allow([]);
    this.#tell([words, t(`learn.${this.key}.done`)].filter(Boolean).join("\n"), "good");
    this.done(this.key);
    this.#drawButtons();
    find(this.buttons, ".primary")?.focus({ preventScroll: true });
  }

  // Plays the first right answer, for learners who do not find it.
  #show() {
    const task = this.present;
    clearTimeout(this.timer);
    this.reset();
    if (task.kind === "tap") return this.#found(task.fields[0]);
    if (task.kind === "move") return void this.command("move",
      { move: Object.entries(task.moves ?? {}).find(([, { good }]) => good)?.[0] });
    const bed = task.good === "lost" ? "BULL"
      : bedOf(task.free[Math.floor(task.free.length / 2)], this.data.white_sits_at);
    const middle = bedMiddle(bed);
    if (middle) this.#throw({ x_mm: middle.x, y_mm: middle.y, bed });
  }

  // --- drawing ---

  #mark() {
    if (!this.task || this.task.kind === "tap") return this.board.mark({});
    this.board.mark({
      ...(this.task.kind === "throw" ? { zone: this.task.zone, drop: this.task.free } : {}),
      check: this.task.check && !this.finished
        ? [...this.board.pieces].filter(([, piece]) => piece.letter === "K").map(([field]) => field) : [],
      ...this.controller.marks(),
    });
  }

  /** @param {string} text @param {string} [kind] */
  #tell(text, kind = "") {
    this.feedback.className = `lesson-feedback ${kind}`;
    this.feedback.replaceChildren(...text.split("\n").filter(Boolean).map((line) => h("p", {}, line)));
  }

  #drawButtons() {
    const back = this.back(this.key);
    fill(this.buttons,
      back && button(t("learn.back"), back),
      this.finished ? button(t("learn.again"), () => this.reset()) : button(t("learn.show"), () => this.#show()),
      button(t("learn.next"), () => this.next(this.key), { class: this.finished ? "primary" : "" }));
  }

  #layThrower() {
    const task = this.present;
    const piece = h("span", { class: "next-piece" }, t("next", { piece: t(`piece.${task.next}`) }));
    piece.append(drawPiece(task.next));
    this.pips = h("span", { class: "fouls" });
    const miss = button(t("missed"), () =>
      this.#throw({ x_mm: 0, y_mm: 205, bed: "MISS" }));
    this.darts.replaceChildren(h("p", { class: "lesson-thrower" }, piece, this.pips), miss);
  }

  /** @param {number} fouls */
  #pips(fouls) {
    const { kind, limit } = this.present;
    if (kind !== "throw") return;
    const dots = Array.from({ length: limit }, (_, index) =>
      h("span", { class: `pip${index < fouls ? " on" : ""}` }));
    this.pips.replaceChildren(t("fouls", { count: fouls, limit }),
      h("span", { class: "pips", "aria-hidden": "true" }, dots));
  }

  /** @param {string} name @param {string | undefined} letter @param {DOMTokenList} classes */
  #label(name, letter, classes) {
    const parts = [name, letter ? pieceName(letter) : t("field.empty")];
    for (const mark of ["chosen", "zone"]) if (classes?.contains(mark)) parts.push(t(`mark.${mark}`));
    const marks = this.controller?.marks() ?? {};
    for (const mark of ["destination", "capture", "unsupported", "shielded"]) {
      if ([...(marks[mark] ?? [])].includes(name)) parts.push(t(`mark.${mark}`));
    }
    return parts.join(", ");
  }
}
