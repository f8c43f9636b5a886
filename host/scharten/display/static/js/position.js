// Reads the position string (seven parts; four rings of twenty fields). Only its format is known here.

import { fieldNames } from "./geometry.js";

// {pieces: Map(field -> {letter, unmoved}), side: "white" | "black"}
export function readPosition(text) {
  const pieces = new Map();
  const [rings, side] = (text ?? "").split(" ");
  rings.split("/").forEach((ring, depth) => {
    let s = 0;
    for (const [, digits, letter, star] of ring.matchAll(/(\d+)|([KQRBNPkqrbnp])(\*?)/g)) {
      if (digits) s += Number(digits);
      else if (depth < 4 && s < 20) pieces.set(fieldNames[depth * 20 + s++], { letter, unmoved: star === "*" });
    }
  });
  return { pieces, side: side === "b" ? "black" : "white" };
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
