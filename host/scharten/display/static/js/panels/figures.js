// Figures of a game's darts: hits and lost darts of each player, and where they went.

import { h } from "../dom.js";
import { MM, bedMiddle } from "../geometry.js";
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

// A dartboard for each player: a disc where darts hit, a ring where they were lost, the larger the more.
/** @param {Snapshot} snapshot @param {SheetEntry[]} entries */
export function heatMaps(snapshot, entries) {
  const figures = dartFigures(entries);
  const thrown = SIDES.filter((side) => figures[side].beds.size);
  return h("div", { class: "heat-maps" }, thrown.map((side) => {
    const { hit, lost } = figures[side];
    const name = nameOf(snapshot, side);
    return h("figure", { class: "heat-map" }, drawn(figures[side].beds, t("figures.map", { name, hit, lost })),
      h("figcaption", {}, name));
  }));
}

/** @param {Figures["beds"]} beds @param {string} label */
function drawn(beds, label) {
  const svg = make("svg", { viewBox: "-200 -200 400 400", role: "img", "aria-label": label });
  make("circle", { r: 196, class: "heat-face" }, svg);
  for (const radius of [MM.doubleOut, MM.doubleIn, MM.trebleOut, MM.trebleIn, MM.outerBull]) {
    make("circle", { r: radius, class: "heat-ring" }, svg);
  }
  for (const [bed, { hit, lost }] of beds) {
    const at = bedMiddle(bed) ?? { x: 0, y: -185 };
    if (hit) make("circle", { cx: at.x, cy: -at.y, r: 9 * Math.sqrt(hit), class: "heat-hit" }, svg);
    if (lost) make("circle", { cx: at.x, cy: -at.y, r: 11 * Math.sqrt(lost), class: "heat-lost" }, svg);
  }
  return svg;
}
