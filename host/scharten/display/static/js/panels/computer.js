// A seat that the computer plays: taking its place, starting it again, and what is said when it plays foul.

import { button, h } from "../dom.js";
import { t } from "../words.js";

/** @param {App} app @param {Snapshot} snapshot */
function faults(app, snapshot) {
  return (app.store.health?.computers ?? []).filter(({ seat }) => snapshot.computers?.[seat]);
}

/** @param {App} app @param {Snapshot} snapshot */
function cures(app, snapshot, seat) {
  const choose = (level) => app.command("set_computer", { seat, level });
  return [button(t("computer.take"), () => choose(null), { id: "take-its-place" }),
    button(t("computer.restart"), () => choose(snapshot.computers[seat]), { id: "start-it-again" })];
}

// While it thinks; where it has played foul these stand beside the words.
/** @param {App} app @param {Snapshot} snapshot */
export function computerButtons(app, snapshot) {
  const seat = app.store.computerToMove();
  return faults(app, snapshot).some((fault) => fault.seat === seat) ? [] : cures(app, snapshot, seat);
}

/** @param {App} app @param {Snapshot} snapshot */
export function computerFaults(app, snapshot, nameOf) {
  return faults(app, snapshot).map(({ seat, code }) => h("div", { class: "ask", role: "alert" },
    h("p", {}, t(`computer.${code}`, { name: nameOf(snapshot, seat) })),
    ...(app.store.mayAct() ? cures(app, snapshot, seat) : [])));
}
