// The registered players as whom the computer may play, in the lists of opponents of a new game.

import { h } from "../dom.js";
import { t } from "../words.js";

const STAND_IN = "as-";

/**
 * @typedef {object} StandInFacts
 * @property {string} id
 * @property {string} name
 * @property {number} darts
 * @property {number} least
 * @property {number | null} mm
 * @property {number} level
 */

/** @param {App} app @returns {Promise<StandInFacts[]>} */
async function standIns({ store }) {
  if (!store.welcome?.players) return [];
  try {
    return (await (await fetch("players/stand-ins.json")).json()).players;
  } catch {
    return []; // the levels play
  }
}

// Adds them to both lists, once the server has their figures; a player with too few darts cannot be chosen.
/** @param {App} app @param {HTMLElement[]} choices @param {(StandInModel | null)[]} present */
export async function addStandIns(app, choices, present) {
  const before = choices.map((choice) => choice.querySelector("select")?.value);
  const found = await standIns(app);
  choices.forEach((choice, index) => {
    const input = choice.querySelector("select");
    if (!input || !found.length) return;
    input.append(h("optgroup", { label: t("new.stand_ins") }, found.map(({ id, name, darts, least, mm, level }) =>
      h("option", { value: `${STAND_IN}${id}`, disabled: mm === null, "data-level": level, "data-mm": mm },
        mm === null ? t("new.stand_in.few", { name, darts, least })
          : t("new.stand_in", { name, mm: Math.round(mm) })))));
    const player = present[index]?.player;
    const own = [...input.options].find(({ value, disabled }) => value === `${STAND_IN}${player}` && !disabled);
    if (!own || input.value !== before[index]) return; // somebody has chosen meanwhile
    own.selected = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

/** @param {HTMLElement} choice */
function optionOf(choice) {
  const option = choice.querySelector("select")?.selectedOptions[0];
  return option?.value.startsWith(STAND_IN) ? option : null;
}

/** @param {HTMLElement} choice */
export function standInOf(choice) {
  const option = optionOf(choice);
  return option && { player: option.value.slice(STAND_IN.length), mm: Number(option.dataset.mm) };
}

/** @param {HTMLElement} choice */
export function standInLevel(choice) {
  const option = optionOf(choice);
  return option && Number(option.dataset.level);
}
