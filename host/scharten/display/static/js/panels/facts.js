// What stands below the result of a game: who plays next in a club's evening, the figures of the darts, a code to keep
// the game, its review and pictures.

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
  return [
    pair ? h("p", { class: "end-next" }, nextWords(pair)) : "",
    h("div", { class: "end-facts" }, darts ? [figureRows(present, entries), heatMaps(present, entries)] : [],
      keepsake(store)),
    store.welcome?.archive ? h("div", { class: "action-row" }, reviewLink(present.match),
      pictureLinks(present.match)) : "",
  ];
}
