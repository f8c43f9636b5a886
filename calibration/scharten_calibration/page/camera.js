// Calibrates one camera after the other: a click gives the point, a button accepts the result.

/** @typedef {{device: string, accepted: boolean, found: boolean, point: [number, number] | null}} Camera */

/** @type {Camera[]} */
let cameras = [];
let shown = 0;

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
  cameras = (await (await fetch("/state")).json()).cameras;
  const camera = cameras[shown];
  const state = camera.accepted ? " (accepted)" : "";
  byId("which").textContent = `Camera ${shown + 1} of ${cameras.length}: ${camera.device}${state}`;
  accept.disabled = !camera.found || camera.accepted;
  picture.src = `/picture/${shown}?${Date.now()}`;
}

/** @param {number} x @param {number} y */
async function point(x, y) {
  say("Looking at the board…", true);
  const answer = await post("/point", { camera: shown, x, y });
  await refresh();
  say(answer.words, answer.fine && !answer.doubt);
}

/** @param {number} number */
async function show(number) {
  shown = number;
  say("", true);
  await refresh();
  const camera = cameras[shown];
  if (camera.point && !camera.found) await point(...camera.point);
}

picture.addEventListener("click", (event) => {
  const box = picture.getBoundingClientRect();
  const scale = picture.naturalWidth / box.width;
  point((event.clientX - box.left) * scale, (event.clientY - box.top) * scale)
    .catch((error) => say(error.message, false));
});
accept.addEventListener("click", async () => {
  const answer = await post("/accept", { camera: shown });
  if (!answer.done) return show(cameras.findIndex((camera, number) => number !== shown && !camera.accepted));
  say("All cameras are calibrated; this page can be closed.", true);
  accept.disabled = true;
});
byId("next").addEventListener("click", () => show((shown + 1) % cameras.length));
show(0);
