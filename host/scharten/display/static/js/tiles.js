// The three large pictures of a first visit: play, practise, learn.

import { Board } from "./board.js";
import { Dartboard } from "./dartboard.js";
import { button, h } from "./dom.js";
import { addressOf } from "./nav.js";
import { t } from "./words.js";

/** @typedef {"play" | "practice" | "learn"} TileName */

const MEN = "Ke1 Qd2 Rb1 Rh1 Nc3 Nf3 Bc4 Pa3 Pb2 Pe3 Pg2 Ph2 Pd4 ke8 qd7 rb8 rh8 nc6 ng6 bf5 pa6 pb7 pe6 pg7 ph7 pd5";
const LESSON = "Ng3 Pb3 Pi2 ke8 pf6";
const WAYS = ["h5", "f5", "i4", "e4", "i2", "e2", "h1", "f1"];

/** @type {Record<TileName, (place: HTMLElement) => void>} */
const PICTURES = {
  play: (place) => void boardWith(place, MEN).mark({ last: ["d4"] }),
  practice: (place) => {
    const board = new Dartboard(place);
    board.svg.setAttribute("aria-hidden", "true");
    board.light({ asked: ["T20", "D16", "F3", "T7"] });
    board.showDarts([{ x_mm: 2, y_mm: 104 }, { x_mm: -70, y_mm: -76 }, { x_mm: 14, y_mm: -3 }]);
  },
  learn: (place) => boardWith(place, LESSON).mark({ chosen: ["g3"], destination: WAYS, capture: ["f6"] }),
};

/** @param {HTMLElement} place @param {string} men such as "Ke1 pd5" */
function boardWith(place, men) {
  const board = new Board(place, { rim: false });
  board.centreElement.remove();
  board.setPieces(new Map(men.split(" ").map((man) => [man.slice(1), { letter: man[0], unmoved: false }])),
    { animate: false });
  return board;
}

/**
 * A large picture with its name and a sentence: a link to its page, or a button.
 * @param {TileName} name
 * @param {{act?: () => unknown, id?: string, words?: string}} [more]
 */
export function tile(name, { act, id, words } = {}) {
  const place = h("span", { class: "tile-picture", "aria-hidden": "true" });
  PICTURES[name](place);
  const face = [place, h("strong", {}, t(`nav.${name}`)), h("small", {}, words ?? t(`tile.${name}`))];
  const attributes = { class: "tile", id, "data-tile": name, "aria-label": t(`nav.${name}`) };
  const shown = h("span", { class: "tile-face" }, face);
  return act ? button(shown, act, attributes)
    : h("a", { ...attributes, href: addressOf(name === "play" ? "./" : name) }, shown);
}
