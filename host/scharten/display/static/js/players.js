// The players: a list, or one player with all statistics. Nothing is computed here: every figure is
// the server's, and stands in its JSON too.

import { Connection, credentials, socketAddress } from "./connection.js";
import { button, byId, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { openProfile, token } from "./players/profile.js";
import { figures } from "./players/figures.js";
import { language } from "./settings.js";
import { setUpPage } from "./side-page.js";
import { addWords, gameName, refusalText, t } from "./words.js";

await addWords("pages", "players", "problems");
const own = new URLSearchParams(location.search).get("player")?.match(/^[a-z0-9]+$/)?.[0];
const state = setUpPage("players.title",
  ...(own ? [h("a", { class: "button", href: "players" }, t("players.all"))] : []));
const room = byId("people");
const { role, secret } = credentials("table");
const connection = new Connection(socketAddress(), role, secret);
let shown = "";

/** @param {string} path */
async function fetched(path) {
  try {
    const answer = await fetch(path);
    if (answer.ok) return await answer.json();
    if (answer.status === 404) return { missing: true };
  } catch {
    // Reported below, like an answer of the server that is not ok.
  }
  return null;
}

/** @param {string} words */
function fail(words) {
  state.textContent = words;
  state.hidden = false;
}

/** @param {number | null | undefined} ms */
const day = (ms) => (ms ? new Date(ms).toLocaleDateString(t("language.locale"), { dateStyle: "medium" }) : "–");
/** @param {Scatter} scatter */
const scatterWords = ({ darts, mm, low, high }) => (darts
  ? t("players.scatter_of", { mm: Math.round(mm), low: Math.round(low), high: Math.round(high) })
  : t("players.no_darts"));

async function draw() {
  if (!room.children.length) fail(t("players.working_out"));
  else state.hidden = true;
  if (own) {
    const person = await fetched(`player/${own}.json`);
    state.hidden = true;
    return drawPerson(person);
  }
  if (!room.children.length) drawList((await fetched("players/names.json"))?.players ?? [], null); // figures follow
  const [list, all] = await Promise.all([fetched("players.json"), fetched("players/all.json")]);
  if (!list?.players || !all) return fail(t("archive.failed"));
  state.hidden = true;
  drawList(list.players, all);
}

/** @param {Person[]} players @param {DartStatistics | null} all */
function drawList(players, all) {
  const head = ["players.name", "players.games", "players.darts", "players.scatter", "players.last"];
  const rows = players.map((person) => h("tr", {},
    h("th", { scope: "row" }, h("a", { href: `players?player=${person.id}` }, token(person), person.name)),
    h("td", {}, person.games ?? "…"), h("td", {}, person.scatter?.darts ?? "…"),
    h("td", {}, person.scatter ? scatterWords(person.scatter) : "…"),
    h("td", {}, day(person.last_ms))));
  fill(room,
    h("section", { class: "card wide", "data-part": "list" },
      h("div", { class: "people-head" }, h("h2", { class: "visually-hidden" }, t("players.title")),
        button(t("players.add"), () => edit(null), { class: "primary", id: "add-player" })),
      players.length ? h("div", { class: "table-room" }, h("table", { class: "people-table people-list" },
        h("thead", {}, h("tr", {}, head.map((key) => h("th", { scope: "col" }, t(key))))), h("tbody", {}, rows)))
        : h("div", { class: "empty" }, icon("players"), h("p", {}, t("players.none")))),
    ...(all ? figures(all) : []),
    downloads("players/all"));
}

/** @param {string} path */
function downloads(path) {
  return h("section", { class: "card", "data-part": "files" }, h("h2", {}, t("players.files")),
    h("p", {}, t("players.files.words")), h("div", { class: "action-row" },
      [["csv", "CSV"], ["json", "JSON"]].map(([ending, words]) =>
        h("a", { class: "button", href: `${path}.${ending}` }, words))));
}

/** @param {PersonPage & {missing?: boolean} | null} person */
function drawPerson(person) {
  if (!person || person.missing) {
    room.replaceChildren(h("section", { class: "card wide" },
      h("p", {}, t(person ? "players.missing" : "archive.failed"))));
    return;
  }
  document.title = `${person.name} – ${t("app.title")}`;
  const kept = JSON.stringify(person);
  if (kept === shown) return;
  shown = kept;
  fill(room,
    h("section", { class: "card wide", "data-part": "person" },
      h("div", { class: "people-head" }, h("h2", { class: "person" }, token(person, "big"), person.name),
        h("div", { class: "action-row" }, h("a", { class: "button", href: `practice?player=${person.id}` },
          t("practice.title")), button(t("players.edit"), () => edit(person), { id: "edit-player" }),
          button(t("players.delete"), () => remove(person), { id: "delete-player" }))),
      h("p", { class: "headline" }, t("players.headline", { thrown: person.darts.thrown, placed: person.darts.placed,
        games: person.games.length })),
      h("p", { class: "scatter" }, `${t("players.scatter")}: ${scatterWords(person.scatter)}`)),
    ...figures(person), card(person), bests(person.bests), against(person.against), games(person.games),
    downloads(`player/${person.id}`));
}

// To be printed and carried along: scanned at a board, its owner sits down.
/** @param {PersonPage} person */
function card(person) {
  return h("section", { class: "card own-card", "data-part": "card" }, h("h2", {}, t("players.card")),
    h("p", {}, t("players.card.words")), h("figure", {}, h("img", { class: "qr", src: `player/${person.id}.svg`,
      alt: t("players.card.code", { name: person.name }) }), h("figcaption", {}, token(person), person.name)),
    button(t("players.card.print"), () => window.print(), { id: "print-card" }));
}

/** @param {Bests} found */
function bests(found) {
  const { quickest_win: quickest } = found;
  /** @type {[string, string | number][]} */
  const rows = [["players.best.placed", found.placed_in_a_row], ["players.best.clean", found.darts_without_loss],
    ["players.best.won", found.won_in_a_row],
    ["players.best.quickest", quickest ? t("archive.turns", { turns: quickest.turns }) : "–"]];
  for (const [exercise, best] of Object.entries(found.practice ?? {})) rows.push([`practice.${exercise}`, best]);
  if (rows.every(([, best]) => best === 0 || best === "–")) return "";
  return h("section", { class: "card", "data-part": "bests" }, h("h2", {}, t("players.bests")),
    h("dl", {}, rows.flatMap(([key, value]) => [h("dt", {}, t(key)), h("dd", {}, String(value))])));
}

/** @param {Opponent} one */
function named(one) {
  if (one.gone) return t("players.gone");
  return one.id ? h("a", { href: `players?player=${one.id}` }, one.name) : one.name || t("players.guest");
}

/** @param {Opponent[]} found */
function against(found) {
  const head = ["players.name", "players.won", "players.drawn", "players.lost"];
  return found.length === 0 ? "" : h("section", { class: "card", "data-part": "against" },
    h("h2", {}, t("players.against")), h("table", { class: "people-table" },
      h("thead", {}, h("tr", {}, head.map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", {}, found.map((opponent) => h("tr", {}, h("th", { scope: "row" }, named(opponent)),
        [opponent.won, opponent.drawn, opponent.lost].map((count) => h("td", {}, String(count))))))));
}

/** @param {PlayedGame[]} found */
function games(found) {
  if (!found.length) return "";
  return h("section", { class: "card", "data-part": "games" }, h("h2", {}, t("players.games")),
    h("ol", { class: "people-games" }, found.map((game) => h("li", {},
      h("a", { href: `archive#${game.match}` }, `${day(game.started_ms)} · ${gameName({ game: { key: game.game },
        kind: game.kind })}`), h("span", {}, t(`side.${game.side}`), " – ", named(game.against)),
      h("strong", {}, game.result ?? "*"), game.result ? h("a", { class: "review-link",
        href: `review/${game.match}?lang=${language()}` }, t("picture.review")) : ""))));
}

/** @param {PersonPage | null} person */
async function edit(person) {
  const profile = await openProfile(person);
  if (!profile) return;
  const answer = await connection.ask("players", { type: "keep", player: person?.id ?? null, profile });
  if (!answer.accepted) return fail(refusalText(answer, "players.refused"));
  await draw();
}

/** @param {PersonPage} person */
async function remove(person) {
  if (!confirm(t("players.delete.sure", { name: person.name }))) return;
  const answer = await connection.ask("players", { type: "delete", player: person.id });
  if (answer.accepted) location.href = "players";
  else fail(refusalText(answer, "players.refused"));
}

connection.on("status", ({ status }) => {
  if (status !== "refused") return;
  for (const id of ["add-player", "edit-player", "delete-player"]) document.getElementById(id)?.remove();
});
connection.open();
await draw();
