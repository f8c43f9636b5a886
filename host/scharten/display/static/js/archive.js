// The archive: games by date and player, each to step through, to share and to take home. That of many clubs searches
// on its server, also by club and position, and says of a game that it was played again and gives its digest.

import { Search } from "./archive/search.js";
import { Board } from "./board.js";
import { button, h } from "./dom.js";
import { readPosition } from "./position.js";
import { language, letters } from "./settings.js";
import { setUpPage } from "./side-page.js";
import { addWords, gameName, known, notation, t, tell } from "./words.js";

await addWords("pages-");
const state = setUpPage("archive.title", h("a", { class: "button", href: "./" }, t("status.to_play")));
const [list, room] = ["games", "game"].map((id) => document.getElementById(id));
const asked = h("input", { type: "search", id: "archive-player", "aria-label": t("archive.player") });
const rows = h("ol");
let games = [];
let game = null;
let step = 0;

const own = h("label", { class: "field-row", for: "archive-player" }, h("span", {}, t("archive.player")), asked);
let search = null;
list.append(own, rows);
asked.addEventListener("input", drawList);

async function fetched(path) {
  try {
    const answer = await fetch(path);
    if (answer.ok) return await answer.json();
  } catch {
    // Told below, like any other answer that is none.
  }
  state.textContent = t("archive.failed");
  state.hidden = false;
  return null;
}

const nameOf = (one, side) => one.names?.[side] || t(`side.${side}`);
const when = (one) => new Date(one.started_ms).toLocaleString(language(), { dateStyle: "medium", timeStyle: "short" });

function drawList() {
  const wanted = asked.value.trim().toLowerCase();
  const found = games.filter((one) => `${nameOf(one, "white")} ${nameOf(one, "black")} ${when(one)}`.toLowerCase()
    .includes(wanted));
  rows.replaceChildren(...found.map((one) => h("li", {}, h("a", { href: `#${one.match}`,
    "aria-current": one.match === game?.match ? "true" : null },
  h("strong", {}, `${nameOf(one, "white")} – ${nameOf(one, "black")}`), h("span", {}, one.result ?? "*"),
  h("span", { class: "when" }, `${when(one)} · ${one.club ? `${one.club}, ${one.board} · ` : ""}`
    + `${gameName({ game: { key: one.game ?? "scharten" }, kind: one.kind })} · `
    + t("archive.turns", { turns: one.turns }))))));
  if (!found.length) rows.replaceChildren(h("li", {}, t("archive.none")));
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
  drawGame();
  drawList();
}

const to = (n) => { location.hash = `${game.match}/${Math.max(0, Math.min(game.sheet.entries.length, n))}`; };

function drawGame() {
  const { sheet } = game;
  const place = h("div", { class: "archive-board" });
  const board = new Board(place, { rim: true });
  const { layout } = game.game;
  const entry = sheet.entries[step - 1];
  const { pieces, gone } = readPosition(entry?.position ?? sheet.start, layout);
  const steps = [["sheet.first", "⇤", 0], ["sheet.back", "←", step - 1], ["sheet.on", "→", step + 1],
    ["sheet.now", "⇥", sheet.entries.length]];
  const moves = h("ol", { class: "moves" }, sheet.entries.map((one, index) => h("li", { class: one.side },
    button(`${one.side === "white" ? `${one.n}. ` : ""}${notation(one.text, one.side)}${bedOf(one)}`,
      () => to(index + 1), { class: `move ${one.side}${index === step - 1 ? " here" : ""}` }))));
  const text = `archive/${game.match}.txt?lang=${letters()}`;
  room.replaceChildren(h("h2", {}, `${nameOf(game, "white")} – ${nameOf(game, "black")}`),
    h("p", {}, `${when(game)} · ${sheet.result ?? "*"} ${endWords()}`), place,
    game.verified ? h("p", { class: "verified" }, t("archive.verified", { club: game.club, board: game.board }))
      : "",
    h("div", { class: "steps" }, steps.map(([key, sign, n]) => button(sign, () => to(n), { "aria-label": t(key) }))),
    moves, h("div", { class: "action-row" }, h("a", { class: "button", href: text }, t("sheet.download")),
      h("a", { class: "button", href: `${text}&print` }, t("sheet.print")), button(t("archive.share"), share),
      search ? button(t("archive.same_position"), () => search.show(entry?.position ?? sheet.start)) : ""));
  board.show({ layout, whiteSitsAt: game.white_sits_at });
  board.setPieces(pieces, { animate: false });
  board.setGone(gone);
  board.mark({ last: entry?.fields ?? [] });
}

const bedOf = (entry) => (entry.bed && !entry.text.includes("{") ? ` {${entry.bed}}` : "");

function endWords() {
  const { reason, result } = game.sheet;
  if (!reason || !known(`reason.${reason}`)) return "";
  return `(${tell("reason", reason, { side: { "1-0": "black", "0-1": "white" }[result], limit: 3 })})`;
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
const told = await fetched("archive/games.json");
games = told?.games ?? [];
if (told?.clubs) {
  document.querySelector("header a[href='./']")?.remove();
  search = new Search(told.clubs, async (query) => {
    games = (await fetched(`archive/search.json?${query}`))?.games ?? [];
    drawList();
  });
  own.replaceWith(search.element);
}
drawList();
await open();
