// The club's page: a card for every board on the broker.

import { Connection, socketAddress } from "./connection.js";
import { h } from "./dom.js";
import { setUpPage } from "./side-page.js";
import { addWords, t } from "./words.js";
import { Card } from "./club/card.js";

await addWords("pages-");
const state = setUpPage("club.title");
const room = document.getElementById("club");
const none = h("p", { class: "club-none" }, t("waiting"));
const cards = new Map();
const connection = new Connection(socketAddress(), "display", null, { club: true });
let clockOffset = 0;
let brokerUp = true;
room.append(none);

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
  else if (name) cardOf(board).take(name, payload);
  drawState();
});
setInterval(() => {
  for (const card of cards.values()) card.tick(Date.now() + clockOffset);
}, 200);
drawState();
connection.open();
