// A player: name, clock, pieces still to throw, fouls out of the limit; and the requests a player may make.

import { button, h, iconButton, openDialog, setText } from "../dom.js";
import { drawPiece } from "../pieces.js";
import { SIDES } from "../position.js";
import { clockText } from "../clock.js";
import { fitTwoLines } from "../fit.js";
import { levelWords } from "../level.js";
import { nameOf, pieceName, t } from "../words.js";

/** @param {App} app @param {HTMLElement} whiteHost @param {HTMLElement} blackHost */
export function createPlayers(app, whiteHost, blackHost) {
  const cards = { white: card(app, "white", whiteHost), black: card(app, "black", blackHost) };
  setInterval(() => {
    for (const side of SIDES) cards[side].tick();
  }, 100);
  return {
    update() {
      for (const side of SIDES) cards[side].update();
    },
  };
}

/** @param {App} app @param {Side} side @param {HTMLElement} host */
function card(app, side, host) {
  const { store } = app;
  const glyph = h("span", { class: "player-glyph" });
  glyph.append(drawPiece(side === "white" ? "K" : "k"));
  const name = h("span", { class: "name" });
  const you = h("small", { class: "you" });
  const clock = h("output", { class: "clock" });
  const fouls = h("span", { class: "fouls" });
  const next = h("span", { class: "next-piece" });
  const more = iconButton("more", "", () => openRequests(app, side), { class: "icon more" });
  host.append(h("h2", { class: "player-name" }, glyph, name, you), clock, fouls, next,
    ...(app.role === "display" ? [] : [more]));
  let drawnFouls = "";
  let drawnNext = "";

  /** @param {string} text */
  function showName(text) {
    if (name.textContent === text) return;
    name.textContent = name.title = text;
    clock.setAttribute("aria-label", t("clock.of", { side: text }));
    more.title = t("wishes.of", { side: text });
    more.setAttribute("aria-label", more.title);
    fitTwoLines(name, text);
  }

  /** @param {Snapshot} snapshot */
  function drawFouls(snapshot) {
    const limit = snapshot.kind === "loud" ? snapshot.game.options.foul_limit[side] : 0;
    const count = snapshot.shown.fouls?.[side] ?? 0;
    const key = `${count}/${limit}`;
    if (key === drawnFouls) return;
    drawnFouls = key;
    const pips = Array.from({ length: Math.min(limit, 9) }, (_, index) =>
      h("span", { class: index < count ? "pip on" : "pip" }));
    fouls.replaceChildren(...(limit
      ? [h("span", { class: "pips", "aria-hidden": "true" }, pips), h("span", {}, t("fouls", { count, limit }))] : []));
    fouls.classList.toggle("danger", limit > 1 && count === limit - 1);
    fouls.classList.toggle("full", limit > 0 && count >= limit);
  }

  /** @param {Snapshot} snapshot */
  function drawNext(snapshot) {
    const kind = snapshot.shown.next?.[side];
    const left = snapshot.shown.to_throw?.[side] ?? 0;
    const key = `${kind}/${left}`;
    if (key === drawnNext) return;
    drawnNext = key;
    if (!kind || !left || snapshot.kind !== "loud") return next.replaceChildren();
    const letter = side === "white" ? kind : kind.toLowerCase();
    next.replaceChildren(drawPiece(letter),
      h("span", { class: "visually-hidden" }, t("next", { piece: pieceName(letter) })),
      h("span", { "aria-hidden": "true" }, `×${left}`),
      h("span", { class: "visually-hidden" }, t("to_throw", { count: left })));
  }

  function update() {
    const { snapshot } = store;
    if (!snapshot) return;
    showName(nameOf(snapshot, side));
    const own = store.ownSide() === side;
    setText(you, own ? t("player.you", { side: t(`side.${side}`) }) : computerWords(snapshot, side));
    const atMove = ["turn", "throwing", "settling"].includes(snapshot.phase) && snapshot.side === side;
    host.classList.toggle("at-move", atMove);
    host.classList.toggle("in-check", atMove && snapshot.check.length > 0);
    host.setAttribute("aria-label",
      t("player.label", { side: t(`side.${side}`), name: snapshot.names?.[side] ?? "", state: atMove
      ? t("player.at_move") : "" }));
    more.disabled = ["setup", "finished", "deciding"].includes(snapshot.phase)
      || (store.ownSide() !== null && store.ownSide() !== side);
    drawFouls(snapshot);
    drawNext(snapshot);
    tick();
  }

  function tick() {
    const left = store.clockOf(side);
    if (clock.hidden !== (left === null)) clock.hidden = left === null;
    if (left === null) return;
    const text = clockText(left);
    setText(clock, text);
    clock.classList.toggle("low", left < 30000);
    clock.classList.toggle("fallen", left <= 0);
    clock.classList.toggle("running", store.snapshot?.clock?.running === side);
  }

  return { update, tick };
}

// Which computer it is, beside the name of its seat.
/** @param {Snapshot} snapshot @param {Side} side */
function computerWords(snapshot, side) {
  const what = levelWords(snapshot, snapshot.seats?.seat1 === side ? "seat1" : "seat2");
  return what && t("computer.at_seat", { what });
}

// The requests of a player: resign, a draw, claims.
/** @param {App} app @param {Side} side */
function openRequests(app, side) {
  const snapshot = app.store.present;
  const { match } = snapshot; // an open dialog stands for its own game, never for the next
  const about = app.role === "table" || app.role === "arbiter" ? { match, side } : { match };
  /**
   * @param {string} key
   * @param {string} type
   * @param {() => object | false} [fields]
   * @param {string} [className]
   */
  const request = (key, type, fields = () => ({}), className = "") =>
    h("div", { class: "request" }, button(t(key), () => {
      const more = fields();
      if (!more) return;
      dialog.close();
      app.command(type, { ...about, ...more });
    }, { class: className }), h("p", {}, t(`${key}.help`)));
  const stated = h("input", {
    type: "text", id: "stated-move", placeholder: "e2e4", autocomplete: "off", spellcheck: "false",
  });
  /** @param {string} rule */
  const claim = (rule) => {
    const right = snapshot.side === side && snapshot.can?.claim?.includes(rule);
    const stating = () => stated.reportValidity() && { rule, move: stated.value.trim() || null };
    return request(`claim.${rule}`, "claim_draw", stating, right ? "primary" : "");
  };
  const sure = h("div", { class: "request" }, button(t("resign"), (event) => {
    event.target.replaceWith(button(t("resign.sure", { side: nameOf(snapshot, side) }), () => {
      dialog.close();
      app.command("resign", about);
    }, { class: "danger" }));
  }), h("p", {}, t("resign.help")));
  const dialog = openDialog(t("wishes.of", { side: nameOf(snapshot, side) }), [
    request("draw.offer", "offer_draw"), ...snapshot.game.claim_rules.map(claim),
    h("label", { class: "option", for: "stated-move" }, t("claim.stated"), stated),
    ...(snapshot.clock ? [request("claim.flag", "claim_flag")] : []), sure,
  ], { closeText: t("close") });
}
