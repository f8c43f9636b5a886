// BoardInput on a board: taps, drags and keys become the board's events, "field", "grab", "drag" and "escape".

import { nameAt, place, transformAt } from "./geometry.js";

const SLOP_PX = 6; // a finger is never quite still: less than this is a tap
const HELD_SIZE = 92;

export class BoardInput {
  constructor(board) {
    this.board = board;
    this.grab = null;
    this.#setCursor("e2");
    const { svg } = board;
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    svg.addEventListener("pointerup", (event) => this.#up(event));
    svg.addEventListener("pointercancel", () => this.#drop());
    svg.addEventListener("keydown", (event) => this.#key(event));
  }

  #tell(name, detail, options = {}) {
    return this.board.dispatchEvent(new CustomEvent(name, { detail, ...options }));
  }

  #down(event) {
    const field = event.target.dataset?.field;
    if (!field || event.button > 0) return;
    const element = this.board.pieces.get(field)?.element;
    this.grab = { field, x: event.clientX, y: event.clientY, element, dragging: false };
    this.board.svg.setPointerCapture?.(event.pointerId);
  }

  #move(event) {
    const { grab } = this;
    if (!grab?.element) return;
    if (!grab.dragging) {
      if (Math.hypot(event.clientX - grab.x, event.clientY - grab.y) < SLOP_PX) return;
      if (!this.#tell("grab", { from: grab.field }, { cancelable: true })) return void (this.grab = null);
      grab.dragging = true;
      grab.element.classList.add("held");
    }
    grab.element.style.transform = transformAt(this.board.pointAt(event), HELD_SIZE);
    this.#hover(fieldUnder(event));
  }

  #hover(name) {
    if (this.hovered === name) return;
    this.board.fields.get(this.hovered)?.classList.remove("hovered");
    this.hovered = name;
    this.board.fields.get(name)?.classList.add("hovered");
  }

  #up(event) {
    const { grab } = this;
    if (!grab) return;
    const target = fieldUnder(event);
    this.#drop();
    if (!grab.dragging) this.#tap(grab.field, "tap");
    else if (target && target !== grab.field) {
      grab.element.dataset.dropped = target; // it stays where it was let go until the host has answered
      grab.element.style.transform = this.board.standing(target);
      this.#tell("drag", { from: grab.field, to: target });
    }
  }

  #drop() {
    const element = this.grab?.element;
    this.grab = null;
    this.#hover(undefined);
    if (!element) return;
    element.classList.remove("held");
    if (element.dataset.at) element.style.transform = this.board.standing(element.dataset.at);
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

  #key(event) {
    const field = event.target.dataset?.field;
    if (!field) return;
    if (event.key === "Escape") return void this.#tell("escape");
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return void this.#tap(field, "key");
    }
    const next = neighbour(field, event.key);
    if (!next) return;
    event.preventDefault();
    this.#setCursor(next, true);
  }
}

function fieldUnder(event) {
  const found = document.elementFromPoint(event.clientX, event.clientY);
  return found instanceof SVGElement ? found.dataset.field : undefined;
}

// Left and right go round the ring as it looks on the screen, up and down along the line.
function neighbour(field, key) {
  const { s, depth } = place(field);
  const lower = s < 10;
  if (key === "ArrowRight") return nameAt(lower ? s + 1 : s - 1, depth);
  if (key === "ArrowLeft") return nameAt(lower ? s - 1 : s + 1, depth);
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const inwards = (key === "ArrowUp") === lower;
  if (!inwards) return depth === 0 ? null : nameAt(s, depth - 1);
  return depth === 3 ? nameAt(s + 10, 3) : nameAt(s, depth + 1);
}
