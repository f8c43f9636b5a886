// The overlay for a stream: both players, clocks, fouls and the last turn of one board; nothing to press.

import { Connection, socketAddress } from "./connection.js";
import { h, setText } from "./dom.js";
import { apply } from "./settings.js";
import { lastOutcome } from "./panels/last.js";
import { bedName, clockText, reasonWords, t } from "./words.js";

apply();
const asked = new URLSearchParams(location.search).get("board");
const connection = new Connection(socketAddress(), "display", null, asked ? { club: true } : {});
const room = document.getElementById("overlay");
const last = h("p", { class: "last", role: "status" });
const slabs = { white: slab("white"), black: slab("black") };
/** @type {Snapshot | null} */
let snapshot = null;
let offset = 0;
let online = true;
room.append(slabs.white.element, last, slabs.black.element);

function slab(side) {
  const [name, fouls, clock] = ["name", "fouls", "clock"].map((part) => h("span", { class: part }));
  return { element: h("section", { class: "slab", "data-side": side, "aria-label": t(`side.${side}`) }, name, fouls,
    clock), name, fouls, clock };
}

function draw() {
  room.hidden = !snapshot;
  room.classList.toggle("cut-off", !online || connection.status !== "open");
  if (!snapshot) return;
  for (const side of ["white", "black"]) {
    const { element, name, fouls } = slabs[side];
    const count = snapshot.shown.fouls?.[side] ?? 0;
    const limit = snapshot.game.options.foul_limit?.[side] ?? 0;
    setText(name, snapshot.names[side] || t(`side.${side}`));
    setText(fouls, count && limit ? t("fouls", { count, limit }) : "");
    element.classList.toggle("at-move", !snapshot.result && snapshot.side === side);
  }
  setText(last, lastWords());
  tick();
}

function lastWords() {
  const turn = snapshot.last;
  if (snapshot.result) return `${snapshot.result} (${reasonWords(snapshot)})`;
  if (!turn) return "";
  const outcome = lastOutcome(snapshot);
  return turn.bed ? t("last.bed", { bed: bedName(turn.bed), outcome }) : outcome;
}

function tick() {
  const clock = snapshot?.clock;
  for (const side of ["white", "black"]) {
    const running = clock?.running === side ? Math.max(0, Date.now() + offset - clock.since_ms) : 0;
    setText(slabs[side].clock, clock ? clockText(clock[`${side}_ms`] - running) : "");
  }
}

connection.addEventListener("status", draw);
connection.addEventListener("topic", ({ detail: { topic, payload } }) => {
  const name = asked && topic.startsWith(`${asked}/`) ? topic.slice(asked.length + 1) : topic;
  if (topic === "welcome") offset = payload.now_ms - Date.now();
  else if (name === "state") snapshot = payload;
  else if (name === "availability") online = payload === "online";
  draw();
});
setInterval(tick, 200);
connection.open();
