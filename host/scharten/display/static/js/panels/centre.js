// The middle of the board, outside the fields: the phase of the game in a few large words.

import { h } from "../dom.js";
import { fitWords } from "../fit.js";
import { levelWords } from "../level.js";
import { drawPiece } from "../pieces.js";
import { lastOutcome, turnSentence } from "../turns.js";
import { bedName, loserOf, nameOf, reasonWords, t } from "../words.js";

/** @param {App} app @param {HTMLElement} host */
export function createCentre(app, host) {
  let drawn = "";

  /** @returns {[letter: string | null, text: string, small: string]} */
  function content() {
    const { snapshot, reviewing } = app.store;
    if (!snapshot) return [null, t("waiting"), ""];
    if (reviewing !== null) return [null, t("review.title"), t("review.hint")];
    const king = snapshot.side === "white" ? "K" : "k";
    if (snapshot.result) return [null, endWords(snapshot), reasonWords(snapshot)];
    if (snapshot.question) return [null, t("hub.wait"), questionWords(snapshot.question)];
    const computer = app.store.computerToMove();
    if (computer !== null && snapshot.phase === "turn") {
      const thinks = t("computer.thinks", { side: nameOf(snapshot, snapshot.side) });
      return [king, thinks, levelWords(snapshot, computer)];
    }
    /** @type {Partial<Record<Snapshot["phase"], () => [letter: string | null, text: string, small: string]>>} */
    const views = {
      setup: () => ["K", t("phase.setup"), ""],
      deciding: () => [null, t("phase.deciding"), tossWords(snapshot)],
      paused: () => [null, t("phase.paused"), ""],
      throwing: () => [nextLetter(snapshot), turnSentence(snapshot), ""],
      settling: () => [lastLetter(app), lastSentence(snapshot),
        app.store.welcome?.simulated ? turnSentence(snapshot) : t("phase.settling")],
      turn: () => [snapshot.can?.throw ? nextLetter(snapshot) ?? king : king, turnSentence(snapshot),
        lastSentence(snapshot)],
    };
    return (views[snapshot.phase] ?? (() => [null, t(`phase.${snapshot.phase}`), ""]))();
  }

  return {
    update() {
      const parts = content();
      const { snapshot } = app.store;
      const key = JSON.stringify([parts, snapshot?.last?.foul, snapshot?.phase]);
      if (key === drawn) return;
      drawn = key;
      host.dataset.phase = snapshot?.phase ?? "";
      const [letter, text, small] = parts;
      const piece = letter ? h("div", { class: "centre-piece" }) : null;
      piece?.append(drawPiece(letter ?? ""));
      const below = h("div", { class: "centre-below" }, piece,
        small ? h("div", { class: "centre-small" }, small) : null);
      const words = h("div", { class: "centre-text" }, text);
      fitWords(words, text);
      host.replaceChildren(words, below);
      // Smaller in a long sentence: the bull stays in sight, and the corners of the text stay in the hub.
      host.classList.toggle("longer", text.length > 26);
      host.classList.toggle("long", text.length > 40);
      host.classList.toggle("lost", snapshot?.phase === "settling" && Boolean(snapshot.last?.foul));
      host.classList.toggle("check", Boolean(snapshot?.check.length) && !snapshot?.result);
    },
  };
}

/** @param {Snapshot} snapshot */
function endWords({ result, names }) {
  const loser = loserOf(result);
  const winner = loser === "white" ? "black" : "white";
  return loser ? `${result} ${t("end.wins", { name: names?.[winner] || t(`side.${winner}`) })}` : result ?? "";
}

// The referee's question, in a few words: "7 (outer) or treble 7?".
/** @param {QuestionModel} question */
function questionWords({ code, choices }) {
  if (code !== "which_bed" || !choices.length) return t(code === "which_bed" ? "hub.ask.unclear" : `hub.ask.${code}`);
  return t("hub.ask.beds", { beds: choices.map(({ bed }) => hubBed(bed)).join(t("hub.or")) });
}

// Before the colours are known a name belongs to a seat.
/** @param {Snapshot} snapshot */
function tossWords(snapshot) {
  const thrown = (snapshot.tosses ?? []).slice(-2).map((toss) => bedName(toss.bed)).join(" · ");
  if (!snapshot.to_toss) return thrown;
  const name = snapshot.names?.[snapshot.seats?.[snapshot.to_toss]] || t(`seat.${snapshot.to_toss}`);
  return [t("decide.next", { name }), thrown].filter(Boolean).join(" · ");
}

/** @param {Snapshot} snapshot */
function nextLetter(snapshot) {
  const kind = snapshot.shown.next?.[snapshot.side];
  return kind ? (snapshot.side === "white" ? kind : kind.toLowerCase()) : null;
}

// The piece that the last dart put on the board.
/** @param {App} app */
function lastLetter({ store, board }) {
  const { last } = store.present;
  return last && !last.foul ? board.pieces.get(last.fields[last.fields.length - 1])?.letter ?? null : null;
}

// The last turn: "Outer 15: pawn on h2", "Double 20: outside the zone", "Rook from e2 to e5".
/** @param {Snapshot} snapshot */
function lastSentence(snapshot) {
  const { last } = snapshot;
  const outcome = lastOutcome(snapshot);
  if (last?.foul || last?.move?.startsWith("@")) return t("last.bed", { bed: hubBed(last.bed), outcome });
  return outcome && outcome[0].toUpperCase() + outcome.slice(1);
}

/** @param {string | null} bed */
function hubBed(bed) {
  return bed && /^[DFTL]/.test(bed) ? t(`bed.long.${bed[0]}`, { number: bed.slice(1) }) : bedName(bed);
}
