// What stands below the result of a game: who plays next in a club's evening, its review and pictures, the figures of
// the darts, and a code to keep the game.

import { h } from "../dom.js";
import { nextPair } from "../features/players.js";
import { keepsake } from "../dialogs/phones.js";
import { pictureLinks, reviewLink } from "../pictures.js";
import { figureRows, heatMaps } from "./figures.js";
import { nextWords } from "./next.js";

/** @param {Store} store */
export function endFacts(store) {
  const { present } = store;
  const entries = store.entries();
  const darts = entries.some((entry) => entry.bed);
  const pair = nextPair(store);
  const kept = store.welcome?.archive && present.match ? keepsake(store) : null;
  return [
    pair ? h("p", { class: "end-next" }, nextWords(pair)) : "",
    kept ? h("div", { class: "action-row" }, kept.link, reviewLink(present.match), pictureLinks(present.match)) : "",
    h("div", { class: "end-facts" }, darts ? [figureRows(present, entries), heatMaps(present, entries)] : [],
      kept?.code ?? []),
  ];
}
