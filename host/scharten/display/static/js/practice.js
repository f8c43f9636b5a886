// Practice without an opponent, while no game is on: the targets and the counts, which the host keeps.

import { Connection, credentials, socketAddress } from "./connection.js";
import { Dartboard } from "./dartboard.js";
import { button, byId, h } from "./dom.js";
import { linkWords } from "./link-words.js";
import { setUpPage } from "./side-page.js";
import { Store } from "./store.js";
import { addWords, bedName, t } from "./words.js";

const EXERCISES = ["warm_up", "round_the_zone", "lit_field", "fouls_in_a_row", "doubles"];

await addWords("pages", "players");
const state = setUpPage("practice.title");
const { role, secret } = credentials("table");
const store = new Store(role);
const connection = new Connection(socketAddress(), role, secret);
const room = byId("practice");
const who = h("select", { id: "practice-player" }, h("option", { value: "" }, t("players.guest")));
const words = h("p", { class: "headline", role: "status" });
const counts = h("p", {});
const place = h("div", { class: "heat" });
const board = new Dartboard(place, { label: t("practice.board") });
const dead = h("p", { class: "headline dead-board" });
place.append(dead);
const missed = button(t("practice.missed"), () => report("MISS"), { id: "practice-missed" });
const doubt = h("div", { class: "action-row", role: "group", "aria-label": t("practice.which") });
const fix = button(t("practice.fix"), () => mend(!mends()), { id: "practice-fix" });
const stop = button(t("practice.stop"), () => order("practice", { exercise: null }), { id: "practice-stop" });
room.append(
  h("section", { class: "card" }, h("h2", { class: "visually-hidden" }, t("practice.title")),
    h("div", { class: "option" }, h("label", { for: who.id }, t("players.who")), who),
    h("div", { class: "action-row" }, EXERCISES.map((exercise) => button(t(`practice.${exercise}`),
      () => order("practice", { exercise, player: who.value || null }), { "data-exercise": exercise }))),
    words, counts, doubt, h("div", { class: "action-row" }, missed, fix, stop)),
  h("section", { class: "card" }, place));

/** @param {string} type @param {object} fields */
async function order(type, fields) {
  const { match, seq } = store.snapshot ?? {};
  const answer = await connection.command({ type, match: match || null, seq: seq ?? 0, ...fields });
  state.hidden = answer.accepted;
  state.textContent = answer.accepted ? "" : t(answer.code === "wrong_phase" ? "practice.game_on" : "practice.refused");
}

// While the last dart is corrected, the next press corrects it.
function mends() {
  return fix.getAttribute("aria-pressed") === "true";
}

/** @param {boolean} wanted */
function mend(wanted) {
  fix.setAttribute("aria-pressed", String(wanted));
  draw();
}

/** @param {string} bed @param {boolean} [instead] */
function report(bed, instead = mends()) {
  order("practice_dart", { bed, instead });
  mend(false);
}

// On the simulated board a press is a dart; on a real board it reports a dart that no sensor noticed.
board.on("aim", ({ x_mm, y_mm, bed }) => {
  if (store.welcome?.simulated && !mends()) connection.send("simulator/throw", { v: 1, practice: true, x_mm, y_mm });
  else report(bed);
});

// Why a press on the dartboard is no dart of an exercise; "" where it is one.
/** @param {Snapshot["practice"] | undefined} practice */
function whyDead(practice) {
  if (practice) return practice.over && !mends() ? t("practice.dead.over") : "";
  return t(store.gameIsOn() ? "practice.dead.game_on" : "practice.dead.choose");
}

function draw() {
  const practice = store.snapshot?.practice;
  dead.textContent = whyDead(practice);
  place.classList.toggle("dead", Boolean(dead.textContent));
  if (board.active === Boolean(dead.textContent)) board.setActive(!dead.textContent);
  missed.hidden = stop.hidden = !practice;
  fix.hidden = !practice?.last;
  missed.disabled = !practice || (practice.over && !mends());
  doubt.replaceChildren(...(practice?.doubt ?? []).map((bed) =>
    button(bedName(bed), () => report(bed, true), { "data-bed": bed })));
  board.light({ zone: [], free: practice?.targets ?? [], asked: [] });
  if (!practice) {
    words.textContent = t(store.gameIsOn() ? "practice.game_on" : "practice.choose");
    counts.textContent = "";
    return;
  }
  const { exercise, hit, thrown, run, best_run: best, over, doubt: unsure } = practice;
  const on = t(over ? "practice.over" : "practice.on", { exercise: t(`practice.${exercise}`) });
  words.textContent = mends() ? t("practice.fixing") : unsure.length ? t("practice.which") : on;
  counts.textContent = t("practice.counts", { hit, thrown, run, best });
}

async function people() {
  if (!store.welcome?.players) return;
  const answer = await fetch("players/names.json");
  if (!answer.ok) return;
  /** @type {{players: Person[]}} */
  const { players } = await answer.json();
  const chosen = new URLSearchParams(location.search).get("player") ?? "";
  who.append(...players.map(({ id, name }) => h("option", { value: id }, name)));
  if (players.some(({ id }) => id === chosen)) who.value = chosen;
}

store.on("change", (topic) => {
  if (topic === "welcome" && who.options.length === 1) people();
  draw();
});
connection.on("topic", ({ topic, payload }) => store.take(topic, payload));
connection.on("status", ({ status, code }) => {
  state.textContent = linkWords({ status, code });
  state.hidden = status === "open" || status === "connecting";
});
draw();
connection.open();
