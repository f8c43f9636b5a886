// The evening's games: results as they fell, and the score between the names.

import { h, openDialog } from "../dom.js";
import { results } from "../features/results.js";
import { SIDES } from "../position.js";
import { gameName, nameOf, reasonWords, t, timeWords } from "../words.js";

/** @type {Record<string, [number, number]>} */
const POINTS = { "1-0": [1, 0], "0-1": [0, 1], "½-½": [0.5, 0.5], "½-0": [0.5, 0], "0-½": [0, 0.5], "0-0": [0, 0] };

/** @param {App} app */
export function openResults(app) {
  const games = results(app.store);
  openDialog(t("results"), [score(games), h("table", { class: "results" }, h("tbody", {}, games.map(row)))],
    { closeText: t("close") });
}

/** @param {FinishedGame} game */
function row(game) {
  const time = timeWords(game.ended_ms);
  const [white, black] = SIDES.map((side) => nameOf(game, side));
  return h("tr", {}, h("td", {}, time), h("td", {}, `${white} – ${black}`),
    h("td", { class: "result" }, game.result), h("td", {}, gameName(game)), h("td", {}, reasonWords(game)));
}

/** @param {FinishedGame[]} games */
function score(games) {
  const points = new Map();
  for (const { names, result } of games) {
    SIDES.forEach((side, index) => {
      const name = names?.[side];
      if (name) points.set(name, (points.get(name) ?? 0) + (POINTS[result]?.[index] ?? 0));
    });
  }
  const rows = [...points].sort((a, b) => b[1] - a[1]).map(([name, sum]) => h("li", {}, `${name}: ${sum}`));
  return rows.length ? h("ul", { class: "results-score" }, rows) : null;
}
