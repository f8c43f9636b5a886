// The pieces of all games, drawn for this project: bold outlines that stay clear at 40 px and across a room.

import { DRAWINGS } from "./piece-drawings.js";
import { svg } from "./svg.js";

const { bodies: BODIES, strokes: STROKES } = DRAWINGS;

/** @param {string} letter @param {SVGElement} store */
function drawSymbol(letter, store) {
  const kind = letter.toUpperCase();
  const symbol = svg("symbol", { id: `piece-${letter}`, viewBox: "0 0 100 100" }, store);
  const group = svg("g", { class: letter === kind ? "white-piece" : "black-piece" }, symbol);
  for (const d of BODIES[kind]) svg("path", { d, class: "edge" }, group);
  for (const d of BODIES[kind]) svg("path", { d, class: "body" }, group);
  for (const d of ["M22 85h56", ...STROKES[kind]]) svg("path", { d, class: "line" }, group);
}

// Puts the drawings into the document once; every piece on the page is a <use> of one of them.
export function installPieces() {
  if (document.getElementById("piece-K")) return;
  const store = svg("svg", { class: "piece-store", "aria-hidden": "true" });
  for (const letter of Object.keys(BODIES).flatMap((kind) => [kind, kind.toLowerCase()])) drawSymbol(letter, store);
  document.body.append(store);
}

// An <svg> showing one piece, by its letter (a capital is white).
/** @param {string} letter */
export function drawPiece(letter) {
  const piece = svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true", class: "piece-drawing" });
  svg("use", { href: `#piece-${letter}` }, piece);
  return piece;
}
