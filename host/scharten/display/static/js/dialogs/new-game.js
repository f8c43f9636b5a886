// A new game, its options drawn from the JSON Schema of the game's own model; and a rematch in one tap.

import { button, h, openDialog } from "../dom.js";
import { reference } from "../reference.js";
import { t } from "../words.js";
import { evenOut, keptPlayers, KEPT, seatOf, whoPlays, whoSits } from "./kept-players.js";
import { clockOption, option } from "./options.js";

const KEY = "scharten.new-game";
const MAX_NAMES = 24;
const FIRST = new Set(["kind", "clock"]); // the rest is folded
const running = (snapshot) => snapshot && !["setup", "finished"].includes(snapshot.phase);

/** @param {App} app */
export async function openNewGame(app) {
  const { snapshot } = app.store;
  const { match } = snapshot ?? {};
  const [{ games }, people] = await Promise.all([reference(), keptPlayers(app)]);
  const kept = recall();
  const names = ["white", "black"].map((side) => nameInput(side, snapshot?.names[side] || ""));
  const seats = snapshot?.seats ?? { seat1: "white", seat2: "black" };
  const players = ["white", "black"].map((side, index) =>
    playerChoice(side, whoSits(app, seatOf(seats, side)), people, names[index].querySelector("input")));
  const which = h("select", { id: "new-game-key" },
    Object.keys(games).map((key) => h("option", { value: key }, t(`game.${key}`))));
  const game = h("div", { class: "option" }, h("label", { for: which.id }, t("new.game")), which);
  game.hidden = Object.keys(games).length < 2;
  const body = h("div", { class: "new-game" });
  const form = h("form", { class: "new-game", method: "dialog" },
    h("div", { class: "two" }, names, knownNames(kept, people)),
    h("div", { class: "two" }, players), game, body,
    evenOut(app, players, () => ({ game: which.value, ...asked.value() })),
    running(snapshot) ? h("p", { class: "warning" }, t("new.abandon")) : null,
    h("div", { class: "action-row new-start" },
      button(t("new.start"), start, { class: "big primary", id: "start-game" })));
  let asked = null;

  // The form of the chosen game, filled in as it was played last here.
  function fill() {
    const same = snapshot?.game.key === which.value ? presentOptions(snapshot) : {};
    const present = snapshot?.match && same.kind ? same : kept.games[which.value] ?? same;
    asked = gameForm(games[which.value].options, present);
    body.replaceChildren(...asked.rows);
    asked.show();
  }

  which.value = pick(games, [snapshot?.match ? snapshot.game.key : kept.game, snapshot?.game.key]);
  which.addEventListener("change", fill);
  form.addEventListener("change", () => asked.show());
  fill();

  async function start() {
    if (!form.checkValidity()) asked.more.open = true; // what is folded cannot be shown to be wrong
    if (!form.reportValidity()) return;
    const { kind, clock, ...options } = asked.value();
    const [white, black] = names.map((row) => row.querySelector("input").value.trim());
    const answer = await app.command("new_game", {
      game: which.value, kind, clock, options: without(options, null), names: { white, black },
      seats, ...whoPlays(seats, players),
      ...(running(snapshot) ? { abandon: true, match } : {}),
    });
    if (!answer.accepted) return;
    remember(which.value, { kind, clock, ...options }, [white, black]);
    dialog.close();
  }

  const dialog = openDialog(t("new_game"), form, { closeText: t("close"), className: "wide", keepsInput: true });
}

// A guest, a kept player, or the computer at a level; a kept player brings the name, and a known name the player.
function playerChoice(side, present, people, name) {
  const id = `new-${side}-player`;
  const levels = Array.from({ length: 10 }, (_, index) => String(index + 1));
  const input = h("select", { id }, h("option", { value: "" }, t("new.person")),
    people.map((one) => h("option", { value: `${KEPT}${one.id}` }, one.name)),
    levels.map((level) => h("option", { value: level }, t("new.computer", { level }))));
  input.value = present ? String(present) : "";
  if (!input.value) input.value = ""; // somebody who is gone
  const chosen = () => people.find((one) => `${KEPT}${one.id}` === input.value);
  if (chosen()) name.value = chosen().name;
  input.addEventListener("change", () => {
    if (input.value) name.value = chosen()?.name ?? ""; // the computer has no name
  });
  name.addEventListener("change", () => {
    const known = people.find((one) => one.name === name.value.trim());
    if (known || chosen()) input.value = known ? `${KEPT}${known.id}` : "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return h("div", { class: "option" }, h("label", { for: id }, t(`new.${side}_player`)), input);
}

/** @param {Snapshot} snapshot */
function presentOptions(snapshot) {
  return { ...snapshot.game.options, kind: snapshot.kind };
}

function pick(games, wished) {
  return wished.find((key) => key && key in games) ?? Object.keys(games)[0];
}

// What every game asks first, then the rest of its options folded: {rows, more, show(), value()}.
function gameForm(schema, chosen) {
  const controls = new Map();
  const groups = { first: [], darts: [], rules: [], plain: [] };
  for (const [name, property] of Object.entries(schema.properties)) {
    const present = chosen[name] === undefined ? property.default : chosen[name];
    const control = name === "clock" ? clockOption(present) : option(name, property, present, schema);
    controls.set(name, { ...control, group: property.group });
    groups[FIRST.has(name) ? "first" : property.group ?? "plain"].push(...control.rows);
  }
  const fieldset = (group) => h("fieldset", {}, h("legend", {}, t(`new.${group}`)), groups[group]);
  const [darts, rules] = [fieldset("darts"), fieldset("rules")];
  const more = h("details", { class: "more-rules" }, h("summary", {}, t("new.more")), groups.plain,
    groups.darts.length ? darts : null, groups.rules.length ? rules : null);
  const silent = () => controls.get("kind")?.value() === "silent";
  return {
    rows: [h("div", { class: "two first-options" }, groups.first), more], more,
    show() {
      darts.hidden = darts.disabled = silent(); // what is disabled is not checked either
      for (const control of controls.values()) control.show?.();
    },
    value() {
      const wished = [...controls].filter(([, { group }]) => group !== "darts" || !silent());
      return Object.fromEntries(wished.map(([name, control]) => [name, control.value()]));
    },
  };
}

function nameInput(side, value) {
  const id = `new-${side}-name`;
  return h("div", { class: "option" }, h("label", { for: id }, t(`new.${side}_name`)),
    h("input", { id, type: "text", maxlength: "40", autocomplete: "off", list: "known-names", value }));
}

function knownNames({ names }, people) {
  const all = new Set([...people.map(({ name }) => name), ...names]);
  return h("datalist", { id: "known-names" }, [...all].map((name) => h("option", { value: name })));
}

// What was played last on this device, and who played: {game, games: {key: options}, names}.
function recall() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { game: found.game, games: found.games ?? {}, names: Array.isArray(found.names) ? found.names : [] };
  } catch {
    return { game: undefined, games: {}, names: [] };
  }
}

function remember(game, options, played) {
  const kept = recall();
  const names = [...new Set([...played, ...kept.names])].filter(Boolean).slice(0, MAX_NAMES);
  try {
    localStorage.setItem(KEY, JSON.stringify({ game, games: { ...kept.games, [game]: options }, names }));
  } catch {
    // A browser without storage asks again.
  }
}

function without(options, unwanted) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== unwanted));
}

// The same game with the colours swapped; the players keep their seats.
/** @param {App} app */
export async function rematch(app) {
  const { game, kind, names, seats, computers, players } = app.store.snapshot;
  const { games } = await reference();
  const asked = Object.keys(games[game.key].options.properties).filter((name) => name !== "kind" && name !== "clock");
  const options = without(Object.fromEntries(asked.map((name) => [name, game.options[name] ?? null])), null);
  const limit = options.foul_limit;
  if (limit) options.foul_limit = { white: limit.black, black: limit.white };
  const other = (side) => (side === "white" ? "black" : "white");
  return app.command("new_game", {
    game: game.key, kind, clock: game.options.clock, options: { ...options, white_by: "agreed" },
    seats: { seat1: other(seats.seat1), seat2: other(seats.seat2) }, names: { white: names.black, black: names.white },
    computers, players,
  });
}
