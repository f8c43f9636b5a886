// The dartboard beside the board: zone, last dart, the virtual throw; and the way to put a dart right in two taps.

import { button, h } from "../dom.js";
import { Dartboard } from "../dartboard.js";
import { openCorrection } from "../dialogs/correct.js";
import { bedMiddle, bedOf } from "../geometry.js";
import { change, settings } from "../settings.js";
import { bedName, notation, t } from "../words.js";

/** @param {App} app */
export function createDartPanel(app, host) {
  const { store } = app;
  const simulated = () => Boolean(store.welcome?.simulated) && store.mayAct();
  const face = h("div", { class: "dartboard-holder" });
  const dartboard = new Dartboard(face, { label: t("dartboard.label") });
  const hover = h("p", { class: "aim-line", "aria-live": "polite" });
  const last = h("button", { type: "button", class: "last-dart", id: "last-dart", onclick: () => openCorrection(app) });
  const virtual = h("div", { class: "virtual" },
    h("div", { class: "action-row" },
      button(t("virtual.miss"), () => app.throwDart({ miss: true }), { id: "throw-miss" }),
      button(t("virtual.bounce"), () => app.throwDart({ bounce_out: true }), { id: "throw-bounce" })),
    scatter());
  host.append(h("h2", { class: "visually-hidden" }, t("dartboard.label")), last, face, hover, virtual);
  dartboard.addEventListener("aim", ({ detail }) => app.throwDart(scattered(detail)));
  dartboard.addEventListener("hover", ({ detail }) => (hover.textContent = bedName(detail.bed)));
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
    const outcome = dart.foul ? t(`foul.${dart.foul}`) : notation(dart.text, dart.by);
    last.replaceChildren(h("strong", {}, bedName(dart.bed)), h("span", {}, outcome), store.mayAct()
      ? h("small", {}, t("correct.hint")) : "");
    last.classList.toggle("lost", Boolean(dart.foul));
  }

  /** @param {Snapshot} snapshot */
  function drawMarks(snapshot) {
    const dart = snapshot.last;
    if (!dart?.bed) return dartboard.showDarts([]);
    const middle = bedMiddle(dart.bed);
    const known = Number.isFinite(dart.x_mm) && Number.isFinite(dart.y_mm);
    const at = known ? { x: dart.x_mm, y: dart.y_mm } : middle;
    dartboard.showDarts(at ? [{ x_mm: at.x, y_mm: at.y, lost: Boolean(dart.foul) }] : []);
  }

  return {
    update(news) {
      const { snapshot } = store;
      if (!snapshot) return;
      const active = simulated();
      dartboard.setActive(active);
      virtual.hidden = !active;
      host.hidden = snapshot.kind === "silent" && snapshot.phase !== "deciding";
      drawLast(snapshot);
      if (![...news].some((one) => one !== "status" && one !== "health")) return;
      const throwing = snapshot.phase === "throwing"
        || (snapshot.game.options.arming === "auto" && ["turn", "settling"].includes(snapshot.phase));
      const beds = (fields) => (fields ?? []).map((field) => bedOf(field, store.whiteSitsAt()));
      dartboard.light(throwing ? { zone: beds(snapshot.shown.zone), free: beds(snapshot.drops) } : {});
      drawMarks(snapshot);
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

// A throw that misses as people do: a normal spread round the aim, in mm.
function scattered({ x_mm, y_mm }) {
  const spread = () =>
    settings.scatter * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  const round = (mm) => Math.round(mm * 10) / 10;
  return { x_mm: round(x_mm + spread()), y_mm: round(y_mm + spread()) };
}
