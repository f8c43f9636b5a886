// Putting a dart right: two taps for a neighbouring bed, a whole dartboard for any other, and undoing.

import { button, h, openDialog } from "../dom.js";
import { fieldOf } from "../geometry.js";
import { bedPicker } from "../picker.js";
import { reference } from "../reference.js";
import { bedName, t } from "../words.js";

/** @param {App} app */
export async function openCorrection(app) {
  const { store } = app;
  const { last } = store.present;
  const dart = dartOf(store.present);
  let seen = stateOf(store.present);
  const { neighbours } = await reference();
  if (dartOf(store.present) !== dart) return;
  /** @param {string} type @param {object} fields */
  const send = (type, fields) => {
    dialog.close();
    app.command(type, { ...fields, ...seen });
  };
  // A dialog for one dart never changes another: it closes with the dart, and until then it stands for the
  // newest state in which that dart was the last.
  const follow = () => {
    if (dartOf(store.present) !== dart) dialog.close();
    else seen = stateOf(store.present);
  };
  const stop = store.on("change", follow);
  /** @param {string} bed */
  const labelled = (bed) => {
    const element = button("", () => send("correct", { bed }), { class: "bed-choice", "data-bed": bed });
    const field = fieldOf(bed, store.whiteSitsAt());
    element.append(h("strong", {}, bedName(bed)), h("span", {}, field ?? t("question.lost")));
    return element;
  };
  const beds = [...(neighbours[last?.bed ?? ""] ?? []), "MISS"].filter((bed) => bed !== last?.bed);
  let adding = false;
  const mode = h("select", { id: "pick-mode" }, h("option", { value: "correct" }, t("correct.as_correction")),
    h("option", { value: "add" }, t("correct.as_addition")));
  mode.addEventListener("change", () => (adding = mode.value === "add"));
  const dialog = openDialog(t("correct.title", { bed: bedName(last?.bed) }), [
    h("div", { class: "bed-choices" }, beds.map(labelled)),
    h("div", { class: "action-row" }, button(t("delete_dart"), () => send("delete_dart", {})),
      button(t("take_back"), () => send("take_back", { turns: 1 }))),
    h("label", { class: "field-row", for: "pick-mode" }, h("span", {}, t("correct.other")), mode),
    bedPicker((bed) => send(adding ? "add_dart" : "correct", { bed })),
  ], { closeText: t("close"), className: "correction",
    onclose: stop });
  follow();
}

// Adds a dart that no sensor could place, for the side to move, with the state that the page showed.
/** @param {App} app */
export function openAddition(app) {
  const seen = stateOf(app.store.present);
  const dialog = openDialog(t("add.title"), bedPicker((bed) => {
    dialog.close();
    app.command("add_dart", { bed, ...seen });
  }), { closeText: t("close"), className: "correction" });
}

/** @param {Snapshot} snapshot */
function dartOf({ match, turns, last }) {
  return JSON.stringify([match, turns, last]);
}

/** @param {Snapshot} snapshot */
function stateOf({ match, seq }) {
  return { match, seq };
}
