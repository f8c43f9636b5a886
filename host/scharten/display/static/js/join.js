// A member's phone: the name, the presence, the opponent and the board.

import { betweenPresses } from "./between-presses.js";
import { Connection, credentials, socketAddress } from "./connection.js";
import { button, byId, h } from "./dom.js";
import { fileWords } from "./evening/file.js";
import { linkWords } from "./link-words.js";
import { offerWayHome, setUpPage } from "./side-page.js";
import { addWords, refusalText, t } from "./words.js";

const ME = "scharten.member";
await addWords("pages", "evening", "problems");
const state = setUpPage("evening.join");
const room = byId("join");
const { role, secret } = credentials("member");
const connection = new Connection(socketAddress(), role, secret);
/** @type {Evening | null} */
let view = null;
let me = localStorage.getItem(ME);
let called = "";

/** @param {string} type @param {object} fields */
async function order(type, fields) {
  const answer = await connection.command({ type, key: me, ...fields });
  state.textContent = answer.accepted ? "" : refusalText(answer, "evening.no");
  state.hidden = answer.accepted;
}

const draw = betweenPresses(room, drawAll);

function drawAll() {
  offerWayHome(connection.status === "refused");
  room.classList.toggle("cut-off", connection.status === "lost");
  if (connection.status !== "open") {
    const elsewhere = connection.code === "unknown_role"; // a board's page, not a club's
    state.textContent = elsewhere ? t("evening.elsewhere") : linkWords(connection);
    state.hidden = false;
    return;
  }
  if (!view || room.querySelector("select:focus")) return;
  const mine = view.members.find(({ key }) => key === me);
  const choose = h("select", { id: "who", onchange: ({ target }) => {
    me = target.value;
    localStorage.setItem(ME, me);
    target.blur();
    draw();
  } }, h("option", { value: "" }, t("evening.who")),
  view.members.map(({ key, name }) => h("option", { value: key, selected: key === me }, name)));
  room.replaceChildren(h("section", { class: "card" }, h("label", { for: "who" }, t("evening.i_am")), choose,
    mine && h("div", { class: "action-row" },
      button(t("evening.here"), () => order("presence", { said: "here" }),
        { "aria-pressed": String(mine.said === "here"), class: "primary", id: "here", disabled: !view.open }),
      button(t("evening.not_here"), () => order("presence", { said: "excused" }),
        { "aria-pressed": String(mine.said === "excused"), disabled: !view.open })),
    !view.open && h("p", {}, t("problem.no_evening"))), mine ? call(view) : "", mine ? place(view) : "",
  mine ? byes(view) : "");
}

// The byes that the member asked for, and the next round to ask one for.
/** @param {Evening} evening */
function byes({ season, rounds, asked }) {
  if (!season || season.options.system === "knockout") return "";
  const mine = asked.filter(({ key }) => key === me).map(({ number }) => number);
  let next = rounds.length + 1;
  while (mine.includes(next)) next += 1;
  return h("section", { class: "card", id: "byes" }, mine.map((number) => h("div", { class: "action-row" },
    h("p", {}, t("evening.bye.asked", { number })),
    button(t("evening.bye.back"), () => order("bye", { number, asked: false })))),
  button(t("evening.bye.ask", { number: next }), () => order("bye", { number: next }), { id: "ask-bye" }));
}

// The member's game of a match against another club, which comes before the evening's own pairs.
/** @param {ClubMatch | null} match */
function matchCall(match) {
  const table = match && !match.over ? match.tables.find(({ key }) => key === me) : null;
  if (!match || !table || table.result) return null;
  const club = match.role === "home" ? "visitors" : "home";
  const colour = table.white === match.role ? "white" : "black";
  const against = t(`evening.you.${colour}`, { name: `${table[club] || "?"} (${match[club]})` });
  const now = table.state === "playing" && table.board !== null;
  return callCard(`${against} ${table.board ? t("evening.you.at", { board: table.board }) : t("evening.you.later")}`,
    now);
}

/** @param {Evening} evening */
function call({ rounds, match }) {
  const elsewhere = matchCall(match);
  if (elsewhere) return elsewhere;
  const round = rounds.at(-1);
  const pairing = round?.tonight ? round.pairings.find(({ white, black }) => white === me || black === me) : null;
  if (!round || !pairing) return callCard(unpairedWords(round));
  const colour = pairing.white === me ? "white" : "black";
  const where = pairing.board ? t("evening.you.at", { board: pairing.board }) : t("evening.you.later");
  const against = t(`evening.you.${colour}`, { name: pairing.names[colour === "white" ? "black" : "white"] });
  const now = !pairing.result && Boolean(pairing.board);
  const calling = `${round.number} ${pairing.board}`;
  if (now && called !== calling) {
    called = calling;
    navigator.vibrate?.([200, 100, 200]);
  }
  return callCard(`${against} ${pairing.result ?? where}`, now);
}

/** @param {Round | undefined} round */
function unpairedWords(round) {
  const unpaired = round?.tonight ? round.unpaired.find(({ key }) => key === me) : null;
  return unpaired ? t(`evening.said.${unpaired.why}`) : t("evening.wait");
}

/** @param {string} words */
function callCard(words, now = false) {
  return h("section", { class: "card" }, h("p", { class: `call${now ? " now" : ""}`, role: "status" }, words));
}

/** @param {Evening} evening */
function place({ table }) {
  const row = table.find(({ key }) => key === me);
  return row ? h("section", { class: "card" }, h("p", {}, t("evening.your_place", { place: row.place,
    points: row.points }))) : "";
}

connection.on("status", draw);
connection.on("topic", ({ topic, payload }) => {
  if (topic === "evening") view = payload;
  if (topic === "evening" || topic === "welcome") {
    state.textContent = fileWords(view);
    state.hidden = !state.textContent;
  }
  draw();
});
connection.open();
