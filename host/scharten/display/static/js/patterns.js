// The stripes by which `scharten-calibrate projector` finds where the projector's light falls: shown over everything
// while it asks for them; each pattern is confirmed when it is on the screen.

import { afterPaint, h } from "./dom.js";
import { soundMap } from "./keystone.js";

const LONGEST_MS = 20000; // a tool that has gone leaves no stripes behind

/**
 * @param {Pick<App, "connection">} app
 * @param {{tell: (change: () => void) => number, useMap: (map: ProjectorMap) => void}} light
 */
export function createPatterns({ connection }, { tell, useMap }) {
  const canvas = h("canvas", { class: "patterns", hidden: true });
  document.body.append(canvas);
  let timer = 0;

  function hide() {
    clearTimeout(timer);
    canvas.hidden = true;
  }

  connection.on("topic", ({ topic, payload }) => {
    if (topic !== "projector") return;
    if (payload.keep !== undefined) tell(() => keep(payload));
    else if (payload.show !== undefined) show(payload);
  });

  // The first pattern and the end of the last one are announced to cameras; in between they watch the stripes.
  /** @param {ProjectorOrder} order */
  function show({ show: pattern = null, cell, n }) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = tell(hide); // the referee, too, looks at the board again
    }, LONGEST_MS);
    const change = () => {
      if (pattern === null) hide();
      else draw(canvas, pattern, cell);
      afterPaint(() => answer({ shown: n }));
    };
    if (canvas.hidden || pattern === null) tell(change);
    else change();
  }

  /** @param {ProjectorOrder} order */
  function keep({ keep: map, n }) {
    hide();
    const fit = soundMap(map);
    if (fit) useMap(fit);
    answer({ kept: n, sound: Boolean(fit) });
  }

  /** @param {object} more */
  function answer(more) {
    const whole = Boolean(document.fullscreenElement) || (innerWidth >= screen.width && innerHeight >= screen.height);
    connection.send("projector", { v: 1, ...more, width: innerWidth, height: innerHeight, full_screen: whole });
  }
}

// One picture: white, black, or the stripes of a bit of the Gray code of the cells along an axis.
/** @param {HTMLCanvasElement} canvas @param {Pattern} pattern @param {number} cell */
function draw(canvas, { axis, bit = 0, inverse = false }, cell) {
  [canvas.width, canvas.height] = [innerWidth, innerHeight];
  canvas.hidden = false;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = axis === "white" ? "#fff" : "#000";
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (axis === "white" || axis === "black") return;
  context.fillStyle = "#fff";
  const length = axis === "x" ? canvas.width : canvas.height;
  for (let place = 0; place * cell < length; place++) {
    if (Boolean(((place ^ (place >> 1)) >> bit) & 1) === inverse) continue;
    if (axis === "x") context.fillRect(place * cell, 0, cell, canvas.height);
    else context.fillRect(0, place * cell, canvas.width, cell);
  }
}
