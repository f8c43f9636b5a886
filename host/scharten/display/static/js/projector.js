// The board alone, black round it, bent to where the projector's light falls. K or a long press beside the fields
// opens the adjustment: four corners to drag (or nudge by arrow keys) on a test grid, mirror, quarter turns. Saved on
// this device. The light on a real dartboard (light.js) is bent to it by the same corners.

import { button, h } from "./dom.js";
import { apply, convex, mapping, matrix3d, square } from "./keystone.js";
import { svg } from "./svg.js";
import { t } from "./words.js";

const LONG_PRESS_MS = 900;
const HINT_MS = 8000;
const UNBENT = [1, 0, 0, 0, 1, 0, 0, 0]; // the map that moves nothing
const NAMES = ["top_left", "top_right", "bottom_right", "bottom_left"];

/**
 * @typedef {{corners: Point[], mirror: boolean, turn: number}} Adjustment corners: shares of the window
 * @typedef {object} ProjectedBoard
 * @property {HTMLElement} host
 * @property {{size: number}} form
 * @property {(pointer: {clientX: number, clientY: number}) => Point} [pointAt]
 * @typedef {object} Projection
 * @property {string} [view] the name of this view, by which the adjustment is saved
 * @property {boolean} [fitted] whether the picture is fitted already
 * @property {(map: number[] | null, size: number) => void} [moved] called when the corners or the window changed
 * @property {() => void} [byHand] called when a person has moved the corners
 * @property {(act: () => void) => void} [relight] does what changes the light
 * @property {() => SVGElement} [grid] the lines to fit by
 * @property {string} [words] how to fit
 * @property {number} [hintMs] for how long the page shows how to begin; 0: without end
 * @typedef {object} Tools
 * @property {HTMLElement} host
 * @property {() => Adjustment} wanted
 * @property {(changes: Partial<Adjustment>) => void} change
 * @property {() => Adjustment} standard
 * @property {() => void} close
 * @property {SVGElement} grid
 * @property {string} words
 */

/** @param {ProjectedBoard} board @param {Projection} [more] */
export function project(board, more = {}) {
  const { view = "projector", fitted = false, moved = () => {}, byHand = () => {} } = more;
  const { grid = testGrid, words = t("projector.words"), hintMs = HINT_MS } = more;
  const relight = more.relight ?? ((act) => act());
  const host = board.host;
  document.head.append(h("link", { rel: "stylesheet", href: "css/projector.css" }));
  document.body.dataset.view = view;
  const key = `scharten.${view}`;
  const kept = recall(key);
  let adjustment = kept ?? standard();
  /** @type {{place(): void, close(): null} | null} */
  let tools = null;

  // Corners are shares of the window, so that another resolution keeps the shape.
  function targets() {
    const corners = adjustment.corners.map(({ x, y }) => ({ x: x * innerWidth, y: y * innerHeight }));
    const turned = corners.map((_, index) => corners[(index + adjustment.turn) % 4]);
    return adjustment.mirror ? [turned[1], turned[0], turned[3], turned[2]] : turned;
  }

  function bend() {
    const size = host.offsetWidth;
    const map = mapping(square(size), targets());
    if (map) host.style.transform = matrix3d(map);
    moved(map, size);
    tools?.place();
  }

  // The point of the board's drawing under a pointer: back through the map.
  board.pointAt = ({ clientX, clientY }) => {
    const size = host.offsetWidth;
    const back = mapping(targets(), square(size));
    const { x, y } = apply(back ?? UNBENT, { x: clientX, y: clientY });
    return { x: (x / size - 0.5) * board.form.size, y: (y / size - 0.5) * board.form.size };
  };

  /** @param {Partial<Adjustment>} changes */
  function change(changes) {
    const next = { ...adjustment, ...changes };
    if (!convex(next.corners)) return;
    adjustment = next;
    remember(key, adjustment);
    relight(() => {
      byHand();
      bend();
    });
  }

  function toggle() {
    if (tools) return void (tools = tools.close());
    tools = openTools({ host, wanted: () => adjustment, change, standard, close: adjust, grid: grid(), words });
    tools.place();
  }

  function adjust() {
    relight(toggle);
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === "k" || (event.key === "Escape" && tools)) adjust();
    else if (event.key.toLowerCase() === "f") fullScreen();
  });
  onLongPress(() => !tools && adjust());
  addEventListener("resize", () => relight(bend));
  let sized = false;
  new ResizeObserver(() => {
    if (sized) relight(bend);
    else bend();
    sized = true;
  }).observe(host);
  if (!kept && !fitted) hint(hintMs);
  navigator.wakeLock?.request("screen").catch(() => {}); // a screen that may dim is no reason to fail
  bend();
}

// The largest upright square in the middle of the window.
function standard() {
  const side = Math.min(innerWidth, innerHeight);
  const [x, y] = [side / innerWidth / 2, side / innerHeight / 2];
  const corners = [[-x, -y], [x, -y], [x, y], [-x, y]].map(([dx, dy]) => ({ x: 0.5 + dx, y: 0.5 + dy }));
  return { corners, mirror: false, turn: 0 };
}

/** @param {string} key */
function recall(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null");
    /** @type {Point[]} */
    const corners = found?.corners ?? [];
    const sound = corners.length === 4
      && corners.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)) && convex(corners);
    return sound ? { corners, mirror: Boolean(found.mirror), turn: [0, 1, 2, 3].includes(found.turn) ? found.turn : 0 }
      : null;
  } catch {
    return null;
  }
}

/** @param {string} key @param {Adjustment} adjustment */
function remember(key, adjustment) {
  try {
    localStorage.setItem(key, JSON.stringify(adjustment));
  } catch {
    // A browser without storage keeps the adjustment until the page closes.
  }
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}

/** @param {number} forMs */
function hint(forMs) {
  const words = h("p", { class: "projector-hint" }, t("projector.hint"));
  document.body.append(words);
  if (forMs) setTimeout(() => words.remove(), forMs);
}

/** @param {() => void} act */
function onLongPress(act) {
  let timer = 0;
  /** @type {Point | null} */
  let start = null;
  const end = () => clearTimeout(timer);
  addEventListener("pointerdown", (event) => {
    end();
    // A player may think with a finger on a piece.
    if (event.target instanceof SVGElement && event.target.dataset.field) return;
    start = { x: event.clientX, y: event.clientY };
    timer = setTimeout(act, LONG_PRESS_MS);
  }, true);
  addEventListener("pointermove", (event) => {
    if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > 10) end();
  }, true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end, true);
  addEventListener("contextmenu", (event) => event.preventDefault());
}

// --- the adjustment ---

/** @param {Tools} tools */
function openTools({ host, wanted, change, standard: fresh, close, grid, words }) {
  host.append(grid);
  const handles = NAMES.map((name, index) => handle(name, index, wanted, change));
  const panel = h("div", { class: "projector-tools", role: "dialog", "aria-label": t("projector.title") },
    h("p", {}, words),
    h("div", { class: "action-row" },
      button(t("projector.mirror"), () => change({ mirror: !wanted().mirror })),
      button(t("projector.turn"), () => change({ turn: (wanted().turn + 3) % 4 })),
      button(t("projector.reset"), () => change(fresh())),
      button(t("full_screen"), fullScreen),
      button(t("projector.done"), close, { class: "primary" })));
  document.body.append(...handles, panel);
  document.body.classList.add("adjusting");
  handles[0].focus();
  return {
    place() {
      wanted().corners.forEach(({ x, y }, index) => {
        handles[index].style.left = `${x * innerWidth}px`;
        handles[index].style.top = `${y * innerHeight}px`;
      });
    },
    close() {
      for (const element of [grid, panel, ...handles]) element.remove();
      document.body.classList.remove("adjusting");
      return null;
    },
  };
}

/**
 * @param {string} name
 * @param {number} index
 * @param {() => Adjustment} wanted
 * @param {(changes: Partial<Adjustment>) => void} change
 */
function handle(name, index, wanted, change) {
  const element = button("", () => {}, { class: "corner", "data-corner": name, "aria-label": t(`projector.${name}`) });
  /** @param {number} x @param {number} y */
  const move = (x, y) => {
    /** @param {number} value */
    const within = (value) => Math.min(1, Math.max(0, value));
    change({ corners: wanted().corners.map((corner, at) => (at === index ? { x: within(x), y: within(y) } : corner)) });
  };
  element.addEventListener("pointerdown", (event) => element.setPointerCapture(event.pointerId));
  element.addEventListener("pointermove", (event) => {
    if (element.hasPointerCapture(event.pointerId)) move(event.clientX / innerWidth, event.clientY / innerHeight);
  });
  element.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 10 : 1;
    const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!way) return;
    event.preventDefault();
    const { x, y } = wanted().corners[index];
    move(x + way[0] / innerWidth, y + way[1] / innerHeight);
  });
  return element;
}

// Lines every tenth of the board, and a circle that is round on the wall when the corners are right.
function testGrid() {
  const grid = svg("svg", { viewBox: "0 0 100 100", class: "test-grid", "aria-hidden": "true" });
  const lines = Array.from({ length: 11 }, (_, index) => `M${index * 10} 0V100M0 ${index * 10}H100`).join("");
  svg("path", { d: `${lines}M0 0L100 100M100 0L0 100M50 2a48 48 0 1 0 .01 0z` }, grid);
  return grid;
}
