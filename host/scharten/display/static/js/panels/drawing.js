// The draw of an opening as it happens: the thrower, what each die or dart chose, the row so far, the envelope.

import { Dartboard } from "../dartboard.js";
import { button, h } from "../dom.js";
import { drawPiece } from "../pieces.js";
import { scattered } from "../throwing.js";
import { bedName, pieceName, t } from "../words.js";
import { seatName } from "../turns.js";

/** @param {App} app @param {HTMLElement} host */
export function createDrawing(app, host) {
  const { store } = app;
  const title = h("h2", { id: "drawing-title" });
  const said = h("p", { class: "opening-said", "aria-live": "polite" });
  const row = h("ol", { class: "opening-row", "aria-label": t("opening.row") });
  const dice = h("div", { class: "action-row dice" });
  const face = h("div", { class: "dartboard-holder" });
  const steps = h("ol", { class: "opening-steps" });
  const envelope = h("div", { class: "envelope" });
  const dartboard = new Dartboard(face, { label: t("dartboard.label") });
  dartboard.on("aim", ({ x_mm, y_mm }) => app.throwDart(scattered({ x: x_mm, y: y_mm })));
  host.setAttribute("aria-labelledby", "drawing-title");
  host.append(title, said, row, dice, face, steps, envelope);
  let drawn = "";

  /** @param {Snapshot} snapshot @param {DrawModel} draw */
  function render(snapshot, draw) {
    const men = firstRow(snapshot.position);
    const open = draw.number === null;
    title.textContent = `${t("opening.title")} ${t(`opening.by.${draw.by}`)}`;
    said.textContent = open ? nextWords(snapshot, draw, men) : t("opening.number", { number: draw.number });
    row.replaceChildren(...men.map(man));
    const mine = open && store.mayAct() && [draw.to_throw, "table", "arbiter"].includes(app.role);
    const thrown = mine && draw.by === "dice";
    // Made once a draw: a press must not lose its button, nor the keyboard its place.
    if (thrown !== Boolean(dice.firstChild)) dice.replaceChildren(...(thrown ? diceButtons() : []));
    const simulated = mine && draw.by === "darts" && Boolean(store.welcome?.simulated);
    face.hidden = !simulated;
    dartboard.setActive(simulated);
    steps.replaceChildren(...draw.steps.map((step) => h("li", {}, stepWords(snapshot, step))));
    envelope.replaceChildren(...envelopeOf(draw));
  }

  function diceButtons() {
    const faces = [1, 2, 3, 4, 5, 6].map((value) => button(String(value), () => app.command("die", { value }),
      { class: "big die", "aria-label": t("opening.die", { value }) }));
    return [...faces, button(t("opening.host"), () => app.command("die"), { class: "big", id: "host-throws" })];
  }

  return {
    update() {
      const { snapshot } = store;
      const draw = snapshot?.shown.draw ?? null;
      const shown = snapshot && draw && snapshot.turns === 0 && !snapshot.result;
      host.hidden = !shown;
      const key = shown ? JSON.stringify([draw, snapshot.phase, snapshot.names, store.welcome?.simulated]) : "";
      if (key === drawn) return;
      drawn = key;
      if (shown) render(snapshot, draw);
    },
  };
}

// White's first row from the position, a to h; null where no piece stands yet.
/** @param {string} position */
function firstRow(position) {
  const last = position.split(" ")[0].split("/").at(-1) ?? "";
  return [...last].flatMap((sign) => (Number(sign) ? Array(Number(sign)).fill(null) : [sign]));
}

/** @param {string | null} letter @param {number} at */
function man(letter, at) {
  const place = h("li", { class: "opening-place", "aria-label": letter ? pieceName(letter) : "abcdefgh"[at] });
  if (letter) place.append(drawPiece(letter));
  return place;
}

/** @param {Snapshot} snapshot @param {DrawModel} draw @param {(string | null)[]} men */
function nextWords(snapshot, draw, men) {
  const step = Math.min(5, men.filter(Boolean).length + 1);
  const name = seatName(snapshot, draw.to_throw ?? "seat1");
  return t(`opening.next.${draw.by}`, { name, what: t(`opening.step.${step}`) });
}

/** @param {Snapshot} snapshot @param {DrawStep} step */
function stepWords(snapshot, { bed, die, choice, field, by }) {
  const args = { name: seatName(snapshot, by), thrown: die ?? bedName(bed) };
  return choice === null ? t("opening.again", args) : t("opening.threw", { ...args, choice, field });
}

/** @param {DrawModel} draw */
function envelopeOf({ by, digest, seed }) {
  if (by === "dice" || !digest) return [];
  const open = seed !== null;
  return [h("p", {}, h("strong", {}, t(open ? "opening.opened" : "opening.sealed"))),
    h("p", { class: "mono digest" }, digest),
    open ? h("p", { class: "mono seed" }, seed) : h("p", { class: "help" }, t("opening.sealed.help"))];
}
