// Figures of a game's darts: hits and lost darts of each player, and where they went.

import { h } from "../dom.js";
import { bedMiddle } from "../geometry.js";
import { heatBoard, heatScale } from "../heat.js";
import { svg as make } from "../svg.js";
import { SIDES } from "../position.js";
import { nameOf, t } from "../words.js";

/** @typedef {{thrown: number, hit: number, lost: number, beds: Map<string, {hit: number, lost: number}>}} Figures */

// The figures of each side's darts, from the entries of the sheet.
/** @param {SheetEntry[]} entries */
export function dartFigures(entries) {
  const figures = { white: fresh(), black: fresh() };
  for (const { side, text, bed } of entries) {
    if (!text?.includes("@") && !bed) continue;
    const lost = text.includes("@-");
    const own = figures[side];
    own.thrown++;
    own[lost ? "lost" : "hit"]++;
    if (!bed) continue;
    const at = own.beds.get(bed) ?? { hit: 0, lost: 0 };
    at[lost ? "lost" : "hit"]++;
    own.beds.set(bed, at);
  }
  return figures;
}

/** @returns {Figures} */
function fresh() {
  return { thrown: 0, hit: 0, lost: 0, beds: new Map() };
}

// Rows of a table: the figure, White, Black.
/** @param {Snapshot} snapshot @param {SheetEntry[]} entries */
export function figureRows(snapshot, entries) {
  const figures = dartFigures(entries);
  /** @param {Figures} figures */
  const rate = ({ thrown, hit }) => (thrown ? `${Math.round((100 * hit) / thrown)} %` : "–");
  /** @type {[string, (own: Figures) => string | number][]} */
  const rows = [["figures.thrown", ({ thrown }) => thrown], ["figures.rate", rate],
    ["figures.lost", ({ lost }) => lost]];
  /** @param {string | number} text @param {string} [className] */
  const cell = (text, className = "figure") => h("span", { class: className }, String(text));
  return h("div", { class: "facts", role: "group", "aria-label": t("figures") },
    cell("", "head"), SIDES.map((side) => cell(nameOf(snapshot, side), "head figure")),
    rows.map(([key, value]) => [cell(t(key), ""), SIDES.map((side) => cell(value(figures[side])))]).flat(2));
}

// A grey dartboard for each player, its beds in one hue, the darker the more darts; a cross where darts were lost.
/** @param {Snapshot} snapshot @param {SheetEntry[]} entries */
export function heatMaps(snapshot, entries) {
  const figures = dartFigures(entries);
  const thrown = SIDES.filter((side) => figures[side].beds.size);
  const most = Math.max(1, ...thrown.flatMap((side) => [...figures[side].beds.values()].map(all)));
  return h("div", { class: "heat-maps" }, thrown.map((side) => {
    const { hit, lost } = figures[side];
    const name = nameOf(snapshot, side);
    const place = h("figure", { class: "heat-map" });
    drawn(place, figures[side].beds, most, t("figures.map", { name, hit, lost }));
    place.append(h("figcaption", {}, name));
    return place;
  }), thrown.length ? heatScale(most) : null);
}

/** @param {{hit: number, lost: number}} darts */
const all = ({ hit, lost }) => hit + lost;

/** @param {HTMLElement} place @param {Figures["beds"]} beds @param {number} most @param {string} label */
function drawn(place, beds, most, label) {
  const counts = [...beds].map(([bed, darts]) => /** @type {[string, number]} */ ([bed, all(darts)]));
  const { marks } = heatBoard(place, counts, most, label, 184);
  for (const [bed, { lost }] of beds) {
    const at = bedMiddle(bed) ?? { x: 0, y: -172 }; // a dart beside the board
    if (lost) make("path", { d: `M${at.x - 9} ${-at.y - 9}l18 18m0-18l-18 18`, class: "heat-lost" }, marks);
  }
}
