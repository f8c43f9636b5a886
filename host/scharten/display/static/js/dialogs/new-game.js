// A new game, its options drawn from the JSON Schema of the game's own model; and a rematch in one tap.

import { button, h, openDialog } from "../dom.js";
import { reference } from "../reference.js";
import { prepare } from "../prepare.js";
import { SIDES } from "../position.js";
import { t } from "../words.js";
import { evenOut, registeredPlayers, REGISTERED, seatOf, whoPlays, whoSits } from "./registered.js";
import { engineChoices } from "./engines.js";
import { chooseHand, withoutHands } from "./hands.js";
import { later } from "./later.js";
import { clockOption, option } from "./options.js";
import { askRemote } from "./remote.js";
import { addStandIns } from "./stand-ins.js";

const KEY = "scharten.new-game";
const MAX_NAMES = 24;
const FIRST = new Set(["kind", "clock"]); // the rest is folded

/** @param {App} app */
export async function openNewGame(app) {
  prepare(app, "computer");
  const { snapshot } = app.store;
  const { match } = snapshot ?? {};
  const [{ games, levels }, people] = await Promise.all([reference(), registeredPlayers(app)]);
  const saved = recall();
  const names = SIDES.map((side) => nameInput(side, snapshot?.names[side] || ""));
  const seats = snapshot?.seats ?? { seat1: "white", seat2: "black" };
  const nameInputs = names.map((row) => /** @type {HTMLInputElement} */ (row.querySelector("input")));
  const players = SIDES.map((side, index) =>
    playerChoice(side, whoSits(app, seatOf(seats, side)), people, nameInputs[index], levels));
  addStandIns(app, players, SIDES.map((side) => snapshot?.stand_ins?.[seatOf(seats, side)] ?? null));
  const which = h("select", { id: "new-game-key" },
    Object.keys(games).map((key) => h("option", { value: key }, t(`game.${key}`))));
  const game = h("div", { class: "option" }, h("label", { for: which.id }, t("new.game")), which);
  game.hidden = Object.keys(games).length < 2;
  const body = h("div", { class: "new-game" });
  const engines = engineChoices(snapshot, seats, players, which);
  const inLobby = mayInvite(app) && app.store.remote.meets
    ? h("input", { type: "checkbox", id: "in-lobby" }) : null;
  const form = h("form", { class: "new-game", novalidate: true, onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    start();
  } },
    h("div", { class: "two" }, names, knownNames(saved, people)),
    h("div", { class: "two" }, players), engines.row, game, body,
    evenOut(app, players, () => ({ game: which.value, ...withoutHands(asked.value()) })),
    inLobby ? h("label", {}, inLobby, ` ${t("remote.show_in_lobby")}`) : null,
    app.store.gameIsOn() ? h("p", { class: "warning" }, t("new.abandon")) : null,
    h("div", { class: "action-row new-start" },
      h("button", { type: "submit", class: "big primary", id: "start-game" }, t("new.start")),
      mayInvite(app) ? button(t("remote.invite"), invite, { id: "invite" }) : null));
  /** @type {ReturnType<typeof gameForm>} */
  let asked;

  // The form of the chosen game, filled in as it was played last here.
  function fill() {
    /** @type {ChosenOptions} */
    const current = snapshot?.game.key === which.value ? presentOptions(snapshot) : {};
    const present = snapshot?.match && current.kind ? current : saved.games[which.value] ?? current;
    asked = gameForm(games[which.value].options, present);
    body.replaceChildren(...asked.rows);
    asked.show();
  }

  which.value = pick(games, [snapshot?.match ? snapshot.game.key : saved.game, snapshot?.game.key]);
  which.addEventListener("change", fill);
  form.addEventListener("change", () => {
    asked.show();
    engines.show();
  });
  fill();

  async function start() {
    if (!form.checkValidity()) asked.more.open = true; // a folded field cannot show its error
    if (!form.reportValidity()) return;
    const { kind, clock, ...options } = asked.value();
    const [white, black] = nameInputs.map((input) => input.value.trim());
    const seated = { options: without(withoutHands(options), null), names: { white, black }, seats };
    const [hider, chooser] = [[white, "white"], [black, "black"]].map(([name, side]) =>
      name || t(`seat.${seatOf(seats, /** @type {Side} */ (side))}`));
    const otherWay = options.white_by === "hands" ? await chooseHand(hider, chooser) : false;
    if (otherWay === null) return;
    const answer = await app.command("new_game", {
      game: which.value, kind, clock, ...(otherWay ? coloursSwapped(seated) : seated),
      ...whoPlays(seats, players), ...engines.value(),
      ...(app.store.gameIsOn() ? { abandon: true, match } : {}),
    });
    if (!answer.accepted) return;
    remember(which.value, { kind, clock, ...options }, [white, black]);
    dialog.close();
  }

  // The same game with the seat of Black at another board; it begins when the guest says yes.
  async function invite() {
    const { kind, clock, ...options } = asked.value();
    const order = { game: which.value, kind, clock, options: without(withoutHands(options, "lot"), null), seats,
      ...(app.store.gameIsOn() ? { abandon: true } : {}) };
    const seat = seatOf(seats, "black");
    const answer = await askRemote(app, "invite", { seat, order, by: nameInputs[0].value.trim(),
      lobby: inLobby?.checked === true });
    if (!answer.accepted) return app.say(answer.words ?? "", "refused");
    dialog.close();
    later(app, "remote", "openInvitation");
  }

  const dialog = openDialog(t("new_game"), form, { closeText: t("close"), className: "wide", keepsInput: true });
  if (matchMedia("(hover: hover)").matches) nameInputs[0].focus(); // a finger would get a keyboard over half the page
}

/** @param {App} app */
function mayInvite({ role, store }) {
  return Boolean(store.welcome?.remote) && (role === "table" || role === "arbiter");
}

// A guest, a registered player, or the computer at a level; a registered player sets the name, a known name the player.
/**
 * @param {Side} side
 * @param {string | number | null | undefined} present
 * @param {Person[]} people
 * @param {HTMLInputElement} name
 * @param {Record<string, number>} levels
 */
function playerChoice(side, present, people, name, levels) {
  const id = `new-${side}-player`;
  const input = h("select", { id }, h("option", { value: "" }, t("new.person")),
    people.map((person) => h("option", { value: `${REGISTERED}${person.id}` }, person.name)),
    Object.entries(levels).map(([level, mm]) => h("option", { value: level },
      t("new.computer", { level, mm, name: t(`level.${level}`) }))));
  input.value = present ? String(present) : "";
  if (!input.value) input.value = ""; // a deleted player
  const chosen = () => people.find(({ id: key }) => `${REGISTERED}${key}` === input.value);
  name.value = chosen()?.name ?? name.value;
  input.addEventListener("change", () => {
    if (input.value) name.value = chosen()?.name ?? ""; // the computer has no name
  });
  name.addEventListener("change", () => {
    const known = people.find((person) => person.name === name.value.trim());
    if (known || chosen()) input.value = known ? `${REGISTERED}${known.id}` : "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return h("div", { class: "option" }, h("label", { for: id }, t(`new.${side}_player`)), input);
}

/** @param {Snapshot} snapshot */
function presentOptions(snapshot) {
  return { ...snapshot.game.options, kind: snapshot.kind };
}

/** @param {Record<string, GameReference>} games @param {(string | undefined)[]} wanted */
function pick(games, wanted) {
  return wanted.find((key) => key && key in games) ?? Object.keys(games)[0];
}

// The first options of every game, then the rest of them folded.
/** @param {OptionsSchema} schema @param {ChosenOptions} chosen */
function gameForm(schema, chosen) {
  const controls = /** @type {Map<string, Control & {group?: string}>} */ (new Map());
  /** @type {Record<string, HTMLElement[]>} */
  const groups = { first: [], darts: [], rules: [], plain: [] };
  for (const [name, property] of Object.entries(schema.properties)) {
    const present = chosen[name] === undefined ? property.default : chosen[name];
    const control = name === "clock" ? clockOption(present) : option(name, property, present, schema);
    controls.set(name, { ...control, group: property.group });
    groups[FIRST.has(name) ? "first" : property.group ?? "plain"].push(...control.rows);
  }
  /** @param {string} group */
  const fieldset = (group) => h("fieldset", {}, h("legend", {}, t(`new.${group}`)), groups[group]);
  const [darts, rules] = [fieldset("darts"), fieldset("rules")];
  const more = h("details", { class: "more-rules" }, h("summary", {}, t("new.more")), groups.plain,
    groups.darts.length ? darts : null, groups.rules.length ? rules : null);
  const silent = () => controls.get("kind")?.value() === "silent";
  return {
    rows: [h("div", { class: "two first-options" }, groups.first), more], more,
    show() {
      darts.hidden = darts.disabled = silent(); // disabled fields are not checked either
      for (const control of controls.values()) control.show?.();
    },
    value() {
      const counting = [...controls].filter(([, { group }]) => group !== "darts" || !silent());
      return Object.fromEntries(counting.map(([name, control]) => [name, control.value()]));
    },
  };
}

/** @param {Side} side @param {string} value */
function nameInput(side, value) {
  const id = `new-${side}-name`;
  return h("div", { class: "option" }, h("label", { for: id }, t(`new.${side}_name`)),
    h("input", { id, type: "text", maxlength: "40", autocomplete: "off", list: "known-names", value }));
}

/** @param {{names: string[]}} recalled @param {Person[]} people */
function knownNames({ names }, people) {
  const all = new Set([...people.map(({ name }) => name), ...names]);
  return h("datalist", { id: "known-names" }, [...all].map((name) => h("option", { value: name })));
}

// The last game on this device and its players: {game, games: {key: options}, names}.
function recall() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { game: found.game, games: found.games ?? {}, names: Array.isArray(found.names) ? found.names : [] };
  } catch {
    return { game: undefined, games: {}, names: [] };
  }
}

/** @param {string} game @param {ChosenOptions} options @param {string[]} played */
function remember(game, options, played) {
  const saved = recall();
  const names = [...new Set([...played, ...saved.names])].filter(Boolean).slice(0, MAX_NAMES);
  try {
    localStorage.setItem(KEY, JSON.stringify({ game, games: { ...saved.games, [game]: options }, names }));
  } catch {
    // A browser without storage asks again.
  }
}

/** @param {ChosenOptions} options @param {unknown} unwanted */
function without(options, unwanted) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== unwanted));
}

// The same game with the colours swapped; the players keep their seats.
/** @param {App} app */
export async function rematch(app) {
  const { game, kind, names, seats, computers, engines, players, stand_ins: standIns } = app.store.present;
  const { games } = await reference();
  const asked = Object.keys(games[game.key].options.properties).filter((name) => name !== "kind" && name !== "clock");
  const options = without(Object.fromEntries(asked.map((name) => [name, game.options[name] ?? null])), null);
  return app.command("new_game", {
    game: game.key, kind, clock: game.options.clock,
    ...coloursSwapped({ options: { ...options, white_by: "agreed" }, seats, names }),
    computers, players, ...(engines ? { engines } : {}), ...(standIns ? { stand_ins: standIns } : {}),
  });
}

// The players keep their seats, names and foul limits, and have the other's colour.
/** @param {{options: ChosenOptions, seats: SidesBySeat, names: Record<Side, string>}} seated */
function coloursSwapped({ options, seats, names }) {
  /** @param {Side} side */
  const other = (side) => (side === "white" ? "black" : "white");
  const limit = options.foul_limit;
  return {
    options: limit ? { ...options, foul_limit: { white: limit.black, black: limit.white } } : options,
    seats: { seat1: other(seats.seat1), seat2: other(seats.seat2) }, names: { white: names.black, black: names.white },
  };
}
