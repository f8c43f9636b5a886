// The odds that the caller adds to a dart that hit, and that this screen shows: "One in five, and it hits." They are
// known only from the thrower's own scatter, which the host's adviser answers with.

import { h } from "../dom.js";
import { addWords, t } from "../words.js";
import { advice } from "./advice.js";
import { askEachTurn } from "./odds.js";

const SHOWN_MS = 6000;
const LEAST_DARTS = 50; // fewer measure no scatter

/** @typedef {{match: string, args: Record<string, any>}} Called */

/**
 * Remembers the chances of the dart that is due; resolves to what shows and returns the words for a call, "" for none.
 * @param {App} app
 */
export async function calledOdds(app) {
  const { store } = app;
  /** @type {{advice: Advice, turns: number} | null} */
  let known = null;
  await addWords("speech");
  askEachTurn(app, () => true);
  const note = () => {
    const newest = advice(store);
    const { match, seq, turns } = store.snapshot ?? {};
    if (newest?.advice && newest.match === match && newest.seq === seq) known = { advice: newest, turns: turns ?? 0 };
  };
  store.on("change", note);
  note();

  return (/** @type {Called} */ called) => {
    const newest = Boolean(known && known.turns + 1 >= (store.snapshot?.turns ?? 0));
    const chance = newest && known ? chanceOf(known.advice, called) : 0;
    if (!chance) return "";
    const words = oddsWords(chance);
    show(words);
    return words;
  };
}

// The chance that the dart of a call hits what it hit; 0 where it hit nothing, or where nobody knows it.
/** @param {Advice} due @param {Called} called */
function chanceOf(due, { match, args }) {
  const its = due.match === match && due.side === args.side && args.bed && !args.foul;
  if (!its || !due.advice || (due.scatter?.darts ?? 0) < LEAST_DARTS) return 0;
  const { fields, best } = due.advice;
  return fields.length ? fields.find(({ field }) => field === args.field)?.hit ?? 0 : best.placed;
}

// Shows the words for a while, on a wall too.
/** @param {string} words */
function show(words) {
  const line = h("p", { class: "called-odds", role: "status" }, words);
  document.querySelector(".called-odds")?.remove();
  document.body.append(line);
  setTimeout(() => line.remove(), SHOWN_MS);
}

/** @param {number} chance above 0 */
export function oddsWords(chance) {
  const [count, of] = chance > 0.55 ? [Math.min(9, Math.round(10 * chance)), 10] : [1, Math.round(1 / chance)];
  /** @param {number} number */
  const word = (number) => (number <= 20 ? t(`number.${number}`) : String(number));
  const words = count === 1 ? t("odds.one", { of: word(of) }) : t("odds.many", { count: word(count), of: word(of) });
  return words[0].toUpperCase() + words.slice(1);
}
