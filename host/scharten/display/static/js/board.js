// The schartbord: eighty fields in SVG, pieces above them as elements of their own (so that they can glide without
// repainting the board), and marks; board-input.js does what fingers and keys do. It knows geometry and nothing of
// the game.

import {
  LINES, PIECE_SIZES, RING_EDGES, SIZE, angleOf, centre, fieldNames, fieldOutline, numberOf, onSchartbord,
  place, polar, slice, transformAt, wayBetween,
} from "./geometry.js";
import { BoardInput } from "./board-input.js";
import { drawPiece, installPieces } from "./pieces.js";

const SVG = "http://www.w3.org/2000/svg";
const HALF = SIZE / 2;
const DOTS = { destination: 15, drop: 11 };
const FRAMES = ["capture", "checker", "supporter", "unsupported", "shielded"];
const ARRIVAL = [{ opacity: 0.55, scale: 1.4 }, { opacity: 1, scale: 1 }]; // seen from its first frame on
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

function make(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

export class Board extends EventTarget {
  // host: an empty element; options: whiteSitsAt, interactive (fields can be focused, tapped and dragged),
  // label(field).
  // Events: "field" {field, by: "tap" | "key"}, "drag" {from, to}, "grab" {from}, "escape".
  constructor(host, {
    whiteSitsAt = 3, interactive = false, rim = true, label = (name, _letter, _classes) => name,
  } = {}) {
    super();
    installPieces();
    this.host = host;
    this.label = label;
    this.interactive = interactive;
    this.pieces = new Map();
    this.marks = new Map();
    this.fields = new Map();
    host.classList.add("schartbord");
    this.svg = make("svg", { viewBox: `${-HALF} ${-HALF} ${SIZE} ${SIZE}`, class: "board-drawing" });
    if (interactive) this.svg.setAttribute("role", "group");
    else this.svg.setAttribute("aria-hidden", "true");
    this.#drawRim(rim);
    this.#drawFields();
    this.overlay = make("g", { class: "marks", "aria-hidden": "true" }, this.svg);
    this.darts = make("g", { class: "darts", "aria-hidden": "true" }, this.svg);
    this.pieceLayer = document.createElement("div");
    this.pieceLayer.className = "piece-layer";
    this.pieceLayer.setAttribute("aria-hidden", "true");
    this.centreElement = document.createElement("div");
    this.centreElement.className = "board-centre";
    host.append(this.svg, this.centreElement, this.pieceLayer);
    this.setNumbers(whiteSitsAt);
    if (interactive) this.input = new BoardInput(this);
  }

  #drawRim(rim) {
    make("circle", { r: rim ? 558 : 506, class: "rim" }, this.svg);
    this.rimText = make("g", { class: "rim-text", "aria-hidden": "true" }, this.svg);
    if (!rim) return;
    this.numberTexts = [];
    for (let s = 0; s < 20; s++) {
      const angle = angleOf(s);
      const [letter, number] = [polar(518, angle + 0.035), polar(534, angle - 0.04)];
      make("text", { x: letter.x, y: letter.y + 2, class: "line-letter" }, this.rimText).textContent = LINES[s % 10];
      this.numberTexts.push(make("text", { x: number.x, y: number.y + 2, class: "number" }, this.rimText));
    }
  }

  #drawFields() {
    const group = make("g", { class: "fields" }, this.svg);
    for (const name of fieldNames) {
      const { s, depth } = place(name);
      const shade = (s + depth) % 2 ? "dark" : "light";
      const path = make("path", { d: fieldOutline(name), class: `field ring${depth} ${shade}`, "data-field": name },
        group);
      if (this.interactive) {
        path.setAttribute("role", "button");
        path.setAttribute("tabindex", "-1");
        path.setAttribute("aria-label", name);
      }
      this.fields.set(name, path);
    }
    const names = make("g", { class: "field-names", "aria-hidden": "true" }, this.svg);
    for (const name of fieldNames) {
      const { s, depth } = place(name);
      const angle = angleOf(s);
      const at = polar(RING_EDGES[depth] - 13, angle - 0.5 * (Math.PI / 10) + 17 / RING_EDGES[depth]);
      make("text", { x: at.x.toFixed(1), y: at.y.toFixed(1) }, names).textContent = name;
    }
    make("circle", { r: RING_EDGES[4], class: "hub" }, this.svg);
  }

  // White at the 3 or at the 20: only the dartboard's numbers round the edge change.
  setNumbers(whiteSitsAt) {
    this.whiteSitsAt = whiteSitsAt;
    this.numberTexts?.forEach((text, s) => (text.textContent = numberOf(s, whiteSitsAt)));
  }

  // --- pieces ---

  // pieces: Map(field -> {letter, unmoved}). Pieces glide from where they stood; `animate: false` puts them down at
  // once.
  setPieces(pieces, { animate = true, showUnmoved = false } = {}) {
    const arrivals = [];
    const leavers = new Map(this.pieces);
    for (const [field, piece] of pieces) {
      const present = this.pieces.get(field);
      if (present?.letter === piece.letter) leavers.delete(field);
      else arrivals.push([field, piece]);
    }
    for (const field of leavers.keys()) this.pieces.delete(field);
    const isFree = (name) => !pieces.has(name);
    for (const [field, piece] of arrivals) this.#arrive(field, piece, leavers, animate && !stillness.matches, isFree);
    for (const { element } of leavers.values()) this.#vanish(element, animate && !stillness.matches);
    for (const [field, piece] of pieces) {
      const shown = this.pieces.get(field);
      shown.element.classList.toggle("unmoved", showUnmoved && piece.unmoved && piece.letter.toUpperCase() !== "K");
    }
    if (this.interactive) this.#relabel();
  }

  #arrive(field, { letter }, leavers, animate, isFree) {
    const origin = nearest(field, letter, leavers);
    const mover = origin && leavers.get(origin);
    if (origin) leavers.delete(origin);
    const element = mover?.element ?? this.#pieceElement(letter);
    this.pieces.set(field, { letter, element });
    element.dataset.at = field;
    element.style.transform = this.standing(field);
    const dropped = element.dataset.dropped === field;
    delete element.dataset.dropped;
    if (!animate || dropped) return;
    if (!mover) {
      element.animate(ARRIVAL, { duration: 140, easing: "ease-out" });
      return;
    }
    const way = wayBetween(origin, field, isFree);
    element.classList.add("moving");
    const glide = element.animate(this.#keyframes(way, place(origin).depth, place(field).depth), {
      duration: 220 + 40 * Math.min(8, way.length), easing: "ease-in-out",
    });
    glide.onfinish = glide.oncancel = () => element.classList.remove("moving");
  }

  #keyframes(way, fromDepth, toDepth) {
    return way.map((point, index) => {
      const share = index / (way.length - 1);
      const size = PIECE_SIZES[fromDepth] + share * (PIECE_SIZES[toDepth] - PIECE_SIZES[fromDepth]);
      return { transform: transformAt(point, size) };
    });
  }

  // Where a piece on this field stands, as a CSS transform.
  standing(field) {
    return transformAt(centre(field), PIECE_SIZES[place(field).depth]);
  }

  #pieceElement(letter) {
    const element = document.createElement("div");
    element.className = `piece ${letter === letter.toUpperCase() ? "white" : "black"}`;
    element.append(drawPiece(letter));
    this.pieceLayer.append(element);
    return element;
  }

  #vanish(element, animate) {
    if (!animate) return element.remove();
    element.animate([{ opacity: 1 }, { opacity: 0, scale: 0.6 }], { duration: 200, fill: "forwards" }).onfinish = () =>
      element.remove();
  }

  // A dropped piece whose move came to nothing goes home.
  putBack(field) {
    const element = this.pieces.get(field)?.element;
    if (!element) return;
    delete element.dataset.dropped;
    element.style.transform = this.standing(field);
  }

  // --- marks ---

  // marks: {name: iterable of fields}; each name is a class that the style sheet knows ("zone", "last", "chosen" ...).
  mark(marks) {
    const before = this.marks;
    this.marks = new Map(Object.entries(marks).map(([name, fields]) =>
      [name, new Set([...fields].filter((f) => this.fields.has(f)))]));
    for (const [name,
      fields] of before) for (const field of fields) if (!this.marks.get(name)?.has(field)) this.fields.get(field)
      .classList.remove(name);
    for (const [name, fields] of this.marks) for (const field of fields) this.fields.get(field).classList.add(name);
    this.#drawOverlay();
    if (this.interactive) this.#relabel();
  }

  #drawOverlay() {
    const dots = Object.entries(DOTS).map(([name, radius]) =>
      [name, radius, this.#marked(name).filter((field) => !this.pieces.has(field))]);
    const frames = FRAMES.map((name) => [name, this.#marked(name)]);
    const drawn = JSON.stringify([dots, frames]);
    if (drawn === this.drawnOverlay) return;
    this.drawnOverlay = drawn;
    this.overlay.replaceChildren();
    for (const [name, radius, fields] of dots) this.#dots(name, radius, fields);
    for (const [name, fields] of frames) this.#rings(name, fields);
  }

  #marked(name) {
    return [...(this.marks.get(name) ?? [])];
  }

  #dots(name, radius, fields) {
    for (const field of fields) {
      const { x, y } = centre(field);
      make("circle", { cx: x, cy: y, r: radius, class: `dot ${name}` }, this.overlay);
    }
  }

  #rings(name, fields) {
    for (const field of fields) {
      const { s, depth } = place(field);
      const d = slice(RING_EDGES[depth] - 5, RING_EDGES[depth + 1] + 5, angleOf(s),
        Math.PI / 20 - 5 / RING_EDGES[depth + 1]);
      make("path", { d, class: `frame ${name}` }, this.overlay);
    }
  }

  // Where darts landed: [{x_mm, y_mm, lost}] or [{field, lost}].
  showDarts(darts) {
    const shown = JSON.stringify([darts, this.whiteSitsAt]);
    if (shown === this.shownDarts) return;
    this.shownDarts = shown;
    this.darts.replaceChildren();
    for (const dart of darts) {
      const at = dart.field ? centre(dart.field) : onSchartbord(dart.x_mm, dart.y_mm, this.whiteSitsAt);
      const group = make("g", { class: `dart ${dart.lost ? "lost" : ""}`,
        transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})` }, this.darts);
      make("circle", { r: 9, class: "dart-ring" }, group);
      make("circle", { r: 3.4, class: "dart-tip" }, group);
    }
  }

  // The point of the drawing under a pointer; the projector, which bends the board, puts its own in this place.
  pointAt({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const scale = SIZE / box.width;
    return { x: (clientX - box.left) * scale - HALF, y: (clientY - box.top) * scale - HALF };
  }

  // --- words ---

  #relabel() {
    for (const [name, path] of this.fields) {
      const text = this.label(name, this.pieces.get(name)?.letter, path.classList);
      if (path.getAttribute("aria-label") !== text) path.setAttribute("aria-label", text);
    }
  }

  relabel() {
    if (this.interactive) this.#relabel();
  }
}

function nearest(field, letter, leavers) {
  const target = centre(field);
  let best = null;
  for (const [name, piece] of leavers) {
    if (piece.letter !== letter) continue;
    const at = centre(name);
    const distance = Math.hypot(at.x - target.x, at.y - target.y);
    if (best === null || distance < best.distance) best = { name, distance };
  }
  return best?.name;
}
