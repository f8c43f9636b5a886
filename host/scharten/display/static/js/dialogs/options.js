// Controls for the options of a game, each drawn from its part of the JSON Schema.

import { h } from "../dom.js";
import { SIDES } from "../position.js";
import { known, t } from "../words.js";

/** @typedef {{stages: {moves: number | null, minutes?: number, seconds?: number}[], increment_s: number}} Clock */

/** @type {Record<string, Clock | null>} */
const CLOCKS = {
  none: null,
  blitz: { stages: [{ moves: null, minutes: 10 }], increment_s: 5 },
  club: { stages: [{ moves: null, minutes: 30 }], increment_s: 10 },
  long: {
    stages: [{ moves: 40, minutes: 100 }, { moves: 20, minutes: 50 }, { moves: null, minutes: 15 }], increment_s: 0,
  },
};
const TIME = " *([0-9]+/[0-9]+[ ,]+)*[0-9]+ *";
const OWN = "own";
const DEFAULT = "default";
/** @type {Record<string, string[]>} */
const ON_THE_PAGE = { white_by: ["hands"] }; // values that the page settles before it asks the host

/** @param {string} name @param {HTMLInputElement | HTMLSelectElement} input */
function row(name, input) {
  input.id = `new-${name}`;
  const help = `new.${name}.help`;
  return h("div", { class: "option" }, h("label", { for: input.id }, words(`new.${name}`, name)), input,
    known(help) ? h("p", { class: "help" }, t(help)) : null);
}

/** @param {string} key @param {string} otherwise */
function words(key, otherwise) {
  return known(key) ? t(key) : otherwise;
}

/** @param {string} name @param {string[]} values @param {string | null} chosen */
function select(name, values, chosen) {
  const input = h("select", {}, values.map((value) => h("option", { value }, words(`new.${name}.${value}`, value))));
  if (chosen !== null && values.includes(chosen)) input.value = chosen;
  return input;
}

/** @param {Option} bounds @param {number | string} value @param {number} [step] */
function numberInput({ minimum, maximum }, value, step = 1) {
  return h("input", { type: "number", min: String(minimum), max: String(maximum), step: String(step),
    value: String(value) });
}

/** @param {string} pattern @param {string} value */
function textInput(pattern, value) {
  return h("input", { type: "text", autocomplete: "off", spellcheck: "false", pattern, value });
}

// The schemas that a value may have, with references followed.
/** @param {Option} property @param {OptionsSchema} root */
function alternatives(property, root) {
  /** @param {Option} schema */
  const follow = (schema) => (schema.$ref ? root.$defs[schema.$ref.replace(/.*\//, "")] : schema);
  return (property.anyOf ?? property.allOf ?? [property]).map(follow);
}

/**
 * @param {string} name
 * @param {Option} property
 * @param {any} present
 * @param {OptionsSchema} root
 */
export function option(name, property, present, root) {
  const kinds = alternatives(property, root);
  const bounded = kinds.find(({ type }) => type === "integer" || type === "number");
  const sides = kinds.find(({ type }) => type === "object");
  if (bounded) return numberOption(name, bounded, present, kinds.some(({ type }) => type === "null"));
  if (sides && kinds.length === 1) return sidesOption(name, sides.properties ?? {}, present);
  if (kinds[0].type === "boolean") return yesOrNo(name, present);
  const values = kinds.flatMap((kind) => kind.enum ?? (kind.const === undefined ? [] : [kind.const]));
  if (sides) return listsOption(name, values, sides.properties ?? {}, present);
  values.push(...ON_THE_PAGE[name] ?? []);
  return choice(name, kinds.some(({ type }) => type === "null") ? [DEFAULT, ...values] : values, present);
}

/** @param {string} name @param {string[]} values @param {string | null} present */
function choice(name, values, present) {
  const input = select(name, values, present ?? DEFAULT);
  return { rows: [row(name, input)], value: () => (input.value === DEFAULT ? null : input.value) };
}

/** @param {string} name @param {boolean} present */
function yesOrNo(name, present) {
  const input = select(name, ["yes", "no"], present ? "yes" : "no");
  return { rows: [row(name, input)], value: () => input.value === "yes" };
}

// Milliseconds are asked for in seconds.
/**
 * @param {string} name
 * @param {Option} bounds
 * @param {number | null} present
 * @param {boolean} nullable
 */
function numberOption(name, { minimum, maximum }, present, nullable) {
  const unit = name.endsWith("_ms") ? 1000 : 1;
  const bounds = { minimum: Number(minimum) / unit, maximum: Number(maximum) / unit };
  const input = numberInput(bounds, present === null ? "" : present / unit, unit === 1 ? 1 : 0.5);
  const value = () => (nullable && input.value === "" ? null : Math.round(Number(input.value) * unit));
  return { rows: [row(name, input)], value };
}

// A number, or one of some names, for each side.
/**
 * @param {string} name
 * @param {Record<string, Option>} properties
 * @param {Record<Side, string | number>} present
 */
function sidesOption(name, properties, present) {
  const inputs = SIDES.map((side) => {
    const names = properties[side].enum;
    const input = names ? select(name, names, String(present[side])) : numberInput(properties[side], present[side]);
    return { side, input, value: () => (names ? input.value : Number(input.value)) };
  });
  return {
    rows: [h("div", { class: "two" }, inputs.map(({ side, input }) => row(`${name}.${side}`, input)))],
    value: () => Object.fromEntries(inputs.map(({ side, value }) => [side, value()])),
  };
}

// One of some names, or a list of fields for each side.
/**
 * @param {string} name
 * @param {string[]} values
 * @param {Record<string, Option>} properties
 * @param {string | Record<Side, string[]>} present
 */
function listsOption(name, values, properties, present) {
  const lists = typeof present === "object" ? present : null;
  const input = select(name, [...values, OWN], typeof present === "object" ? OWN : present);
  const inputs = SIDES.map((side) => {
    const field = properties[side].items?.pattern?.replace(/^\^|\$$/g, "");
    return { side, field: textInput(` *(${field}[ ,]*)*`, (lists?.[side] ?? []).join(" ")) };
  });
  const own = h("div", { class: "two" }, inputs.map(({ side, field }) => row(`${name}.${side}`, field)));
  return {
    rows: [row(name, input), own],
    value: () => (input.value === OWN ? Object.fromEntries(inputs.map(({ side, field }) => [side, split(field.value)]))
      : input.value),
    show() {
      own.hidden = input.value !== OWN;
      for (const { field } of inputs) field.required = !own.hidden;
    },
  };
}

/** @param {Clock | null | undefined} present */
export function clockOption(present) {
  const text = JSON.stringify(present ?? null);
  const named = Object.keys(CLOCKS).find((name) => JSON.stringify(CLOCKS[name]) === text);
  const input = select("clock", [...Object.keys(CLOCKS), OWN], named ?? OWN);
  const time = textInput(TIME, named || !present ? "20" : timeText(present));
  const increment = numberInput({ minimum: 0, maximum: 600 }, named || !present ? 5 : present.increment_s);
  const own = h("div", { class: "two" }, row("time", time), row("increment", increment));
  const entered = () => ({ stages: split(time.value).map(stage), increment_s: Number(increment.value) });
  return {
    rows: [row("clock", input), own],
    value: () => (input.value === OWN ? entered() : CLOCKS[input.value]),
    show: () => (own.hidden = input.value !== OWN),
  };
}

/** @param {string} text */
function split(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}

// "40/100" is 40 moves in 100 minutes, "15" the rest in 15.
/** @param {string} text */
function stage(text) {
  const [first, second] = text.split("/").map(Number);
  return second === undefined ? { moves: null, minutes: first } : { moves: first, minutes: second };
}

/** @param {Clock} clock */
function timeText({ stages }) {
  return stages.map(({ moves, minutes, seconds }) =>
    `${moves ? `${moves}/` : ""}${minutes ?? Number(seconds) / 60}`).join(" ");
}
