// The chess engine that chooses the computer's moves in a new game, and its strength.

import { h } from "../dom.js";
import { SIDES } from "../position.js";
import { t } from "../words.js";
import { seatOf } from "./registered.js";

/**
 * @typedef {object} EngineFacts
 * @property {string} name
 * @property {string} title
 * @property {string[]} games
 * @property {{kind: string, least: number, most: number} | null} strength
 */

// The engines of this board; the first question takes seconds, because each is started.
/** @returns {Promise<EngineFacts[]>} */
async function engineList() {
  try {
    const { engines } = await (await fetch("engines.json")).json();
    return engines;
  } catch {
    return []; // the built-in player plays
  }
}

// A row for each side, shown where the computer plays it and an engine plays the chosen game.
/**
 * @param {Snapshot | null} snapshot
 * @param {SidesBySeat} seats
 * @param {HTMLElement[]} players
 * @param {HTMLSelectElement} game
 */
export function engineChoices(snapshot, seats, players, game) {
  /** @type {EngineFacts[]} */
  let known = [];
  const rows = SIDES.map((side, index) =>
    engineRow(side, snapshot?.engines?.[seatOf(seats, side)] ?? null, players[index]));
  const show = () => rows.forEach((row) => row.show(known.filter(({ games }) => games.includes(game.value))));
  show(); // hidden from the start: a row that goes later moves the button under a press
  engineList().then((found) => {
    known = found;
    show();
  });
  return {
    row: h("div", { class: "two" }, rows.map(({ row }) => row)), show,
    value() {
      const chosen = rows.map(({ value }) => value());
      if (chosen.every((engine) => engine === null)) return {};
      return { engines: Object.fromEntries(SIDES.map((side, index) => [seatOf(seats, side), chosen[index]])) };
    },
  };
}

/** @param {Side} side @param {EngineModel | null} present @param {HTMLElement} player */
function engineRow(side, present, player) {
  const [id, strengthId] = [`new-${side}-engine`, `new-${side}-strength`];
  const choice = h("select", { id });
  const strength = h("input", { id: strengthId, type: "number", placeholder: t("new.strength.full"),
    value: present?.strength ?? "" });
  const label = h("label", { for: strengthId });
  const strengthRow = h("div", { class: "option" }, label, strength);
  const choiceRow = h("div", { class: "option" }, h("label", { for: id }, t("new.engine")), choice);
  const row = h("div", {}, choiceRow, strengthRow);
  /** @type {EngineFacts[]} */
  let engines = [];
  let wanted = present?.name ?? "";
  choice.addEventListener("change", () => (wanted = choice.value));

  /** @param {EngineFacts[]} possible */
  function show(possible) {
    engines = possible;
    choice.replaceChildren(h("option", { value: "" }, t("new.engine.own")),
      ...engines.map(({ name, title }) => h("option", { value: name }, title)));
    choice.value = engines.some(({ name }) => name === wanted) ? wanted : "";
    row.hidden = !engines.length || !Number(player.querySelector("select")?.value);
    const range = engines.find(({ name }) => name === choice.value)?.strength;
    strengthRow.hidden = strength.disabled = row.hidden || !range;
    if (!range) return;
    [strength.min, strength.max] = [String(range.least), String(range.most)];
    label.textContent = t("new.strength", { least: range.least, most: range.most });
  }

  return { row, show,
    value: () => (row.hidden || !choice.value ? null
      : { name: choice.value, strength: strength.disabled || !strength.value ? null : Number(strength.value) }) };
}
