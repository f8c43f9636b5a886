// A new game, its options drawn from the JSON Schema of the game's own model; and a rematch in one tap.

import { button, h, openDialog } from "../dom.js";
import { reference } from "../reference.js";
import { t } from "../words.js";
import { clockOption, option } from "./options.js";

const running = (snapshot) => snapshot && !["setup", "finished"].includes(snapshot.phase);

/** @param {App} app */
export async function openNewGame(app) {
  const { snapshot } = app.store;
  const { games } = await reference();
  const key = snapshot?.game.key in games ? snapshot.game.key : Object.keys(games)[0];
  const schema = games[key].options;
  const chosen = snapshot?.game.options ?? {};
  const controls = new Map();
  const groups = { darts: [], rules: [], plain: [] };
  for (const [name, property] of Object.entries(schema.properties)) {
    const present = chosen[name] === undefined ? property.default : chosen[name];
    const control = name === "clock" ? clockOption(present) : option(name, property, present, schema);
    controls.set(name, { ...control, group: property.group });
    groups[property.group ?? "plain"].push(...control.rows);
  }
  const names = ["white", "black"].map((side) => nameInput(side, snapshot?.names[side] ?? ""));
  const seats = snapshot?.seats ?? { seat1: "white", seat2: "black" };
  const players = ["white", "black"].map((side) => playerChoice(side, snapshot?.computers?.[seatOf(seats, side)]));
  const fieldset = (group) => h("fieldset", {}, h("legend", {}, t(`new.${group}`)), groups[group]);
  const [darts, rules] = [fieldset("darts"), fieldset("rules")];
  const form = h("form", { class: "new-game", method: "dialog" },
    h("div", { class: "two" }, names), h("div", { class: "two" }, players), groups.plain, darts, rules,
    running(snapshot) ? h("p", { class: "warning" }, t("new.abandon")) : null,
    h("div", { class: "action-row" }, button(t("new.start"), start, { class: "big primary", id: "start-game" })));

  const silent = () => controls.get("kind").value() === "silent";
  const show = () => {
    darts.hidden = darts.disabled = silent(); // what is disabled is not checked either
    for (const control of controls.values()) control.show?.();
  };
  form.addEventListener("change", show);
  show();

  async function start() {
    if (!form.reportValidity()) return;
    const wished = [...controls].filter(([, { group }]) => group !== "darts" || !silent());
    const { kind, clock, ...options } = Object.fromEntries(wished.map(([name, control]) => [name, control.value()]));
    const [white, black] = names.map((row) => row.querySelector("input").value.trim());
    const answer = await app.command("new_game", {
      game: key, kind, clock, options: without(options, null), names: { white, black },
      seats, computers: Object.fromEntries(["white", "black"].map((side, index) =>
        [seatOf(seats, side), Number(players[index].querySelector("select").value) || null])),
      ...(running(snapshot) ? { abandon: true } : {}),
    });
    if (answer.accepted) dialog.close();
  }

  const dialog = openDialog(t("new_game"), form, { closeText: t("close"), className: "wide", keepsInput: true });
}

function seatOf(seats, side) {
  return seats.seat1 === side ? "seat1" : "seat2";
}

// A person, or the computer at a level.
function playerChoice(side, present) {
  const id = `new-${side}-player`;
  const levels = Array.from({ length: 10 }, (_, index) => String(index + 1));
  const input = h("select", { id }, h("option", { value: "" }, t("new.person")),
    levels.map((level) => h("option", { value: level }, t("new.computer", { level }))));
  input.value = present ? String(present) : "";
  return h("div", { class: "option" }, h("label", { for: id }, t(`new.${side}_player`)), input);
}

// At once, against the computer: the person has White, all else is as configured.
/** @param {App} app */
export function playTheComputer(app) {
  return app.command("new_game", { computers: { seat2: 3 }, seats: { seat1: "white", seat2: "black" } });
}

function nameInput(side, value) {
  const id = `new-${side}-name`;
  return h("div", { class: "option" }, h("label", { for: id }, t(`new.${side}_name`)),
    h("input", { id, type: "text", maxlength: "40", autocomplete: "off", value }));
}

function without(options, unwanted) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== unwanted));
}

// The same game with the colours swapped; the players keep their seats.
/** @param {App} app */
export async function rematch(app) {
  const { game, kind, names, seats, computers } = app.store.snapshot;
  const { games } = await reference();
  const asked = Object.keys(games[game.key].options.properties).filter((name) => name !== "kind" && name !== "clock");
  const options = without(Object.fromEntries(asked.map((name) => [name, game.options[name] ?? null])), null);
  options.foul_limit = { white: options.foul_limit.black, black: options.foul_limit.white };
  const other = (side) => (side === "white" ? "black" : "white");
  return app.command("new_game", {
    game: game.key, kind, clock: game.options.clock, options: { ...options, white_by: "agreed" },
    seats: { seat1: other(seats.seat1), seat2: other(seats.seat2) }, names: { white: names.black, black: names.white },
    computers,
  });
}
