// Notices that disappear by themselves, and the same for screen readers.

import { tell, known } from "../words.js";
import { h } from "../dom.js";

const SHOWN_MS = 6000;

/** @param {App} app @param {HTMLElement} host @param {HTMLElement} live */
export function createNotices(app, host, live) {
  let lastMessage = "";
  let match = ""; // the game of the notices

  /** @param {string} text @param {string} [kind] */
  function say(text, kind = "") {
    if (!text) return;
    const note = h("div", { class: `notice ${kind}` }, text);
    host.append(note);
    while (host.children.length > 3) host.children[0].remove();
    setTimeout(() => note.remove(), kind === "why" ? 2 * SHOWN_MS : SHOWN_MS);
    announce(text);
  }

  // Screen readers read what is put here; a new element for each text makes them repeat the same words.
  /** @param {string} text */
  function announce(text) {
    const line = h("div", {}, text);
    live.append(line);
    while (live.children.length > 4) live.children[0].remove();
  }

  // The notices of a game end with it.
  function forgetLastGame() {
    const now = app.store.snapshot?.match ?? "";
    if (match && now !== match) for (const place of [host, live]) place.replaceChildren();
    match = now;
  }

  // Shows the message of each state, also when two states come at once.
  function showMessage() {
    const message = app.store.snapshot?.message;
    forgetLastGame();
    const text = JSON.stringify(message ?? null);
    const first = !lastMessage;
    if (text === lastMessage) return;
    lastMessage = text;
    if (first || !message || !known(`message.${message.code}`)) return;
    const shown = QUIET.has(message.code) || (DOUBTS.has(message.code) && asked());
    if (shown || message.args?.by === "agreed") return;
    say(tell("message", message.code, message.args, "", app.store.snapshot?.names));
  }

  // Whether the page asks about a dart in doubt, in place of a notice.
  const asked = () => app.store.mayAct() && !app.store.welcome?.simulated;

  return { say, announce, showMessage };
}

// The dart panel asks about these.
const DOUBTS = new Set(["not_announced", "move_forgotten", "stale"]);

// The board itself shows these at once.
const QUIET = new Set(["setup", "new_game", "placed", "moved", "lost", "announced", "which_bed", "ask_lost_dart",
  "ask_take_back", "finished", "draw_offered", "request"]);
