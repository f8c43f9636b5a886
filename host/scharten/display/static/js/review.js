// The review of a finished game. The server makes it as HTML; this page asks until it is made.

import { byId, h } from "./dom.js";
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

async function show() {
  const { status, text } = await asked();
  if (status === 200) {
    room.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.children);
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    return;
  }
  const waits = status === 202 || status === 503;
  if (!waits) return say("reviewed.failed", { words: text });
  say("reviewed.waits");
  setTimeout(show, AGAIN_MS);
}

/** @param {"reviewed.waits" | "reviewed.failed"} key @param {import("./words.js").Args} [args] */
function say(key, args) {
  room.replaceChildren(h("p", { class: key === "reviewed.waits" ? "card wide" : "card wide warning", role: "status" },
    t(key, args)));
}

async function asked() {
  try {
    const answer = await fetch(`review/${encodeURIComponent(match)}.html?lang=${language()}`);
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}
