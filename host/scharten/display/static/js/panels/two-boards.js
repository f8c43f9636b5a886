// Both dartboards of a game between two boards, small beside the schartbord on a wall: whose each is, the places of its
// last darts, the newest in words, and whose is to throw.

import { Dartboard } from "../dartboard.js";
import { h, setText } from "../dom.js";
import { fitLine } from "../fit.js";
import { bedMiddle, pointOf } from "../geometry.js";
import { SIDES } from "../position.js";
import { bedName, nameOf, t } from "../words.js";

const DARTS = 3; // how many of its last darts a board shows

/** @typedef {{bed: string, lost: boolean, at: Point | null}} ThrownDart a dart; `at` in mm, null beside the board */

/** @param {App} app @param {HTMLElement} host */
export function createTwoBoards(app, host) {
  const { store } = app;
  const boards = { white: createBoard(host), black: createBoard(host) };

  return {
    update() {
      const { snapshot } = store;
      host.hidden = !snapshot?.away || snapshot.kind === "silent" || Boolean(snapshot.result);
      if (!snapshot || host.hidden) return;
      const thrower = throwerOf(snapshot);
      for (const side of SIDES) {
        const due = side === thrower;
        const asked = due && snapshot.phase === "throwing" ? snapshot.shown.aim?.beds : null;
        boards[side].show(nameOf(snapshot, side), due, lastDarts(store, side), asked ?? []);
      }
    },
  };
}

/** @param {HTMLElement} host */
function createBoard(host) {
  const name = h("strong", { class: "name" });
  const words = h("span", { class: "last-bed" });
  const figure = h("figure", { class: "small-board" }, h("figcaption", {}, name, words));
  const dartboard = new Dartboard(figure);
  host.append(figure);

  /** @param {string} player @param {boolean} due @param {ThrownDart[]} darts @param {string[]} asked */
  function show(player, due, darts, asked) {
    if (name.textContent !== player) fitLine(name, player);
    setText(name, player);
    const newest = darts.at(-1);
    setText(words, due ? t("two_boards.throws") : newest ? bedName(newest.bed) : "");
    figure.classList.toggle("due", due);
    dartboard.svg.setAttribute("aria-label", t("two_boards.label", { name: player }));
    dartboard.showDarts(darts.flatMap(({ at, lost }) => (at ? [{ x_mm: at.x, y_mm: at.y, lost }] : [])));
    dartboard.light({ asked });
  }

  return { show };
}

// Who may throw now; null where a piece must move, or nothing is due.
/** @param {Snapshot} snapshot @returns {Side | null} */
function throwerOf({ phase, side, can, question }) {
  if (question?.code === "which_bed") return null;
  return phase === "throwing" || (["turn", "settling"].includes(phase) && can.throw) ? side : null;
}

// The last darts of a side, the newest last: where a sensor measured them if this page saw them thrown, else in the
// middle of their bed.
/** @param {Store} store @param {Side} side @returns {ThrownDart[]} */
function lastDarts(store, side) {
  const { snapshot, lasts } = store;
  const turns = store.entries().map((entry, index) => ({ ...entry, last: lasts[index + 1] }));
  const newest = snapshot?.last; // its entry of the sheet may come later
  if (newest && turns.length < (snapshot?.turns ?? 0)) {
    turns.push({ ...newest, side: newest.by, n: 0, at_ms: 0, position: "", last: newest });
  }
  return turns.filter((turn) => turn.side === side && turn.bed).slice(-DARTS).map(({ bed, text, last }) => {
    const seen = last?.bed === bed ? last : null;
    return { bed: bed ?? "", lost: text.includes("@-"), at: (seen && pointOf(seen)) ?? bedMiddle(bed) };
  });
}
