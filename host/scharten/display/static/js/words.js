// Words in the language of this device: every text comes from the host, one language at a time.

import { LANGUAGES, language, letters } from "./settings.js";

/** @type {Record<string, string>} */
const dictionary = await texts(`${language()}.json`);

/**
 * Adds the texts of a page's own areas, such as "learn", to those of the play page.
 * @param {...string} areas
 */
export async function addWords(...areas) {
  const added = await Promise.all(areas.map((area) => texts(`${language()}/${area}.json`)));
  Object.assign(dictionary, ...added);
}

/** @param {string} path */
async function texts(path) {
  return (await fetch(new URL(`../texts/${path}`, import.meta.url))).json();
}

// The words of a key with its {places} filled in, {count:one|many} by the number; unknown keys give the key.
/** @param {string} key @param {Args} [args] */
export function t(key, args = {}) {
  const text = dictionary[key];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
    if (args?.[name] === undefined) return whole;
    if (one === undefined) return String(args?.[name]);
    return Number(args?.[name]) === 1 ? one : many;
  });
}

/** @param {string} key */
export function known(key) {
  return dictionary[key] !== undefined;
}

// A time of day, with the day where it is asked for; in 24 hours, whatever the device prefers.
/** @param {number} ms @param {{day?: boolean, seconds?: boolean}} [how] */
export function timeWords(ms, { day = false, seconds = false } = {}) {
  return new Date(ms).toLocaleString(t("language.locale"),
    { dateStyle: day ? "medium" : undefined, timeStyle: seconds ? "medium" : "short", hourCycle: "h23" });
}

// A {code, args} of the host in words, by its finer `reason` where there are words for that; colours and pieces among
// the arguments are put into words too.
/** @param {string} group @param {string} code @param {Args} [args] @param {string} [fallback] @param {Names} [names] */
export function tell(group, code, args = {}, fallback = "", names = null) {
  const finer = `${group}.${code}.${args?.reason}`;
  const key = known(finer) ? finer : `${group}.${code}`;
  if (!known(key)) return fallback || code;
  return t(key, wordArgs(args, names));
}

// Why something is refused: by the page's own group of texts, then by the area "problems", which has every code, then
// in the words of the answer.
/** @param {Reply} answer @param {string} [group] */
export function refusalText({ code, args, words }, group = "refusal") {
  const key = [group, "problem", "refusal"].find((name) => known(`${name}.${code}`));
  return key ? tell(key, code ?? "", { words: words ?? "", ...args }) : words || t(`refused.${code}`);
}

// A text that the host sends in every language, in this device's; without the full stop of its last sentence.
/** @param {Record<string, string>} worded */
export function ofLanguage(worded) {
  return (worded[language()] ?? worded.en ?? "").replace(/\.$/, "");
}

// Arguments in words; a side by its player's name where `names` has it.
/** @param {Args} args @param {Names} [names] */
export function wordArgs(args, names = null) {
  /** @type {Record<string, any>} */
  const worded = {};
  for (const [name, value] of Object.entries(args ?? {})) worded[name] = wordOf(name, value, names);
  return worded;
}

/** @param {string} name @param {any} value @param {Record<string, any> | null | undefined} names */
function wordOf(name, value, names) {
  if (value === "white" || value === "black") return names?.[value] || t(`side.${value}`);
  if ((name === "piece" || name === "kind" || name === "promotion") && known(`piece.${String(value).toUpperCase()}`)) {
    return t(`piece.${String(value).toUpperCase()}`);
  }
  if (name === "code" || name === "foul") return t(`foul.${value}`);
  if (name === "bed" || name === "was") return bedName(value);
  if (name === "state" && known(`health.${value}`)) return t(`health.${value}`);
  if (name === "text") return notation(value);
  if (Array.isArray(value)) return value.length ? value.join(", ") : t("none");
  if (value && typeof value === "object") return ofLanguage(value);
  return value;
}

// A player by name, by the colour where nobody has given a name.
/** @param {{names?: Names}} snapshot @param {Side} side */
export function nameOf({ names }, side) {
  return names?.[side] || t(`side.${side}`);
}

/** @param {string} letter */
export function pieceName(letter) {
  const side = letter === letter.toUpperCase() ? "white" : "black";
  return t(`piece.${side}.${letter.toUpperCase()}`);
}

/** @param {string | null | undefined} bed */
export function bedName(bed) {
  if (!bed) return t("bed.none");
  if (known(`bed.${bed}`)) return t(`bed.${bed}`);
  return t(`bed.${bed[0]}`, { number: bed.slice(1) });
}

/** @typedef {Record<string, any> | null | undefined} Args the values of a text's {places} */
/** @typedef {Partial<NamesBySide> | null | undefined} Names of players, by side */

/** @type {Record<string, Record<string, string>>} */
const FIGURES = { white: { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" },
  black: { K: "♚", Q: "♛", R: "♜", B: "♝", N: "♞" } };

// A piece as a figure.
/** @param {string} letter @param {Side} side */
export function figure(letter, side) {
  return FIGURES[side][letter] ?? (side === "white" ? "♙" : "♟");
}

// English notation in the letters of this device; text between braces (a bed) stays as it is.
/** @param {string | null | undefined} text @param {Side | ""} [side] */
export function notation(text, side) {
  const chosen = letters();
  if (chosen === "en" || !text) return text ?? "";
  const table = LANGUAGES[chosen] ?? FIGURES[side || "white"];
  return text.replace(/\{[^}]*\}|[KQRBNE]/g, (found) => table[found] ?? found);
}

// The name of a game: "Shakti, loud".
/** @param {{game: {key: string}, kind: string}} snapshot */
export function gameName({ game, kind }) {
  return t("game.of_kind", { game: t(`game.${game.key}`), kind: t(`kind.${kind}`) });
}

/**
 * The side that lost; null where neither did.
 * @param {string | null} result
 * @returns {Side | null}
 */
export function loserOf(result) {
  return result === "1-0" ? "black" : result === "0-1" ? "white" : null;
}

// Who has won, by name.
/** @param {{result: string | null, names?: Names}} ended */
export function winnerWords({ result, names }) {
  const loser = loserOf(result);
  return loser ? t("end.wins", { name: nameOf({ names }, loser === "white" ? "black" : "white") }) : t("end.draw");
}

/**
 * How a game ended; a draw names nobody.
 * @param {object} ended
 * @param {string | null} ended.result
 * @param {string | null} ended.reason
 * @param {Side} ended.side
 * @param {NamesBySide} [ended.names]
 * @param {{options: {foul_limit?: Record<Side, number>}}} ended.game
 */
export function reasonWords({ result, reason, side: mover, game, names }) {
  const loser = loserOf(result);
  const side = loser ?? mover;
  const limit = game.options.foul_limit?.[side] ?? 3;
  const key = !loser && known(`reason.${reason}.draw`) ? `reason.${reason}.draw` : `reason.${reason}`;
  if (!known(key)) return reason ?? "";
  return t(key, { side: names?.[side] || t(`side.${side}`), limit,
    number: known(`number.${limit}`) ? t(`number.${limit}`) : limit });
}
