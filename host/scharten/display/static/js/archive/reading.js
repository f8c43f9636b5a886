// A finished game in words: when it began, how it ended, the beds of its darts.

import { known, reasonWords, timeWords } from "../words.js";

/** @param {{started_ms: number}} one */
export const when = ({ started_ms: ms }) =>
  timeWords(ms, { day: true });

/** @param {SheetEntry} entry */
export const bedOf = (entry) => (entry.bed && !entry.text.includes("{") ? ` {${entry.bed}}` : "");

/** @param {Sheet} sheet */
export function endWords({ reason, result, headers }) {
  if (!reason || !known(`reason.${reason}`)) return "";
  const named = (/** @type {string} */ name) => (name === "?" ? "" : name);
  const [white, black] = (headers.FoulLimit ?? "3/3").split("/").map(Number);
  return `(${reasonWords({ reason, result, names: { white: named(headers.White), black: named(headers.Black) },
    side: "white", game: { options: { foul_limit: { white, black } } } })})`;
}
