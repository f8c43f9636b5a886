// The form of a new season: its name, how opponents are found, and the game that is played.

import { h } from "../dom.js";
import { t } from "../words.js";

const SYSTEMS = ["keizer", "swiss", "round_robin", "knockout", "free"];

// `games` are the keys of the games to choose from; `begin` is called with the fields of the entry `season`.
/** @param {string[]} games @param {(fields: object) => unknown} begin */
export function seasonForm(games, begin) {
  const name = h("input", { type: "text", maxlength: 40, required: true, id: "season-name" });
  const system = pick("season-system", SYSTEMS, (key) => t(`evening.system.${key}`));
  const game = pick("season-game", games, (key) => t(`game.${key}`));
  const kind = pick("season-kind", ["loud", "silent"], (key) => t(`kind.${key}`));
  const rounds = h("input", { type: "number", min: 1, max: 99, value: 7, id: "season-rounds" });
  const minutes = h("input", { type: "number", min: 0, max: 600, value: 0, id: "season-minutes" });
  const increment = h("input", { type: "number", min: 0, max: 600, value: 0, id: "season-increment" });
  const start = pick("season-start", ["at_once", "together"], (key) => t(`evening.begin.${key}`));
  const counting = pick("season-counting", ["settled", "each_round"], (key) => t(`evening.counting.${key}`));
  const twice = h("input", { type: "checkbox", id: "season-double" });
  const fields = () => ({ name: name.value.trim(), options: { system: system.value, game: game.value, kind: kind.value,
    rounds: Number(rounds.value), double_elimination: twice.checked, start: start.value,
    keizer: { counting: counting.value },
    clock: Number(minutes.value) ? { stages: [{ moves: null, minutes: Number(minutes.value) }],
      increment_s: Number(increment.value) } : null } });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    begin(fields());
  };
  /** @type {[string, HTMLElement][]} */
  const rows = [["evening.season_name", name],
      ["evening.system", system], ["evening.game", game], ["evening.kind", kind],
      ["evening.rounds", rounds], ["evening.minutes", minutes], ["evening.increment", increment],
      ["evening.counting", counting], ["evening.begin", start], ["evening.double", twice]];
  return h("form", { class: "fields", onsubmit: submit },
    rows.map(([key, input]) => h("label", {}, t(key), input)),
    h("button", { class: "primary" }, t("evening.keep")));
}

/** @param {string} id @param {string[]} keys @param {(key: string) => string} words */
function pick(id, keys, words) {
  return h("select", { id }, keys.map((key) => h("option", { value: key }, words(key))));
}
