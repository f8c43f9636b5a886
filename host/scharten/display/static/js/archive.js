// The archive: games by date and player, each to step through, to share and to take home. That of many clubs searches
// on its server, also by club and position, and marks games whose digest was verified.

import { bedOf, endWords, when } from "./archive/reading.js";
import { Search } from "./archive/search.js";
import { Board } from "./board.js";
import { button, byId, h } from "./dom.js";
import { icon } from "./icons.js";
import { addressOf, served } from "./nav.js";
import { readPosition } from "./position.js";
import { letters } from "./settings.js";
import { pictureLinks, reviewLink } from "./pictures.js";
import { setUpPage } from "./side-page.js";
import { addWords, gameName, nameOf, notation, t, tell } from "./words.js";

await addWords("pages");
const state = setUpPage("archive.title");
const [list, room] = ["games", "game"].map(byId);
const asked = h("input", { type: "search", id: "archive-player", "aria-label": t("archive.player") });
const rows = h("ol", { class: "rows" });
/** @type {ArchivedGame[]} */
let games = [];
let more = false; // whether the search has older games
/** @type {ArchivedMatch | null} */
let game = null;
let step = 0;

const own = h("label", { class: "field-row", for: "archive-player" }, h("span", {}, t("archive.player")), asked);
/** @type {Search | null} */
let search = null;
const openings = served.includes("openings"); // not on the server of many clubs
list.append(own, openings ? h("div", { class: "action-row" },
  h("a", { class: "button", id: "openings-link", href: addressOf("openings") }, t("archive.openings"))) : "", rows);
asked.addEventListener("input", drawList);

/** @param {string} path */
async function fetched(path) {
  try {
    const answer = await fetch(path);
    if (answer.ok) return await answer.json();
  } catch {
    // Reported below, like an answer of the server that is not ok.
  }
  state.textContent = t("archive.failed");
  state.hidden = false;
  return null;
}

function drawList() {
  const wanted = asked.value.trim().toLowerCase();
  const matching = games.filter((found) =>
    `${nameOf(found, "white")} ${nameOf(found, "black")} ${when(found)}`.toLowerCase().includes(wanted));
  rows.replaceChildren(...matching.map((found) => h("li", {}, h("a", { href: `#${found.match}`,
    "aria-current": found.match === game?.match ? "true" : null },
  h("strong", {}, `${nameOf(found, "white")} – ${nameOf(found, "black")}`), h("span", {}, found.result ?? "*"),
  h("span", { class: "when" }, `${when(found)} · ${found.club ? `${found.club}, ${found.board} · ` : ""}`
    + `${gameName({ game: { key: found.game ?? "scharten" }, kind: found.kind })} · `
    + t("archive.turns", { turns: found.turns }))))));
  if (!matching.length) rows.replaceChildren(h("li", { class: "empty" }, icon("games"), t("archive.none")));
  if (more && search) rows.append(h("li", {}, button(t("archive.older"), older, { id: "archive-older" })));
}

// Reads the next page of the search.
async function older() {
  const query = search?.query() ?? new URLSearchParams();
  query.set("before", games.at(-1)?.match ?? "");
  const page = await fetched(`archive/search.json?${query}`);
  games = [...games, ...page?.games ?? []];
  more = Boolean(page?.more);
  drawList();
}

// The address names game and step, so that a link shows what its sender saw.
async function open() {
  const [match, at] = location.hash.slice(1).split("/");
  if (!match) return;
  if (game?.match !== match) game = (await fetched(`archive/${encodeURIComponent(match)}.json`))?.game ?? null;
  room.hidden = !game;
  if (!game) return;
  const { length } = game.sheet.entries;
  step = Math.max(0, Math.min(length, at === undefined ? length : Number(at) || 0));
  drawGame(game);
  drawList();
}

/** @param {number} n */
function to(n) {
  if (game) location.hash = `${game.match}/${Math.max(0, Math.min(game.sheet.entries.length, n))}`;
}

/** @param {ArchivedMatch} shown */
function drawGame(shown) {
  const { sheet } = shown;
  const place = h("div", { class: "archive-board" });
  const board = new Board(place, { rim: true });
  const { layout } = shown.game;
  const entry = sheet.entries[step - 1];
  const { pieces, gone } = readPosition(entry?.position ?? sheet.start, layout);
  /** @type {[string, string, number][]} */
  const steps = [["sheet.first", "⇤", 0], ["sheet.back", "←", step - 1], ["sheet.on", "→", step + 1],
    ["sheet.now", "⇥", sheet.entries.length]];
  const moves = h("ol", { class: "moves" }, sheet.entries.map((turn, index) => h("li", { class: turn.side },
    button(`${turn.side === "white" ? `${turn.n}. ` : ""}${notation(turn.text, turn.side)}${bedOf(turn)}`,
      () => to(index + 1), { class: `move ${turn.side}${index === step - 1 ? " here" : ""}` }))));
  const text = `archive/${shown.match}.txt?lang=${letters()}`;
  room.replaceChildren(h("h2", {}, `${nameOf(shown, "white")} – ${nameOf(shown, "black")}`),
    h("p", {}, `${when(shown)} · ${sheet.result ?? "*"} ${endWords(sheet)}`), place,
    shown.verified ? h("p", { class: "verified" }, t("archive.verified", { club: shown.club, board: shown.board }))
      : "",
    h("div", { class: "steps" }, steps.map(([key, sign, n]) => button(sign, () => to(n), { "aria-label": t(key) }))),
    moves, h("div", { class: "action-row" }, h("a", { class: "button", href: text }, t("sheet.download")),
      h("a", { class: "button", href: `print#${shown.match}` }, t("sheet.print")),
      search || !sheet.result ? "" : reviewLink(shown.match), openings ? openingsLink(shown, entry) : "",
      pictureLinks(shown.match),
      button(t("archive.share"), share),
      search ? button(t("archive.same_position"), () => search?.show(entry?.position ?? sheet.start)) : ""));
  board.show({ layout, whiteSitsAt: shown.white_sits_at });
  board.setPieces(pieces, { animate: false });
  board.setGone(gone);
  board.mark({ last: entry?.fields ?? [] });
}

// What other games know of the position that is shown.
/** @param {ArchivedMatch} shown @param {SheetEntry | undefined} entry */
function openingsLink({ game: { key }, kind, sheet }, entry) {
  const query = new URLSearchParams({ game: key, kind, position: entry?.position ?? sheet.start });
  const address = addressOf("openings");
  const href = `${address}${address.includes("?") ? "&" : "?"}${query}`;
  return h("a", { class: "button", id: "position-link", href }, t("archive.this_position"));
}

async function share() {
  if (navigator.share) await navigator.share({ url: location.href }).catch(() => {});
  else await navigator.clipboard?.writeText(location.href);
}

addEventListener("hashchange", open);
addEventListener("keydown", ({ key, target }) => {
  if (!game || (target instanceof Element && target.matches("input, select"))) return;
  if (key === "ArrowLeft") to(step - 1);
  if (key === "ArrowRight") to(step + 1);
});
const index = await fetched("archive/games.json");
games = index?.games ?? [];
more = Boolean(index?.more);
if (index?.clubs) {
  search = new Search(index.clubs, async (query) => {
    const page = await fetched(`archive/search.json?${query}`);
    games = page?.games ?? [];
    more = Boolean(page?.more);
    drawList();
  });
  own.replaceWith(search.element);
  /** @type {Remark[]} */
  const remarks = (await fetched("archive/remarks.json"))?.remarks ?? [];
  room.before(...remarks.map(({ code, args, words }) =>
    h("p", { class: "warning", role: "status" }, tell("archive.remark", code, args, words))));
}
drawList();
await open();
