// What a page reads of positions and moves: their format only, no rule.

import { formOf } from "./forms.js";

// {pieces: Map(field -> {letter, unmoved}), gone: Set of fields, side: "white" | "black"} of a position's text on the
// board of this layout; without one on the schartbord.
export function readPosition(text, layout = undefined) {
  return formOf({ layout }).read(text);
}

// Origin and goal of a move in coordinates, or the field of a drop ("@c3"); every field has two characters.
export function fieldsOf(move) {
  if (!move) return [];
  return move.startsWith("@") ? [move.slice(1, 3)] : [move.slice(0, 2), move.slice(2, 4)];
}

export function isWhite(letter) {
  return letter === letter.toUpperCase();
}

export function sideOf(letter) {
  return isWhite(letter) ? "white" : "black";
}
