// Reading positions and moves: their format only, no rule.

import { formOf } from "./forms.js";

/** @type {Side[]} */
export const SIDES = ["white", "black"];
/** @type {Seat[]} */
export const SEATS = ["seat1", "seat2"];

// {pieces: Map(field -> {letter, unmoved}), gone: Set of fields, side: "white" | "black"} of a position's text on the
// board of this layout; without one on the schartbord.
/** @param {string | null | undefined} text @param {LayoutModel | undefined} [layout] */
export function readPosition(text, layout = undefined) {
  return formOf({ layout }).read(text);
}

// Origin and goal of a move in coordinates, or the field of a drop ("@c3"); every field has two characters.
/** @param {string | null | undefined} move */
export function fieldsOf(move) {
  if (!move) return [];
  return move.startsWith("@") ? [move.slice(1, 3)] : [move.slice(0, 2), move.slice(2, 4)];
}

/** @param {string} letter */
export function isWhite(letter) {
  return letter === letter.toUpperCase();
}

/**
 * @param {string} letter
 * @returns {Side}
 */
export function sideOf(letter) {
  return isWhite(letter) ? "white" : "black";
}
