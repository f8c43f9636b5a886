// What finished games know of a position: the turns played there, how often, and what came of them. The address holds
// the question, so that the browser's back button returns to the position before.

import { Board } from "./board.js";
import { button, byId, fill, h, select } from "./dom.js";
import { addressOf } from "./nav.js";
import { fieldsOf, readPosition } from "./position.js";
import { setUpPage } from "./side-page.js";
import { svg } from "./svg.js";
import { addWords, gameName, notation, t, tell } from "./words.js";

const AGAIN_MS = 2000; // so often the page asks while games are being read
const BANDS = ["", "0-20", "20-35", "35-300"]; // scatters in mm
const MOST = 12; // rows of a list
/** @type {Side[]} */
const BOTH = ["white", "black"];

await addWords("openings", "problems");
setUpPage("openings.title");
const asked = new URLSearchParams(location.search);
const said = h("p", { role: "status", class: "help" });
const head = h("h2", {});
const turns = h("ol", { class: "played", id: "opening-turns" });
const placed = h("div", { id: "opening-placed" });
const people = h("ol", { class: "played", id: "opening-players" });
const placedCard = h("section", { class: "card", hidden: true }, h("h2", {}, t("openings.placed")), placed);
const peopleCard = h("section", { class: "card", hidden: true }, h("h2", {}, t("openings.players")), people);
const choice = h("div", { class: "fields" });
const place = h("div", { class: "opening-board" });
byId("openings").append(
  h("section", { class: "card board-card" }, place),
  h("section", { class: "card" }, choice, head, said, turns),
  placedCard, peopleCard);
const board = new Board(place, { rim: true });
await show();

/** @param {Record<string, string>} changed */
function go(changed) {
  location.search = String(query(changed));
}

// The address's question with these fields changed; an empty field is left out.
/** @param {Record<string, string>} changed */
function query(changed) {
  const found = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changed)) {
    if (value) found.set(name, value);
    else found.delete(name);
  }
  return found;
}

async function show() {
  const answer = await fetch(`openings/turns.json?${asked}`).catch(() => null);
  if (!answer?.ok) {
    said.className = "warning";
    said.textContent = t("openings.failed");
    return;
  }
  /** @type {OpeningsModel} */
  const found = await answer.json();
  draw(found);
  if (found.waiting) setTimeout(show, AGAIN_MS);
}

/** @param {OpeningsModel} found */
function draw(found) {
  drawChoice(found);
  if (!found.position) {
    said.textContent = found.problem ? tell("problem", found.problem.code, found.problem.args) : "";
    return;
  }
  const { layout, position } = found;
  board.show({ layout, whiteSitsAt: found.white_sits_at });
  const { pieces, gone } = readPosition(position, layout);
  board.setPieces(pieces, { animate: false });
  board.setGone(gone);
  board.mark({ check: found.check });
  head.textContent = t("openings.to_move", { side: t(`side.${found.side}`), games: found.games });
  said.textContent = found.waiting ? t("openings.waiting", { games: found.waiting })
    : found.games ? "" : t("openings.none");
  fill(turns, found.turns.slice(0, MOST).map((turn) => row(turn, h("a", { href: `?${query({ game: found.game,
    kind: found.kind, position: turn.position })}`, onpointerenter: () => mark(found, turn), onfocus: () =>
    mark(found, turn) }, notation(turn.text, found.side)))));
  placedCard.hidden = !found.placed.length;
  fill(placed, BOTH.flatMap((side) => [1, 2, 3].flatMap((piece) => placedList(found, side, piece))));
  peopleCard.hidden = found.players.length < 2;
  fill(people, found.players.slice(0, MOST).map((person) => row(person, h("strong", {}, person.name))));
}

/** @param {OpeningsModel} found @param {OpeningTurn} turn */
function mark(found, turn) {
  board.mark({ check: found.check, last: fieldsOf(turn.turn) });
}

/** @param {OpeningsModel} found */
function drawChoice(found) {
  if (choice.children.length) return;
  const here = `${found.game} ${found.kind}`;
  const listed = found.variants.map(({ game, kind }) => `${game} ${kind}`);
  const games = select({ id: "opening-game", onchange: ({ target }) => {
    const [game, kind] = target.value.split(" ");
    go({ game, kind, position: "", scatter: "" });
  } }, [...new Set([here, ...listed])].map((name) => {
    const [key, kind] = name.split(" ");
    return [name, gameName({ game: { key }, kind })];
  }), here);
  const player = h("input", { type: "search", id: "opening-player", maxlength: 40, value: asked.get("player") ?? "",
    onchange: ({ target }) => go({ player: target.value.trim() }) });
  const scatter = select({ id: "opening-scatter", onchange: ({ target }) => go({ scatter: target.value }) },
    BANDS.map((band) => [band, band ? t(`openings.scatter.${band.split("-")[0]}`) : t("openings.everybody")]),
    asked.get("scatter") ?? "");
  /** @param {string} key @param {HTMLElement} input */
  const labelled = (key, input) => h("label", { class: "field-row", for: input.id }, h("span", {}, t(key)), input);
  choice.append(labelled("openings.game", games), labelled("openings.player", player),
    found.kind === "loud" ? labelled("openings.scatter", scatter) : "",
    h("div", { class: "action-row" }, asked.get("position") ? button(t("openings.start"),
      () => go({ position: "" }), { id: "opening-start" }) : "",
    h("a", { class: "button", href: addressOf("archive") }, t("openings.games"))));
}

/** @param {OpeningsModel} found @param {Side} side @param {number} piece */
function placedList(found, side, piece) {
  const rows = found.placed.filter((entry) => entry.side === side && entry.piece === piece);
  if (!rows.length) return [];
  return [h("details", { open: side === found.side && piece === 1 },
    h("summary", {}, t("openings.piece", { side: t(`side.${side}`), piece })),
    h("ol", { class: "played" }, rows.slice(0, MOST).map((entry) =>
      row(entry, h("strong", {}, entry.field)))))];
}

// A name, the number of games, and the share of wins, draws and losses as a bar and in words.
/** @param {OpeningFigures} figures @param {HTMLElement} name */
function row({ games, wins, draws, losses }, name) {
  const share = (/** @type {number} */ count) => Math.round(100 * count / games);
  const bar = svg("svg", { viewBox: `0 0 ${games} 1`, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg("rect", { class: "wins", width: wins, height: 1 }, bar);
  svg("rect", { class: "draws", x: wins, width: draws, height: 1 }, bar);
  svg("rect", { class: "losses", x: wins + draws, width: losses, height: 1 }, bar);
  return h("li", {}, name, h("span", { class: "count" }, t("openings.count", { games })),
    h("div", { class: "results" }, bar, h("span", {}, t("openings.shares",
      { wins: share(wins), draws: share(draws), losses: share(losses) }))));
}
