// Where to aim, drawn on the board itself: a cross at the safe point and one at the best, the advised fields lit.

import { svg } from "./svg.js";

const HALF = 30; // of a cross, in units of the drawing

// Draws the advice; null clears it.
/** @param {Board} board @param {AdviceBody | null} advice */
export function drawAims(board, advice) {
  board.svg.querySelector(".aims")?.remove();
  const aims = Object.entries(advice ? { safe: advice.safe, best: advice.best } : {});
  if (!aims.length) return;
  const layer = svg("g", { class: "aims" }, board.svg);
  for (const [name, aim] of aims) {
    const { x, y } = board.form.point(aim);
    const d = `M${x - HALF} ${y}h${2 * HALF}M${x} ${y - HALF}v${2 * HALF}`;
    svg("path", { d, class: "halo" }, layer);
    svg("path", { d, class: `advised ${name}` }, layer);
  }
}
