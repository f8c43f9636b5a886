// One camera after the other: a click gives the point, a button accepts what was found.
const $ = (id) => document.getElementById(id);
let cameras = [];
let shown = 0;

async function post(path, data) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

function say(words, fine) {
  $("answer").textContent = words;
  $("answer").className = fine ? "yes" : "no";
}

async function refresh() {
  cameras = (await (await fetch("/state")).json()).cameras;
  const camera = cameras[shown];
  $("which").textContent = `Camera ${shown + 1} of ${cameras.length}: ${camera.device}${camera.accepted ? " (accepted)" : ""}`;
  $("accept").disabled = !camera.found || camera.accepted;
  $("picture").src = `/picture/${shown}?${Date.now()}`;
}

async function point(x, y) {
  say("Looking at the board…", true);
  const answer = await post("/point", { camera: shown, x, y });
  await refresh();
  say(answer.words, answer.fine && !answer.doubt);
}

$("picture").addEventListener("click", (event) => {
  const box = $("picture").getBoundingClientRect();
  const scale = $("picture").naturalWidth / box.width;
  point((event.clientX - box.left) * scale, (event.clientY - box.top) * scale).catch((error) => say(error.message, false));
});
$("accept").addEventListener("click", async () => {
  const answer = await post("/accept", { camera: shown });
  if (answer.done) { say("All cameras are calibrated; this page can be closed.", true); $("accept").disabled = true; return; }
  await show(cameras.findIndex((camera, number) => number !== shown && !camera.accepted));
});
$("next").addEventListener("click", () => show((shown + 1) % cameras.length));

async function show(number) {
  shown = number;
  say("", true);
  await refresh();
  const camera = cameras[shown];
  if (camera.point && !camera.found) await point(...camera.point);
}
show(0);
