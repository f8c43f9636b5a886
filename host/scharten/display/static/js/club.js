// The club's page: a card for every board on the broker; of a club's evening, slides that turn by themselves.

import { Connection, socketAddress } from "./connection.js";
import { button, byId, h } from "./dom.js";
import { linkWords } from "./link-words.js";
import { language } from "./settings.js";
import { setUpPage } from "./side-page.js";
import { speak } from "./voice.js";
import { addWords, t } from "./words.js";
import { Card } from "./club/card.js";
import { Slides, newCalls } from "./club/slides.js";
import { fileWords } from "./evening/file.js";

await addWords("pages", "evening");
const hold = button(t("evening.hold"), toggle, { id: "hold", "aria-pressed": "false", hidden: true });
const back = button("←", () => byHand(-1), { "aria-label": t("sheet.back"), hidden: true });
const on = button("→", () => byHand(1), { "aria-label": t("sheet.on"), hidden: true });
const state = setUpPage("club.title", back, on, hold);
const room = byId("club");
const none = h("p", { class: "club-none empty" }, t("waiting"));
const cards = /** @type {Map<string, Card>} */ (new Map());
const connection = new Connection(socketAddress(), "display", null, { club: true });
let clockOffset = 0;
let brokerUp = true;
/** @type {Evening | null} */
let evening = null;
const slide = h("section", { class: "slide", id: "slide", hidden: true, "aria-live": "polite" });
room.before(slide);
room.append(none);
const slides = new Slides(slide, showBoard);

// A board alone, or none while a list is shown.
/** @param {string | null} board */
function showBoard(board) {
  room.classList.add("solo");
  room.classList.toggle("away", !board);
  for (const [name, card] of cards) card.element.classList.toggle("shown", name === board);
}

/** @param {Evening} view */
function takeEvening(view) {
  for (const { words } of newCalls(evening, view)) callOut(words);
  evening = view;
  showEvening();
}

function showEvening() {
  const match = evening?.match && !evening.match.over;
  if (!evening || !(match || (evening.season && evening.open))) return;
  for (const tool of [back, on, hold]) tool.hidden = false;
  const playing = evening.boards.filter(({ name, phase, online }) =>
    online && !["setup", "finished"].includes(phase ?? "") && cards.has(name));
  slides.take(evening, playing.map(({ name }) => name));
}

/** @param {string} words */
function callOut(words) {
  speak({ words: { [language()]: words }, important: true, stop: false });
}

function toggle() {
  slides.hold(hold.getAttribute("aria-pressed") === "true");
  hold.setAttribute("aria-pressed", String(!slides.turning));
}

/** @param {number} step */
function byHand(step) {
  if (slides.turning) toggle();
  slides.turn(step);
}

addEventListener("keydown", ({ key }) => {
  if (evening && key === "ArrowLeft") byHand(-1);
  if (evening && key === "ArrowRight") byHand(1);
});

/** @param {string} board */
function cardOf(board) {
  const known = cards.get(board);
  if (known) return known;
  const card = new Card(board);
  cards.set(board, card);
  const place = [...cards.keys()].sort().indexOf(board);
  room.insertBefore(card.element, room.children[place] ?? null);
  return card;
}

function trouble() {
  return linkWords(connection) || (brokerUp ? "" : t("link.no_broker"));
}

function drawState() {
  const cut = trouble();
  state.textContent = cut || fileWords(evening);
  state.hidden = !state.textContent;
  room.classList.toggle("cut-off", Boolean(cut) && connection.status !== "connecting");
  none.hidden = cards.size > 0;
  none.textContent = cut ? t("waiting") : t("club.none");
}

connection.on("status", drawState);
connection.on("topic", ({ topic, payload }) => {
  const [board, name] = topic.split("/");
  if (topic === "welcome") clockOffset = payload.now_ms - Date.now();
  else if (topic === "link") brokerUp = payload.broker;
  else if (topic === "evening") takeEvening(payload);
  else if (name) {
    const before = cards.size;
    cardOf(board).take(/** @type {Message} */ ({ topic: name, payload }));
    if (cards.size > before) showEvening();
  }
  drawState();
});
setInterval(() => {
  for (const card of cards.values()) card.tick(Date.now() + clockOffset);
}, 200);
drawState();
connection.open();
