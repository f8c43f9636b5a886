// A match against another club: the invitation and its answer, every table, and the score.

import { button, h, openDialog } from "../dom.js";
import { matchTitle, tableWords } from "../match-words.js";
import { t } from "../words.js";
import { RESULTS } from "./round.js";

/** @typedef {import("./round.js").Desk} Desk */

const TABLE = /\| (\d{1,2}) \| (white|black) \|([^|]+)\|([^|]+)\| (scharten\S+)/g;

/**
 * @param {HTMLElement} part
 * @param {Evening} view
 * @param {string} invitation
 * @param {string[]} games
 * @param {Desk} desk
 */
export function drawMatch(part, view, invitation, games, desk) {
  const { match } = view;
  const on = match && !match.over;
  part.replaceChildren(h("h2", {}, match ? matchTitle(match) : t("evening.match")));
  if (match) part.append(tables(view, match, desk));
  if (invitation) part.append(...toSend(invitation));
  part.append(h("div", { class: "actions" }, on
    ? [match.role === "visitors" ? button(t("evening.match.paste"), () => askAccept(view, desk), { id: "match-accept" })
      : "", button(t("evening.match.end"), () => askEnd(desk), { id: "match-end" })]
    : [button(t("evening.match.invite"), () => askInvite(view, games, desk), { id: "match-invite" }),
      button(t("evening.match.accept"), () => askAccept(view, desk), { id: "match-accept" })]));
}

/** @param {Evening} view @param {ClubMatch} match @param {Desk} desk */
function tables(view, match, desk) {
  const heads = [t("evening.table"), match.home, match.visitors, t("evening.board"), t("evening.result"), ""];
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((words) => h("th", { scope: "col" }, words)))),
    h("tbody", {}, match.tables.map((table) => h("tr", { "data-match-table": table.number },
      h("td", {}, String(table.number)), who(table, "home"), who(table, "visitors"),
      h("td", {}, match.over ? table.board ?? "" : boardChoice(view, table, desk)),
      h("td", {}, resultChoice(match, table, desk), table.result ? "" : h("p", { class: "soft" }, tableWords(table))),
      h("td", {}, !match.over && ["refused", "waits"].includes(table.state)
        ? button(t("evening.match.again"), () => desk.order("match_again", { number: table.number }),
          { class: "match-again" }) : ""))))));
}

/** @param {MatchTable} table @param {"home" | "visitors"} club */
function who(table, club) {
  return h("td", { class: "who" }, table[club] || "–",
    h("span", { class: "soft" }, ` ${t(`side.${table.white === club ? "white" : "black"}`)}`));
}

/** @param {Evening} view @param {MatchTable} table @param {Desk} desk */
function boardChoice(view, table, desk) {
  /** @type {[string | null, string][]} */
  const options = [[null, "–"], ...view.boards.map(({ name }) => /** @type {[string, string]} */ ([name, name]))];
  if (table.board && !view.boards.some(({ name }) => name === table.board)) options.push([table.board, table.board]);
  return desk.choice(`${t("evening.board")} ${table.number}`, options, table.board,
    (board) => desk.order("match_board", { number: table.number, board }),
    !["no_board", "asked", "refused"].includes(table.state));
}

/** @param {ClubMatch} match @param {MatchTable} table @param {Desk} desk */
function resultChoice(match, table, desk) {
  /** @type {[string | null, string][]} */
  const options = [[null, "–"], ...RESULTS.map((text) => /** @type {[string, string]} */ ([text, text]))];
  return desk.choice(`${t("evening.result")} ${table.number}`, options, table.result,
    (result) => desk.order("match_result", { number: table.number, result }), match.over);
}

/** @param {string} invitation */
function toSend(invitation) {
  const text = h("textarea", { id: "match-text", readonly: "", rows: 4, "aria-label": t("evening.match.send") },
    invitation);
  const copied = h("span", { role: "status", class: "soft" });
  return [h("p", {}, t("evening.match.send")), text, h("div", { class: "actions" },
    button(t("evening.match.copy"), async () => {
      text.select();
      await navigator.clipboard?.writeText(invitation).catch(() => document.execCommand("copy"));
      copied.textContent = t("evening.match.copied");
    }, { id: "match-copy" }), copied)];
}

/** @param {Evening} view @param {string[]} games @param {Desk} desk */
function askInvite(view, games, { order }) {
  const home = h("input", { type: "text", maxlength: 40, required: true, id: "match-home",
    value: localStorage.getItem("scharten.club") ?? "" });
  const visitors = h("input", { type: "text", maxlength: 40, required: true, id: "match-visitors" });
  const game = pick("match-game", games.map((key) => [key, t(`game.${key}`)]));
  const kind = pick("match-kind", ["loud", "silent"].map((key) => [key, t(`kind.${key}`)]));
  const minutes = h("input", { type: "number", min: 0, max: 600, value: 0, id: "match-minutes" });
  const increment = h("input", { type: "number", min: 0, max: 600, value: 0, id: "match-increment" });
  const first = pick("match-first", ["white", "black"].map((side) => [side, t(`side.${side}`)]));
  const members = byStrength(view);
  const count = h("input", { type: "number", min: 1, max: Math.min(32, members.length), id: "match-count",
    value: Math.min(members.length, view.boards.filter(({ online }) => online).length || 1) });
  const seats = h("div", { class: "fields" });
  const drawSeats = () => {
    const wanted = Math.max(1, Math.min(Number(count.value) || 1, members.length));
    while (seats.children.length > wanted) seats.lastElementChild?.remove();
    while (seats.children.length < wanted) seats.append(seat(seats.children.length + 1, members));
  };
  count.addEventListener("change", drawSeats);
  drawSeats();
  const clock = () => (Number(minutes.value) ? { stages: [{ moves: null, minutes: Number(minutes.value) }],
    increment_s: Number(increment.value) } : null);
  form("evening.match.invite", [["evening.match.home", home], ["evening.match.visitors", visitors],
    ["evening.game", game], ["evening.kind", kind], ["evening.minutes", minutes], ["evening.increment", increment],
    ["evening.match.first", first], ["evening.match.count", count]], seats, () => {
    localStorage.setItem("scharten.club", home.value.trim());
    return order("match", { home: home.value.trim(), visitors: visitors.value.trim(), first: first.value,
      game: { game: game.value, kind: kind.value, clock: clock() },
      players: chosen(seats).map(([, key]) => key) });
  });
}

/** @param {Evening} view @param {Desk} desk */
function askAccept(view, { order }) {
  const text = h("textarea", { rows: 5, required: true, id: "match-pasted", maxlength: 32000 });
  const seats = h("div", { class: "fields" });
  const members = byStrength(view);
  text.addEventListener("input", () => {
    const line = text.value.replace(/[\s>]+/g, " ");
    seats.replaceChildren(...[...line.matchAll(TABLE)].map(([, number, side, home, ours], index) =>
      seat(Number(number), members, t("evening.match.seat", { number, side: t(`side.${side}`), name: home.trim() }),
        members.find(({ name }) => name === ours.trim())?.key ?? members[index]?.key)));
  });
  form("evening.match.accept", [["evening.match.pasted", text]], seats, () => order("match_accept",
    { text: text.value, players: Object.fromEntries(chosen(seats)) }));
}

/** @param {Desk} desk */
function askEnd({ order }) {
  const dialog = openDialog(t("evening.match.end"), [h("p", {}, t("evening.match.end.words")),
    button(t("evening.match.end"), async () => {
      await order("match_end");
      dialog.close();
    }, { class: "primary", id: "match-end-yes" })], { closeText: t("close") });
}

// The members that are present first, each group by strength.
/** @param {Evening} view */
function byStrength(view) {
  return [...view.members].sort((one, other) => Number(other.said === "here") - Number(one.said === "here")
    || other.rating - one.rating);
}

/** @param {number} number @param {Member[]} members @param {string} [label] @param {string} [key] */
function seat(number, members, label = t("evening.match.table", { number }), key = members[number - 1]?.key) {
  const choice = pick(`match-seat-${number}`, members.map((member) => [member.key, member.name]));
  choice.value = key ?? "";
  return h("label", {}, label, choice);
}

/** @param {HTMLElement} seats @returns {[string, string][]} */
function chosen(seats) {
  return [...seats.querySelectorAll("select")].map(({ id, value }) => [id.replace("match-seat-", ""), value]);
}

/** @param {string} id @param {string[][]} choices */
function pick(id, choices) {
  return h("select", { id, required: true }, choices.map(([value, words]) => h("option", { value }, words)));
}

/**
 * @param {string} title
 * @param {[string, HTMLElement][]} rows
 * @param {HTMLElement} seats
 * @param {() => Promise<boolean>} send
 */
function form(title, rows, seats, send) {
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    await send();
    dialog.close();
  };
  const dialog = openDialog(t(title), h("form", { class: "fields", onsubmit: submit },
    h("p", { class: "help" }, t(`${title}.words`)), rows.map(([key, input]) => h("label", {}, t(key), input)), seats,
    h("button", { class: "primary" }, t(`${title}.do`))), { closeText: t("close"), keepsInput: true });
}
