// The registered players in a new game: whom to choose, who sat down, and foul limits that even out two of them.

import { button, byId, h, openDialog } from "../dom.js";
import { seated } from "../features/players.js";
import { change, language } from "../settings.js";
import { SEATS, SIDES } from "../position.js";
import { addWords, t } from "../words.js";
import { openProfile, token } from "../players/profile.js";
import { standInLevel, standInOf } from "./stand-ins.js";

export const REGISTERED = "kept-";
const OWN = "scharten.player"; // the owner of this device

/** @param {SidesBySeat} seats @param {Side} side */
export function seatOf(seats, side) {
  return seats.seat1 === side ? "seat1" : "seat2";
}

// All registered players, latest first; an empty list where this server has no register.
/** @param {App} app */
export async function registeredPlayers(app) {
  if (!app.store.welcome?.players) return [];
  try {
    const [answer] = await Promise.all([fetch("players/names.json"), addWords("players")]);
    /** @type {{players: Person[]}} */
    const { players } = await answer.json();
    return players.sort((first, second) => (second.last_ms ?? 0) - (first.last_ms ?? 0));
  } catch {
    return []; // people type names instead
  }
}

// The proposal for a seat: the player who sat down, else who played there last, else a level of the computer.
/** @param {App} app @param {Seat} seat */
export function whoSits({ store }, seat) {
  const { snapshot } = store;
  const player = seated(store)[seat] ?? snapshot?.players?.[seat];
  return player ? `${REGISTERED}${player}` : snapshot?.computers?.[seat];
}

// The fields of `new_game` for the choices of both sides.
/** @param {SidesBySeat} seats @param {HTMLElement[]} choices */
export function whoPlays(seats, choices) {
  /** @param {(choice: HTMLElement) => unknown} read */
  const bySeat = (read) => Object.fromEntries(SIDES.map((side, index) => [seatOf(seats, side), read(choices[index])]));
  /** @param {HTMLElement} choice */
  const registered = (choice) => {
    const value = chosenOf(choice);
    return value.startsWith(REGISTERED) ? value.slice(REGISTERED.length) : null;
  };
  const standIns = bySeat(standInOf);
  return { computers: bySeat((choice) => standInLevel(choice) ?? (Number(chosenOf(choice)) || null)),
    players: bySeat(registered), ...(Object.values(standIns).some(Boolean) ? { stand_ins: standIns } : {}) };
}

/** @param {HTMLElement} choice */
function chosenOf(choice) {
  return choice.querySelector("select")?.value ?? "";
}

// A button that sets the foul limits, shown when two registered players play a loud game.
/** @param {App} app @param {HTMLElement[]} choices @param {() => ChosenOptions} chosenGame */
export function evenOut(app, choices, chosenGame) {
  const said = h("span", { class: "help", role: "status" });
  const even = button("", work, { id: "even-out" });
  const row = h("div", { class: "action-row", hidden: true }, even, said);
  const chosen = () => choices.map(chosenOf)
    .filter((value) => value.startsWith(REGISTERED)).map((value) => value.slice(REGISTERED.length));
  const show = () => {
    even.textContent = t("players.even");
    row.hidden = chosen().length < 2 || chosenGame().kind !== "loud";
  };
  for (const type of ["input", "change"]) setTimeout(() => row.closest("form")?.addEventListener(type, show));
  setTimeout(show);

  async function work() {
    const { game, ...options } = chosenGame();
    const set = Object.fromEntries(Object.entries(options)
      .filter(([name, value]) => value !== null && name !== "clock"));
    const [white, black] = chosen();
    const answer = await fetch(`players/handicap.json?${new URLSearchParams({ white, black, game,
      options: JSON.stringify(set) })}`);
    if (!answer.ok) return void (said.textContent = t("players.even.none"));
    const { limits, risk } = await answer.json();
    for (const side of SIDES) {
      const input = /** @type {HTMLInputElement} */ (byId(`new-foul_limit.${side}`));
      input.value = limits[side];
    }
    said.textContent = t("players.even.said", { white: limits.white, black: limits.black, white_risk: risk.white,
      black_risk: risk.black });
  }
  return row;
}

// Asks whose phone this is, once a seat's QR code has opened it; the phone remembers the answer.
/** @param {App} app */
export async function openWho(app) {
  const people = await registeredPlayers(app);
  const sit = async (/** @type {Person | null} */ person) => {
    const answer = await app.connection.ask("players", { type: "sit", seat: app.role, player: person?.id ?? null });
    dialog.close();
    if (answer.accepted) belongTo(person);
  };
  const add = async () => {
    const profile = await openProfile(null);
    const answer = profile && await app.connection.ask("players", { type: "keep", profile });
    if (answer?.accepted) await sit(answer.player);
    else if (answer) app.say(t("players.refused.name_taken"), "refused");
  };
  const choices = people.map((person) => button([token(person), person.name], () => sit(person),
    { class: "who", "data-player": person.id, "aria-label": person.name }));
  const dialog = openDialog(t("players.who"), [...choices,
  h("div", { class: "action-row" }, button(t("players.guest"), () => sit(null), { id: "sit-guest" }),
    button(t("players.add"), add, { id: "sit-new" }))], { closeText: t("close"), className: "small" });
}

// Makes this device a player's own, or nobody's; it uses their language from now on.
/** @param {Person | null} person */
function belongTo(person) {
  localStorage.setItem(OWN, person?.id ?? "");
  if (!person?.language || person.language === language()) return;
  change("language", person.language);
  location.reload(); // a page loads one language
}

// Finds the owner of this device, by the card that opened the page or from the last time.
/** @param {App} app */
export function knowWhose(app) {
  sitAgain(app);
  useCard(app);
}

// After a scan of a player's card: at a seat the player sits down, the table asks for the seat, any other device is
// theirs from now on.
/** @param {App} app */
async function useCard(app) {
  const here = new URL(location.href);
  const id = here.searchParams.get("card");
  if (!id) return;
  here.searchParams.delete("card");
  history.replaceState(null, "", here);
  const person = (await registeredPlayers(app)).find((known) => known.id === id);
  if (!person) return void app.say(t("card.unknown"), "refused");
  const sit = (/** @type {string} */ seat) => app.connection.ask("players", { type: "sit", seat, player: person.id });
  if (app.role.startsWith("seat")) {
    if ((await sit(app.role)).accepted) belongTo(person);
  } else if (app.role === "display") {
    belongTo(person);
    app.say(t("card.phone", { name: person.name }));
  } else {
    const seats = SEATS.map((seat) => button(t(`seat.${seat}`), async () => {
      await sit(seat);
      dialog.close();
    }, { class: "big", "data-seat": seat }));
    const dialog = openDialog(t("card.where", { name: person.name }), h("div", { class: "action-row" }, seats),
      { closeText: t("close"), className: "small" });
  }
}

let satAgain = false;

/** @param {App} app */
function sitAgain(app) {
  if (satAgain) return;
  satAgain = true;
  const own = localStorage.getItem(OWN);
  const seat = SEATS.find((known) => known === app.role);
  if (own && seat && app.store.welcome?.players && !seated(app.store)[seat]) {
    app.connection.ask("players", { type: "sit", seat: app.role, player: own });
  }
}
