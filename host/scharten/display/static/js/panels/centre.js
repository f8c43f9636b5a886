// The middle of the board, outside the fields: the phase of the game in a few large words.

import { fill, h } from "../dom.js";
import { fitCircle } from "../fit.js";
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
      const wall = app.role === "display" && !document.body.dataset.view;
      if (wall) fill(host, onWall(letter, text, snapshot?.phase === "turn" ? "" : small));
      else fill(host, roundBull(letter, text, small));
      host.classList.toggle("lost", snapshot?.phase === "settling" && Boolean(snapshot.last?.foul));
      host.classList.toggle("check", Boolean(snapshot?.check.length) && !snapshot?.result);
    },
  };
}

// Lengths in the hub are hundredths of the board's width.
const RADIUS = 16.8; // that of the hub is 17.7
const BULL = 4.5;
const PIECE = 6.6;
const LINE = 1.12;
/** @param {number} most @param {number} least */
const sizes = (most, least) => Array.from({ length: Math.round((most - least) / 0.2) + 1 }, (_, n) => most - 0.2 * n);

// The sentence above the bull, the piece and what else is known below it.
/** @param {string | null} letter @param {string} text @param {string} small */
function roundBull(letter, text, small) {
  const start = BULL + (letter ? PIECE : 0);
  return [
    lines("centre-text", fitCircle([short(text)], RADIUS, sizes(3, 1.2),
      (line, count, size) => BULL + (count - line) * LINE * size)),
    h("div", { class: "centre-below" }, letter && piece(letter),
      lines("centre-small", small ? fitCircle([short(small)], RADIUS, sizes(letter ? 2 : 2.8, 1.4),
        (line, _, size) => start + (line + 1) * LINE * size) : null)),
  ];
}

// A wall has no bull to throw at: all of it round the middle. What has no room at a legible size goes: first the piece.
/** @param {string | null} letter @param {string} text @param {string} small */
function onWall(letter, text, small) {
  return roundMiddle(letter, [text, small], 4) ?? roundMiddle(null, [text, small], 4) ?? roundMiddle(null, [text], 1.4);
}

/** @param {string | null} letter @param {string[]} texts @param {number} least */
function roundMiddle(letter, texts, least) {
  const height = letter ? PIECE : 0;
  const found = fitCircle(texts.filter(Boolean).map(short), RADIUS, sizes(4.4, least), (line, count, size) => {
    const top = line * LINE * size - (count * LINE * size + height) / 2;
    return Math.max(Math.abs(top), Math.abs(top + LINE * size));
  });
  return found && [lines("centre-text", found), lines("centre-small", found, 1), letter && piece(letter)];
}

// A word that no circle holds.
/** @param {string} text */
const short = (text) => text.replace(/[^\s-]{24,}/g, (word) => `${word.slice(0, 22)}…`);

/** @param {string} name @param {ReturnType<typeof fitCircle>} fit @param {number} [which] of its texts */
function lines(name, fit, which = 0) {
  if (!fit?.lines[which]) return null;
  const place = h("div", { class: name }, fit.lines[which].flatMap((line, n) => n ? [h("br"), line] : [line]));
  place.style.fontSize = `${fit.size.toFixed(1)}cqw`;
  return place;
}

/** @param {string} letter */
function piece(letter) {
  const place = h("div", { class: "centre-piece" });
  place.append(drawPiece(letter));
  return place;
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
