// One problem on the board: the play page's own controller moves the pieces, and the server judges each turn.

import { Board } from "./board.js";
import { Controller } from "./controller.js";
import { fieldOf } from "./geometry.js";
import { fieldsOf, readPosition } from "./position.js";
import { pieceName, t } from "./words.js";

/** @implements {MovingApp} */
export class ProblemBoard {
  /** @type {ProblemShown | null} */ shown = null; // the position, and the turns that may be played
  open = false; // whether a turn is awaited
  withDarts = false; // whether a turn that needs a dart waits for one
  waiting = ""; // the move that waits for its dart
  thrown = false; // whether the last field was named by a dart
  connection = { status: "open" };

  /**
   * @param {HTMLElement} host
   * @param {(turn: string, by: "press" | "type" | "dart", bed: string) => Promise<boolean>} play
   * @param {(text: string) => void} say
   */
  constructor(host, play, say) {
    this.play = play;
    this.say = say;
    this.board = new Board(host, { interactive: true, label: (name, letter, classes) =>
      this.#label(name, letter, classes) });
    this.board.svg.setAttribute("aria-label", t("board.label"));
    host.classList.add("interactive");
    this.store = { reviewing: null, snapshot: /** @type {MovingApp["store"]["snapshot"]} */ (null),
      mayAct: () => this.open, mayMove: () => this.open };
    this.board.on("field", ({ field }) => this.#placed(field)); // before the controller lets go of a chosen piece
    this.controller = new Controller(this);
    this.controller.on("change", () => this.#mark());
  }

  /** @param {ProblemShown} shown @param {boolean} open */
  show(shown, open) {
    this.shown = shown;
    this.open = open;
    this.waiting = "";
    const { layout, white_sits_at: whiteSitsAt = 3, position, side } = shown;
    this.board.show({ layout, whiteSitsAt, turned: shown.turned });
    const { pieces, gone } = readPosition(position, layout);
    this.board.setPieces(pieces, { showUnmoved: shown.kind === "loud" });
    this.board.setGone(gone);
    this.store.snapshot = { side, moves: shown.moves };
    this.controller.refresh();
    this.controller.choose(null);
  }

  // --- in the host's place, for the controller ---

  /** @param {string} type @param {Record<string, any>} fields */
  async command(type, { move }) {
    const by = this.thrown ? "dart" : "press";
    this.thrown = false;
    if (this.withDarts && this.shown?.needs_dart.includes(move)) {
      this.waiting = move;
      this.say(t("puzzle.throw_for", { move }));
      this.#mark();
      return { accepted: false };
    }
    return { accepted: await this.play(move, by, "") };
  }

  /** @param {string} _type @param {Record<string, any>} fields */
  async ask(_type, { move }) {
    if (this.shown?.moves.some((known) => known.startsWith(move))) return { accepted: true, args: {} };
    return { accepted: false, code: "illegal", args: { field: fieldsOf(move)[1], why: "not_a_move" } };
  }

  // --- the solver's actions ---

  // What was typed: a turn in coordinates, or a field for the next piece.
  /** @param {string} turn */
  typed(turn) {
    if (!this.open || !this.shown) return false;
    const found = [...this.shown.moves, ...this.shown.drops.map((field) => `@${field}`)]
      .find((known) => known === turn || known === `@${turn}`);
    if (found) this.play(found, "type", "");
    return Boolean(found);
  }

  // A dart on the real board: it plays what waits for one, places a piece, or presses a field of the schartbord.
  /** @param {string} bed */
  dart(bed) {
    if (!this.open || !this.shown) return;
    const field = fieldOf(bed, this.shown.white_sits_at ?? 3);
    if (this.waiting || this.shown.drops.length) this.play(this.waiting, "dart", bed);
    else if (this.board.form.dartboard && field) {
      this.thrown = true;
      this.board.emit("field", { field, by: "tap" });
    }
  }

  /** @param {string} field */
  #placed(field) {
    if (!this.open || this.controller.chosen || this.board.pieces.has(field)) return;
    if (!this.shown?.drops.includes(field)) return;
    if (this.withDarts) this.say(t("puzzle.throw_there", { field }));
    else this.play(`@${field}`, "press", "");
  }

  // --- drawing ---

  #mark() {
    if (!this.shown) return this.board.mark({});
    this.board.mark({
      ...(this.open && this.shown.drops.length ? { zone: this.shown.drops } : {}),
      check: this.shown.check,
      last: fieldsOf(this.shown.last),
      ...(this.waiting ? { chosen: fieldsOf(this.waiting) } : this.controller.marks()),
    });
  }

  /** @param {string} name @param {string | undefined} letter @param {DOMTokenList} classes */
  #label(name, letter, classes) {
    const parts = [name, letter ? pieceName(letter) : t("field.empty")];
    for (const mark of ["chosen", "zone"]) if (classes?.contains(mark)) parts.push(t(`mark.${mark}`));
    const marks = this.controller?.marks() ?? {};
    for (const mark of ["destination", "capture"]) {
      if ([...(marks[mark] ?? [])].includes(name)) parts.push(t(`mark.${mark}`));
    }
    return parts.join(", ");
  }
}
