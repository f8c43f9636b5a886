// Light on a real dartboard: black, and lit what a throw needs (light-shapes.js), bent to where the projector's light
// falls: by the map that `scharten-calibrate projector` has measured, or by four corners that a hand has moved. Cameras
// that watch the board get a message before anything changes, and nothing changes while a dart is due.

import { h } from "./dom.js";
import { advised } from "./features/advice.js";
import { readPosition } from "./position.js";
import { apply, fitted, soundMap } from "./keystone.js";
import { createAnnouncer } from "./light-announcer.js";
import { boardGrid } from "./light-grid.js";
import { shapes, stillness } from "./light-shapes.js";
import { project } from "./projector.js";
import { settings } from "./settings.js";
import { createPatterns } from "./patterns.js";
import { svg } from "./svg.js";
import { figure, t } from "./words.js";

const KEY = "scharten.light.fit";
const HALF_MM = 185; // half the square that the four corners hold: nothing outside it is ever lit
const APART_MS = 400; // changes that come faster become one
const CLOSED = new Set(["zone", "odds", "legal", "target", "dart", "lost", "foul", "left"]);

/** @param {App} app */
export function shine(app) {
  const { store } = app;
  const { tell, relight } = createAnnouncer(app);
  const drawing = svg("svg", { class: "light", "aria-hidden": "true" });
  const square = h("div", { id: "light-square" });
  document.body.append(drawing, square);
  let fit = recall();
  /** @type {(x: number, y: number) => Point} */
  let hand = (x, y) => ({ x, y });
  /** @type {{still: string | null, text: string, shapes: Shape[]}} */
  let drawn = { still: null, text: "[]", shapes: [] };
  let [timer, last] = [0, 0];
  /** @type {(AdviceBody & {match: string, turns: number}) | null} */
  let aim = null;

  /** @param {[number, number]} point */
  const pixel = ([x, y]) => (fit ? fitted(fit, x, y, { width: innerWidth, height: innerHeight }) : hand(x, y));
  project({ host: square, form: { size: 2 * HALF_MM } }, {
    view: "light",
    fitted: Boolean(fit),
    relight,
    grid: () => boardGrid(HALF_MM),
    words: t("light.fit"),
    hintMs: 0, // it goes with the next change, as no light may go by itself
    moved: (map, size) => {
      const mm = size / (2 * HALF_MM);
      if (map) hand = (x, y) => apply(map, { x: (x + HALF_MM) * mm, y: (HALF_MM - y) * mm });
      paint();
    },
    byHand: () => {
      fit = null;
      keep(null);
      paint();
    },
  });
  createPatterns(app, { tell, useMap: (measured) => {
    fit = measured;
    keep(fit);
    paint();
  } });

  function paint() {
    drawing.replaceChildren(...drawn.shapes.map(element));
  }

  /** @param {Shape} shape */
  function element({ kind, points, sign, bed, share }) {
    const [first, second] = points.map(pixel);
    if (kind === "sign") {
      const high = Math.hypot(second.x - first.x, second.y - first.y) * 2;
      const turn = (Math.atan2(second.x - first.x, first.y - second.y) * 180) / Math.PI;
      const text = svg("text", { class: "sign", "font-size": high.toFixed(1), transform:
        `translate(${first.x.toFixed(1)} ${first.y.toFixed(1)}) rotate(${turn.toFixed(1)})` });
      text.textContent = sign ?? "";
      return text;
    }
    const line = points.map(pixel).map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    const path = svg("path", { class: `lit-${kind}`, d: `M${line}${CLOSED.has(kind) ? "Z" : ""}` });
    if (bed) path.dataset.bed = bed;
    if (share !== undefined) path.setAttribute("fill-opacity", share.toFixed(3));
    return path;
  }

  // The shapes to light now; unchanged while nothing may move.
  function wanted() {
    const { snapshot } = store;
    if (!snapshot) return { still: null, text: "[]", shapes: [] };
    const advice = aim?.turns === snapshot.turns && aim.match === snapshot.match ? aim : null;
    const best = settings.odds ? null : advice?.best ?? null; // the odds stand for the aim
    const odds = settings.odds ? advice?.fields ?? [] : [];
    const still = stillness(snapshot, best, odds);
    if (still && still === drawn.still) return drawn;
    const found = shapes(snapshot, best, signOf, odds);
    return { still, text: JSON.stringify(found), shapes: found };
  }

  /** @param {Last} last */
  function signOf({ by, fields }) {
    const { pieces } = readPosition(store.present.position, store.present.game.layout);
    const piece = pieces.get(fields[fields.length - 1]);
    return piece ? figure(piece.letter.toUpperCase(), by) : "";
  }

  function refresh() {
    const { snapshot } = store;
    const found = advised(store);
    if (found && snapshot) aim = { match: snapshot.match, turns: snapshot.turns, ...found };
    if (timer || wanted().text === drawn.text) {
      if (!timer) drawn = wanted();
      return;
    }
    timer = setTimeout(announce, Math.max(0, last + APART_MS - performance.now()));
  }

  function announce() {
    timer = tell(() => {
      [timer, last] = [0, performance.now()];
      drawn = wanted();
      document.querySelector(".projector-hint:not(.lasting)")?.remove();
      paint();
    });
  }

  store.on("change", (topic) => (topic === "state" || topic === "advice") && refresh());
  app.connection.on("status", ({ status, code }) => {
    if (status === "refused") stays(t(`refused.${code}`)); // else the page would be black without a word
  });
  if (app.role === "display") stays(t("light.role"));
}

/** @param {string} words */
function stays(words) {
  document.querySelector(".projector-hint")?.remove();
  document.body.append(h("p", { class: "projector-hint lasting" }, words));
}

function recall() {
  try {
    return soundMap(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    return null;
  }
}

/** @param {ProjectorMap | null} fit */
function keep(fit) {
  try {
    if (fit) localStorage.setItem(KEY, JSON.stringify(fit));
    else localStorage.removeItem(KEY);
  } catch {
    // A browser without storage keeps the map until the page closes.
  }
}
