// A member's phone: who am I, am I here, whom do I play and where.

import { Connection, credentials, socketAddress } from "./connection.js";
import { button, h } from "./dom.js";
import { setUpPage } from "./side-page.js";
import { addWords, t } from "./words.js";

const ME = "scharten.member";
await Promise.all([addWords("pages-"), addWords("evening-")]);
const state = setUpPage("evening.join");
const room = document.getElementById("join");
const { role, secret } = credentials("member");
const connection = new Connection(socketAddress(), role, secret);
let view = null;
let me = localStorage.getItem(ME);
let called = "";

async function say(said) {
  const answer = await connection.command({ type: "presence", key: me, said });
  state.textContent = answer.accepted ? "" : answer.code === "no_evening" ? t("evening.no.no_evening")
    : answer.words ?? t(`refused.${answer.code}`);
  state.hidden = answer.accepted;
}

function draw() {
  if (connection.status !== "open") {
    const elsewhere = connection.code === "unknown_role"; // a board's page, not a club's
    state.textContent = connection.status === "refused"
      ? t(elsewhere ? "evening.elsewhere" : `refused.${connection.code}`) : t("link.connecting");
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
  view.members.map((one) => h("option", { value: one.key, selected: one.key === me }, one.name)));
  room.replaceChildren(h("section", { class: "card" }, h("label", { for: "who" }, t("evening.i_am")), choose,
    mine && h("div", { class: "action-row" },
      button(t("evening.here"), () => say("here"), { "aria-pressed": String(mine.said === "here"), class: "primary",
        id: "here", disabled: !view.open }),
      button(t("evening.not_here"), () => say("excused"), { "aria-pressed": String(mine.said === "excused"),
        disabled: !view.open })),
    !view.open && h("p", {}, t("evening.no.no_evening"))), mine ? call() : "", mine ? place() : "");
}

function call() {
  const round = view.rounds.at(-1);
  const one = round?.tonight ? round.pairings.find(({ white, black }) => white === me || black === me) : null;
  const none = round?.tonight ? round.unpaired.find(({ key }) => key === me) : null;
  const colour = one?.white === me ? "white" : "black";
  const now = Boolean(one && !one.result && one.board);
  const where = one?.board ? t("evening.you.at", { board: one.board }) : t("evening.you.later");
  const against = one && t(`evening.you.${colour}`, { name: one.names[colour === "white" ? "black" : "white"] });
  const words = one ? [against, one.result ?? where].join(" ")
    : none ? t(`evening.said.${none.why}`) : t("evening.wait");
  if (now && called !== `${round.number} ${one.board}`) {
    called = `${round.number} ${one.board}`;
    navigator.vibrate?.([200, 100, 200]);
  }
  return h("section", { class: "card" }, h("p", { class: `call${now ? " now" : ""}`, role: "status" }, words));
}

function place() {
  const row = view.table.find(({ key }) => key === me);
  return row ? h("section", { class: "card" }, h("p", {}, t("evening.your_place", { place: row.place,
    points: row.points }))) : "";
}

connection.addEventListener("status", draw);
connection.addEventListener("topic", ({ detail: { topic, payload } }) => {
  if (topic === "evening") view = payload;
  if (topic === "evening" || topic === "welcome") state.hidden = true;
  draw();
});
connection.open();
