// The middle of the board, where nothing is played: it says in a few large words what is going on.

import { h } from "../dom.js";
import { drawPiece } from "../pieces.js";
import { bedName, notation, reasonWords, t, wordArgs } from "../words.js";

/** @param {App} app */
export function createCentre(app, host) {
  let drawn = "";

  function content() {
    const { snapshot, reviewing } = app.store;
    if (!snapshot) return [null, t("waiting"), ""];
    if (reviewing !== null) return [null, t("review.title"), t("review.hint")];
    const side = wordArgs({ side: snapshot.side });
    const king = snapshot.side === "white" ? "K" : "k";
    if (snapshot.result) return [null, snapshot.result, reasonWords(snapshot)];
    const computer = app.store.computerToMove();
    if (computer !== null && snapshot.phase === "turn") {
      return [king, t("computer.thinks", side), t("computer.level", { level: snapshot.computers[computer] })];
    }
    const views = {
      setup: () => ["K", t("phase.setup"), ""],
      deciding: () => [null, t("phase.deciding"), tossWords(snapshot)],
      paused: () => [null, t("phase.paused"), ""],
      throwing: () => [nextLetter(snapshot), t("phase.throwing", side),
        t("phase.throwing.hint", { piece: t(`piece.${snapshot.shown.next?.[snapshot.side] ?? "P"}`) })],
      settling: () => [lastLetter(app), lastTitle(snapshot), t("phase.settling")],
      turn: () => [king, snapshot.check.length ? t("phase.check", side) : t("phase.turn", side),
        snapshot.shown.must_throw ? t("phase.must_throw") : lastSmall(snapshot)],
    };
    return (views[snapshot.phase] ?? (() => [null, snapshot.phase, ""]))();
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
      piece?.append(drawPiece(letter));
      host.replaceChildren(...[piece, h("div", { class: "centre-text" }, text), small
        ? h("div", { class: "centre-small" }, small) : null].filter(Boolean));
      host.classList.toggle("lost", snapshot?.phase === "settling" && Boolean(snapshot.last?.foul));
      host.classList.toggle("check", Boolean(snapshot?.check.length) && !snapshot.result);
    },
  };
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

// What the last dart put on the board.
function lastLetter({ store, board }) {
  const { last } = store.snapshot;
  return last && !last.foul ? board.pieces.get(last.fields.at(-1))?.letter ?? null : null;
}

/** @param {Snapshot} snapshot */
function lastTitle(snapshot) {
  const { last } = snapshot;
  if (!last) return "";
  if (last.foul) return t("lost.title", { foul: t(`foul.${last.foul}`), bed: bedName(last.bed) });
  return `${bedName(last.bed)} → ${notation(last.text, last.by)}`;
}

/** @param {Snapshot} snapshot */
function lastSmall(snapshot) {
  const { last } = snapshot;
  if (!last) return "";
  if (last.foul) return t("lost.title", { foul: t(`foul.${last.foul}`), bed: bedName(last.bed) });
  return t("last.was", { text: notation(last.text, last.by) });
}
