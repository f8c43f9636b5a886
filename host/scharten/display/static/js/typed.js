// Moves and darts by keyboard, for people who cannot point: e2e4, e7e8q, or a bed such as D20 or BULL.

import { h } from "./dom.js";
import { bedMiddle } from "./geometry.js";
import { t } from "./words.js";

const MOVE = /^[a-z][1-9][a-z][1-9][a-z]?$/;
const BED = /^([DFTL]([1-9]|1[0-9]|20)|25|BULL|MISS)$/;

/**
 * What was typed: a move, a dart, or null.
 * @param {string} typed
 * @returns {{move: string} | {dart: Throw} | null}
 */
export function readTyped(typed) {
  const text = typed.trim().replace(/[-x]/g, "");
  if (MOVE.test(text.toLowerCase())) return { move: text.toLowerCase() };
  const bed = text.toUpperCase();
  if (!BED.test(bed)) return null;
  const at = bedMiddle(bed);
  return { dart: at ? { x_mm: Math.round(at.x * 10) / 10, y_mm: Math.round(at.y * 10) / 10 } : { miss: true } };
}

/** @param {App} app @param {HTMLElement} host */
export function createTyped(app, host) {
  const input = h("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    maxlength: "6", placeholder: t("typed.example") });
  const form = h("form", { class: "typed" }, h("label", { for: "typed" }, t("typed")), input);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = readTyped(input.value);
    input.value = "";
    if (!typed) app.say(t("typed.unknown"), "refused");
    else if ("move" in typed) app.controller.typed(typed.move);
    else app.throwing.throw(typed.dart);
  });
  host.append(form);
}
