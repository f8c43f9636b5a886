// Darts on a board: the one that flies there, and the marks of where darts stuck.

import { svg } from "./svg.js";

const FLIGHT_MS = 240;
const BARREL = "M0 0L5 -13L4 -46L9 -54L9 -74L0 -66L-9 -74L-9 -54L-4 -46L-5 -13Z"; // its point at the origin
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {(DartPoint | {field: string}) & {lost?: boolean}} ShownDart a dart at a point, or in a field */

export class Darts {
  /** @param {SVGElement} layer @param {Board} board */
  constructor(layer, board) {
    this.layer = layer;
    this.board = board;
    this.shown = "[]";
  }

  /** @param {ShownDart[]} darts */
  show(darts) {
    const shown = JSON.stringify(darts);
    if (shown === this.shown) return;
    this.shown = shown;
    this.layer.replaceChildren();
    const { form } = this.board;
    for (const dart of darts) {
      const at = "field" in dart ? form.centre(dart.field) : form.point(dart);
      const group = this.#at(at, `dart${dart.lost ? " lost" : ""}`);
      svg("circle", { r: 9, class: "dart-ring" }, group);
      svg("circle", { r: 3.4, class: "dart-tip" }, group);
      if ("field" in dart) continue;
      svg("path", { d: BARREL, class: "dart-body", transform: "rotate(24) scale(0.72)" }, group);
    }
  }

  // Flies a dart to a point of the drawing; resolves when it lands. Without a point it misses the board.
  /** @param {Point | null} point */
  async fly(point) {
    const { form } = this.board;
    const to = point ?? { x: form.size * 0.47, y: -form.size * 0.47 };
    const group = this.#at(to, "dart flying");
    const body = svg("path", { d: BARREL, class: "dart-body" }, group);
    const start = `translate(${-to.x}px, ${form.size * 0.62 - to.y}px) rotate(10deg) scale(3.2)`;
    const ways = [{ transform: start, opacity: 0.4 }, { transform: "rotate(24deg) scale(0.72)", opacity: 1 }];
    const flight = body.animate(ways, { duration: stillness.matches ? 0 : FLIGHT_MS, easing: "cubic-bezier(.3,.6,.6,1)",
      fill: "forwards" });
    await flight.finished.catch(() => {});
    setTimeout(() => group.remove(), 700); // by then the host has reported where it is
  }

  /** @param {Point} point @param {string} className */
  #at({ x, y }, className) {
    return svg("g", { class: className, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, this.layer);
  }
}
