// Darts, beside the board: the last dart, which two taps correct, and how to throw at the board on the screen.

import { h } from "../dom.js";
import { later } from "../dialogs/later.js";
import { change, settings } from "../settings.js";
import { lastOutcome } from "../turns.js";
import { bedName, t } from "../words.js";

/** @param {App} app @param {HTMLElement} host */
export function createDartPanel(app, host) {
  const { store } = app;
  const simulated = () => Boolean(store.welcome?.simulated) && store.mayAct();
  const correct = () => later(app, "correct", "openCorrection");
  const last = h("button", { type: "button", class: "last-dart", id: "last-dart", onclick: correct });
  const hint = h("p", { class: "help" }, t("virtual.words"));
  const virtual = h("div", { class: "virtual" }, hint, scatter());
  host.append(h("h2", { class: "visually-hidden" }, t("dartboard.label")), last, virtual);
  let drawnLast = "";

  /** @param {Snapshot} snapshot */
  function drawLast(snapshot) {
    const dart = snapshot.last?.dart ? snapshot.last : null;
    last.hidden = !dart;
    last.disabled = !store.mayAct();
    if (!dart) return;
    const key = JSON.stringify([dart, store.mayAct()]);
    if (key === drawnLast) return;
    drawnLast = key;
    last.replaceChildren(h("strong", {}, bedName(dart.bed)), h("span", {}, lastOutcome(snapshot)),
      store.mayAct() ? h("small", {}, t("correct.hint")) : "");
    last.classList.toggle("lost", Boolean(dart.foul));
  }

  return {
    update() {
      const { snapshot } = store;
      if (!snapshot) return;
      virtual.classList.toggle("first", !snapshot.turns); // until somebody has found how it goes
      virtual.hidden = !simulated() || snapshot.kind === "silent";
      hint.hidden = snapshot.game.layout.form === "grid"; // there a press moves, and a dart has a board of its own
      host.hidden = snapshot.kind === "silent" && snapshot.phase !== "deciding";
      drawLast(snapshot);
    },
  };
}

function scatter() {
  const input = h("input", { type: "range", min: "0", max: "40", step: "1", id: "scatter",
    value: String(settings.scatter) });
  const text = h("output", { for: "scatter" }, t("scatter.mm", { mm: settings.scatter }));
  input.addEventListener("input", () => {
    change("scatter", Number(input.value));
    text.textContent = t("scatter.mm", { mm: settings.scatter });
  });
  return h("label", { class: "scatter", for: "scatter" }, t("scatter"), input, text);
}
