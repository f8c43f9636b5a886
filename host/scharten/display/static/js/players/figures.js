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
  return [rings(found), lost(found), heat(found), months(found), heads(found), purposes(found)].filter(Boolean);
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

/** @param {DartStatistics} found */
function months({ months: found }) {
  return found.length === 0 ? null : card("months",
    chart("months", found.map(({ mm, ...rest }) => ({ value: mm, ...rest })), (mm) => `${mm} mm`),
    monthTable(["players.darts", "players.scatter"], found.map(({ month, darts, mm, low, high }) => [month, darts,
      t("players.scatter_of", { mm: Math.round(mm), low: Math.round(low), high: Math.round(high) })])));
}

// What the choices gave away, from reviewed games.
/** @param {DartStatistics} found */
function heads({ head: found }) {
  return !found ? null : card("head", h("p", {}, t("players.head.words", found)),
    chart("head", found.months.map(({ points, ...rest }) => ({ value: points, ...rest })), String),
    monthTable(["players.turns", "players.head.lost"], found.months.map(({ month, turns, points, low, high }) =>
      [month, turns, t("players.head.of", { points, low, high })])));
}

/** @param {string[]} columns @param {Leaf[][]} rows */
function monthTable(columns, rows) {
  return h("table", { class: "people-table" },
    h("thead", {}, h("tr", {}, ["players.month", ...columns].map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, rows.map(([month, ...cells]) => h("tr", {}, h("th", { scope: "row" }, month),
      cells.map((cell) => h("td", {}, cell))))));
}

// A line of estimates over the months with their intervals; a table holds the same for screen readers.
/**
 * @param {string} part
 * @param {{month: string, value: number, low: number, high: number}[]} found
 * @param {(value: number) => string} unit
 */
function chart(part, found, unit) {
  const [width, height, left, foot] = [340, 190, 44, 26];
  const most = found.reduce((top, { high }) => Math.max(top, high), 0);
  const ticks = ticksUpTo(most);
  const top = ticks.at(-1) || 1;
  /** @param {number} index */
  const x = (index) => (found.length === 1 ? (left + width) / 2
    : left + 16 + (index * (width - left - 32)) / (found.length - 1));
  /** @param {number} value */
  const y = (value) => height - foot - (value / top) * (height - foot - 12);
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "months", role: "img",
    "aria-label": t(`players.${part}`) });
  for (const value of ticks) {
    svg("path", { class: value ? "rule" : "axis", d: `M${left} ${y(value)}H${width}` }, drawn);
    svg("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, drawn).append(unit(value));
  }
  const every = Math.ceil(found.length / 6);
  found.forEach(({ month }, at) => at % every === 0 && svg("text", { class: "tick", x: x(at), y: height - 6,
    "text-anchor": "middle" }, drawn).append(month));
  found.forEach(({ low, high }, at) => svg("path", { class: "interval", d: `M${x(at)} ${y(low)}V${y(high)}` }, drawn));
  svg("polyline", { class: "line", points: found.map(({ value }, at) => `${x(at)},${y(value)}`).join(" ") }, drawn);
  found.forEach(({ value }, at) => svg("circle", { class: "point", cx: x(at), cy: y(value), r: 4 }, drawn));
  return drawn;
}

// Round numbers from 0 to at least this, five at most.
/** @param {number} most */
function ticksUpTo(most) {
  const step = [1, 2, 5, 10, 20, 25, 50, 100].find((size) => size * 4 >= most) ?? 200;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
}
