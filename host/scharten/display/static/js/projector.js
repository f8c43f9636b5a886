// The board alone, black round it, bent to where the projector's light falls. K or a long press beside the fields
// opens the adjustment: four corners to drag (or nudge by arrow keys) on a test grid, mirror, quarter turns. Kept on
// this device. The light on a real dartboard (light.js) is bent to it by the same corners.

import { button, h } from "./dom.js";
import { apply, convex, mapping, matrix3d, square } from "./keystone.js";
import { svg } from "./svg.js";
import { t } from "./words.js";

const LONG_PRESS_MS = 900;
const HINT_MS = 8000;
const NAMES = ["top_left", "top_right", "bottom_right", "bottom_left"];

// fitted: it needs no hand. moved(map, size): the corners lie otherwise now, or the window; byHand(): a person has
// moved them. relight(act): what changes the light is done through it. grid(): what to fit by, and its words;
// hintMs: for how long it is said how, without end when 0.
export function project(board, more = {}) {
  const { view = "projector", fitted = false, moved = (_map, _size) => {}, byHand = () => {} } = more;
  const { relight = (act) => act(), grid = testGrid, words = t("projector.words"), hintMs = HINT_MS } = more;
  const host = board.host;
  document.head.append(h("link", { rel: "stylesheet", href: "css/projector.css" }));
  document.body.dataset.view = view;
  const key = `scharten.${view}`;
  const kept = recall(key);
  let wish = kept ?? standard();
  let tools = null;
  let map = null;

  // Corners are shares of the window, so that another resolution keeps the shape.
  function targets() {
    const corners = wish.corners.map(({ x, y }) => ({ x: x * innerWidth, y: y * innerHeight }));
    const turned = corners.map((_, index) => corners[(index + wish.turn) % 4]);
    return wish.mirror ? [turned[1], turned[0], turned[3], turned[2]] : turned;
  }

  function bend() {
    const size = host.offsetWidth;
    map = mapping(square(size), targets());
    if (map) host.style.transform = matrix3d(map);
    moved(map, size);
    tools?.place();
  }

  // The point of the board's drawing under a pointer: back through the map.
  board.pointAt = ({ clientX, clientY }) => {
    const size = host.offsetWidth;
    const back = mapping(targets(), square(size));
    const { x, y } = apply(back, { x: clientX, y: clientY });
    return { x: (x / size - 0.5) * board.form.size, y: (y / size - 0.5) * board.form.size };
  };

  function change(changes) {
    const next = { ...wish, ...changes };
    if (!convex(next.corners)) return;
    wish = next;
    remember(key, wish);
    relight(() => {
      byHand();
      bend();
    });
  }

  function toggle() {
    if (tools) return void (tools = tools.close());
    tools = openTools({ host, wish: () => wish, change, standard, close: adjust, grid: grid(), words });
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

function recall(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key));
    const sound = found?.corners?.length === 4
      && found.corners.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)) && convex(found.corners);
    return sound ? { corners: found.corners, mirror: Boolean(found.mirror), turn: [0, 1, 2, 3].includes(found.turn)
      ? found.turn : 0 } : null;
  } catch {
    return null;
  }
}

function remember(key, wish) {
  try {
    localStorage.setItem(key, JSON.stringify(wish));
  } catch {
    // A browser without storage keeps the adjustment until the page closes.
  }
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}

function hint(forMs) {
  const words = h("p", { class: "projector-hint" }, t("projector.hint"));
  document.body.append(words);
  if (forMs) setTimeout(() => words.remove(), forMs);
}

function onLongPress(act) {
  let timer = null;
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

function openTools({ host, wish, change, standard: fresh, close, grid, words }) {
  host.append(grid);
  const handles = NAMES.map((name, index) => handle(name, index, wish, change));
  const panel = h("div", { class: "projector-tools", role: "dialog", "aria-label": t("projector.title") },
    h("p", {}, words),
    h("div", { class: "action-row" },
      button(t("projector.mirror"), () => change({ mirror: !wish().mirror })),
      button(t("projector.turn"), () => change({ turn: (wish().turn + 3) % 4 })),
      button(t("projector.reset"), () => change(fresh())),
      button(t("full_screen"), fullScreen),
      button(t("projector.done"), close, { class: "primary" })));
  document.body.append(...handles, panel);
  document.body.classList.add("adjusting");
  handles[0].focus();
  return {
    place() {
      wish().corners.forEach(({ x, y }, index) => {
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

function handle(name, index, wish, change) {
  const element = button("", () => {}, { class: "corner", "data-corner": name, "aria-label": t(`projector.${name}`) });
  const move = (x, y) => {
    const within = (value) => Math.min(1, Math.max(0, value));
    change({ corners: wish().corners.map((corner, at) => (at === index ? { x: within(x), y: within(y) } : corner)) });
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
    const { x, y } = wish().corners[index];
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
