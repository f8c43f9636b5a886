// A seat that the computer plays: taking its place, restarting it, and the words when it breaks a rule.

import { button, h } from "../dom.js";
import { health } from "../health.js";
import { t } from "../words.js";

/** @param {App} app @param {Snapshot} snapshot */
function faults(app, snapshot) {
  return (health(app.store).computers ?? []).filter(({ seat }) => snapshot.computers?.[seat]);
}

/** @param {App} app @param {Snapshot} snapshot @param {Seat} seat */
function cures(app, snapshot, seat) {
  /** @param {number | null} level */
  const choose = (level) => app.command("set_computer", { seat, level, engine: level && snapshot.engines?.[seat],
    stand_in: level && snapshot.stand_ins?.[seat] });
  return [button(t("computer.take"), () => choose(null), { id: "take-its-place" }),
    button(t("computer.restart"), () => choose(snapshot.computers[seat]), { id: "start-it-again" })];
}

// The buttons while it thinks; after a broken rule they stand beside the words.
/** @param {App} app @param {Snapshot} snapshot */
export function computerButtons(app, snapshot) {
  const seat = app.store.computerToMove() ?? "seat1";
  return faults(app, snapshot).some((fault) => fault.seat === seat) ? [] : cures(app, snapshot, seat);
}

/**
 * @param {App} app
 * @param {Snapshot} snapshot
 * @param {(snapshot: Snapshot, seat: Seat) => string} nameOf
 */
export function computerFaults(app, snapshot, nameOf) {
  return faults(app, snapshot).map(({ seat, code }) => h("div", { class: "ask", role: "alert" },
    h("p", {}, t(`computer.${code}`, { name: nameOf(snapshot, seat) })),
    ...(app.store.mayAct() ? cures(app, snapshot, seat) : [])));
}
