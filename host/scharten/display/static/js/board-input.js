// BoardInput on a board: taps, drags and keys become the board's events, "field", "drag", "escape", and where
// the board takes a dart, "aim" and "throw".

const SLOP_PX = 6; // a finger is never quite still: less than this is a tap
const LONG_MS = 450; // a press this long is a dart, also on a piece
const HELD_SHARE = 1.2; // a held piece is larger

/**
 * @typedef {import("./board.js").Aimed} Aimed
 * @typedef {{field: string | undefined, x: number, y: number, element: HTMLElement | undefined, dragging: boolean,
 *   aiming: boolean, since: number}} Grab a press that has not ended: where it began, and what came of it
 */

export class BoardInput {
  /** @type {Grab | null} */ grab = null;
  /** @type {Aimed | null} */ aimed = null; // where a dart would hit now
  /** @type {string | undefined} */ hovered; // the field under a held piece
  cursor = ""; // the field that the Tab key reaches

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.begin();
    const { svg } = board;
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    svg.addEventListener("pointerup", (event) => this.#up(event));
    svg.addEventListener("pointercancel", () => this.#drop());
    svg.addEventListener("pointerleave", () => this.#aim(null));
    svg.addEventListener("focusout", () => (this.board.showFocus(null), this.#aim(null)));
    svg.addEventListener("focusin", (event) => this.#focused(event));
    svg.addEventListener("keydown", (event) => this.#key(event));
  }

  // The board was drawn again.
  begin() {
    this.#setCursor(this.board.form.start);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button > 0) return;
    const field = fieldOf(event);
    const element = this.board.pieces.get(field ?? "")?.element;
    const { clientX: x, clientY: y, timeStamp: since } = event;
    this.grab = { field, x, y, element, dragging: false, aiming: false, since };
    this.board.svg.setPointerCapture?.(event.pointerId);
    this.#aimAt(event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { grab } = this;
    if (!grab || grab.aiming) return this.#aimAt(event);
    if (!grab.dragging) {
      if (Math.hypot(event.clientX - grab.x, event.clientY - grab.y) < SLOP_PX) return;
      if (!grab.field || !grab.element || !this.board.maySeize(grab.field)) {
        grab.aiming = true; // the finger looks for its bed; the dart is thrown where the finger is lifted
        return;
      }
      grab.dragging = true;
      this.#aim(null);
      grab.element.classList.add("held");
    }
    const size = HELD_SHARE * this.board.form.pieceSize(this.board.form.start);
    if (grab.element) grab.element.style.transform = this.board.transformAt(this.board.pointAt(event), size);
    this.#hover(fieldUnder(event));
  }

  /** @param {string | undefined} name */
  #hover(name) {
    if (this.hovered === name) return;
    this.board.fields.get(this.hovered ?? "")?.classList.remove("hovered");
    this.hovered = name;
    this.board.fields.get(name ?? "")?.classList.add("hovered");
  }

  // Reports where a dart would hit, if one may be thrown there.
  /** @param {PointerEvent} event */
  #aimAt(event) {
    const field = fieldUnder(event);
    const point = this.board.pointAt(event);
    this.#aim(this.board.takesThrow(field, false) ? { point, field } : null);
  }

  /** @param {Aimed | null} detail */
  #aim(detail) {
    if (detail || this.aimed) this.board.emit("aim", detail);
    this.aimed = detail;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { grab } = this;
    if (!grab) return;
    const target = fieldUnder(event);
    this.#drop();
    if (grab.dragging) return this.#dropped(grab, target);
    const long = event.timeStamp - grab.since > LONG_MS;
    const field = grab.aiming ? target : grab.field;
    if (this.board.takesThrow(field, long)) this.#throw(this.board.pointAt(event), field);
    else if (field && !grab.aiming) this.#tap(field, "tap");
  }

  /** @param {Grab} grab @param {string | undefined} target */
  #dropped(grab, target) {
    const { element, field } = grab;
    if (!target || target === field || !element || !field) return;
    element.dataset.dropped = target; // it stays where it was let go until the host has answered
    element.style.transform = this.board.standing(target);
    this.board.emit("drag", { from: field, to: target });
  }

  #drop() {
    const element = this.grab?.element;
    this.grab = null;
    this.#hover(undefined);
    if (!element) return;
    element.classList.remove("held");
    if (element.dataset.at) element.style.transform = this.board.standing(element.dataset.at);
  }

  /** @param {Point} point @param {string | undefined} field */
  #throw(point, field) {
    if (field) this.#setCursor(field);
    this.board.emit("throw", { point, field });
  }

  /** @param {string} field @param {"tap" | "key"} by */
  #tap(field, by) {
    this.#setCursor(field);
    this.board.emit("field", { field, by });
  }

  // One field at a time is reached by the Tab key; the arrow keys go on from there.
  /** @param {string} field @param {boolean} [focus] */
  #setCursor(field, focus = false) {
    this.board.fields.get(this.cursor)?.setAttribute("tabindex", "-1");
    this.cursor = field;
    const path = this.board.fields.get(field);
    path?.setAttribute("tabindex", "0");
    if (focus) path?.focus({ preventScroll: true });
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    const field = fieldOf(event);
    if (!field || this.grab || !(event.target instanceof Element && event.target.matches(":focus-visible"))) return;
    this.board.showFocus(field);
    this.#aim(this.board.takesThrow(field, false) ? { point: this.board.form.centre(field), field } : null);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const field = fieldOf(event);
    if (!field) return;
    if (event.key === "Escape") return void this.board.emit("escape", null);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.board.takesThrow(field, event.shiftKey)) this.#throw(this.board.form.centre(field), field);
      else this.#tap(field, "key");
      return;
    }
    const next = this.board.form.neighbour(field, event.key);
    if (!next) return;
    event.preventDefault();
    this.#setCursor(next, true);
  }
}

/** @param {Event} event */
function fieldOf({ target }) {
  return target instanceof SVGElement || target instanceof HTMLElement ? target.dataset.field : undefined;
}

/** @param {PointerEvent} event */
function fieldUnder(event) {
  const found = document.elementFromPoint(event.clientX, event.clientY);
  return found instanceof SVGElement ? found.dataset.field : undefined;
}
