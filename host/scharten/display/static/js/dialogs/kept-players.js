// The kept players in a new game: who can be chosen, who sat down, and foul limits that even two of them out.

import { button, h, openDialog } from "../dom.js";
import { change, language } from "../settings.js";
import { addWords, t } from "../words.js";
import { openProfile, token } from "../players/profile.js";

export const KEPT = "kept-";
const OWN = "scharten.player"; // who this phone belongs to

export function seatOf(seats, side) {
  return seats.seat1 === side ? "seat1" : "seat2";
}

// Everybody in the register, those who played last first; none where this server keeps nobody.
/** @param {App} app */
export async function keptPlayers(app) {
  if (!app.store.welcome?.players) return [];
  try {
    const [answer] = await Promise.all([fetch("players.json"), addWords("players-")]);
    const { players } = await answer.json();
    return players.sort((one, other) => (other.last_ms ?? 0) - (one.last_ms ?? 0));
  } catch {
    return []; // then names are typed
  }
}

// Who is proposed for a seat: who sat down there, else who played there last, a level of the computer, or nobody.
export function whoSits({ store }, seat) {
  const { snapshot, seated } = store;
  const kept = seated[seat] ?? snapshot?.players?.[seat];
  return kept ? `${KEPT}${kept}` : snapshot?.computers?.[seat];
}

// What the choices of both sides mean for `new_game`.
export function whoPlays(seats, choices) {
  const bySeat = (read) => Object.fromEntries(["white", "black"].map((side, index) =>
    [seatOf(seats, side), read(choices[index].querySelector("select").value)]));
  return { computers: bySeat((value) => Number(value) || null),
    players: bySeat((value) => (value.startsWith(KEPT) ? value.slice(KEPT.length) : null)) };
}

// A button that sets the foul limits, offered when two kept players play a loud game.
export function evenOut(app, choices, asked) {
  const said = h("span", { class: "help", role: "status" });
  const even = button("", work, { id: "even-out" });
  const row = h("div", { class: "action-row", hidden: true }, even, said);
  const chosen = () => choices.map((choice) => choice.querySelector("select").value)
    .filter((value) => value.startsWith(KEPT)).map((value) => value.slice(KEPT.length));
  const show = () => {
    even.textContent = t("players.even");
    row.hidden = chosen().length < 2 || asked().kind !== "loud";
  };
  setTimeout(() => row.closest("form").addEventListener("input", show));
  setTimeout(() => row.closest("form").addEventListener("change", show));
  setTimeout(show);

  async function work() {
    const { game, ...options } = asked();
    const set = Object.fromEntries(Object.entries(options)
      .filter(([name, value]) => value !== null && name !== "clock"));
    const [white, black] = chosen();
    const answer = await fetch(`players/handicap.json?${new URLSearchParams({ white, black, game,
      options: JSON.stringify(set) })}`);
    if (!answer.ok) return void (said.textContent = t("players.even.none"));
    const { limits, risk } = await answer.json();
    for (const side of ["white", "black"]) {
      const input = /** @type {HTMLInputElement} */ (document.getElementById(`new-foul_limit.${side}`));
      input.value = limits[side];
    }
    said.textContent = t("players.even.said", { white: limits.white, black: limits.black, white_risk: risk.white,
      black_risk: risk.black });
  }
  return row;
}

// A phone that was opened by a seat's QR code says whose it is; next time it says so by itself.
/** @param {App} app */
export async function openWho(app) {
  const people = await keptPlayers(app);
  const sit = async (one) => {
    const answer = await app.connection.ask("players", { type: "sit", seat: app.role, player: one?.id ?? null });
    dialog.close();
    if (answer.accepted) belongTo(one);
  };
  const add = async () => {
    const profile = await openProfile(null);
    const kept = profile && await app.connection.ask("players", { type: "keep", profile });
    if (kept?.accepted) await sit(kept.player);
    else if (kept) app.say(t("players.refused.name_taken"), "refused");
  };
  const dialog = openDialog(t("players.who"), [...people.map((one) => button("", () => sit(one),
    { class: "who", "data-player": one.id, "aria-label": one.name })),
  h("div", { class: "action-row" }, button(t("players.guest"), () => sit(null), { id: "sit-guest" }),
    button(t("players.add"), add, { id: "sit-new" }))], { closeText: t("close"), className: "small" });
  for (const [index, one] of people.entries()) dialog.querySelectorAll(".who")[index].append(token(one), one.name);
}

// This device is somebody's own, or nobody's: it speaks their language from now on.
function belongTo(one) {
  localStorage.setItem(OWN, one?.id ?? "");
  if (!one?.language || one.language === language()) return;
  change("language", one.language);
  location.reload(); // a page loads one language
}

// Whose device this is, by the card that opened the page or from the last time.
/** @param {App} app */
export function knowWhose(app) {
  sitAgain(app);
  useCard(app);
}

// Scanned from a player's own card: at a seat they sit down, at the table one says where, else the device is theirs.
/** @param {App} app */
async function useCard(app) {
  const here = new URL(location.href);
  const id = here.searchParams.get("card");
  if (!id) return;
  here.searchParams.delete("card");
  history.replaceState(null, "", here);
  const one = (await keptPlayers(app)).find((each) => each.id === id);
  if (!one) return void app.say(t("card.unknown"), "refused");
  const sit = (seat) => app.connection.ask("players", { type: "sit", seat, player: one.id });
  if (app.role.startsWith("seat")) {
    if ((await sit(app.role)).accepted) belongTo(one);
  } else if (app.role === "display") {
    belongTo(one);
    app.say(t("card.phone", { name: one.name }));
  } else {
    const seats = ["seat1", "seat2"].map((seat) => button(t(`seat.${seat}`), async () => {
      await sit(seat);
      dialog.close();
    }, { class: "big", "data-seat": seat }));
    const dialog = openDialog(t("card.where", { name: one.name }), h("div", { class: "action-row" }, seats),
      { closeText: t("close"), className: "small" });
  }
}

let satAgain = false;

/** @param {App} app */
function sitAgain(app) {
  if (satAgain) return;
  satAgain = true;
  const own = localStorage.getItem(OWN);
  if (own && app.store.welcome?.players && app.role.startsWith("seat") && !app.store.seated[app.role]) {
    app.connection.ask("players", { type: "sit", seat: app.role, player: own });
  }
}
