// One board at a glance: the pieces, the players with fouls and clock, the phase, and the state of its sensors.

import { Board } from "../board.js";
import { h } from "../dom.js";
import { healthTrouble } from "../health.js";
import { lastOutcome, lastPlayer, turnSentence } from "../turns.js";
import { readPosition, SIDES } from "../position.js";
import { clockText, timeLeft } from "../clock.js";
import { gameName, nameOf, reasonWords, t } from "../words.js";

const PLAYING = ["turn", "throwing", "settling"];

export class Card {
  /** @param {string} board */
  constructor(board) {
    this.pill = h("span", { class: "pill" });
    this.game = h("p", { class: "club-game" });
    this.said = h("p", { class: "club-said" });
    this.machine = h("p", { class: "club-machine" });
    this.players = { black: player("black"), white: player("white") };
    const mini = h("div", { class: "mini" });
    this.element = h("article", { class: "card club-card", "data-board": board, "aria-label": board },
      h("header", { class: "club-head" }, h("h2", {}, board), this.game, this.pill),
      this.players.black.element, mini, this.players.white.element, this.said, this.machine);
    this.board = new Board(mini, { rim: false });
    /** @type {Topics["availability"] | null} */
    this.availability = null;
    /** @type {Health | null} */
    this.health = null;
    /** @type {Snapshot | null} */
    this.snapshot = null;
  }

  /** @param {Message} message of this board: availability, state or health */
  take({ topic, payload }) {
    if (topic === "state") this.#seen(payload);
    else if (topic === "availability") this.availability = payload;
    else if (topic === "health") this.health = payload;
    this.#draw();
  }

  /** @param {Snapshot} snapshot */
  #seen(snapshot) {
    const animate = this.snapshot?.match === snapshot.match;
    this.snapshot = snapshot;
    const { layout } = snapshot.game;
    this.board.show({ layout });
    const { pieces, gone } = readPosition(snapshot.position, layout);
    this.board.setPieces(pieces, { animate });
    this.board.setGone(gone);
    const zone = snapshot.phase === "throwing" ? snapshot.shown.zone ?? [] : [];
    this.board.mark({ last: snapshot.last?.fields ?? [], check: snapshot.check, zone });
  }

  #draw() {
    const { snapshot } = this;
    const online = this.availability === "online";
    const ill = online ? healthTrouble(this.health ?? {}) : "";
    this.element.classList.toggle("offline", !online);
    this.element.classList.toggle("ill", Boolean(ill));
    this.pill.textContent = online ? this.#moment() : t("club.offline");
    this.pill.className = `pill ${online ? (PLAYING.includes(snapshot?.phase ?? "") ? "on" : "") : "off"}`;
    this.game.textContent = snapshot ? gameName(snapshot) : "";
    this.said.textContent = snapshot ? lastWords(snapshot) : "";
    this.machine.textContent = online ? ill || (this.health ? t("club.machine_ok") : "") : t("club.offline.words");
    for (const side of SIDES) this.players[side].draw(snapshot);
  }

  #moment() {
    const { snapshot } = this;
    if (!snapshot) return t("waiting");
    if (snapshot.result) return snapshot.result;
    if (["turn", "throwing"].includes(snapshot.phase)) return turnSentence(snapshot);
    return t(snapshot.phase === "setup" ? "club.free" : `phase.${snapshot.phase}`);
  }

  // Clocks run on between messages.
  /** @param {number} now */
  tick(now) {
    const clock = this.snapshot?.clock;
    for (const side of SIDES) {
      const left = timeLeft(clock, side, now);
      this.players[side].tick(this.availability === "online" ? left : null, clock?.running === side);
    }
  }
}

/** @param {Snapshot} snapshot */
function lastWords(snapshot) {
  if (snapshot.result) return reasonWords(snapshot);
  if (!snapshot.last) return "";
  return t(snapshot.last.foul ? "lost.words" : "last.words",
    { name: lastPlayer(snapshot), outcome: lastOutcome(snapshot) });
}

/** @param {Side} side */
function player(side) {
  const name = h("strong", { class: "club-name" });
  const pips = h("span", { class: "pips" });
  const clock = h("span", { class: "club-clock" });
  const element = h("div", { class: `club-player ${side}` }, name, pips, clock);
  return {
    element,
    /** @param {Snapshot | null} snapshot */
    draw(snapshot) {
      name.textContent = nameOf(snapshot ?? {}, side);
      element.classList.toggle("at-move", PLAYING.includes(snapshot?.phase ?? "") && snapshot?.side === side);
      const limit = snapshot?.kind === "loud" ? snapshot.game.options.foul_limit[side] : 0;
      const count = snapshot?.shown.fouls?.[side] ?? 0;
      pips.replaceChildren(...Array.from({ length: Math.min(9, limit) }, (_, index) =>
        h("span", { class: index < count ? "pip on" : "pip", "aria-hidden": "true" })),
        ...(limit ? [h("span", { class: "visually-hidden" }, t("fouls", { count, limit }))] : []));
    },
    /** @param {number | null} left @param {boolean} running */
    tick(left, running) {
      clock.textContent = left === null || !Number.isFinite(left) ? "" : clockText(left);
      clock.classList.toggle("running", running);
    },
  };
}
