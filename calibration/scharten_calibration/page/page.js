// Shows what the wizard asks for; knows nothing itself. State comes as server-sent events, wishes go back by POST.
const at = (id) => document.getElementById(id);
const shapes = (bed) => (bed.startsWith("S") ? [`F${bed.slice(1)}`, `L${bed.slice(1)}`] : [bed])
  .map((name) => at(`bed-${name}`)).filter(Boolean);
const PHASES = { probing: "First: how is this board made?", mapping: "Mapping", verifying: "Checking, in another order", done: "Done" };

function show(state) {
  for (const shape of document.querySelectorAll("svg [id^=bed-]")) shape.classList.remove("ask", "done", "left");
  for (const bed of state.done) for (const shape of shapes(bed)) shape.classList.add("done");
  for (const bed of state.skipped) for (const shape of shapes(bed)) shape.classList.add("left");
  if (state.bed) for (const shape of shapes(state.bed)) shape.classList.add("ask");
  at("phase").textContent = PHASES[state.phase];
  at("ask").textContent = state.bed ? `Press ${state.bed}` : "All done";
  at("where").textContent = state.bed ? state.where : state.profile;
  at("answer").textContent = state.answer;
  at("answer").className = state.taken ? "yes" : "no";
  at("bar").max = state.of;
  at("bar").value = state.over;
  at("count").textContent = `${state.over} of ${state.of}`;
}

const events = new EventSource("/events");
events.onmessage = (message) => show(JSON.parse(message.data));
events.onerror = () => { at("answer").textContent = "The calibration program has ended or cannot be reached."; at("answer").className = "no"; };
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", () => fetch("/wish", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ wish: button.dataset.do }),
  }));
}
