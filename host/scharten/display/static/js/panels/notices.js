// Short words that come and go, and the same for those who listen instead of look.

import { tell, known } from "../words.js";
import { h } from "../dom.js";

const SHOWN_MS = 6000;

/** @param {App} app */
export function createNotices(app, host, live) {
  let lastMessage = null;

  function say(text, kind = "") {
    if (!text) return;
    const note = h("div", { class: `notice ${kind}` }, text);
    host.append(note);
    while (host.children.length > 3) host.firstChild.remove();
    setTimeout(() => note.remove(), kind === "why" ? 2 * SHOWN_MS : SHOWN_MS);
    tellAloud(text);
  }

  // Screen readers hear what is put here; a second element in turn makes them say the same words twice.
  function tellAloud(text) {
    const line = h("div", {}, text);
    live.append(line);
    while (live.children.length > 4) live.firstChild.remove();
  }

  // What a state has to say; of each one, also when two come at once.
  function hear() {
    const message = app.store.snapshot?.message;
    const text = JSON.stringify(message ?? null);
    const first = lastMessage === null;
    if (text === lastMessage) return;
    lastMessage = text;
    if (first || !message || !known(`message.${message.code}`)) return;
    const shown = QUIET.has(message.code) || (DOUBTS.has(message.code) && app.store.mayAct());
    if (!shown && message.args?.by !== "agreed") say(tell("message", message.code, message.args));
  }

  return { say, tellAloud, hear };
}

// What the dart panel asks about.
const DOUBTS = new Set(["not_announced", "move_forgotten", "stale"]);

// What the board itself shows at once needs no words.
const QUIET = new Set(["setup", "new_game", "placed", "moved", "lost", "announced", "which_bed", "ask_lost_dart",
  "ask_take_back", "finished", "draw_offered", "request"]);
