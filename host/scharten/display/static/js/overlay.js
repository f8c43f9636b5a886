// The overlay for a stream: both players, clocks, fouls and the last turn of one board; nothing to press.

import { Connection, socketAddress } from "./connection.js";
import { byId, h, setText } from "./dom.js";
import { linkWords } from "./link-words.js";
import { SIDES } from "./position.js";
import { apply } from "./settings.js";
import { lastOutcome } from "./turns.js";
import { clockText, timeLeft } from "./clock.js";
import { bedName, nameOf, reasonWords, t } from "./words.js";

apply();
const asked = new URLSearchParams(location.search).get("board");
const connection = new Connection(socketAddress(), "display", null, asked ? { club: true } : {});
const room = byId("overlay");
const last = h("p", { class: "last", role: "status" });
const slabs = { white: slab("white"), black: slab("black") };
/** @type {Snapshot | null} */
let shown = null;
let offset = 0;
let online = true;
room.append(slabs.white.element, last, slabs.black.element);

/** @param {Side} side */
function slab(side) {
  const [name, fouls, clock] = ["name", "fouls", "clock"].map((part) => h("span", { class: part }));
  return { element: h("section", { class: "slab", "data-side": side, "aria-label": t(`side.${side}`) }, name, fouls,
    clock), name, fouls, clock };
}

function draw() {
  const snapshot = shown;
  room.hidden = !snapshot;
  room.classList.toggle("cut-off", !online || connection.status !== "open");
  if (!snapshot) return;
  for (const side of SIDES) {
    const { element, name, fouls } = slabs[side];
    const count = snapshot.shown.fouls?.[side] ?? 0;
    const limit = snapshot.game.options.foul_limit?.[side] ?? 0;
    setText(name, nameOf(snapshot, side));
    setText(fouls, count && limit ? t("fouls", { count, limit }) : "");
    element.classList.toggle("at-move", !snapshot.result && snapshot.side === side);
  }
  setText(last, linkWords(connection) || (online ? lastWords(snapshot) : t("link.offline")));
  tick();
}

/** @param {Snapshot} snapshot */
function lastWords(snapshot) {
  const turn = snapshot.last;
  if (snapshot.result) return `${snapshot.result} (${reasonWords(snapshot)})`;
  if (!turn) return "";
  const outcome = lastOutcome(snapshot);
  return turn.bed ? t("last.bed", { bed: bedName(turn.bed), outcome }) : outcome;
}

function tick() {
  for (const side of SIDES) {
    const left = timeLeft(shown?.clock, side, Date.now() + offset);
    setText(slabs[side].clock, left === null ? "" : clockText(left));
  }
}

/**
 * The message with the topic of one board: a club's server puts the board's name before it.
 * @param {Message} message
 */
function ownMessage(message) {
  const { topic } = message;
  const name = asked && topic.startsWith(`${asked}/`) ? topic.slice(asked.length + 1) : topic;
  return /** @type {Message} */ ({ ...message, topic: name });
}

connection.on("status", draw);
connection.on("topic", (message) => {
  const { topic, payload } = ownMessage(message);
  if (topic === "welcome") offset = payload.now_ms - Date.now();
  else if (topic === "state") shown = payload;
  else if (topic === "availability") online = payload === "online";
  draw();
});
setInterval(tick, 200);
connection.open();
