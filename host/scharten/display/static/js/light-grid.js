// The lines by which the corners of the light are fitted: the dartboard's own rings and wires.

import { MM } from "./geometry.js";
import { at, outline } from "./light-shapes.js";
import { svg } from "./svg.js";

// With the double 20 marked, in a square of 2 x halfMm.
/** @param {number} halfMm */
export function boardGrid(halfMm) {
  const grid = svg("svg", { viewBox: `${-halfMm} ${-halfMm} ${2 * halfMm} ${2 * halfMm}`, class: "test-grid board-grid",
    "aria-hidden": "true" });
  /** @param {number} radius @param {number} way */
  const half = (radius, way) => `a${radius} ${radius} 0 1 0 ${way * radius} 0`;
  /** @param {number} radius */
  const ring = (radius) => `M${-radius} 0${half(radius, 2)}${half(radius, -2)}`;
  const rings = [MM.bull, MM.outerBull, MM.trebleIn, MM.trebleOut, MM.doubleIn, MM.doubleOut].map(ring);
  const wires = Array.from({ length: 20 }, (_, number) => {
    const [x, y] = at(1, (number + 0.5) * Math.PI / 10);
    return `M${x * MM.outerBull} ${-y * MM.outerBull}L${x * MM.doubleOut} ${-y * MM.doubleOut}`;
  });
  svg("path", { d: rings.join("") + wires.join("") }, grid);
  const mark = (outline("D20") ?? []).map(([x, y]) => `${x.toFixed(1)} ${(-y).toFixed(1)}`);
  svg("path", { d: `M${mark.join("L")}Z`, class: "mark" }, grid);
  return grid;
}
