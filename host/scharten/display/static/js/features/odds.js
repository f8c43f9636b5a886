// The odds of the next dart, lit on the board: each free bed as bright as the thrower's chance to hit it. A device that
// may move asks the host's adviser once a turn; others show what was asked.

import { svg } from "../svg.js";
import { advised } from "./advice.js";

const BRIGHTEST = 0.85; // of a bed that cannot be missed: its colour is still seen

// The snapshot in which a dart may be thrown now; null at any other time.
/** @param {Store} store */
function open(store) {
  const { snapshot } = store;
  if (!snapshot || snapshot.result || snapshot.question || store.reviewing !== null) return null;
  return snapshot.phase === "throwing" || (snapshot.phase === "turn" && snapshot.can.throw) ? snapshot : null;
}

let asked = ""; // the dart that this page has asked about

/**
 * Asks the adviser about each dart that is due, where `wanted` and where this page may move.
 * @param {App} app
 * @param {() => boolean} wanted
 */
export function askEachTurn(app, wanted) {
  const { store } = app;
  store.on("change", ask);
  ask();

  function ask() {
    const snapshot = open(store);
    if (!snapshot || !store.mayMove() || snapshot.game.options.rated || !wanted()) return;
    const { match, turns, seq, shown } = snapshot;
    const due = `${match} ${turns} ${shown.aim?.move ?? ""}`;
    if (asked === due || advised(store)) return;
    asked = due;
    app.ask("advise", { match, seq }).then(({ accepted, code }) => {
      if (!accepted && code === "stale" && asked === due) asked = ""; // the next state asks again
    });
  }
}

/** @param {App} app */
export function lightOdds(app) {
  const { store, board } = app;
  let drawn = "";

  askEachTurn(app, () => Boolean(board.form.dartboard));
  store.on("change", draw);
  draw();

  function draw() {
    const found = open(store) && board.form.dartboard ? advised(store) : null;
    const shares = (found?.fields ?? []).map(({ field, hit }) => ({ field, hit }));
    const wanted = JSON.stringify([board.shownForm, shares]);
    if (wanted === drawn && (!shares.length || board.svg.querySelector(".odds"))) return;
    drawn = wanted;
    board.svg.querySelector(".odds")?.remove();
    if (!shares.length) return;
    const layer = svg("g", { class: "odds", "aria-hidden": "true" });
    board.overlay.before(layer);
    for (const { field, hit } of shares) {
      const bright = (BRIGHTEST * hit).toFixed(3);
      svg("path", { d: board.form.outline(field), "fill-opacity": bright, "data-odds": field }, layer);
    }
  }
}
