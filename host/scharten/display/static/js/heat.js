// Where darts went: a grey dartboard with its beds in one hue, the darker the more, and the scale of that hue.

import { Dartboard } from "./dartboard.js";
import { h } from "./dom.js";
import { svg } from "./svg.js";
import { bedName, t } from "./words.js";

const STEPS = 5;
const FAINTEST = 0.18; // of the hue, so that a single dart is seen on grey

/** @param {number} share of the bed with the most darts */
const strength = (share) => (FAINTEST + (1 - FAINTEST) * share).toFixed(2);

/**
 * Draws the board into an element, and returns it for further marks.
 * @param {HTMLElement} place
 * @param {Iterable<[bed: string, count: number]>} counts
 * @param {number} most the count that has the full hue
 * @param {string} label
 * @param {number} half what is shown to each side of the bull, in mm
 */
export function heatBoard(place, counts, most, label, half = 222) {
  const board = new Dartboard(place, { label, view: { x: 0, y: 0, half } });
  board.svg.classList.add("grey");
  for (const [bed, count] of counts) {
    const shape = board.beds.get(bed);
    if (!shape || !count) continue;
    const shade = /** @type {SVGElement} */ (shape.cloneNode());
    shade.setAttribute("class", "heat-bed");
    shade.setAttribute("fill-opacity", strength(count / most));
    svg("title", {}, shade).append(`${bedName(bed)}: ${count}`);
    board.lit.append(shade);
  }
  return board;
}

// From one dart to the most in any bed.
/** @param {number} most */
export function heatScale(most) {
  const steps = Math.min(STEPS, most);
  const drawing = svg("svg", { class: "heat-steps", viewBox: `0 0 ${steps * 20} 12`, "aria-hidden": "true" });
  for (let step = 0; step < steps; step++) {
    svg("rect", { x: step * 20, width: 20, height: 12, class: "heat-step",
      "fill-opacity": strength(steps === 1 ? 1 : (1 + (step * (most - 1)) / (steps - 1)) / most) }, drawing);
  }
  return h("p", { class: "heat-scale" }, t("heat.scale"), " ", h("span", {}, "1"), drawing,
    most > 1 ? h("span", {}, most) : null);
}
