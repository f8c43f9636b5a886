// The arbiter's panel: pause, clocks, result, and a position set up by hand.

import { Board } from "../board.js";
import { button, h, openDialog } from "../dom.js";
import { icon } from "../icons.js";
import { drawPiece } from "../pieces.js";
import { readPosition } from "../position.js";
import { reference } from "../reference.js";
import { clockText } from "../clock.js";
import { pieceName, t } from "../words.js";

const RESULTS = ["1-0", "0-1", "½-½", "0-0", "½-0", "0-½"];

/** @param {App} app */
export function openArbiter(app) {
  const { store } = app;
  const order = ofThisGame(app);
  /** @param {Side} side */
  const clockInput = (side) => h("input",
    { type: "text", id: `clock-${side}`, inputmode: "numeric", pattern: "\\d+(:[0-5]?\\d){1,2}",
    value: clockText(store.clockOf(side) ?? 0).replace(/\..*/, "") });
  const [white, black] = [clockInput("white"), clockInput("black")];
  const result = h("select", { id: "arbiter-result" }, RESULTS.map((value) => h("option", { value }, value)));
  openDialog(t("arbiter"), [
    h("div", { class: "action-row" }, button(t("pause"), () => order("pause")),
      button(t("resume"), () => order("resume"))),
    h("fieldset", {}, h("legend", {}, t("arbiter.clocks")), h("div", { class: "two" },
      h("label", { class: "option", for: "clock-white" }, t("side.white"), white),
        h("label", { class: "option", for: "clock-black" }, t("side.black"), black)),
      button(t("arbiter.set_clock"), () => [white, black].every((input) => input.reportValidity())
        && order("set_clock", { white_ms: milliseconds(white.value), black_ms: milliseconds(black.value) }))),
    h("fieldset", {}, h("legend", {}, t("arbiter.result")),
      h("label", { class: "option", for: "arbiter-result" }, t("arbiter.result"), result),
      h("div", { class: "action-row" },
        button(t("arbiter.set_result"), () => order("set_result", { result: result.value })),
        button(t("arbiter.reopen"), () => order("set_result", { result: null })))),
    h("fieldset", {}, h("legend", {}, t("arbiter.position")), button(t("arbiter.set_up"), () => openSetUp(app))),
  ], { closeText: t("close"), keepsInput: true });
}

// Commands for the present game: an open panel never acts on the next game.
/** @param {App} app */
function ofThisGame(app) {
  const match = app.store.snapshot?.match || null;
  return (/** @type {string} */ type, fields = {}) => app.command(type, { match, ...fields });
}

/** @param {string} text */
function milliseconds(text) {
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
}

// A board to put pieces on; the rest of the position string stays as it was unless typed over.
/** @param {App} app */
async function openSetUp(app) {
  const holder = h("div", { class: "set-up-board" });
  const text = h("input", { type: "text", id: "position-text", class: "mono", spellcheck: "false",
    value: app.store.snapshot?.position ?? "" });
  const order = ofThisGame(app);
  const { layout, key } = app.store.present.game;
  const letters = (await reference()).games[key].men;
  let tool = "K";
  const unmoved = h("input", { type: "checkbox", id: "unmoved" });
  const palette = h("div", { class: "palette", role: "group", "aria-label": t("arbiter.palette") },
    [...letters, ...letters.toLowerCase(), ""].map(paletteButton));
  const dialog = openDialog(t("arbiter.set_up"), [
    palette, h("label", { class: "field-row", for: "unmoved" }, t("arbiter.unmoved"), unmoved), holder,
    h("label", { class: "option", for: "position-text" }, t("arbiter.string"), text),
    h("div", { class: "action-row" }, button(t("arbiter.use"), async () => {
      const answer = await order("set_position", { position: text.value.trim() });
      if (answer.accepted) dialog.close();
    }, { class: "primary" })),
  ], { closeText: t("close"), className: "wide", keepsInput: true });
  const board = new Board(holder, { interactive: true, form: { layout } });
  holder.classList.add("interactive");
  let { pieces, gone } = readPosition(text.value, layout);
  const draw = () => {
    board.setPieces(pieces, { animate: false, showUnmoved: true });
    board.setGone(gone);
  };
  draw();
  text.addEventListener("input", () => {
    ({ pieces, gone } = readPosition(text.value, layout));
    draw();
  });
  board.on("field", ({ field }) => {
    if (tool) pieces.set(field, { letter: tool, unmoved: unmoved.checked });
    else pieces.delete(field);
    text.value = [board.form.write(pieces, gone), ...text.value.trim().split(" ").slice(1)].join(" ");
    draw();
  });

  /** @param {string} letter */
  function paletteButton(letter) {
    const choice = h("button", { type: "button", class: "palette-piece", "aria-label": letter ? pieceName(letter)
      : t("arbiter.erase"), "aria-pressed": String(letter === tool) });
    choice.append(letter ? drawPiece(letter) : icon("close"));
    choice.addEventListener("click", () => {
      tool = letter;
      for (const other of palette.children) other.setAttribute("aria-pressed", String(other === choice));
    });
    return choice;
  }
}
