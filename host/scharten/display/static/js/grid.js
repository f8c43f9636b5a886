// A board of squares as a form of board: chequered or plain, with tiles that may be gone. It is no dartboard.

import { svg } from "./svg.js";

const SIDE = 1000; // all squares together; the margin holds the letters and numbers
const MARGIN = 44;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @implements {BoardForm} */
export class Grid {
  dartboard = false;
  size = SIDE + 2 * MARGIN;

  /**
   * @param {{files: string, rows: number, chequered?: boolean}} layout
   * @param {{turned?: boolean}} [how]
   */
  constructor({ files, rows, chequered = false }, { turned = false } = {}) {
    this.files = files;
    this.rows = rows;
    this.chequered = chequered;
    this.turned = turned;
    this.square = SIDE / Math.max(files.length, rows);
    this.names = Array.from({ length: rows }, (_, row) => [...files].map((file) => `${file}${row + 1}`)).flat();
    this.start = `${files[Math.floor(files.length / 2)]}2`;
  }

  /** @param {string} name */
  centre(name) {
    const { file, row } = this.#place(name);
    const way = this.turned ? -1 : 1;
    return { x: way * (file - (this.files.length - 1) / 2) * this.square,
      y: way * ((this.rows - 1) / 2 - row) * this.square };
  }

  pieceSize() {
    return this.square * 0.92;
  }

  /** @param {string} name @param {number} [inset] */
  outline(name, inset = 0) {
    const { x, y } = this.centre(name);
    const half = this.square / 2 - inset;
    return `M${x - half} ${y - half}h${2 * half}v${2 * half}h${-2 * half}Z`;
  }

  /** @param {string} name */
  classes(name) {
    const { file, row } = this.#place(name);
    if (!this.chequered) return "square plain";
    return (file + row) % 2 ? "square light" : "square dark";
  }

  /** @param {string} name @param {string} key */
  neighbour(name, key) {
    const step = ARROWS[key];
    if (!step) return null;
    const { file, row } = this.#place(name);
    const way = this.turned ? -1 : 1;
    const next = (this.files[file + way * step[0]] ?? "?") + (row + 1 + way * step[1]);
    return this.names.includes(next) ? next : null;
  }

  /** @param {string} from @param {string} to */
  way(from, to) {
    return [this.centre(from), this.centre(to)];
  }

  /** @param {Set<string>} fields */
  border(fields) {
    const half = this.square / 2;
    const lines = [];
    for (const name of fields) {
      const { x, y } = this.centre(name);
      const sides = { ArrowUp: [-1, -1, 1, -1], ArrowDown: [-1, 1, 1, 1], ArrowLeft: [-1, -1, -1, 1],
        ArrowRight: [1, -1, 1, 1] };
      for (const [key, [x1, y1, x2, y2]] of Object.entries(sides)) {
        if (fields.has(this.neighbour(name, key) ?? "")) continue;
        lines.push(`M${x + x1 * half} ${y + y1 * half}L${x + x2 * half} ${y + y2 * half}`);
      }
    }
    return lines.join("");
  }

  /** @param {string} name */
  namePlace(name) {
    const { x, y } = this.centre(name);
    return { x: x - this.square / 2 + 16, y: y - this.square / 2 + 14 };
  }

  /** @param {SVGElement} group @param {boolean} rim */
  drawBelow(group, rim) {
    const half = this.size / 2;
    svg("rect", { x: -half, y: -half, width: this.size, height: this.size, rx: 18, class: "rim" }, group);
    if (!rim) return;
    const [wide, high] = [this.files.length, this.rows].map((count) => (count * this.square) / 2 + MARGIN / 2);
    for (const file of this.files) {
      const { x } = this.centre(`${file}1`);
      for (const y of [-high, high]) svg("text", { x, y, class: "line-letter" }, group).textContent = file;
    }
    for (let row = 1; row <= this.rows; row++) {
      const { y } = this.centre(`${this.files[0]}${row}`);
      for (const x of [-wide, wide]) svg("text", { x, y, class: "line-letter" }, group).textContent = String(row);
    }
  }

  drawAbove() {}

  // --- no dartboard: nothing on it can be thrown at ---

  millimetres() {
    return null;
  }

  bedAt() {
    return null;
  }

  point() {
    return { x: 0, y: 0 };
  }

  /** @param {string} name */
  #place(name) {
    return { file: this.files.indexOf(name[0]), row: Number(name.slice(1)) - 1 };
  }

  // --- the position: rows from the farthest, a number for empty fields, "_" for a tile that is gone ---

  /** @param {string | null | undefined} text @returns {Position} */
  read(text) {
    const pieces = /** @type {Pieces} */ (new Map());
    const gone = /** @type {Set<string>} */ (new Set());
    const [rows, side] = (text ?? "").split(" ");
    rows.split("/").forEach((cells, index) => {
      let file = 0;
      for (const [, digits, letter] of cells.matchAll(/(\d+)|([A-Za-z_])/g)) {
        const name = `${this.files[file]}${this.rows - index}`;
        if (digits) file += Number(digits);
        else if (file < this.files.length && index < this.rows) {
          if (letter === "_") gone.add(name);
          else pieces.set(name, { letter, unmoved: false });
          file++;
        }
      }
    });
    return { pieces, gone, side: side === "b" ? "black" : "white" };
  }

  /** @param {Pieces} pieces @param {Set<string>} gone */
  write(pieces, gone) {
    return Array.from({ length: this.rows }, (_, index) => {
      const cells = [...this.files].map((file) => `${file}${this.rows - index}`);
      const signs = cells.map((name) => (gone.has(name) ? "_" : pieces.get(name)?.letter ?? " "));
      return signs.join("").replace(/ +/g, (empty) => String(empty.length));
    }).join("/");
  }
}
