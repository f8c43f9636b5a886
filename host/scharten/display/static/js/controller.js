// From taps and keys on the board to commands: which piece is chosen, where it may go (from the snapshot), why not
// (asked).

import { Emitter } from "./events.js";
import { fieldsOf, sideOf } from "./position.js";
import { t, tell, wordArgs } from "./words.js";
import { choosePromotion } from "./promotion.js";

const DWELL_MS = 350; // so long a piece must stay chosen before its impossible captures are asked about

/** @extends {Emitter<{change: null}>} */
export class Controller extends Emitter {
  /** @param {MovingApp} app */
  constructor(app) {
    super();
    this.app = app;
    /** @type {string | null} */
    this.chosen = null;
    /** @type {Map<string, {code: string | null, args: Record<string, any>}>} */
    this.why = new Map(); // by field: the answer to "may the chosen piece go there?"
    const { board } = app;
    board.on("field", ({ field }) => this.#tap(field));
    board.on("drag", ({ from, to }) => this.#play(from, to, true));
    board.on("escape", () => this.choose(null));
    board.maySeize = (field) => {
      if (this.movable(field)) this.choose(field);
      return this.movable(field);
    };
  }

  get moves() {
    return this.app.store.mayMove() ? this.app.store.snapshot?.moves ?? [] : [];
  }

  destinations() {
    return [...new Set(this.moves.filter((move) => move.startsWith(this.chosen ?? "-")).map((move) =>
      fieldsOf(move)[1]))];
  }

  // After a new snapshot the chosen piece may be gone.
  refresh() {
    if (this.chosen && !(this.app.board.pieces.has(this.chosen) && this.app.store.mayMove())) this.chosen = null;
    this.why.clear();
  }

  /** @param {string | null} field */
  choose(field) {
    this.chosen = field;
    this.why.clear();
    this.emit("change", null);
    if (field) this.#askWhyNot(field);
  }

  // Whether a piece can be picked up there.
  /** @param {string} field */
  movable(field) {
    return this.moves.some((move) => move.startsWith(field));
  }

  /** @param {string} field */
  #tap(field) {
    const { store, board } = this.app;
    if (!store.mayAct() || store.reviewing !== null || !store.snapshot) return;
    const piece = board.pieces.get(field);
    if (this.chosen === field) return this.choose(null);
    const own = piece && sideOf(piece.letter) === store.snapshot.side;
    const goes = this.chosen && (this.destinations().includes(field) || this.#castling(this.chosen, field));
    if (this.chosen && (!own || goes)) return void this.#play(this.chosen, field, false);
    if (!piece) return this.choose(null);
    if (!own || !store.mayMove()) {
      this.choose(null);
      return this.app.say(t("not_to_move", wordArgs({ side: store.snapshot.side }, store.snapshot.names)));
    }
    this.choose(field);
  }

  // A move typed as coordinates: the host judges it as any other.
  /** @param {string} text */
  typed(text) {
    const [from, to] = [text.slice(0, 2), text.slice(2, 4)];
    if (text.length > 4) return this.app.command("move", { move: text });
    return this.#play(from, to, false);
  }

  // Castling is entered either way, as a king's step of two or as the king onto his rook; the host has it one way.
  /** @param {string} from @param {string} to */
  #castling(from, to) {
    const { board, store } = this.app;
    const letters = [from, to].map((field) => board.pieces.get(field)?.letter ?? "");
    const [king, rook] = store.snapshot?.side === "white" ? ["K", "R"] : ["k", "r"];
    if (board.form.dartboard || letters[0] !== king || from[1] !== to[1]) return null;
    const right = to > from;
    /** @param {string} field */
    const rookBeyond = (field) => board.pieces.get(field)?.letter === rook && field[1] === from[1]
      && (field > from) === right;
    if (letters[1] === rook) return this.moves.find((move) => move === `${from}${right ? "g" : "c"}${from[1]}`
      && Math.abs(move.charCodeAt(2) - move.charCodeAt(0)) === 2) ?? null;
    if (to[0] !== (right ? "g" : "c")) return null;
    return this.moves.find((move) => move.startsWith(from) && rookBeyond(move.slice(2, 4))) ?? null;
  }

  /** @param {string} from @param {string} to @param {boolean} dragged */
  async #play(from, to, dragged) {
    const direct = this.moves.filter((move) => move.startsWith(from + to));
    const castling = direct.length ? null : this.#castling(from, to);
    const candidates = castling ? [castling] : direct;
    if (!candidates.length) {
      if (dragged) this.app.board.putBack(from);
      const { store } = this.app;
      if (store.ownSide?.() && !store.mayMove() && store.snapshot) { // the same seat may have moved on another page
        const { side, names } = store.snapshot;
        return this.app.say(t("not_to_move", wordArgs({ side }, names)));
      }
      return this.#explain(from, to);
    }
    const move = candidates.length > 1 || candidates[0].length > 4
      ? await choosePromotion(this.app.board, to, candidates, this.app.store.snapshot?.side ?? "white") : candidates[0];
    this.choose(null);
    if (!move) return this.app.board.putBack(from);
    const answer = await this.app.command("move", { move });
    if (!answer.accepted) this.app.board.putBack(from);
  }

  /** @param {string} from @param {string} to */
  async #explain(from, to) {
    const answer = await this.app.ask("explain", { move: from + to });
    this.#keep(to, answer);
    this.app.say(explanation(answer, from, to, this.app.store.snapshot?.names), "why");
    this.emit("change", null);
  }

  // Asks for each enemy piece whether the chosen piece may take it, so that a lack of support shows before one tries.
  /** @param {string} field */
  async #askWhyNot(field) {
    const { store, board, connection } = this.app;
    const side = store.snapshot?.side;
    if (!side || (!this.movable(field) && !store.mayMove())) return;
    const free = this.destinations();
    const targets = board.form.names.filter((name) => {
      const piece = board.pieces.get(name);
      return piece && sideOf(piece.letter) !== side && piece.letter.toUpperCase() !== "K";
    }).sort((a, b) => Number(free.includes(b)) - Number(free.includes(a)));
    await new Promise((resolve) => setTimeout(resolve, DWELL_MS));
    for (const target of targets) { // one at a time: a dart must not wait behind a crowd of questions
      if (this.chosen !== field || connection.status !== "open") return;
      const answer = await this.app.ask("explain", { move: field + target });
      if (this.chosen === field && this.#keep(target, answer)) this.emit("change", null);
    }
  }

  /** @param {string} field @param {Reply} answer */
  #keep(field, answer) {
    const code = whyCode(answer);
    const legal = answer.accepted && !code && answer.args?.supporters && answer.args.value > 1;
    if (!legal && code !== "no_support" && code !== "protected") return false;
    this.why.set(field, { code: legal ? "supported" : code, args: answer.args ?? {} });
    return true;
  }

  // The support that each capture of the chosen piece has and needs.
  support() {
    if (!this.chosen) return [];
    return [...this.why].filter(([, { code }]) => code === "supported" || code === "no_support")
      .map(([field, { code, args }]) => ({ field, from: args.supporters, enough: code === "supported",
        text: t("support.count", { have: args.support, need: args.needed ?? args.value - 1 }) }));
  }

  /**
   * Marks for the board.
   * @returns {Marks}
   */
  marks() {
    if (!this.chosen) return {};
    const free = this.destinations();
    const { pieces } = this.app.board;
    /** @param {string} code */
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

/** @param {Reply} answer @returns {string | null} */
function whyCode(answer) {
  return answer.accepted || answer.code === "illegal" ? answer.args?.why ?? null : null;
}

/** @param {Reply} answer @param {string} from @param {string} to @param {import("./words.js").Names} names */
function explanation(answer, from, to, names) {
  const code = whyCode(answer);
  if (code) return tell("why", code, { ...answer.args, field: answer.args?.field ?? to }, answer.words, names);
  return answer.accepted ? t("why.legal", { move: `${from}–${to}` })
    : tell("refusal", answer.code ?? "", answer.args, answer.words, names);
}
