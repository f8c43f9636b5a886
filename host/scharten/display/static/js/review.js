// The review of a finished game. The server makes it as HTML; this page asks until it is made.

import { Board } from "./board.js";
import { byId, h } from "./dom.js";
import { readPosition } from "./position.js";
import { language } from "./settings.js";
import { setUpPage } from "./side-page.js";
import { addWords, t } from "./words.js";

const AGAIN_MS = 2000;

await addWords("pages");
setUpPage("reviewed.title");
const room = byId("review");
const match = new URLSearchParams(location.search).get("match") ?? "";
say("reviewed.waits");
await show();

/** @param {string} more what else to ask for */
async function show(more = "") {
  const { status, text } = await asked(more);
  if (status === 200) {
    room.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.children);
    await drawTurns();
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    return;
  }
  const waits = status === 202 || status === 503;
  if (!waits) return fail(text);
  const { done, turns } = status === 202 ? JSON.parse(text) : { done: 0, turns: 0 };
  say(turns ? "reviewed.progress" : "reviewed.waits", { done, turns });
  setTimeout(show, AGAIN_MS);
}

// The board after each turn that decided, from the game in the archive.
async function drawTurns() {
  const answer = await fetch(`archive/${encodeURIComponent(match)}.json`).catch(() => null);
  if (!answer?.ok) return;
  /** @type {{game: ArchivedMatch}} */
  const { game: { game: { layout }, sheet, white_sits_at: whiteSitsAt } } = await answer.json();
  for (const item of /** @type {NodeListOf<HTMLElement>} */ (room.querySelectorAll("[data-turn]"))) {
    const { position, fields } = sheet.entries[Number(item.dataset.turn) - 1];
    const { pieces, gone } = readPosition(position, layout);
    const place = h("div", {});
    item.append(place);
    const board = new Board(place, { rim: false });
    board.show({ layout, whiteSitsAt });
    board.setPieces(pieces, { animate: false });
    board.setGone(gone);
    board.mark({ last: fields });
  }
}

/** @param {"reviewed.waits" | "reviewed.progress"} key @param {import("./words.js").Args} [args] */
function say(key, args) {
  room.replaceChildren(h("p", { class: "card wide", role: "status" }, t(key, args)));
}

/** @param {string} words why there is no review */
function fail(words) {
  const retry = () => {
    say("reviewed.waits");
    void show("&again=1");
  };
  room.replaceChildren(h("div", { class: "card wide warning", role: "status" },
    h("p", {}, t("reviewed.failed", { words })),
    h("button", { type: "button", onclick: retry }, t("reviewed.again"))));
}

/** @param {string} more */
async function asked(more) {
  try {
    const answer = await fetch(`review/${encodeURIComponent(match)}.html?lang=${language()}${more}`);
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}
