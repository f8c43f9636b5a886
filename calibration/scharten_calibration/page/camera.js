// Calibrates one camera after the other: one click or four give the point or the wires, a button accepts.

import { text } from "./texts.js";

/** @typedef {{device: string, accepted: boolean, found: boolean, point: [number, number] | null}} Camera */

/** @type {Camera[]} */
let cameras = [];
let shown = 0;
/** @type {string[]} */
let names = [];
/** @type {[number, number][] | null} The wires marked so far; null: the double 20 is asked for. */
let wires = null;

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

const picture = /** @type {HTMLImageElement} */ (byId("picture"));
const accept = /** @type {HTMLButtonElement} */ (byId("accept"));

/** @param {string} path @param {object} data */
async function post(path, data) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(data) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** @param {string} words @param {boolean} good */
function say(words, good) {
  byId("answer").textContent = words;
  byId("answer").className = good ? "yes" : "no";
}

async function refresh() {
  ({ cameras, wires: names } = await (await fetch("/state")).json());
  const camera = cameras[shown];
  const which = { n: shown + 1, total: cameras.length, device: camera.device };
  byId("which").textContent = text(camera.accepted ? "camera.which_accepted" : "camera.which", which);
  accept.disabled = !camera.found || camera.accepted;
  picture.src = `/picture/${shown}?${Date.now()}`;
}

/** @param {number} x @param {number} y */
async function point(x, y) {
  say(text("camera.looking"), true);
  const answer = await post("/point", { camera: shown, x, y });
  await refresh();
  say(answer.words, answer.fine && !answer.doubt);
}

// Says what the next click is to hit.
function ask() {
  const [first, second] = wires ? names[wires.length].split("/") : [];
  const wanted = { n: (wires?.length ?? 0) + 1, total: names.length, first, second };
  byId("ask").textContent = text(wires ? "camera.wire" : "camera.ask", wanted);
  byId("help").textContent = text(wires ? "camera.wire_help" : "camera.help", wanted);
  byId("four").textContent = text(wires ? "camera.double" : "camera.four");
}

/** @param {number} x @param {number} y */
async function wire(x, y) {
  const points = [...wires ?? [], [x, y]];
  wires = points.length < names.length ? /** @type {[number, number][]} */ (points) : [];
  ask();
  if (wires.length) return say(text("camera.marked", { n: wires.length, total: names.length }), true);
  say(text("camera.looking"), true);
  const answer = await post("/wires", { camera: shown, points });
  await refresh();
  say(answer.words, answer.fine && !answer.doubt);
}

/** @param {number} number */
async function show(number) {
  shown = number;
  wires = null;
  say("", true);
  await refresh();
  ask();
  const camera = cameras[shown];
  if (camera.point && !camera.found) await point(...camera.point);
}

picture.addEventListener("click", (event) => {
  const box = picture.getBoundingClientRect();
  const scale = picture.naturalWidth / box.width;
  (wires ? wire : point)((event.clientX - box.left) * scale, (event.clientY - box.top) * scale)
    .catch((error) => say(error.message, false));
});
accept.addEventListener("click", async () => {
  const answer = await post("/accept", { camera: shown });
  if (!answer.done) return show(cameras.findIndex((camera, number) => number !== shown && !camera.accepted));
  say(text("camera.done"), true);
  accept.disabled = true;
});
byId("four").addEventListener("click", () => {
  wires = wires ? null : [];
  ask();
});
byId("next").addEventListener("click", () => show((shown + 1) % cameras.length));
show(0);
