// The pieces of all games, drawn for this project: bold outlines that stay clear at 40 px and across a room.
// Each drawing is a body (one silhouette, outlined) and strokes on top of it, in a box of 100 by 100.

import { svg } from "./svg.js";

const FOOT = "M26 77h48c5 0 8 3 8 8v3c0 3-2 5-5 5H23c-3 0-5-2-5-5v-3c0-5 3-8 8-8z";

/** @type {Record<string, string[]>} */
const BODIES = {
  K: ["M45 5h10v8h8v10h-8v9h-10v-9h-8V13h8z",
    "M50 45c4-13 15-18 24-15 13 4 15 19 8 30l-9 19H27l-9-19c-7-11-5-26 8-30 9-3 20 2 24 15z", FOOT],
  Q: ["M15 35l16 19 2-32 12 29 5-34 5 34 12-29 2 32 16-19-10 45H25z",
    circle(14, 31, 6.5), circle(33, 19, 6.5), circle(50, 13, 6.5), circle(67, 19, 6.5), circle(86, 31, 6.5), FOOT],
  R: ["M22 13h14v9h8v-9h12v9h8v-9h14v24l-9 8H31l-9-8z", "M33 43h34l5 36H28z", FOOT],
  B: ["M50 22c-11 8-23 21-23 34 0 8 4 14 10 18h26c6-4 10-10 10-18 0-13-12-26-23-34z", circle(50, 16, 8),
    "M32 70h36v10H32z", FOOT],
  N: [
    "M28 79c0-15 12-21 15-32-7 2-11 5-16 9-4 3-10 2-13-2-2-4-1-8 2-11l14-20-2-14 14 9c24-2 38 17 38 42 0 8-1 13-2 19z",
    FOOT],
  P: [circle(50, 30, 16), "M33 45h34c6 0 6 9 0 9H33c-6 0-6-9 0-9z", "M41 50h18c1 13 7 20 15 29H26c8-9 14-16 15-29z",
    FOOT],
  // The elephant in profile: dome, ear, trunk and tusk; the general: a plumed helmet; the warrior: shield and spear.
  E: [
    "M30 79c-2-12-1-20 1-27 2-16 13-27 27-27 16 0 25 12 24 28-1 9-3 15 2 20 3 3 8 0 7-5l6-1c2 10-6 17-15 13"
    + "-6-3-8-8-9-13l-6 5 1 7z", FOOT],
  G: ["M48 8c14-4 28 4 32 17-10-6-18-6-26-3z", "M27 57c-2-22 9-36 24-36s26 14 23 36l-8 6v-14h-9l-7 18-7-18h-9v14z",
    "M34 62h32l4 17H30z", FOOT],
  W: ["M70 6l7 13-4 3v52h-6V22l-4-3z", "M22 34c11 0 17-3 22-8 5 5 11 8 22 8 0 19-6 32-22 42-16-10-22-23-22-42z", FOOT],
};

/** @type {Record<string, string[]>} */
const STROKES = {
  K: ["M31 66h38", "M50 45v21"],
  Q: ["M28 66h44"],
  R: ["M31 45h38", "M29 70h42"],
  B: ["M50 38v22", "M40 48h20", "M33 74h34"],
  N: ["M50 24c14 2 20 14 21 32", "M37 31h1", "M22 46h1"],
  P: [],
  E: ["M48 36c10 1 15 12 9 22-8 1-13-6-12-13", "M71 50h1", "M36 70h28"],
  G: ["M50 24v22", "M36 70h28"],
  W: ["M44 35v31", "M28 46h32"],
};

/** @param {number} x @param {number} y @param {number} r */
function circle(x, y, r) {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

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
