// A dartboard in millimetres: the zone lit, the marks of darts, a place to aim at. Geometry only.

import { Emitter } from "./events.js";
import { MM, bedAt, clockwiseNumbers, shade } from "./geometry.js";
import { pointUnder, svg as make } from "./svg.js";

/** @type {[string, number, number][]} */
const RINGS = [["D", MM.doubleOut, MM.doubleIn], ["F", MM.doubleIn, MM.trebleOut], ["T", MM.trebleOut, MM.trebleIn],
  ["L", MM.trebleIn, MM.outerBull]];

/** @param {number} outer @param {number} inner @param {number} index */
function sector(outer, inner, index) {
  const [a, b] = [((index - 0.5) * Math.PI) / 10, ((index + 0.5) * Math.PI) / 10];
  /** @param {number} r @param {number} angle */
  const at = (r, angle) => `${(r * Math.sin(angle)).toFixed(2)} ${(-r * Math.cos(angle)).toFixed(2)}`;
  const outside = `M${at(outer, a)}A${outer} ${outer} 0 0 1 ${at(outer, b)}`;
  return `${outside}L${at(inner, b)}A${inner} ${inner} 0 0 0 ${at(inner, a)}Z`;
}

/** @extends {Emitter<{aim: DartPoint & {bed: string}, hover: {bed: string}}>} */
export class Dartboard extends Emitter {
  /** @type {Map<string, SVGElement>} */ beds = new Map();
  shownDarts = "[]";
  aim = { x: 0, y: 130 }; // where the cross hairs are

  // Event "aim" when `active` and clicked, or Enter pressed on the cross hairs; "hover" when the cross hairs move.
  // view: {x, y, half} in mm (y up) shows a part only, as in the pictures of a question.
  /**
   * @param {Element} host
   * @param {{active?: boolean, label?: string, view?: Point & {half: number} | null}} [options]
   */
  constructor(host, { active = false, label = "", view = null } = {}) {
    super();
    const box = view ? `${view.x - view.half} ${-view.y - view.half} ${2 * view.half} ${2 * view.half}`
      : "-222 -222 444 444";
    this.svg = make("svg", { viewBox: box, class: "dartboard" }, host);
    this.svg.setAttribute("aria-label", label);
    this.svg.setAttribute("role", active ? "application" : "img");
    this.#draw();
    this.lit = make("g", { class: "lit" }, this.svg);
    this.marks = make("g", { class: "dart-marks" }, this.svg);
    this.cross = make("path", { d: "M-9 0H-3M9 0H3M0-9V-3M0 9V3", class: "cross-hairs" }, this.svg);
    this.active = active;
    this.setActive(active);
    this.svg.addEventListener("click", (event) => this.active && this.#clicked(event));
    this.svg.addEventListener("keydown", (event) => this.active && this.#key(event));
    this.#moveCross();
  }

  #draw() {
    make("circle", { r: 221, class: "surround" }, this.svg);
    clockwiseNumbers().forEach((number, index) => {
      for (const [ring, outer, inner] of RINGS) {
        this.beds.set(ring + number, make("path", { d: sector(outer, inner, index),
          class: `bed ${shade(number, ring)}`, "data-bed": ring + number }, this.svg));
      }
      const angle = (index * Math.PI) / 10;
      make("text", { x: 194 * Math.sin(angle), y: -194 * Math.cos(angle), class: "bed-number" },
        this.svg).append(String(number));
    });
    this.beds.set("25", make("circle", { r: MM.outerBull, class: "bed green", "data-bed": "25" }, this.svg));
    this.beds.set("BULL", make("circle", { r: MM.bull, class: "bed red", "data-bed": "BULL" }, this.svg));
  }

  /** @param {boolean} active */
  setActive(active) {
    this.active = active;
    this.svg.classList.toggle("active", active);
    if (active) this.svg.setAttribute("tabindex", "0");
    else this.svg.removeAttribute("tabindex");
  }

  // Lights beds: {name: iterable of beds}; each name is a class of the style sheet ("zone", "free", "asked").
  /** @param {Partial<Record<"zone" | "free" | "asked", Iterable<string>>>} groups */
  light(groups) {
    for (const name of /** @type {const} */ (["zone", "free", "asked"])) {
      const lit = new Set(groups[name]);
      for (const [bed, path] of this.beds) path.classList.toggle(name, lit.has(bed));
    }
  }

  // darts: [{x_mm, y_mm, lost}]
  /** @param {(DartPoint & {lost?: boolean})[]} darts */
  showDarts(darts) {
    const shown = JSON.stringify(darts);
    if (shown === this.shownDarts) return;
    this.shownDarts = shown;
    this.marks.replaceChildren();
    for (const { x_mm, y_mm, lost } of darts) {
      const at = make("g", { transform: `translate(${x_mm} ${-y_mm})`, class: lost ? "dart lost" : "dart" },
        this.marks);
      make("circle", { r: 7, class: "dart-ring" }, at);
      make("circle", { r: 2.6, class: "dart-tip" }, at);
    }
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const point = pointUnder(this.svg, event);
    this.aim = { x: point.x, y: -point.y };
    this.#moveCross();
    this.#throw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = event.shiftKey ? 1 : 6;
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key === "Enter" || event.key === " ") this.#throw();
    else if (moves[event.key]) {
      this.aim = { x: this.aim.x + moves[event.key][0], y: this.aim.y + moves[event.key][1] };
      this.#moveCross();
      this.emit("hover", { bed: bedAt(this.aim.x, this.aim.y) });
    } else return;
    event.preventDefault();
  }

  #throw() {
    const { x, y } = this.aim;
    this.emit("aim", { x_mm: round(x), y_mm: round(y), bed: bedAt(x, y) });
  }

  #moveCross() {
    this.cross.setAttribute("transform", `translate(${this.aim.x} ${-this.aim.y})`);
  }
}

/** @param {number} mm */
function round(mm) {
  return Math.round(mm * 10) / 10;
}
