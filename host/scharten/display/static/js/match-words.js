// A match against another club in words: its score, and how a table stands.

import { t, tell } from "./words.js";

// Points as players write them: 1½.
/** @param {number} points */
function halves(points) {
  const whole = Math.floor(points);
  return points > whole ? `${whole || ""}½` : String(whole);
}

/** @param {ClubMatch} match */
export const matchTitle = (match) => `${match.home} ${halves(match.score.home)} – ${halves(match.score.visitors)} `
  + match.visitors;

/** @param {MatchTable} table */
export const tableWords = (table) => table.result ?? (table.state === "refused"
  ? tell("evening.match.trouble", table.trouble, {}, t("evening.match.refused")) : t(`evening.match.${table.state}`));
