// BoardInput on a board: taps, drags and keys become the board's events, "field", "grab", "drag", "escape", and where
// the board takes a dart, "aim" and "throw".

const SLOP_PX = 6; // a finger is never quite still: less than this is a tap
const LONG_MS = 450; // a press so long is a dart at whatever stands there
const HELD_SHARE = 1.2; // a held piece is larger

export class BoardInput {
  constructor(board) {
    this.board = board;
    this.grab = null;
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

  // A board was drawn afresh.
  begin() {
    this.cursor = null;
    this.#setCursor(this.board.form.start);
  }

  #tell(name, detail = null, options = {}) {
    return this.board.dispatchEvent(new CustomEvent(name, { detail, ...options }));
  }

  #down(event) {
    if (event.button > 0) return;
    const field = event.target.dataset?.field;
    const element = this.board.pieces.get(field)?.element;
    this.grab = { field, x: event.clientX, y: event.clientY, element, dragging: false, since: event.timeStamp };
    this.board.svg.setPointerCapture?.(event.pointerId);
    this.#aimAt(event);
  }

  #move(event) {
    const { grab } = this;
    if (!grab || grab.aiming) return this.#aimAt(event);
    if (!grab.dragging) {
      if (Math.hypot(event.clientX - grab.x, event.clientY - grab.y) < SLOP_PX) return;
      if (!grab.element || !this.#tell("grab", { from: grab.field }, { cancelable: true })) {
        grab.aiming = true; // the finger seeks its bed; the dart is thrown where it is lifted
        return;
      }
      grab.dragging = true;
      this.#aim(null);
      grab.element.classList.add("held");
    }
    const size = HELD_SHARE * this.board.form.pieceSize(this.board.form.start);
    grab.element.style.transform = this.board.transformAt(this.board.pointAt(event), size);
    this.#hover(fieldUnder(event));
  }

  #hover(name) {
    if (this.hovered === name) return;
    this.board.fields.get(this.hovered)?.classList.remove("hovered");
    this.hovered = name;
    this.board.fields.get(name)?.classList.add("hovered");
  }

  // What a dart would hit there, where one may be thrown.
  #aimAt(event) {
    const field = fieldUnder(event);
    const point = this.board.pointAt(event);
    this.#aim(this.board.takesThrow(field, false) ? { point, field } : null);
  }

  #aim(detail) {
    if (detail || this.aimed) this.#tell("aim", detail);
    this.aimed = detail;
  }

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

  #dropped(grab, target) {
    if (!target || target === grab.field) return;
    grab.element.dataset.dropped = target; // it stays where it was let go until the host has answered
    grab.element.style.transform = this.board.standing(target);
    this.#tell("drag", { from: grab.field, to: target });
  }

  #drop() {
    const element = this.grab?.element;
    this.grab = null;
    this.#hover(undefined);
    if (!element) return;
    element.classList.remove("held");
    if (element.dataset.at) element.style.transform = this.board.standing(element.dataset.at);
  }

  #throw(point, field) {
    if (field) this.#setCursor(field);
    this.#tell("throw", { point, field });
  }

  #tap(field, by) {
    this.#setCursor(field);
    this.#tell("field", { field, by });
  }

  // One field at a time is reached by the Tab key; the arrow keys go on from there.
  #setCursor(field, focus = false) {
    this.board.fields.get(this.cursor)?.setAttribute("tabindex", "-1");
    this.cursor = field;
    const path = this.board.fields.get(field);
    path.setAttribute("tabindex", "0");
    if (focus) path.focus({ preventScroll: true });
  }

  #focused(event) {
    const field = event.target.dataset?.field;
    if (!field || this.grab || !event.target.matches(":focus-visible")) return;
    this.board.showFocus(field);
    this.#aim(this.board.takesThrow(field, false) ? { point: this.board.form.centre(field), field } : null);
  }

  #key(event) {
    const field = event.target.dataset?.field;
    if (!field) return;
    if (event.key === "Escape") return void this.#tell("escape");
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

function fieldUnder(event) {
  const found = document.elementFromPoint(event.clientX, event.clientY);
  return found instanceof SVGElement ? found.dataset.field : undefined;
}
