// Charts of a player's darts: how many counted, why others were lost, where they went, the scatter over the months.

import { h } from "../dom.js";
import { heatBoard, heatScale } from "../heat.js";
import { svg } from "../svg.js";
import { known, t } from "../words.js";

const RINGS = ["double", "fat", "treble", "little", "outer_bull", "bull", "miss", "single", "unknown"];

/** @param {string} part @param {Child[]} content */
function card(part, ...content) {
  return h("section", { class: "card", "data-part": part }, h("h2", {}, t(`players.${part}`)), ...content);
}

// The cards that a player's page and everybody's have in common.
/** @param {DartStatistics} found */
export function figures(found) {
  if (!found.darts.thrown) return []; // nothing to show yet
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
  return darts.lost === 0 ? null : card("why_lost", h("dl", {}, Object.entries(found).flatMap(([foul, count]) =>
    [h("dt", {}, t(`foul.${foul}`)), h("dd", {}, String(count))])));
}

// The beds in one hue, the darker the more darts, and each dart that cameras saw.
/** @param {DartStatistics} found */
function heat({ beds, points, hottest }) {
  const room = h("div", { class: "heat" });
  const board = heatBoard(room, Object.entries(beds), hottest, t("players.heat"));
  for (const [x, y] of points) svg("circle", { cx: x, cy: -y, r: 2.4, class: "heat-dart" }, board.marks);
  return card("heat", room, heatScale(hottest), h("p", { class: "help" }, t("players.heat.words")));
}

// A line of the estimates with their intervals, and the same as a table for screen readers.
/** @param {DartStatistics} found */
function months({ months: found }) {
  if (found.length === 0) return null;
  const [width, height, left, foot] = [340, 190, 44, 26];
  const most = found.reduce((top, { high }) => Math.max(top, high), 0);
  const ticks = ticksUpTo(most);
  const top = ticks.at(-1) ?? most;
  /** @param {number} index */
  const x = (index) => (found.length === 1 ? (left + width) / 2
    : left + 16 + (index * (width - left - 32)) / (found.length - 1));
  /** @param {number} mm */
  const y = (mm) => height - foot - (mm / top) * (height - foot - 12);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "months", role: "img",
    "aria-label": t("players.months") });
  for (const mm of ticks) {
    svg("path", { class: mm ? "rule" : "axis", d: `M${left} ${y(mm)}H${width}` }, chart);
    svg("text", { class: "tick", x: left - 6, y: y(mm) + 4, "text-anchor": "end" }, chart).append(`${mm} mm`);
  }
  const every = Math.ceil(found.length / 6);
  found.forEach(({ month }, at) => at % every === 0 && svg("text", { class: "tick", x: x(at), y: height - 6,
    "text-anchor": "middle" }, chart).append(month));
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

// Round numbers from 0 to at least this many mm, five at most.
/** @param {number} most */
function ticksUpTo(most) {
  const step = [5, 10, 20, 25, 50, 100].find((size) => size * 4 >= most) ?? 200;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
}
