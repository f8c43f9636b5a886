// A whole dartboard to choose a bed from; the name of the bed under the finger stands below it.

import { Dartboard } from "./dartboard.js";
import { h } from "./dom.js";
import { bedName, t } from "./words.js";

/** @param {(bed: string) => void} chosen */
export function bedPicker(chosen) {
  const holder = h("div", { class: "dartboard-holder picker" });
  const spoken = h("p", { class: "aim-line", "aria-live": "polite" });
  const pick = new Dartboard(holder, { active: true, label: t("correct.pick") });
  pick.on("aim", ({ bed }) => chosen(bed));
  pick.on("hover", ({ bed }) => (spoken.textContent = bedName(bed)));
  return h("div", {}, holder, spoken);
}
