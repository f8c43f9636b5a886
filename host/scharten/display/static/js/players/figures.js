// Charts of a player's darts: how many counted, why others were lost, where they went, the scatter over the months.

import { Dartboard } from "../dartboard.js";
import { h } from "../dom.js";
import { svg } from "../svg.js";
import { bedName, known, t } from "../words.js";

const RINGS = ["double", "fat", "treble", "little", "outer_bull", "bull", "miss", "single", "unknown"];

/** @param {string} part @param {Child[]} content */
function card(part, ...content) {
  return h("section", { class: "card", "data-part": part }, h("h2", {}, t(`players.${part}`)), ...content);
}

// The cards that a player's page and everybody's have in common.
/** @param {DartStatistics} found */
export function figures(found) {
  return [rings(found), lost(found), heat(found), months(found), purposes(found)].filter(Boolean);
}

/** @param {string} head @param {[string, Share][]} rows */
function shareTable(head, rows) {
  const columns = [head, "players.thrown", "players.counted", "players.rate"];
  return h("table", { class: "people-table" },
    h("thead", {}, h("tr", {}, columns.map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, rows.map(([words, { thrown, placed, rate }]) => h("tr", {}, h("th", { scope: "row" }, words),
      [thrown, placed, `${rate} %`].map((value) => h("td", {}, String(value)))))));
}

/** @param {DartStatistics} found */
function rings({ rings: found }) {
  return card("rings", shareTable("players.ring", RINGS.flatMap((ring) => {
    const share = found[ring];
    return share ? [[t(`players.ring.${ring}`), share]] : [];
  })));
}

/** @param {DartStatistics} found */
function purposes({ purposes: found }) {
  const rows = Object.entries(found);
  return rows.length < 2 ? null : card("purposes", shareTable("players.purpose",
    rows.map(([purpose, share]) => [
      t(known(`practice.${purpose}`) ? `practice.${purpose}` : `players.purpose.${purpose}`), share])));
}

/** @param {DartStatistics} found */
function lost({ lost: found, darts }) {
  return card("why_lost", darts.lost === 0 ? h("p", {}, t("players.none_lost"))
    : h("dl", {}, Object.entries(found).flatMap(([foul, count]) => [h("dt", {}, t(`foul.${foul}`)),
      h("dd", {}, String(count))])));
}

// The dartboard with the beds as bright as often they were hit, and each dart that cameras saw.
/** @param {DartStatistics} found */
function heat({ beds, points, hottest }) {
  const room = h("div", { class: "heat" });
  const board = new Dartboard(room, { label: t("players.heat") });
  for (const [bed, count] of Object.entries(beds)) {
    const place = board.beds.get(bed);
    if (!place) continue;
    const shade = /** @type {SVGElement} */ (place.cloneNode());
    shade.setAttribute("class", "heat-bed");
    shade.setAttribute("fill-opacity", (0.15 + (0.75 * count) / hottest).toFixed(2));
    svg("title", {}, shade).append(`${bedName(bed)}: ${count}`);
    board.lit.append(shade);
  }
  for (const [x, y] of points) svg("circle", { cx: x, cy: -y, r: 2.4, class: "heat-dart" }, board.marks);
  return card("heat", room, h("p", { class: "help" }, t("players.heat.words")));
}

// A line of the estimates with their intervals, and the same as a table for screen readers.
/** @param {DartStatistics} found */
function months({ months: found }) {
  if (found.length === 0) return null;
  const [width, height] = [320, 160];
  const most = found.reduce((top, { high }) => Math.max(top, high), 0);
  /** @param {number} index */
  const x = (index) => (found.length === 1 ? width / 2 : 20 + (index * (width - 40)) / (found.length - 1));
  /** @param {number} mm */
  const y = (mm) => height - 8 - (mm / most) * (height - 24);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "months", role: "img",
    "aria-label": t("players.months") });
  svg("path", { class: "axis", d: `M8 ${height - 8}H${width}` }, chart);
  found.forEach(({ low, high }, at) => svg("path", { class: "interval", d: `M${x(at)} ${y(low)}V${y(high)}` }, chart));
  svg("polyline", { class: "line", points: found.map(({ mm }, index) => `${x(index)},${y(mm)}`).join(" ") }, chart);
  found.forEach(({ mm }, index) => svg("circle", { class: "point", cx: x(index), cy: y(mm), r: 4 }, chart));
  return card("months", chart, h("table", { class: "people-table" },
    h("thead", {}, h("tr", {}, ["players.month", "players.darts", "players.scatter"].map((key) =>
      h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, found.map(({ month, darts, mm, low, high }) => h("tr", {}, h("th", { scope: "row" }, month),
      h("td", {}, String(darts)),
      h("td", {}, t("players.scatter_of", { mm: Math.round(mm), low: Math.round(low), high: Math.round(high) })))))));
}
