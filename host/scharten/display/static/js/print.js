// A finished game on paper: players and result, the moves in two columns, the last position, and the darts.

import { bedOf, endWords, when } from "./archive/reading.js";
import { Board } from "./board.js";
import { button, byId, h } from "./dom.js";
import { figureRows, heatMaps } from "./panels/figures.js";
import { readPosition } from "./position.js";
import { apply } from "./settings.js";
import { addWords, gameName, nameOf, notation, t } from "./words.js";

apply();
document.documentElement.dataset.theme = "light"; // as paper is
await addWords("pages");
const paper = byId("paper");

/** @param {string} path */
async function fetched(path) {
  const answer = await fetch(`archive/${path}.json`).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

/** @param {ArchivedMatch} game */
function draw(game) {
  const { sheet, game: { layout } } = game;
  const players = `${nameOf(game, "white")} – ${nameOf(game, "black")}`;
  document.title = `${players}, ${sheet.result ?? "*"}`;
  const place = h("div", { class: "paper-board" });
  const board = new Board(place);
  board.show({ layout, whiteSitsAt: game.white_sits_at });
  const { pieces, gone } = readPosition(sheet.entries.at(-1)?.position ?? sheet.start, layout);
  board.setPieces(pieces, { animate: false });
  board.setGone(gone);
  const darts = sheet.entries.some(({ bed }) => bed);
  const about = /** @type {Snapshot} */ (/** @type {unknown} */ (game)); // names are all that the figures need
  paper.replaceChildren(
    h("header", {}, h("h1", {}, h("span", {}, players), h("span", { class: "paper-result" }, sheet.result ?? "*")),
      h("p", {}, `${gameName({ game: game.game, kind: game.kind })} · ${when(game)} ${endWords(sheet)}`),
      h("div", { class: "action-row" },
        button(t("sheet.print"), () => window.print(), { class: "primary", id: "print" }),
        h("a", { class: "button", href: `archive#${game.match}` }, t("archive.title")))),
    h("section", { class: "paper-moves" }, moves(sheet.entries)),
    h("section", { class: "paper-end" }, place, ...(darts ? [figureRows(about, sheet.entries),
      heatMaps(about, sheet.entries)] : [])));
}

// A line for each pair of turns: its number, White's, Black's.
/** @param {SheetEntry[]} entries */
function moves(entries) {
  /** @type {Map<number, Partial<Record<Side, string>>>} */
  const lines = new Map();
  for (const entry of entries) {
    const line = lines.get(entry.n) ?? {};
    line[entry.side] = [line[entry.side], notation(entry.text, entry.side) + bedOf(entry)].filter(Boolean).join(" ");
    lines.set(entry.n, line);
  }
  return h("ol", {}, [...lines].map(([number, { white = "…", black = "" }]) =>
    h("li", {}, h("span", {}, `${number}.`), h("span", {}, white), h("span", {}, black))));
}

// Without a game: which can be printed, and the ways on.
/** @param {boolean} missing */
async function choose(missing) {
  const listed = await fetched("games");
  const games = /** @type {ArchivedGame[]} */ (listed?.games ?? []).filter(({ result }) => result);
  document.title = t("print.title");
  paper.replaceChildren(h("header", {}, h("h1", {}, t("print.title"))),
    missing || !listed ? h("p", { class: "missing", role: "status" }, t("archive.failed")) : "",
    h("p", {}, t(games.length ? "print.choose" : "print.none")),
    h("ol", { class: "rows" }, games.map((game) => h("li", {}, h("a", { href: `#${game.match}` },
      h("strong", {}, `${nameOf(game, "white")} – ${nameOf(game, "black")}`), " ", game.result, " ",
      h("span", { class: "when" }, when(game)))))),
    h("p", { class: "action-row" }, h("a", { class: "button", href: "archive" }, t("archive.title")),
      h("a", { class: "button", href: "./" }, t("status.to_play"))));
}

async function show() {
  const match = location.hash.slice(1).split("/")[0];
  const found = match ? await fetched(encodeURIComponent(match)) : null;
  if (found) draw(found.game);
  else await choose(Boolean(match));
}

addEventListener("hashchange", show);
await show();
