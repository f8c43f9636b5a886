// Words in the language of this device: everything that a person reads comes from texts/, one language at a time.

import { language, letters } from "./settings.js";

const dictionary = {};
await Promise.all([addWords(""), addWords("games-")]);

// Adds a page's own words to those of the play page; `prefix` is the first part of its files, such as "learn-".
export async function addWords(prefix) {
  Object.assign(dictionary, (await import(`../texts/${prefix}${language()}.js`)).default);
}

// The words of a key with its {places} filled in, {count:one|many} by the number; unknown keys give the key.
export function t(key, args = {}) {
  const text = dictionary[key];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
    if (args[name] === undefined) return whole;
    if (one === undefined) return String(args[name]);
    return Number(args[name]) === 1 ? one : many;
  });
}

export function known(key) {
  return dictionary[key] !== undefined;
}

// A {code, args} of the host in words, by its finer `reason` where there are words for that; colours and pieces among
// the arguments are put into words too.
export function tell(group, code, args = {}, fallback = "") {
  const finer = `${group}.${code}.${args?.reason}`;
  const key = known(finer) ? finer : `${group}.${code}`;
  if (!known(key)) return fallback || code;
  return t(key, wordArgs(args));
}

export function wordArgs(args) {
  const worded = {};
  for (const [name, value] of Object.entries(args ?? {})) worded[name] = wordOf(name, value);
  return worded;
}

function wordOf(name, value) {
  if (value === "white" || value === "black") return t(`side.${value}`);
  if ((name === "piece" || name === "kind" || name === "promotion") && known(`piece.${String(value).toUpperCase()}`)) {
    return t(`piece.${String(value).toUpperCase()}`);
  }
  if (name === "code" || name === "foul") return t(`foul.${value}`);
  if (name === "bed" || name === "was") return bedName(value);
  if (name === "state" && known(`health.${value}`)) return t(`health.${value}`);
  if (name === "text") return notation(value);
  if (Array.isArray(value)) return value.length ? value.join(", ") : t("none");
  return value;
}

export function pieceName(letter) {
  const side = letter === letter.toUpperCase() ? "white" : "black";
  return t(`piece.${side}.${letter.toUpperCase()}`);
}

export function bedName(bed) {
  if (!bed) return t("bed.none");
  if (known(`bed.${bed}`)) return t(`bed.${bed}`);
  return t(`bed.${bed[0]}`, { number: bed.slice(1) });
}

const LETTERS = { nl: { K: "K", Q: "D", R: "T", B: "L", N: "P", E: "O" },
  de: { K: "K", Q: "D", R: "T", B: "L", N: "S" } };
const FIGURES = { white: { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" },
  black: { K: "♚", Q: "♛", R: "♜", B: "♝", N: "♞" } };

// A piece as a figure.
export function figure(letter, side) {
  return FIGURES[side]?.[letter] ?? { white: "♙", black: "♟" }[side];
}

// English notation in the letters of this device; what stands between braces (a bed) is left alone.
export function notation(text, side) {
  const chosen = letters();
  if (chosen === "en" || !text) return text ?? "";
  const table = LETTERS[chosen] ?? FIGURES[side] ?? FIGURES.white;
  return text.replace(/\{[^}]*\}|[KQRBNE]/g, (found) => table[found] ?? found);
}

// Which game it is: "Shakti, loud".
/** @param {{game: {key: string}, kind: string}} snapshot */
export function gameName({ game, kind }) {
  return t("game.of_kind", { game: t(`game.${game.key}`), kind: t(`kind.${kind}`) });
}

// How a game ended, in words that name the side it was about.
/** @param {Pick<Snapshot, 'result' | 'reason' | 'side' | 'game'>} snapshot */
export function reasonWords(snapshot) {
  const side = { "1-0": "black", "0-1": "white" }[snapshot.result] ?? snapshot.side;
  return tell("reason", snapshot.reason, { side, limit: snapshot.game.options.foul_limit[side] });
}

export function clockText(ms) {
  const negative = ms < 0;
  const tenths = Math.floor(Math.abs(ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (n) => String(n).padStart(2, "0");
  const small = seconds < 20 && !negative ? `.${tenths % 10}` : "";
  const text = hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}${small}`;
  return negative ? `-${text}` : text;
}
