// One exercise on the board: fields to find, a move to play, a dart to throw. The play page's own controller moves the
// pieces; in the host's place the exercise answers it from the data.

import { Board } from "../board.js";
import { Controller } from "../controller.js";
import { button, h } from "../dom.js";
import { bedAt, bedMiddle, bedOf } from "../geometry.js";
import { drawPiece } from "../pieces.js";
import { fieldsOf, readPosition } from "../position.js";
import { bedName, notation, pieceName, t } from "../words.js";

const LOOK_MS = 1300; // so long a legal move that was not asked for stays on the board

export class Exercise {
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
    this.store = { reviewing: null, snapshot: null, mayMove: () => Boolean(this.task?.moves) && !this.finished,
      mayAct: () => true };
    this.connection = { status: "open" };
    this.controller = new Controller(this);
    this.controller.addEventListener("change", () => this.#mark());
    this.board.takesThrow = () => this.task?.kind === "throw" && !this.finished;
    this.board.addEventListener("throw", ({ detail }) => this.#aimed(this.board.form.millimetres(detail.point)));
    this.board.addEventListener("field", ({ detail }) => this.task?.kind === "tap" && this.#found(detail.field));
  }

  // The elements of the text beside the board, for the exercise with this key.
  open(key) {
    clearTimeout(this.timer);
    this.key = key;
    this.task = this.data.exercises.find((exercise) => exercise.key === key);
    this.feedback = h("div", { class: "lesson-feedback", role: "status" });
    this.buttons = h("div", { class: "action-row lesson-buttons" });
    this.darts = h("div", { class: "lesson-darts" });
    if (this.task.kind === "throw") this.#layThrower();
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

  reset(animate = true) {
    const { task } = this;
    this.finished = false;
    this.store.snapshot = { side: "white", moves: Object.keys(task.moves ?? {}), match: task.key, seq: 0 };
    this.#stand(task.position, { animate, showUnmoved: task.protection });
    this.board.showDarts([]);
    this.#pips(task.fouls);
    this.controller.refresh();
    this.controller.choose(null);
    this.#tell("");
    this.#drawButtons();
  }

  // --- in the host's place, for the controller ---

  async command(type, { move }) {
    const found = this.task.moves[move];
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

  async ask(type, { move }) {
    const legal = Object.keys(this.task.moves ?? {}).find((known) => known.startsWith(move));
    if (legal) return { accepted: true, args: {} };
    const why = this.task.why?.[move] ?? { code: "not_a_move", args: {} };
    return { accepted: false, code: "illegal", args: { field: fieldsOf(move)[1], ...why.args, why: why.code } };
  }

  say(text) {
    if (this.task?.kind === "move" && !this.finished) this.#tell(text, "hint");
  }

  #goBack() {
    const said = this.feedback.textContent;
    this.reset();
    this.#tell(said, "hint");
  }

  // --- what was done ---

  #found(field) {
    const known = this.data.fields[field];
    const words = t("learn.field",
      { field, ring: t(`learn.ring.${known.ring}`), value: known.value, line: known.line });
    const right = this.task.fields.includes(field);
    this.board.mark({ [right ? "chosen" : "last"]: [field] });
    if (right) this.#finish(words);
    else this.#tell(words, "hint");
  }

  async #aimed(at) {
    if (!at || this.flying) return;
    this.flying = true;
    await this.board.darts.fly(this.board.form.point({ x_mm: at.x, y_mm: at.y }));
    this.flying = false;
    this.#throw({ x_mm: at.x, y_mm: at.y, bed: bedAt(at.x, at.y) });
  }

  #throw({ x_mm, y_mm, bed }) {
    if (this.finished || this.task?.kind !== "throw") return;
    const { task } = this;
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

  #stand(position, how = {}) {
    const { pieces, gone } = readPosition(position, this.data.layout);
    this.board.setPieces(pieces, how);
    this.board.setGone(gone);
  }

  #put(position) {
    this.#stand(position, { animate: true, showUnmoved: this.task.protection });
  }

  #finish(words = "") {
    this.finished = true;
    this.store.snapshot = { ...this.store.snapshot, moves: [] };
    this.#tell([words, t(`learn.${this.key}.done`)].filter(Boolean).join("\n"), "good");
    this.done(this.key);
    this.#drawButtons();
    this.buttons.querySelector(".primary").focus({ preventScroll: true });
  }

  // Plays the first right answer, for who does not find it.
  #show() {
    const { task } = this;
    clearTimeout(this.timer);
    this.reset();
    if (task.kind === "tap") return this.#found(task.fields[0]);
    if (task.kind === "move") return void this.command("move",
      { move: Object.keys(task.moves).find((move) => task.moves[move].good) });
    const bed = task.good === "lost" ? "BULL"
      : bedOf(task.free[Math.floor(task.free.length / 2)], this.data.white_sits_at);
    const { x, y } = bedMiddle(bed);
    this.#throw({ x_mm: x, y_mm: y, bed });
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

  #tell(text, kind = "") {
    this.feedback.className = `lesson-feedback ${kind}`;
    this.feedback.replaceChildren(...text.split("\n").filter(Boolean).map((line) => h("p", {}, line)));
  }

  #drawButtons() {
    const back = this.back(this.key);
    this.buttons.replaceChildren(...[
      back && button(t("learn.back"), back),
      this.finished ? button(t("learn.again"), () => this.reset()) : button(t("learn.show"), () => this.#show()),
      button(t("learn.next"), () => this.next(this.key), { class: this.finished ? "primary" : "" }),
    ].filter(Boolean));
  }

  #layThrower() {
    const { task } = this;
    const piece = h("span", { class: "next-piece" }, t("next", { piece: t(`piece.${task.next}`) }));
    piece.append(drawPiece(task.next));
    this.pips = h("span", { class: "fouls" });
    const miss = button(t("virtual.miss"), () =>
      this.#throw({ ...bedMiddle("MISS"), x_mm: 0, y_mm: 205, bed: "MISS" }));
    this.darts.replaceChildren(h("p", { class: "lesson-thrower" }, piece, this.pips), miss);
  }

  #pips(fouls) {
    if (this.task.kind !== "throw") return;
    const dots = Array.from({ length: this.task.limit }, (_, index) =>
      h("span", { class: `pip${index < fouls ? " on" : ""}` }));
    this.pips.replaceChildren(t("fouls", { count: fouls, limit: this.task.limit }),
      h("span", { class: "pips", "aria-hidden": "true" }, dots));
  }

  #label(name, letter, classes) {
    const parts = [name, letter ? pieceName(letter) : t("field.empty")];
    for (const mark of ["chosen", "zone"]) if (classes?.contains(mark)) parts.push(t(`mark.${mark}`));
    const marks = this.controller?.marks() ?? {};
    for (const mark of ["destination", "capture", "unsupported",
      "shielded"]) if (marks[mark]?.includes(name)) parts.push(t(`mark.${mark}`));
    return parts.join(", ");
  }
}
