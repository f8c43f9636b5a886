// The pair that plays next on this board in a club's evening: round, table and names, each name on a line of its own
// where one line has no room for both.

import { h } from "../dom.js";
import { t } from "../words.js";

/** @param {NonNullable<NextPair["pair"]>} pair */
export function nextWords({ round, table, names }) {
  return [h("small", {}, t("idle.pair", { round, table })),
    h("b", {}, h("span", {}, `${names.white} –`), " ", h("span", {}, names.black))];
}
