// The wall while no game is on: the club, who plays next (the pair of a club's evening, or who sat down), the last
// result, the day's problem, and a code to look on.

import { h } from "../dom.js";
import { links } from "../features/links.js";
import { dayProblem } from "../features/problem.js";
import { nextPair, seated } from "../features/players.js";
import { results } from "../features/results.js";
import { SEATS } from "../position.js";
import { reasonWords, t } from "../words.js";
import { createDayProblem } from "./day-problem.js";
import { nextWords } from "./next.js";

const LONG_NAME = 24;

// A code to look on, and the address for who types it.
/** @param {PhoneLink} link */
function codeCard({ role, url, qr }) {
  return h("figure", { class: "card phone-link" }, qr && h("img", { class: "qr", src: qr, alt: t("phones.code") }),
    h("figcaption", {}, h("strong", {}, t(`phones.${role}`)), h("span", {}, new URL(url, location.href).host)));
}

/** @param {App} app @param {HTMLElement} host */
export function createIdle(app, host) {
  const { store } = app;
  let drawn = "";
  /** @type {Map<string, string>} */
  let names = new Map(); // of registered players, by id

  const problem = createDayProblem(store, () => {
    drawn = "";
    draw();
  });

  // Names are fetched only once somebody sits down.
  async function learnNames() {
    const answer = await fetch("players.json").catch(() => null);
    if (!answer?.ok) return;
    /** @type {{players: Person[]}} */
    const { players } = await answer.json();
    names = new Map(players.map(({ id, name }) => [id, name]));
    draw();
  }

  function next() {
    const pair = nextPair(store);
    if (pair) return [h("p", { class: "card idle-next" }, nextWords(pair))];
    const sitting = seated(store);
    const ids = SEATS.map((seat) => sitting[seat]).filter((id) => id !== null);
    if (!ids.length) return [];
    if (ids.some((id) => !names.has(id))) learnNames();
    const known = SEATS.map((seat) => names.get(sitting[seat] ?? "") ?? t(`seat.${seat}`));
    return [h("p", { class: "card idle-next" }, h("small", {}, t("idle.next")), known.join(" – "))];
  }

  function last() {
    const game = results(store).at(-1);
    if (!game) return [];
    const players = `${game.names?.white || t("side.white")} – ${game.names?.black || t("side.black")}`;
    return [h("p", { class: "card idle-last" }, h("small", {}, t("idle.last")), `${players} ${game.result}`,
      h("small", {}, reasonWords(game)))];
  }

  function draw() {
    const shown = app.role === "display" && store.snapshot?.phase === "setup";
    host.hidden = !shown;
    if (!shown) return;
    const { links: given } = links(store);
    const key = JSON.stringify([nextPair(store), seated(store), results(store), given, store.welcome?.club, [...names],
      dayProblem(store)]);
    if (key === drawn) return;
    drawn = key;
    const { task, board } = problem();
    const club = store.welcome?.club || t("app.title");
    host.replaceChildren(h("h2", { class: club.length > LONG_NAME ? "long" : "" }, club), ...next(), ...last(),
      task.length ? h("div", { class: "card idle-day" }, ...board, ...task) : "", ...given.map(codeCard));
  }

  return { update: draw };
}
