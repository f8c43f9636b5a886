// The players: everybody in a list, or one with all that their darts say. Nothing is worked out here: every figure is
// the server's, and stands in its JSON too.

import { Connection, credentials, socketAddress } from "./connection.js";
import { button, h } from "./dom.js";
import { openProfile, token } from "./players/profile.js";
import { figures } from "./players/figures.js";
import { language } from "./settings.js";
import { setUpPage } from "./side-page.js";
import { addWords, gameName, t } from "./words.js";

await Promise.all([addWords("pages-"), addWords("players-")]);
const own = new URLSearchParams(location.search).get("player")?.match(/^[a-z0-9]+$/)?.[0];
const state = setUpPage("players.title",
  ...(own ? [h("a", { class: "button", href: "players" }, t("players.all"))] : []),
  h("a", { class: "button", href: "./" }, t("status.to_play")));
const room = document.getElementById("people");
const { role, secret } = credentials("table");
const connection = new Connection(socketAddress(), role, secret);
let shown = "";

async function fetched(path) {
  try {
    const answer = await fetch(path);
    if (answer.ok) return await answer.json();
    if (answer.status === 404) return { missing: true };
  } catch {
    // Told below, like any other answer that is none.
  }
  return null;
}

function fail(key) {
  state.textContent = t(key);
  state.hidden = false;
}

const day = (ms) => (ms ? new Date(ms).toLocaleDateString(language(), { dateStyle: "medium" }) : "–");
const scatterWords = ({ darts, mm, low, high }) => (darts
  ? t("players.scatter_of", { mm: Math.round(mm), low: Math.round(low), high: Math.round(high) })
  : t("players.no_darts"));

async function draw() {
  state.hidden = true;
  if (own) return drawOne(await fetched(`player/${own}.json`));
  const [list, all] = await Promise.all([fetched("players.json"), fetched("players/all.json")]);
  if (!list?.players || !all) return fail("archive.failed");
  drawList(list.players, all);
}

function drawList(players, all) {
  const head = ["players.name", "players.games", "players.darts", "players.scatter", "players.last"];
  const rows = players.map((one) => h("tr", {},
    h("th", { scope: "row" }, h("a", { href: `players?player=${one.id}` }, token(one), one.name)),
    h("td", {}, String(one.games)), h("td", {}, String(one.scatter.darts)), h("td", {}, scatterWords(one.scatter)),
    h("td", {}, day(one.last_ms))));
  room.replaceChildren(
    h("section", { class: "card wide", "data-part": "list" },
      h("div", { class: "people-head" }, h("h2", {}, t("players.title")),
        button(t("players.add"), () => edit(null), { class: "primary", id: "add-player" })),
      players.length ? h("div", { class: "table-room" }, h("table", { class: "people-table" },
        h("thead", {}, h("tr", {}, head.map((key) => h("th", { scope: "col" }, t(key))))), h("tbody", {}, rows)))
        : h("p", {}, t("players.none"))),
    ...(all.darts.thrown ? figures(all) : []),
    downloads("players/all"));
}

function downloads(path) {
  return h("section", { class: "card", "data-part": "files" }, h("h2", {}, t("players.files")),
    h("p", {}, t("players.files.words")), h("div", { class: "action-row" },
      [["csv", "CSV"], ["json", "JSON"]].map(([ending, words]) =>
        h("a", { class: "button", href: `${path}.${ending}` }, words))));
}

function drawOne(one) {
  if (!one || one.missing) {
    room.replaceChildren(h("section", { class: "card wide" },
      h("p", {}, t(one ? "players.missing" : "archive.failed"))));
    return;
  }
  document.title = `${one.name} – ${t("app.title")}`;
  const kept = JSON.stringify(one);
  if (kept === shown) return;
  shown = kept;
  room.replaceChildren(
    h("section", { class: "card wide", "data-part": "person" },
      h("div", { class: "people-head" }, h("h2", { class: "person" }, token(one, "big"), one.name),
        h("div", { class: "action-row" }, h("a", { class: "button", href: `practice?player=${one.id}` },
          t("practice.title")), button(t("players.edit"), () => edit(one), { id: "edit-player" }),
          button(t("players.delete"), () => remove(one), { id: "delete-player" }))),
      h("p", { class: "headline" }, t("players.headline", { thrown: one.darts.thrown, placed: one.darts.placed,
        games: one.games.length })),
      h("p", { class: "scatter" }, `${t("players.scatter")}: ${scatterWords(one.scatter)}`)),
    ...figures(one), card(one), bests(one.bests), against(one.against), games(one.games),
    downloads(`player/${one.id}`));
}

// To be printed and carried along: scanned at a board, its owner sits down.
function card(one) {
  return h("section", { class: "card own-card", "data-part": "card" }, h("h2", {}, t("players.card")),
    h("p", {}, t("players.card.words")), h("figure", {}, h("img", { class: "qr", src: `player/${one.id}.svg`,
      alt: t("players.card.code", { name: one.name }) }), h("figcaption", {}, token(one), one.name)),
    button(t("players.card.print"), () => window.print(), { id: "print-card" }));
}

function bests(found) {
  const { quickest_win: quickest } = found;
  const rows = [["players.best.placed", found.placed_in_a_row], ["players.best.clean", found.darts_without_loss],
    ["players.best.won", found.won_in_a_row],
    ["players.best.quickest", quickest ? t("archive.turns", { turns: quickest.turns }) : "–"],
    ...Object.entries(found.practice ?? {}).map(([exercise, best]) => [`practice.${exercise}`, best])];
  return h("section", { class: "card", "data-part": "bests" }, h("h2", {}, t("players.bests")),
    h("dl", {}, rows.flatMap(([key, value]) => [h("dt", {}, t(key)), h("dd", {}, String(value))])));
}

function named(one) {
  if (one.gone) return t("players.gone");
  return one.id ? h("a", { href: `players?player=${one.id}` }, one.name) : one.name || t("players.guest");
}

function against(found) {
  const head = ["players.name", "players.won", "players.drawn", "players.lost"];
  return found.length === 0 ? "" : h("section", { class: "card", "data-part": "against" },
    h("h2", {}, t("players.against")), h("table", { class: "people-table" },
      h("thead", {}, h("tr", {}, head.map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", {}, found.map((one) => h("tr", {}, h("th", { scope: "row" }, named(one)),
        [one.won, one.drawn, one.lost].map((count) => h("td", {}, String(count))))))));
}

function games(found) {
  return h("section", { class: "card", "data-part": "games" }, h("h2", {}, t("players.games")),
    h("ol", { class: "people-games" }, found.map((one) => h("li", {},
      h("a", { href: `archive#${one.match}` }, `${day(one.started_ms)} · ${gameName({ game: { key: one.game },
        kind: one.kind })}`), h("span", {}, t(`side.${one.side}`), " – ", named(one.against)),
      h("strong", {}, one.result ?? "*")))));
}

async function edit(one) {
  const wish = await openProfile(one);
  if (!wish) return;
  const answer = await connection.ask("players", { type: "keep", player: one?.id ?? null, profile: wish });
  if (!answer.accepted) return fail(refusal(answer));
  await draw();
}

async function remove(one) {
  if (!confirm(t("players.delete.sure", { name: one.name }))) return;
  const answer = await connection.ask("players", { type: "delete", player: one.id });
  if (answer.accepted) location.href = "players";
  else fail(refusal(answer));
}

function refusal({ code }) {
  const key = `players.refused.${code}`;
  return t(key) === key ? "players.refused.other" : key;
}

connection.addEventListener("status", ({ detail }) => {
  if (detail.status !== "refused") return;
  for (const id of ["add-player", "edit-player", "delete-player"]) document.getElementById(id)?.remove();
});
connection.open();
await draw();
