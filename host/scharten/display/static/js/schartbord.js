// The schartbord as a form of board: eighty fields in four rings, which are the beds of a dartboard.

import {
  BULLS, LINES, PIECE_SIZES, RIM, RING_EDGES, SIZE, angleOf, bedAt, bedOf, fieldNames, middleRadius, nameAt, numberOf,
  onDartboard, onSchartbord, place, polar, shade, slice, wayBetween,
} from "./geometry.js";
import { svg } from "./svg.js";

const HALF_SECTOR = Math.PI / 20;

/** @implements {BoardForm} */
export class Schartbord {
  dartboard = true; // one can throw at it
  size = SIZE;
  names = fieldNames;
  start = "e2"; // the field that the Tab key reaches first

  /** @param {{whiteSitsAt?: number, turned?: boolean}} [how] */
  constructor({ whiteSitsAt = 3, turned = false } = {}) {
    this.whiteSitsAt = whiteSitsAt;
    this.turn = turned ? Math.PI : 0;
  }

  // --- fields ---

  /** @param {string} name */
  centre(name) {
    const { s, depth } = place(name);
    return polar(middleRadius(depth), this.#angle(s));
  }

  /** @param {string} name */
  pieceSize(name) {
    return PIECE_SIZES[place(name).depth];
  }

  /** @param {string} name @param {number} [inset] */
  outline(name, inset = 0) {
    const { s, depth } = place(name);
    const [outer, inner] = [RING_EDGES[depth] - inset, RING_EDGES[depth + 1] + inset];
    return slice(outer, inner, this.#angle(s), HALF_SECTOR - inset / inner);
  }

  /** @param {string} name */
  classes(name) {
    return `ring${place(name).depth} ${this.#shade(name)}`;
  }

  // The field that an arrow key leads to, as it looks on the screen: round the ring, and along the line.
  /** @param {string} name @param {string} key */
  neighbour(name, key) {
    const { s, depth } = place(name);
    const lower = (s < 10) === (this.turn === 0);
    if (key === "ArrowRight") return nameAt(lower ? s + 1 : s - 1, depth);
    if (key === "ArrowLeft") return nameAt(lower ? s - 1 : s + 1, depth);
    if (key !== "ArrowUp" && key !== "ArrowDown") return null;
    if ((key === "ArrowUp") !== lower) return depth === 0 ? null : nameAt(s, depth - 1);
    return depth === 3 ? nameAt(s + 10, 3) : nameAt(s, depth + 1);
  }

  /** @param {string} from @param {string} to @param {(name: string) => boolean} isFree */
  way(from, to, isFree) {
    return wayBetween(from, to, isFree).map((point) => this.#turned(point));
  }

  // The line round a set of fields, as path data.
  /** @param {Set<string>} fields */
  border(fields) {
    const lines = [];
    for (const name of fields) {
      const { s, depth } = place(name);
      const [outer, inner, angle] = [RING_EDGES[depth], RING_EDGES[depth + 1], this.#angle(s)];
      /** @param {number} other @param {number} at */
      const beside = (other, at) => !(at >= 0 && at <= 3 && fields.has(nameAt(other, at)));
      if (beside(s, depth - 1)) lines.push(arc(outer, angle));
      if (beside(s, depth + 1)) lines.push(arc(inner, angle));
      for (const way of [1, -1]) if (beside(s + way, depth)) lines.push(spoke(inner, outer, angle - way * HALF_SECTOR));
    }
    return lines.join("");
  }

  // --- the dartboard ---

  // Millimetres on the dartboard of a point of the drawing; null beside the board.
  /** @param {Point} point */
  millimetres(point) {
    if (Math.hypot(point.x, point.y) > RIM) return null;
    return onDartboard(this.#turned(point), this.whiteSitsAt);
  }

  /** @param {Point} point */
  bedAt(point) {
    const at = this.millimetres(point);
    return at && bedAt(at.x, at.y);
  }

  /** @param {string} name */
  bedOf(name) {
    return bedOf(name, this.whiteSitsAt);
  }

  /** @param {DartPoint} dart */
  point({ x_mm, y_mm }) {
    return this.#turned(onSchartbord(x_mm, y_mm, this.whiteSitsAt));
  }

  // --- drawing ---

  /** @param {SVGElement} group @param {boolean} rim */
  drawBelow(group, rim) {
    svg("circle", { r: rim ? RIM : RING_EDGES[0] + 6, class: "rim" }, group);
    if (!rim) return;
    for (let s = 0; s < 20; s++) {
      const angle = this.#angle(s);
      const [number, letter] = [polar(533.5, angle), polar(533.5, angle + 0.078)];
      svg("text", { ...number, class: "number" }, group).textContent = String(numberOf(s, this.whiteSitsAt));
      svg("text", { ...letter, class: "line-letter" }, group).textContent = LINES[s % 10];
    }
  }

  // Edges that tell double and treble apart without colour (two thin lines, three thin lines), and the bulls.
  /** @param {SVGElement} group @param {boolean} rim */
  drawAbove(group, rim) {
    for (const [depth, count] of [[0, 2], [2, 3]]) for (let line = 0; line < count; line++) {
      svg("circle", { r: RING_EDGES[depth] - 5 - 4.5 * line, class: "ring-mark" }, group);
    }
    svg("circle", { r: RING_EDGES[4], class: "hub" }, group);
    if (!rim) return;
    svg("circle", { r: BULLS.outerBull, class: "bull green", "data-bed": "25" }, group);
    svg("circle", { r: BULLS.bull, class: "bull red", "data-bed": "BULL" }, group);
  }

  // Where a field's name is written: at the outer edge, upright for the player below.
  /** @param {string} name */
  namePlace(name) {
    const { s, depth } = place(name);
    const outer = RING_EDGES[depth];
    return polar(outer - (depth % 2 ? 13 : 25), this.#angle(s) + (HALF_SECTOR - 17 / outer));
  }

  // --- the position: four rings of twenty fields, a number for empty ones, "*" for a piece that has not moved ---

  /** @param {string | null | undefined} text @returns {Position} */
  read(text) {
    const pieces = /** @type {Pieces} */ (new Map());
    const [rings, side] = (text ?? "").split(" ");
    rings.split("/").forEach((ring, depth) => {
      let s = 0;
      for (const [, digits, letter, star] of ring.matchAll(/(\d+)|([KQRBNPkqrbnp])(\*?)/g)) {
        if (digits) s += Number(digits);
        else if (depth < 4 && s < 20) pieces.set(fieldNames[depth * 20 + s++], { letter, unmoved: star === "*" });
      }
    });
    return { pieces, gone: new Set(), side: side === "b" ? "black" : "white" };
  }

  /** @param {Pieces} pieces */
  write(pieces) {
    return [0, 1, 2, 3].map((depth) => {
      const men = fieldNames.slice(depth * 20, depth * 20 + 20).map((name) => pieces.get(name));
      const signs = men.map((man) => (man ? man.letter + (man.unmoved ? "*" : "") : " "));
      return signs.join("").replace(/ +/g, (empty) => String(empty.length));
    }).join("/");
  }

  /** @param {number} s */
  #angle(s) {
    return angleOf(s) + this.turn;
  }

  /** @param {Point} point */
  #turned(point) {
    return this.turn ? { x: -point.x, y: -point.y } : point;
  }

  /** @param {string} name */
  #shade(name) {
    const bed = this.bedOf(name);
    return shade(Number(bed.slice(1)), bed[0]);
  }
}

/** @param {number} radius @param {number} angle */
function arc(radius, angle) {
  const [a, b] = [polar(radius, angle - HALF_SECTOR), polar(radius, angle + HALF_SECTOR)];
  return `M${pair(a)}A${radius} ${radius} 0 0 1 ${pair(b)}`;
}

/** @param {number} inner @param {number} outer @param {number} angle */
function spoke(inner, outer, angle) {
  return `M${pair(polar(inner, angle))}L${pair(polar(outer, angle))}`;
}

/** @param {Point} point */
function pair({ x, y }) {
  return `${x.toFixed(2)} ${y.toFixed(2)}`;
}
