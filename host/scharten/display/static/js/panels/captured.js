// The captured men of a game, from its score sheet: each entry that takes leaves the other side with fewer of a kind.

import { h } from "../dom.js";
import { drawPiece } from "../pieces.js";
import { SIDES, readPosition, sideOf } from "../position.js";
import { nameOf, pieceName, t } from "../words.js";

const WORTH = "PWNBERGQK"; // the cheapest first

/** @param {Store} store */
export function createCaptured(store) {
  const rows = { white: h("span", { class: "captured-men" }), black: h("span", { class: "captured-men" }) };
  const element = h("div", { class: "captured" }, SIDES.map((side) => rows[side]));
  /** @type {{position: string, taken: string}[]} */
  let counted = []; // of each entry, in order: its position, and the men that were captured until then
  let drawn = "";

  function taken() {
    const entries = store.entries();
    const { snapshot, sheet, reviewing } = store;
    const shown = reviewing === null ? entries.length : reviewing + 1;
    counted = counted.slice(0, counted.findIndex(({ position }, at) => position !== entries[at]?.position) >>> 0);
    for (const { text, side, position } of entries.slice(counted.length)) {
      const before = counted.at(-1);
      const lost = text.includes("x") ? fewer(before?.position ?? sheet?.start, position, side) : "";
      counted.push({ position, taken: (before?.taken ?? "") + lost });
    }
    return counted[Math.min(shown, counted.length) - 1]?.taken ?? "";

    /** @param {string | undefined} from @param {string} to @param {Side} by */
    function fewer(from, to, by) {
      const [left, right] = [from, to].map((text) => men(text, by));
      return left.filter((letter, at) => {
        const before = left.slice(0, at + 1).filter((other) => other === letter).length;
        return before > right.filter((other) => other === letter).length;
      }).join("");
    }

    /** @param {string | undefined} text @param {Side} by */
    function men(text, by) {
      return [...readPosition(text, snapshot?.game.layout).pieces.values()].map(({ letter }) => letter)
        .filter((letter) => sideOf(letter) !== by);
    }
  }

  function show() {
    const letters = taken();
    const key = JSON.stringify([letters, store.snapshot?.names]);
    if (key === drawn) return;
    drawn = key;
    element.hidden = !letters;
    for (const side of SIDES) {
      const own = [...letters].filter((letter) => sideOf(letter) !== side).sort((a, b) => order(b) - order(a));
      rows[side].replaceChildren(...(own.length ? [h("span", { class: "visually-hidden" },
        t("captured", { side: nameOf(store.present, side), pieces: own.map(pieceName).join(", ") }))] : []),
      ...own.map(drawPiece));
    }
  }

  element.hidden = true;
  return { element, show };
}

/** @param {string} letter */
function order(letter) {
  return WORTH.indexOf(letter.toUpperCase());
}
