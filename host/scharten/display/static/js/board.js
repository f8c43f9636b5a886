// A board of any form: its fields in SVG, pieces above them as elements of their own (so that they can glide without
// repainting the board), and marks; board-input.js does what fingers and keys do. It knows nothing of the game.

import { BoardInput } from "./board-input.js";
import { Darts } from "./board-darts.js";
import { formOf } from "./forms.js";
import { drawPiece, installPieces } from "./pieces.js";
import { svg } from "./svg.js";

const DOTS = { destination: 15, drop: 11 };
const FRAMES = ["last", "capture", "checker", "supporter", "unsupported", "shielded", "check", "chosen", "hovered"];
const RISING = [{ transformOrigin: "50% 92%", opacity: 0.6, scale: "0.9 0.2" },
  { transformOrigin: "50% 92%", opacity: 1, scale: "1 1" }]; // seen from its first frame on
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class Board extends EventTarget {
  // host: an empty element; options: interactive (fields can be focused, tapped and dragged), rim (with numbers),
  // label(field, letter, classes), form: what formOf takes.
  // Events: "field" {field, by: "tap" | "key"}, "drag" {from, to}, "grab" {from}, "escape", "aim" {point, field} or
  // null, "throw" {point, field}.
  constructor(host, { interactive = false, rim = true, label = (name, _letter, _classes) => name, form = {} } = {}) {
    super();
    installPieces();
    this.host = host;
    this.label = label;
    this.interactive = interactive;
    this.rim = rim;
    this.takesThrow = (_field, _long) => false; // whether a press there is a dart
    host.classList.add("board");
    this.svg = svg("svg", { class: "board-drawing" });
    if (interactive) this.svg.setAttribute("role", "group");
    else this.svg.setAttribute("aria-hidden", "true");
    this.pieceLayer = document.createElement("div");
    this.pieceLayer.className = "piece-layer";
    this.pieceLayer.setAttribute("aria-hidden", "true");
    this.centreElement = document.createElement("div");
    this.centreElement.className = "board-centre";
    host.append(this.svg, this.centreElement, this.pieceLayer);
    this.show(form);
    if (interactive) this.input = new BoardInput(this);
  }

  // Which board this is: {layout, whiteSitsAt, turned}. Another one than before is drawn afresh, without pieces.
  show(wish) {
    const key = JSON.stringify(wish);
    if (key === this.shownForm) return;
    this.shownForm = key;
    this.form = formOf(wish);
    this.pieces = new Map();
    this.marks = new Map();
    this.fields = new Map();
    this.names = new Map(); // as they are written on the fields
    this.drawnOverlay = null;
    const half = this.form.size / 2;
    this.svg.setAttribute("viewBox", `${-half} ${-half} ${this.form.size} ${this.form.size}`);
    this.host.dataset.form = this.form.dartboard ? "schartbord" : "grid";
    this.#draw();
    this.input?.begin();
  }

  #draw() {
    const layer = (name) => svg("g", { class: name, "aria-hidden": "true" });
    const [below, above, names] = [layer("below"), layer("above"), layer("field-names")];
    this.form.drawBelow(below, this.rim);
    this.form.drawAbove(above, this.rim);
    const group = svg("g", { class: "fields" });
    for (const name of this.form.names) {
      this.fields.set(name, this.#field(name, group));
      const text = svg("text", { ...this.form.namePlace(name), class: this.form.classes(name) }, names);
      text.textContent = name;
      this.names.set(name, text);
    }
    this.overlay = layer("marks");
    this.darts = new Darts(layer("darts"), this);
    this.focusRing = layer("focus");
    this.svg.replaceChildren(below, group, above, names, this.overlay, this.focusRing, this.darts.layer);
    this.pieceLayer.replaceChildren();
    this.host.style.setProperty("--piece", `${(100 * this.form.pieceSize(this.form.start)) / this.form.size}cqw`);
  }

  #field(name, group) {
    const path = svg("path", { d: this.form.outline(name), class: `field ${this.form.classes(name)}`,
      "data-field": name }, group);
    if (this.interactive) {
      path.setAttribute("role", "button");
      path.setAttribute("tabindex", "-1");
      path.setAttribute("aria-label", name);
    }
    return path;
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
    const moving = animate && !stillness.matches;
    const isFree = (name) => !pieces.has(name);
    for (const [field, piece] of arrivals) this.#arrive(field, piece, leavers, moving, isFree);
    for (const { element } of leavers.values()) this.#vanish(element, moving);
    for (const [field, piece] of pieces) {
      const shown = this.pieces.get(field);
      shown.element.classList.toggle("unmoved", showUnmoved && piece.unmoved && piece.letter.toUpperCase() !== "K");
    }
    for (const [name, text] of this.names) text.classList.toggle("under", pieces.has(name));
    this.relabel();
  }

  // Fields that are no more (vanished tiles): a set of names.
  setGone(gone = new Set()) {
    for (const [name, path] of this.fields) path.classList.toggle("gone", gone.has(name));
  }

  #arrive(field, { letter }, leavers, animate, isFree) {
    const origin = this.#nearest(field, letter, leavers);
    const mover = origin && leavers.get(origin);
    if (origin) leavers.delete(origin);
    const element = mover?.element ?? this.#pieceElement(letter);
    this.pieces.set(field, { letter, element });
    element.dataset.at = field;
    element.style.transform = this.standing(field);
    const dropped = element.dataset.dropped === field;
    delete element.dataset.dropped;
    if (!animate || dropped) return;
    if (!mover) return void element.animate(RISING, { duration: 180, easing: "ease-out" });
    const way = this.form.way(origin, field, isFree);
    element.classList.add("moving");
    const glide = element.animate(this.#keyframes(way, this.form.pieceSize(origin), this.form.pieceSize(field)), {
      duration: 220 + 40 * Math.min(8, way.length), easing: "ease-in-out",
    });
    glide.onfinish = glide.oncancel = () => element.classList.remove("moving");
  }

  #keyframes(way, from, to) {
    return way.map((point, index) =>
      ({ transform: this.transformAt(point, from + (index / (way.length - 1)) * (to - from)) }));
  }

  // Where a piece on this field stands, as a CSS transform.
  standing(field) {
    return this.transformAt(this.form.centre(field), this.form.pieceSize(field));
  }

  // A CSS transform that puts a piece of that size at a point, whatever the board's size on the screen.
  transformAt({ x, y }, size) {
    const unit = 100 / this.form.size;
    const scale = (size / this.form.pieceSize(this.form.start)).toFixed(4);
    return `translate(${(x * unit).toFixed(3)}cqw, ${(y * unit).toFixed(3)}cqw) scale(${scale})`;
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

  #nearest(field, letter, leavers) {
    const target = this.form.centre(field);
    let best = null;
    for (const [name, piece] of leavers) {
      if (piece.letter !== letter) continue;
      const at = this.form.centre(name);
      const distance = Math.hypot(at.x - target.x, at.y - target.y);
      if (best === null || distance < best.distance) best = { name, distance };
    }
    return best?.name;
  }

  // --- marks ---

  // marks: {name: iterable of fields}; each name is a class that the style sheet knows ("zone", "last", "chosen" ...).
  // support: [{field, text, from: fields}]: what a capture has and needs, with lines from the supporters; without a
  // text the lines alone, of a `kind` that the style sheet knows.
  mark(marks, support = []) {
    const before = this.marks;
    this.marks = new Map(Object.entries(marks).map(([name, fields]) =>
      [name, new Set([...fields].filter((field) => this.fields.has(field)))]));
    for (const [name, fields] of before) for (const field of fields) {
      if (!this.marks.get(name)?.has(field)) this.fields.get(field).classList.remove(name);
    }
    for (const [name, fields] of this.marks) for (const field of fields) this.fields.get(field).classList.add(name);
    this.#drawOverlay(support);
    this.relabel();
  }

  #drawOverlay(support) {
    const zone = this.marks.get("zone") ?? new Set();
    const empty = (field) => !this.pieces.has(field);
    const dots = Object.keys(DOTS).map((name) => ({ name, fields: this.#marked(name).filter(empty) }));
    const frames = FRAMES.map((name) => ({ name, fields: this.#marked(name) }));
    const drawn = JSON.stringify([[...zone], dots, frames, support]);
    if (drawn === this.drawnOverlay) return;
    this.drawnOverlay = drawn;
    this.overlay.replaceChildren();
    this.host.classList.toggle("lit", zone.size > 0);
    if (zone.size) this.#zone(zone);
    for (const { name, fields } of dots) for (const field of fields) {
      const { x, y } = this.form.centre(field);
      svg("circle", { cx: x, cy: y, r: DOTS[name], class: `dot ${name}` }, this.overlay);
    }
    for (const { name, fields } of frames) for (const field of fields) this.#frame(name, field);
    for (const one of support) this.#support(one);
  }

  #marked(name) {
    return [...(this.marks.get(name) ?? [])];
  }

  // A bright line round the zone and its glow; the beds keep their colours, and those outside step back.
  #zone(zone) {
    const outside = this.form.names.filter((name) => !zone.has(name)).map((name) => this.form.outline(name)).join("");
    svg("path", { d: outside, class: "veil" }, this.overlay);
    const d = this.form.border(zone);
    svg("path", { d, class: "zone-glow" }, this.overlay);
    svg("path", { d, class: "zone-line" }, this.overlay);
  }

  // Each frame stands on a dark casing, so that it is clear on every colour of bed.
  #frame(name, field) {
    const d = this.form.outline(field, 6);
    svg("path", { d, class: "casing" }, this.overlay);
    svg("path", { d, class: `frame ${name}` }, this.overlay);
  }

  #support({ field, text, from, enough, kind = "" }) {
    const to = this.form.centre(field);
    for (const supporter of from) {
      const { x, y } = this.form.centre(supporter);
      for (const part of ["support-casing", "support-line"]) {
        svg("line", { x1: x, y1: y, x2: to.x, y2: to.y, class: `${part} ${kind}` }, this.overlay);
      }
    }
    if (!text) return;
    const group = svg("g", { class: `support-count${enough ? " enough" : ""}`,
      transform: `translate(${to.x.toFixed(1)} ${(to.y - 46).toFixed(1)})` }, this.overlay);
    const width = 16 * text.length + 26;
    svg("rect", { x: -width / 2, y: -20, width, height: 40, rx: 20 }, group);
    svg("text", {}, group).textContent = text;
  }

  // A whole ring round the field that has the keyboard's focus, above its neighbours; null takes it away.
  showFocus(field) {
    const d = field ? this.form.outline(field) : "";
    this.focusRing.replaceChildren(...(field ? ["focus-casing", "focus-line"].map((name) =>
      svg("path", { d, class: name })) : []));
  }

  // Where darts landed: [{x_mm, y_mm, lost}] or [{field, lost}].
  showDarts(darts) {
    this.darts.show(darts);
  }

  // The point of the drawing under a pointer; the projector, which bends the board, puts its own in this place.
  pointAt({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.form.size / box.width;
    return { x: (clientX - box.left - box.width / 2) * scale, y: (clientY - box.top - box.height / 2) * scale };
  }

  relabel() {
    if (!this.interactive) return;
    for (const [name, path] of this.fields) {
      const text = this.label(name, this.pieces.get(name)?.letter, path.classList);
      if (path.getAttribute("aria-label") !== text) path.setAttribute("aria-label", text);
    }
  }
}
