// The organiser's page of a club's evening: presence, pairings, boards, results and the ranking.

import { betweenPresses } from "./between-presses.js";
import { Connection, credentials, socketAddress } from "./connection.js";
import { button, byId, find, h, openDialog } from "./dom.js";
import { drawArrangements } from "./evening/arrange.js";
import { fileWords } from "./evening/file.js";
import { memberForm } from "./evening/member.js";
import { drawMatch } from "./evening/match.js";
import { drawRound } from "./evening/round.js";
import { seasonForm } from "./evening/season.js";
import { linkWords } from "./link-words.js";
import { reference } from "./reference.js";
import { offerWayHome, setUpPage } from "./side-page.js";
import { addWords, refusalText, t } from "./words.js";

await addWords("pages", "evening", "problems");
const state = setUpPage("evening.title", h("a", { class: "button", href: "club" }, t("evening.tv")));
const room = byId("evening");
const { role, secret } = credentials("organiser");
const connection = new Connection(socketAddress(), role, secret);
const PARTS = ["actions", "presence", "round", "table", "arrange", "match", "members", "phones"];
const parts = Object.fromEntries(PARTS.map((name) =>
  [name, h("section", { class: `card${name === "actions" ? " wide" : ""}`, "data-part": name })]));
const problem = h("p", { class: "problem", role: "status" });
const REASONS = ["absent", "excused", "club"];
/** @type {Evening} */
let view;
let invitation = ""; // the text for the visitors of a match
const games = Object.keys((await reference()).games);
const TABLES = /** @type {const} */ (["table", "evening_table", "ratings", "start_list"]);
/** @type {typeof TABLES[number]} */
let shownTable = "table";
/** @type {[HTMLElement, () => void][]} */
const drawings = [[parts.actions, drawActions], [parts.presence, drawPresence],
  [parts.round, () => drawRound(parts.round, view, { order, choice, redraw: draw })], [parts.table, drawTable],
  [parts.arrange, () => drawArrangements(parts.arrange, view, { order, choice, redraw: draw })],
  [parts.match, () => drawMatch(parts.match, view, invitation, games, { order, choice, redraw: draw })]];
const newMember = memberForm(null, async (fields) => {
  if (!await order("member", fields)) return;
  newMember.reset();
  find(newMember, "#member-name")?.focus();
});
const knownMembers = h("div", { class: "fields" });
drawings.push([knownMembers, drawMembers]);
room.append(...Object.values(parts));
const draw = betweenPresses(room, drawAll);

/** @param {string} type @param {object} [fields] */
async function order(type, fields = {}) {
  problem.textContent = ""; // here, not with the answer: an earlier order may be answered after a refusal
  const answer = await connection.command({ type, ...fields });
  if (!answer.accepted) problem.textContent = refusalText(answer, "evening.no");
  problem.classList.toggle("plain", type === "pair" && answer.code === "stale"); // pressed twice: nothing is wrong
  return answer.accepted;
}

function trouble() {
  const elsewhere = connection.code === "unknown_role"; // a board's page, not a club's
  if (elsewhere) return t("evening.elsewhere");
  return linkWords(connection) || (view && !view.broker ? t("link.no_broker") : fileWords(view));
}

function drawAll() {
  state.textContent = trouble();
  state.hidden = !state.textContent;
  offerWayHome(connection.status === "refused");
  room.classList.toggle("cut-off", connection.status === "lost");
  if (!view) return;
  for (const [part, drawPart] of drawings) {
    if (!find(part, "select:focus, input[type=text]:focus, input[type=number]:focus")) drawPart();
  }
}

const last = () => view.rounds.at(-1);
const today = () => new Date().toLocaleDateString("sv");

function drawActions() {
  const { season, open } = view;
  parts.actions.replaceChildren(
    h("h2", {}, season ? `${season.name} · ${t(`evening.system.${season.options.system}`)}` : t("evening.no_season")),
    h("div", { class: "actions" }, open ? [...roundButtons(), button(t("evening.next_start"), askNextStart),
      button(t("evening.close"), askClose, { id: "close-evening" })] : [
      season && button(t("evening.open"), () => order("evening", { date: today() }),
        { class: "primary", id: "open-evening" }),
      button(t("evening.new_season"), askSeason, { id: "new-season", class: season ? "" : "primary" })]),
    problem);
}

function roundButtons() {
  const round = last();
  const running = round?.tonight && !round.over;
  const found = [button(t("evening.pair"), askPair, { class: running ? "" : "primary", id: "pair" })];
  if (!round?.tonight) return found;
  const { number, pairings } = round;
  found.push(button(t("evening.pair_again"), () => order("pair_again"), { id: "pair-again" }));
  if (pairings.every((pairing) => !pairing.result && (!pairing.match || untouched(pairing)))) {
    found.push(button(t("evening.withdraw"), () => order("withdraw_round", { number }), { id: "withdraw" }));
  }
  if (running && !round.started && view.season?.options.start === "together") {
    found.push(button(t("evening.start"), () => order("start_round", { number }), { class: "primary" }));
  }
  return found;
}

// Whether the game of a pair is on its board, without a turn.
/** @param {Pairing} pairing */
const untouched = ({ board, match }) =>
  view.boards.some((known) => known.name === board && known.match === match && known.online && known.turns === 0);

// How many of this evening's pairs have no result.
const openPairs = () => view.rounds.filter(({ tonight }) => tonight).flatMap(({ pairings }) => pairings)
  .filter(({ result }) => !result).length;

// Names the round that is on screen as the next one: the service draws it once, however often people click.
async function askPair() {
  const number = view.rounds.length + 1;
  const count = openPairs();
  if (!count) return order("pair", { number });
  return ask("pair", t("evening.games_on", { count }), [
    ["evening.pair_anyway", "pair", { number, despite_games: true }]]);
}

async function askClose() {
  const count = openPairs();
  if (!count) return order("close_evening");
  return ask("close", t("evening.games_on", { count }), [
    ["evening.close.adjourn", "close_evening", { open_pairs: "adjourn" }],
    ["evening.close.void", "close_evening", { open_pairs: "void" }]]);
}

// Asks before an order: each choice is its words, the order and its fields.
/** @param {string} title @param {string} words @param {[string, string, object][]} choices */
function ask(title, words, choices) {
  const dialog = openDialog(t(`evening.${title}`), [h("p", {}, words), h("div", { class: "actions" },
    choices.map(([key, type, fields]) => button(t(key), async () => {
      await order(type, fields);
      dialog.close();
    }, { "data-choice": key })))], { closeText: t("close") });
}

function drawPresence() {
  const here = view.members.filter(({ said }) => said === "here").length;
  const list = parts.presence.querySelector("ul");
  const top = list?.scrollTop ?? 0;
  parts.presence.replaceChildren(h("h2", {}, t("evening.presence", { here, all: view.members.length })),
    h("ul", { class: "present" }, view.members.map((member) => h("li", {},
      h("label", {}, h("input", { type: "checkbox", checked: member.said === "here", disabled: !view.open,
        onchange: ({ target }) => order("presence", { key: member.key, said: target.checked ? "here" : "absent" }) }),
      member.name), h("span", { class: "soft" }, strength(member)),
      member.said && member.said !== "here" ? h("select", { "aria-label": `${t("evening.why")}: ${member.name}`,
        onchange: ({ target }) => order("presence", { key: member.key, said: target.value }).then(leave(target)) },
      REASONS.map((why) =>
        h("option", { value: why, selected: why === member.said }, t(`evening.said.${why}`)))) : ""))));
  find(parts.presence, "ul")?.scrollTo({ top });
}

/** @param {Member} member */
const strength = ({ rating, foul_limit: limit }) => [rating || "", limit ? t("evening.limit", { limit }) : ""]
  .filter(Boolean).join(" · ");

/** @param {HTMLElement} element */
const leave = (element) => () => {
  element.blur();
  draw();
};

/**
 * @param {string} label
 * @param {[string | null, string][]} options
 * @param {string | null} chosen
 * @param {(value: string | null) => Promise<unknown>} onchange
 * @param {boolean} [disabled]
 */
function choice(label, options, chosen, onchange, disabled = false) {
  return h("select", { "aria-label": label, disabled, onchange: ({ target }) =>
    onchange(target.value || null).then(leave(target)) },
  options.map(([value, words]) => h("option", { value: value ?? "", selected: value === chosen }, words)));
}

/** @param {TableRow[]} rows */
function ranking(rows) {
  const keizer = shownTable === "table" && view.season?.options.system === "keizer";
  /** @type {(keyof TableRow | "games")[]} */
  const heads = keizer ? ["place", "name", "points", "value", "counted", "game_points", "games"]
    : ["place", "name", "points", "games"];
  if (rows.some(({ hand }) => hand !== undefined)) heads.push("hand", "head");
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(`evening.head.${key}`))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, heads.map((key) =>
      h("td", { class: key === "name" ? "who" : "" }, key === "games"
        ? `${row.wins} / ${row.draws} / ${row.losses}` : cell(row, key))))))));
}

/** @param {TableRow} row @param {keyof TableRow} key */
function cell(row, key) {
  if (key === "hand") return skillWords(row.hand, row.hand?.mm, 0);
  return key === "head" ? skillWords(row.head, row.head?.points, 1) : String(row[key]);
}

/** @param {Interval | null | undefined} skill @param {number | undefined} figure @param {number} digits */
const skillWords = (skill, figure, digits) => skill
  ? `${figure?.toFixed(digits)} (${skill.low.toFixed(digits)}–${skill.high.toFixed(digits)})` : "–";

function drawTable() {
  const files = [["table.csv", "CSV"], ["start.csv", t("evening.start_list")],
    ["results.csv", t("evening.results")], ["season.trf", "TRF"], ["season.json", "JSON"]];
  parts.table.replaceChildren(h("h2", {}, t("evening.ranking")),
    h("div", { class: "actions" }, TABLES.map((name) =>
      button(t(`evening.of.${name}`), () => {
        shownTable = name;
        drawTable();
      }, { "aria-pressed": String(shownTable === name) }))),
    shownTable === "ratings" ? ratingTable() : shownTable === "start_list" ? startList() : ranking(view[shownTable]),
    h("div", { class: "actions" },
      files.map(([name, words]) => h("a", { class: "button", href: `evening/${name}` }, words)),
      button(t("evening.print"), () => print())));
}

function startList() {
  const heads = ["number", "name", "rating"].map((key) => h("th", { scope: "col" }, t(`evening.head.${key}`)));
  return h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, view.start_list.map(
    ({ number, name, rating }) => h("tr", {}, h("td", {}, String(number)), h("td", { class: "who" }, name),
      h("td", {}, rating ? String(rating) : "–")))));
}

function ratingTable() {
  return h("table", {}, h("tbody", {}, view.ratings.map(({ name, rating, deviation }) => h("tr", {},
    h("td", { class: "who" }, name), h("td", {}, `${Math.round(rating)} ± ${Math.round(2 * deviation)}`)))));
}

function drawMembers() {
  /** @param {string} words @returns {[string | null, string][]} */
  const list = (words) => [[null, `${t(words)} …`],
    ...view.members.map(({ key, name }) => /** @type {[string, string]} */ ([key, name]))];
  if (!knownMembers.isConnected) parts.members.append(h("h2", {}, t("evening.member")), newMember, knownMembers);
  knownMembers.replaceChildren(...(view.members.length ? [
    choice(t("evening.change_member"), list("evening.change_member"), null, askChange),
    choice(t("evening.delete"), list("evening.delete"), null, askDelete)] : []));
}

/** @param {string | null} key */
async function askChange(key) {
  const member = view.members.find((known) => known.key === key);
  if (!member) return;
  const dialog = openDialog(t("evening.change_member"), memberForm(member, async (fields) => {
    if (await order("member", { ...fields, key })) dialog.close();
  }), { closeText: t("close"), keepsInput: true });
}

/** @param {string | null} key */
async function askDelete(key) {
  const name = view.members.find((member) => member.key === key)?.name;
  if (!name) return;
  const dialog = openDialog(t("evening.delete"), [h("p", {}, t("evening.delete.words", { name })),
    button(t("evening.delete"), async () => {
      await order("remove_member", { key });
      dialog.close();
    }, { class: "primary", id: "delete-member" })], { closeText: t("close") });
}

/** @param {JoinLinks} links */
function drawPhones({ join }) {
  parts.phones.replaceChildren(h("h2", {}, t("evening.phones")), h("p", {}, t("evening.phones.words")),
    h("img", { class: "qr", src: join.qr, alt: t("evening.phones") }),
    h("a", { href: join.url }, t("evening.phones.link")));
}

function askSeason() {
  const dialog = openDialog(t("evening.new_season"), seasonForm(games, async (fields) => {
    if (await order("season", fields)) dialog.close();
  }), { closeText: t("close"), keepsInput: true });
}

function askNextStart() {
  const time = h("input", { type: "time", id: "next-start" });
  const say = async () => {
    const [hours, minutes] = time.value.split(":").map(Number);
    const at = time.value ? new Date().setHours(hours, minutes, 0, 0) : null;
    if (await order("next_start", { at_ms: at })) dialog.close();
  };
  const dialog = openDialog(t("evening.next_start"), [h("label", {}, t("evening.next_start"), time),
    button(t("evening.keep"), say, { class: "primary" })], { closeText: t("close"), keepsInput: true });
}

connection.on("status", draw);
connection.on("topic", ({ topic, payload }) => {
  if (topic === "evening") view = payload;
  if (topic === "match") invitation = payload.text;
  if (topic === "links" && payload.join) drawPhones({ join: payload.join });
  draw();
});
room.addEventListener("focusout", () => setTimeout(draw, 50));
draw();
connection.open();
