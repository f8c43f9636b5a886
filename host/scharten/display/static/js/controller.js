// From taps and keys on the board to commands: which piece is chosen, where it may go (from the snapshot), why not
// (asked).

import { fieldsOf, sideOf } from "./position.js";
import { pieceName, t, tell, wordArgs } from "./words.js";
import { h, openDialog } from "./dom.js";
import { drawPiece } from "./pieces.js";

const DWELL_MS = 350; // so long a piece must stay chosen before its impossible captures are asked about

export class Controller extends EventTarget {
  constructor(app) {
    super();
    this.app = app;
    this.chosen = null;
    this.why = new Map(); // field -> answer to "may the chosen piece go there?"
    const { board } = app;
    board.addEventListener("field", ({ detail }) => this.#tap(detail.field));
    board.addEventListener("drag", ({ detail }) => this.#play(detail.from, detail.to, true));
    board.addEventListener("escape", () => this.choose(null));
    board.addEventListener("grab", (event) => {
      if (!this.movable(event.detail.from)) event.preventDefault();
      else this.choose(event.detail.from);
    });
  }

  get moves() {
    return this.app.store.mayMove() ? this.app.store.snapshot?.moves ?? [] : [];
  }

  destinations() {
    return [...new Set(this.moves.filter((move) => move.startsWith(this.chosen ?? "-")).map((move) =>
      fieldsOf(move)[1]))];
  }

  // A new snapshot: what was chosen may be gone.
  refresh() {
    if (this.chosen && !this.app.board.pieces.has(this.chosen)) this.chosen = null;
    this.why.clear();
  }

  choose(field) {
    this.chosen = field;
    this.why.clear();
    this.dispatchEvent(new Event("change"));
    if (field) this.#askWhyNot(field);
  }

  // Whether a piece can be picked up there.
  movable(field) {
    return this.moves.some((move) => move.startsWith(field));
  }

  #tap(field) {
    const { store, board } = this.app;
    if (!store.mayAct() || store.reviewing !== null || !store.snapshot) return;
    const piece = board.pieces.get(field);
    if (this.chosen === field) return this.choose(null);
    const own = piece && sideOf(piece.letter) === store.snapshot.side;
    if (this.chosen && (!own || this.destinations().includes(field))) return void this.#play(this.chosen, field, false);
    if (!piece) return this.choose(null);
    if (!own || !store.mayMove()) {
      this.choose(null);
      return this.app.say(t("not_to_move", wordArgs({ side: store.snapshot.side })));
    }
    this.choose(field);
  }

  async #play(from, to, dragged) {
    const candidates = this.moves.filter((move) => move.startsWith(from + to));
    if (!candidates.length) {
      if (dragged) this.app.board.putBack(from);
      return this.#explain(from, to);
    }
    const move = candidates.length > 1 || candidates[0].length > 4 ? await this.#promotion(candidates) : candidates[0];
    this.choose(null);
    if (!move) return this.app.board.putBack(from);
    const answer = await this.app.command("move", { move });
    if (!answer.accepted) this.app.board.putBack(from);
  }

  #promotion(candidates) {
    return new Promise((resolve) => {
      let picked = null;
      const side = this.app.store.snapshot.side;
      const choices = candidates.map((move) => {
        const letter = side === "white" ? move[4].toUpperCase() : move[4];
        const choice = h("button", { type: "button", class: "promotion-choice", "aria-label": pieceName(letter) });
        choice.append(drawPiece(letter));
        choice.addEventListener("click", () => {
          picked = move;
          dialog.close();
        });
        return choice;
      });
      const dialog = openDialog(t("promotion.title"), h("div", { class: "promotion-row" }, choices), {
        className: "small", closeText: t("close"), onclose: () => resolve(picked),
      });
    });
  }

  async #explain(from, to) {
    const answer = await this.app.ask("explain", { move: from + to });
    this.#keep(to, answer);
    this.app.say(explanation(answer, from, to), "why");
    this.dispatchEvent(new Event("change"));
  }

  // Asks for each enemy piece whether the chosen piece may take it, so that a lack of support shows before one tries.
  async #askWhyNot(field) {
    const { store, board, connection } = this.app;
    if (!this.movable(field) && !store.mayMove()) return;
    const side = store.snapshot.side;
    const free = this.destinations();
    const targets = board.form.names.filter((name) => {
      const piece = board.pieces.get(name);
      return piece && sideOf(piece.letter) !== side && piece.letter.toUpperCase() !== "K" && !free.includes(name);
    });
    await new Promise((resolve) => setTimeout(resolve, DWELL_MS));
    for (const target of targets) { // one at a time: a dart must not wait behind a crowd of questions
      if (this.chosen !== field || connection.status !== "open") return;
      const answer = await this.app.ask("explain", { move: field + target });
      if (this.chosen === field && this.#keep(target, answer)) this.dispatchEvent(new Event("change"));
    }
  }

  #keep(field, answer) {
    const code = whyCode(answer);
    if (code !== "no_support" && code !== "protected") return false;
    this.why.set(field, { code, args: answer.args });
    return true;
  }

  // Marks for the board.
  marks() {
    if (!this.chosen) return {};
    const free = this.destinations();
    const { pieces } = this.app.board;
    const because = (code) => [...this.why].filter(([, why]) => why.code === code).map(([field]) => field);
    return {
      chosen: [this.chosen],
      destination: free.filter((field) => !pieces.has(field)),
      capture: free.filter((field) => pieces.has(field)),
      unsupported: because("no_support"),
      shielded: because("protected"),
    };
  }
}

function whyCode(answer) {
  return answer.accepted || answer.code === "illegal" ? answer.args?.why ?? null : null;
}

function explanation(answer, from, to) {
  const code = whyCode(answer);
  if (code) return tell("why", code, { ...answer.args, field: answer.args.field ?? to }, answer.words);
  return answer.accepted ? t("why.legal", { move: `${from}–${to}` })
    : tell("refusal", answer.code, answer.args, answer.words);
}
