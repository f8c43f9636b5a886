// Shows the bed that the wizard asks for, without any knowledge of its own. The state comes as server-sent events;
// what a person presses goes back by POST.

import { text } from "./texts.js";

/**
 * @typedef {{phase: string, bed: string | null, where: string, profile: string, answer: string,
 *   taken: boolean, over: number, of: number, done: string[], skipped: string[]}} WizardState
 */

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} bed */
function shapes(bed) {
  const beds = bed.startsWith("S") ? [`F${bed.slice(1)}`, `L${bed.slice(1)}`] : [bed];
  return beds.flatMap((name) => document.getElementById(`bed-${name}`) ?? []);
}

/** @param {WizardState} state */
function show(state) {
  for (const shape of document.querySelectorAll("svg [id^=bed-]")) shape.classList.remove("ask", "done", "left");
  for (const bed of state.done) for (const shape of shapes(bed)) shape.classList.add("done");
  for (const bed of state.skipped) for (const shape of shapes(bed)) shape.classList.add("left");
  if (state.bed) for (const shape of shapes(state.bed)) shape.classList.add("ask");
  byId("phase").textContent = text(`matrix.phase.${state.phase}`);
  byId("ask").textContent = state.bed ? text("matrix.press", { bed: state.bed }) : text("matrix.all_done");
  byId("where").textContent = state.bed ? state.where : state.profile;
  answer(state.answer, state.taken);
  Object.assign(byId("bar"), { max: state.of, value: state.over });
  byId("count").textContent = text("matrix.count", { n: state.over, total: state.of });
}

/** @param {string} words @param {boolean} good */
function answer(words, good) {
  byId("answer").textContent = words;
  byId("answer").className = good ? "yes" : "no";
}

const events = new EventSource("/events");
events.addEventListener("message", ({ data }) => show(JSON.parse(data)));
events.addEventListener("error", () => answer(text("matrix.ended"), false));
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", () => fetch("/request", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ request: button.dataset.do }),
  }));
}
