// Moves and darts by the keyboard, for who cannot point: e2e4, e7e8q, or where one throws a bed such as D20 or BULL.

import { h } from "./dom.js";
import { bedMiddle } from "./geometry.js";
import { t } from "./words.js";

const MOVE = /^[a-z][1-9][a-z][1-9][a-z]?$/;
const BED = /^([DFTL]([1-9]|1[0-9]|20)|25|BULL|MISS)$/;

/** @param {App} app */
export function createTyped(app, host) {
  const input = h("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    maxlength: "6", placeholder: t("typed.example") });
  const form = h("form", { class: "typed" }, h("label", { for: "typed" }, t("typed")), input);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim().replace(/[-x]/g, "");
    input.value = "";
    if (MOVE.test(text.toLowerCase())) return void app.controller.typed(text.toLowerCase());
    const bed = text.toUpperCase();
    if (!BED.test(bed)) return app.say(t("typed.unknown"), "refused");
    const at = bedMiddle(bed);
    app.throwing.throw(at ? { x_mm: Math.round(at.x * 10) / 10, y_mm: Math.round(at.y * 10) / 10 } : { miss: true });
  });
  host.append(form);
}
