// The club's page: a card for every board on the broker; of a club's evening, slides that turn by themselves.

import { Connection, socketAddress } from "./connection.js";
import { button, h } from "./dom.js";
import { setUpPage } from "./side-page.js";
import { speak } from "./voice.js";
import { addWords, t } from "./words.js";
import { Card } from "./club/card.js";
import { Slides, newCalls } from "./club/slides.js";

await Promise.all([addWords("pages-"), addWords("evening-")]);
const hold = button(t("evening.hold"), toggle, { id: "hold", "aria-pressed": "false", hidden: true });
const [back, on] = [["←", -1, "sheet.back"], ["→", 1, "sheet.on"]].map(([sign, step, key]) =>
  button(sign, () => byHand(step), { "aria-label": t(key), hidden: true }));
const state = setUpPage("club.title", back, on, hold);
const room = document.getElementById("club");
const none = h("p", { class: "club-none" }, t("waiting"));
const cards = new Map();
const connection = new Connection(socketAddress(), "display", null, { club: true });
let clockOffset = 0;
let brokerUp = true;
let evening = null;
const slide = h("section", { class: "slide", id: "slide", hidden: true, "aria-live": "polite" });
room.before(slide);
room.append(none);
const slides = new Slides(slide, showBoard);

// A board alone, or none while a list is shown.
function showBoard(board) {
  room.classList.add("solo");
  room.classList.toggle("away", !board);
  for (const [name, card] of cards) card.element.classList.toggle("shown", name === board);
}

function takeEvening(view) {
  for (const { words } of newCalls(evening, view)) callOut(words);
  evening = view;
  showEvening();
}

function showEvening() {
  if (!evening?.season || !evening.open) return;
  for (const tool of [back, on, hold]) tool.hidden = false;
  slides.take(evening, evening.boards.filter(({ phase, online }) => online && !["setup", "finished"].includes(phase))
    .map(({ name }) => name).filter((name) => cards.has(name)));
}

// The same words in every language: the page's own are spoken.
function callOut(words) {
  const every = { en: words, nl: words, de: words };
  speak(/** @type {Said} */ ({ v: 2, match: "", seq: 0, code: "new_game", args: {}, words: every, important: true,
    stop: false }));
}

function toggle() {
  slides.hold(hold.getAttribute("aria-pressed") === "true");
  hold.setAttribute("aria-pressed", String(!slides.turning));
}

function byHand(step) {
  if (slides.turning) toggle();
  slides.turn(step);
}

addEventListener("keydown", ({ key }) => {
  if (evening && key === "ArrowLeft") byHand(-1);
  if (evening && key === "ArrowRight") byHand(1);
});

function cardOf(board) {
  if (!cards.has(board)) {
    const card = new Card(board);
    cards.set(board, card);
    const after = [...cards.keys()].sort().indexOf(board);
    room.insertBefore(card.element, room.children[after] ?? null);
  }
  return cards.get(board);
}

function trouble() {
  if (connection.status === "refused") return t(`refused.${connection.code}`);
  if (connection.status === "lost") return t("link.lost");
  if (connection.status === "connecting") return t("link.connecting");
  return brokerUp ? "" : t("link.no_broker");
}

function drawState() {
  state.textContent = trouble();
  state.hidden = !state.textContent;
  room.classList.toggle("cut-off", !state.hidden && connection.status !== "connecting");
  none.hidden = cards.size > 0;
  none.textContent = state.hidden ? t("club.none") : t("waiting");
}

connection.addEventListener("status", drawState);
connection.addEventListener("topic", ({ detail: { topic, payload } }) => {
  const [board, name] = topic.split("/");
  if (topic === "welcome") clockOffset = payload.now_ms - Date.now();
  else if (topic === "link") brokerUp = payload.broker;
  else if (topic === "evening") takeEvening(payload);
  else if (name) {
    const there = cards.size;
    cardOf(board).take(name, payload);
    if (cards.size > there) showEvening();
  }
  drawState();
});
setInterval(() => {
  for (const card of cards.values()) card.tick(Date.now() + clockOffset);
}, 200);
drawState();
connection.open();
