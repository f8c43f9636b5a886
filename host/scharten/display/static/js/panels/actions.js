// The few large buttons that belong to this moment: announce, missed, ready, resume; requests and offers to answer.

import { button, find, h } from "../dom.js";
import { health } from "../health.js";
import { later } from "../dialogs/later.js";
import { computerButtons, computerFaults } from "./computer.js";
import { awaitsBed, lastOutcome, lastPlayer, seatName } from "../turns.js";
import { prepare } from "../prepare.js";
import { SEATS } from "../position.js";
import { tile } from "../tiles.js";
import { gameName, nameOf, t, tell } from "../words.js";

const HANGS_MS = 10_000;

/** @param {App} app @param {HTMLElement} host */
export function createActions(app, host) {
  const { store } = app;
  const line = h("p", { class: "moment" });
  const row = h("div", { class: "action-row" });
  const asks = h("div", { class: "asks" });
  host.append(line, row, asks);
  let drawn = "";
  const table = app.role === "table" || app.role === "arbiter";
  const simulated = () => Boolean(store.welcome?.simulated); // no dart sticks in a board on the screen
  const takeout = watchTakeout(store, () => update());
  /**
   * @param {string} key
   * @param {string} type
   * @param {Record<string, unknown>} [fields]
   * @param {string} [className]
   */
  const big = (key, type, fields = {}, className = "primary") =>
    button(t(key, { side: nameOf(store.present, store.present.side) }), () => app.command(type, fields),
      { class: `big ${className}`, "data-command": type });

  // A seat calls only its own dart missed.
  const missed = (className = "warn") => (store.ownSide() ?? store.present.side) === store.present.side
    ? [big("missed", "miss", {}, className)] : [];

  const newGame = () => later(app, "new-game", "openNewGame");

  /** @param {Snapshot} snapshot */
  function throwButtons(snapshot) {
    if (!snapshot.can?.throw) return [];
    const auto = snapshot.game.options.arming === "auto";
    const announce = auto || !store.mayMove() ? [] : [big("announce", "announce_throw")];
    if (simulated()) return store.mayMove() ? [...announce, missOnScreen(app)] : [];
    return auto && snapshot.phase === "turn" ? missed("") : announce;
  }

  // Where to aim: computed once, and shown for the whole turn; not while play is paused, nor for White and the draw.
  /** @param {Snapshot} snapshot */
  function adviceButton({ can, phase, game }) {
    if (!can?.throw || game.options.rated || ["paused", "deciding", "drawing"].includes(phase)) return [];
    if (!store.mayMove() || store.computerToMove()) return [];
    prepare(app, "adviser");
    return [button(t("advice"), () => later(app, "advice", "openAdvice"), { id: "advice" })];
  }

  /** @param {Snapshot} snapshot */
  function buttons(snapshot) {
    if (!store.mayAct()) return [];
    if (table && snapshot.phase === "setup") prepare(app, "computer");
    const views = {
      setup: () => [tile("play", { act: newGame, id: "play" }), tile("practice"), tile("learn"),
        ...(table ? alonePlay(app) : [])],
      deciding: () => [big("missed", "miss", {}, "warn"), big("decide.lot", "decide_white", { by: "lot" }, ""),
        ...SEATS.map((seat) => button(t("decide.agreed", { name: seatName(snapshot, seat) }),
          () => app.command("decide_white", { by: "agreed", white: seat }), { class: "big" }))],
      drawing: () => (snapshot.shown.draw?.by === "darts" ? [big("missed", "miss", {}, "warn")] : []),
      turn: () => throwButtons(snapshot),
      throwing: () => [...missed(),
        ...(store.mayMove() ? [big("cancel", "cancel_throw", {}, "")] : [])],
      settling: () => [store.mayMove() && !simulated() ? big(takeout.hangs() ? "takeout.go_on" : "ready", "ready") : "",
        ...throwButtons(snapshot).map((element) => (element.classList.remove("primary"), element))],
      paused: () => (table ? [big("resume", "resume")] : []),
      finished: () => [button(t("new_game"), newGame, { class: "big" })],
    };
    const waits = awaitsBed(snapshot) && !["deciding", "paused"].includes(snapshot.phase);
    const own = waits ? [] : [...(views[snapshot.phase] ?? (() => []))(), ...adviceButton(snapshot)];
    return store.computerToMove() === null ? own : computerButtons(app, snapshot);
  }

  /** @param {Snapshot} snapshot */
  function requests(snapshot) {
    const rows = (snapshot.requests ?? []).map((request) => {
      const asked = { who: seatName(snapshot, request.by), what: requestWords(snapshot, request) };
      const what = h("p", {}, t("request.by", asked));
      const seat = store.seat();
      const other = (seat === "seat1" || seat === "seat2") && request.by !== seat;
      return h("div", { class: "ask" }, what, other
        ? [button(t("request.agree"), () => app.command("confirm", { request: request.id }), { class: "primary" }),
          button(t("request.no"), () => app.command("confirm", { request: request.id, accept: false }))] : []);
    });
    return rows;
  }

  /** @param {Snapshot} snapshot */
  function moment(snapshot) {
    const { last } = snapshot;
    if (snapshot.phase === "setup") return t("first.hello");
    if (snapshot.phase === "deciding") return t("decide.words");
    if (snapshot.result || snapshot.phase === "drawing" || snapshot.shown.aim) return ""; // another panel shows it
    if (snapshot.phase === "turn" && snapshot.shown.must_throw && !snapshot.can.throw) return t("must_throw.words");
    if (snapshot.phase === "turn" && !last) {
      return t(snapshot.can?.throw ? "first.words" : "first.move", { side: nameOf(snapshot, snapshot.side) });
    }
    if (snapshot.phase === "paused") return t(store.mayAct() && !table ? "paused.words" : "message.paused");
    if (takeout.hangs()) return t("takeout.hangs");
    const words = last && { name: lastPlayer(snapshot), outcome: lastOutcome(snapshot) };
    return words && t(last.foul ? "lost.words" : "last.words", words);
  }

  function update() {
    const { snapshot } = store;
    if (!snapshot) return;
    takeout.see(snapshot);
    const key = JSON.stringify([snapshot.seq, snapshot.match, snapshot.phase, snapshot.side, snapshot.requests,
      snapshot.computers, health(store).computers, snapshot.draw_offer, snapshot.result, store.reviewing,
      takeout.hangs(), simulated()]);
    if (key === drawn) return;
    drawn = key;
    const { activeElement } = document;
    const focused = activeElement instanceof HTMLElement ? activeElement.dataset.command : undefined;
    document.body.classList.toggle("fresh", snapshot.phase === "setup");
    line.textContent = moment(snapshot);
    line.classList.toggle("held", snapshot.phase === "paused"); // also on a telephone: squares have no hub
    row.replaceChildren(...buttons(snapshot));
    asks.replaceChildren(...computerFaults(app, snapshot, seatName), ...drawOffer(app, snapshot),
      ...requests(snapshot));
    if (focused) (find(row, `[data-command="${focused}"]`) ?? find(row, "button"))?.focus();
  }

  return { update };
}

// A press on the board on the screen announces itself, and so does a miss.
/** @param {App} app */
function missOnScreen(app) {
  return button(t("missed"), () => app.throwing.throw({ miss: true }), { class: "big", "data-command": "miss" });
}

// To play without a second person at this board.
/** @param {App} app */
function alonePlay(app) {
  const computer = button(t("computer.play"), () => playTheComputer(app), { id: "play-computer" });
  const guest = () => later(app, "remote", "openGuest");
  if (!app.store.welcome?.remote) return [computer];
  return [computer, button(t("remote.play_there"), guest, { id: "play-there" })];
}

// At once: the person has White, all else is as configured.
/** @param {App} app */
function playTheComputer(app) {
  return app.command("new_game", { computers: { seat2: 3 }, seats: { seat1: "white", seat2: "black" } });
}

// Cameras see when the darts are out; when they do not for long, the takeout hangs and a person presses the button.
/** @param {Store} store @param {() => void} changed */
function watchTakeout(store, changed) {
  let turn = ""; // whose dart is being taken out
  let hangs = false;

  /** @param {Snapshot} snapshot */
  function see({ phase, match, turns, since_phase_ms }) {
    const now = phase === "settling" && store.welcome?.throws ? `${match}/${turns}` : "";
    if (now === turn) return;
    [turn, hangs] = [now, false];
    const waited = since_phase_ms ? Math.max(0, store.nowOfHost() - since_phase_ms) : 0; // before this page was opened
    if (now) setTimeout(() => {
      hangs = turn === now;
      if (hangs) changed();
    }, Math.max(0, HANGS_MS - waited));
  }

  return { see, hangs: () => hangs };
}

/** @param {Snapshot} snapshot @param {RequestModel} request */
function requestWords(snapshot, { type, args }) {
  const words = tell("request", type, args.seat ? { ...args, seat: seatName(snapshot, args.seat) } : args);
  return args.game && args.kind ? `${words}: ${gameName({ game: { key: args.game }, kind: args.kind })}` : words;
}

/** @param {App} app @param {Snapshot} snapshot */
function drawOffer(app, snapshot) {
  const { store } = app;
  const by = snapshot.draw_offer;
  if (!by) return [];
  const answerer = by === "white" ? "black" : "white";
  const mine = store.ownSide() === by || !store.mayAct();
  const about = app.role === "table" || app.role === "arbiter" ? { side: answerer } : {};
  return [h("div", { class: "ask" }, h("p", {}, t("draw.offered", { side: nameOf(snapshot, by) })), ...(mine ? [] : [
    button(t("draw.accept"), () => app.command("answer_draw", { accept: true, ...about }), { class: "primary" }),
    button(t("draw.decline"), () => app.command("answer_draw", { accept: false, ...about })),
  ]))];
}
