// A board of any form: its fields in SVG, pieces above them as elements of their own (so that they can glide without
// repainting the board), and marks; board-input.js does what fingers and keys do. It knows nothing of the game.

import { Emitter } from "./events.js";
import { BoardInput } from "./board-input.js";
import { Darts } from "./board-darts.js";
import { formOf } from "./forms.js";
import { drawPiece, installPieces } from "./pieces.js";
import { svg } from "./svg.js";

/** @type {Record<string, number>} */
const DOTS = { destination: 15, drop: 11 };
const FRAMES = ["last", "capture", "checker", "supporter", "unsupported", "shielded", "check", "chosen", "hovered"];
const RISING = [{ transformOrigin: "50% 92%", opacity: 0.6, scale: "0.9 0.2" },
  { transformOrigin: "50% 92%", opacity: 1, scale: "1 1" }]; // seen from its first frame on
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @typedef {{field: {field: string, by: "tap" | "key"}, drag: {from: string, to: string}, escape: null,
 *   aim: Aimed | null, throw: Aimed}} BoardEvents
 * @typedef {{point: Point, field?: string}} Aimed a place on the drawing, and the field there
 * @typedef {{letter: string, element: HTMLElement}} Standing a piece on the board
 * @typedef {{layout?: LayoutModel, whiteSitsAt?: number, turned?: boolean}} FormWanted what `formOf` takes
 */
/** @extends {Emitter<BoardEvents>} */
export class Board extends Emitter {
  form = formOf();
  /** @type {string | null} */ shownForm = null; // which form that is, as a text
  /** @type {string | null} */ drawnOverlay = null; // what is drawn over the fields, as a text
  /** @type {Map<string, Standing>} */ pieces = new Map(); // by field
  /** @type {Map<string, Set<string>>} */ marks = new Map(); // the marked fields by the mark's name
  /** @type {Map<string, SVGPathElement>} */ fields = new Map(); // the drawing of each field
  /** @type {Map<string, SVGTextElement>} */ names = new Map(); // as they are written on the fields
  overlay = svg("g");
  focusRing = svg("g");
  /** @type {Element | null} */ aimed = null; // the bed that a dart would hit
  darts = new Darts(svg("g"), this);

  /**
   * @param {HTMLElement} host an empty element
   * @param {object} options
   * @param {boolean} [options.interactive] whether fields can be focused, tapped and dragged
   * @param {boolean} [options.rim] whether to draw the rim with its numbers
   * @param {(name: string, letter: string | undefined, classes: DOMTokenList) => string} [options.label]
   * @param {string} [options.shield] what the shield of a piece that has not moved means
   * @param {FormWanted} [options.form]
   */
  constructor(host, { interactive = false, rim = true, label = (name) => name, shield = "", form = {} } = {}) {
    super();
    installPieces();
    this.host = host;
    this.label = label;
    this.shield = shield; // the meaning of the shield of a piece that has not moved
    this.interactive = interactive;
    this.rim = rim;
    /** @type {(field: string | undefined, long: boolean) => boolean} */
    this.takesThrow = () => false; // whether a press there is a dart
    /** @type {(field: string) => boolean} */
    this.maySeize = () => true; // whether the piece there can be dragged
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

  // Which board this is. Another form than before is drawn from scratch, without pieces.
  /** @param {{layout?: LayoutModel, whiteSitsAt?: number, turned?: boolean}} wanted */
  show(wanted) {
    const key = JSON.stringify(wanted);
    if (key === this.shownForm) return;
    this.shownForm = key;
    this.form = formOf(wanted);
    for (const map of [this.pieces, this.marks, this.fields, this.names]) map.clear();
    this.drawnOverlay = null;
    const half = this.form.size / 2;
    this.svg.setAttribute("viewBox", `${-half} ${-half} ${this.form.size} ${this.form.size}`);
    this.host.dataset.form = this.form.dartboard ? "schartbord" : "grid";
    this.#draw();
    this.input?.begin();
  }

  #draw() {
    /** @param {string} name */
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

  /** @param {string} name @param {SVGElement} group */
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
  /** @param {Pieces} pieces @param {{animate?: boolean, showUnmoved?: boolean}} [how] */
  setPieces(pieces, { animate = true, showUnmoved = false } = {}) {
    /** @type {[string, Piece][]} */
    const arrivals = [];
    const leavers = new Map(this.pieces);
    for (const [field, piece] of pieces) {
      const present = this.pieces.get(field);
      if (present?.letter === piece.letter) leavers.delete(field);
      else arrivals.push([field, piece]);
    }
    for (const field of leavers.keys()) this.pieces.delete(field);
    const moving = animate && !stillness.matches;
    /** @param {string} name */
    const isFree = (name) => !pieces.has(name);
    for (const [field, piece] of arrivals) this.#arrive(field, piece, leavers, moving, isFree);
    for (const { element } of leavers.values()) this.#vanish(element, moving);
    for (const [field, piece] of pieces) {
      const marked = showUnmoved && piece.unmoved && piece.letter.toUpperCase() !== "K";
      this.pieces.get(field)?.element.classList.toggle("unmoved", marked);
    }
    for (const [name, text] of this.names) text.classList.toggle("under", pieces.has(name));
    this.relabel();
  }

  // Fields that are no more (vanished tiles): a set of names.
  /** @param {Set<string>} [gone] */
  setGone(gone = new Set()) {
    for (const [name, path] of this.fields) path.classList.toggle("gone", gone.has(name));
  }

  /**
   * @param {string} field
   * @param {Piece} piece
   * @param {Map<string, Standing>} leavers
   * @param {boolean} animate
   * @param {(name: string) => boolean} isFree
   */
  #arrive(field, { letter }, leavers, animate, isFree) {
    const origin = this.#nearest(field, letter, leavers);
    const mover = leavers.get(origin ?? "");
    if (origin) leavers.delete(origin);
    const element = mover?.element ?? this.#pieceElement(letter);
    this.pieces.set(field, { letter, element });
    element.dataset.at = field;
    element.style.transform = this.standing(field);
    const dropped = element.dataset.dropped === field;
    delete element.dataset.dropped;
    if (!animate || dropped) return;
    if (!mover || !origin) return void element.animate(RISING, { duration: 180, easing: "ease-out" });
    const way = this.form.way(origin, field, isFree);
    element.classList.add("moving");
    const glide = element.animate(this.#keyframes(way, this.form.pieceSize(origin), this.form.pieceSize(field)), {
      duration: 220 + 40 * Math.min(8, way.length), easing: "ease-in-out",
    });
    glide.onfinish = glide.oncancel = () => element.classList.remove("moving");
  }

  /** @param {Point[]} way @param {number} from @param {number} to */
  #keyframes(way, from, to) {
    return way.map((point, index) =>
      ({ transform: this.transformAt(point, from + (index / (way.length - 1)) * (to - from)) }));
  }

  // Where a piece on this field stands, as a CSS transform.
  /** @param {string} field */
  standing(field) {
    return this.transformAt(this.form.centre(field), this.form.pieceSize(field));
  }

  // A CSS transform that puts a piece of that size at a point, whatever the board's size on the screen.
  /** @param {Point} point @param {number} size */
  transformAt({ x, y }, size) {
    const unit = 100 / this.form.size;
    const scale = (size / this.form.pieceSize(this.form.start)).toFixed(4);
    return `translate(${(x * unit).toFixed(3)}cqw, ${(y * unit).toFixed(3)}cqw) scale(${scale})`;
  }

  /** @param {string} letter */
  #pieceElement(letter) {
    const element = document.createElement("div");
    element.className = `piece ${letter === letter.toUpperCase() ? "white" : "black"}`;
    element.append(drawPiece(letter));
    this.pieceLayer.append(element);
    return element;
  }

  /** @param {HTMLElement} element @param {boolean} animate */
  #vanish(element, animate) {
    if (!animate) return element.remove();
    element.animate([{ opacity: 1 }, { opacity: 0, scale: 0.6 }], { duration: 200, fill: "forwards" }).onfinish = () =>
      element.remove();
  }

  // A dropped piece whose move came to nothing goes home.
  /** @param {string} field */
  putBack(field) {
    const element = this.pieces.get(field)?.element;
    if (!element) return;
    delete element.dataset.dropped;
    element.style.transform = this.standing(field);
  }

  /** @param {string} field @param {string} letter @param {Map<string, Standing>} leavers */
  #nearest(field, letter, leavers) {
    const target = this.form.centre(field);
    /** @type {{name: string, distance: number} | null} */
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
  /** @param {Marks} marks @param {Support[]} [support] */
  mark(marks, support = []) {
    const before = this.marks;
    this.marks = new Map(Object.entries(marks).map(([name, fields]) =>
      [name, new Set([...fields].filter((field) => this.fields.has(field)))]));
    for (const [name, fields] of before) for (const field of fields) {
      if (!this.marks.get(name)?.has(field)) this.fields.get(field)?.classList.remove(name);
    }
    for (const [name, fields] of this.marks) for (const field of fields) this.fields.get(field)?.classList.add(name);
    this.#drawOverlay(support);
    this.relabel();
  }

  /** @param {Support[]} support */
  #drawOverlay(support) {
    const zone = this.marks.get("zone") ?? new Set();
    /** @param {string} field */
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
    for (const capture of support) this.#support(capture);
  }

  /** @param {string} name */
  #marked(name) {
    return [...(this.marks.get(name) ?? [])];
  }

  // A bright line round the zone and its glow; the beds keep their colours, and those outside step back.
  /** @param {Set<string>} zone */
  #zone(zone) {
    const outside = this.form.names.filter((name) => !zone.has(name)).map((name) => this.form.outline(name)).join("");
    svg("path", { d: outside, class: "veil" }, this.overlay);
    const d = this.form.border(zone);
    svg("path", { d, class: "zone-glow" }, this.overlay);
    svg("path", { d, class: "zone-line" }, this.overlay);
  }

  // Each frame stands on a dark casing, so that it is clear on every colour of bed.
  /** @param {string} name @param {string} field */
  #frame(name, field) {
    const d = this.form.outline(field, 6);
    svg("path", { d, class: "casing" }, this.overlay);
    svg("path", { d, class: `frame ${name}` }, this.overlay);
  }

  /** @param {Support} support */
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
  /** @param {string | null} field */
  showFocus(field) {
    const d = field ? this.form.outline(field) : "";
    this.focusRing.replaceChildren(...(field ? ["focus-casing", "focus-line"].map((name) =>
      svg("path", { d, class: name })) : []));
  }

  // The bed that a dart would hit, lit: a field, or a bull by its name.
  /** @param {string | null} name */
  showAimed(name) {
    this.aimed?.classList.remove("aimed");
    this.aimed = this.fields.get(name ?? "") ?? this.svg.querySelector(`.bull[data-bed="${name}"]`);
    this.aimed?.classList.add("aimed");
  }

  // Where darts landed: [{x_mm, y_mm, lost}] or [{field, lost}].
  /** @param {import("./board-darts.js").ShownDart[]} darts */
  showDarts(darts) {
    this.darts.show(darts);
  }

  // The point of the drawing under a pointer; the projector, which bends the board, puts its own in this place.
  /** @param {{clientX: number, clientY: number}} pointer */
  pointAt({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.form.size / box.width;
    return { x: (clientX - box.left - box.width / 2) * scale, y: (clientY - box.top - box.height / 2) * scale };
  }

  relabel() {
    if (!this.interactive) return;
    for (const [name, path] of this.fields) {
      const piece = this.pieces.get(name);
      const shield = piece?.element.classList.contains("unmoved") ? this.shield : "";
      const text = this.label(name, piece?.letter, path.classList) + (shield && `, ${shield}`);
      if (path.getAttribute("aria-label") === text) continue;
      path.setAttribute("aria-label", text);
      path.replaceChildren();
      if (shield) svg("title", {}, path).textContent = text;
    }
  }
}
