// What keeps the machine from hearing darts, or anyone from playing, in words; empty when all is well.

import { known, t, tell } from "./words.js";

/** @param {Partial<Health>} health */
export function healthTrouble(health) {
  if (health.playable === false) return t("health.stopped", { reason: health.reason ?? "" });
  const sources = health.sources ?? [];
  const source = sources.find(({ state }) => state && state !== "found");
  const remarks = (health.remarks ?? []).map(({ code, args, words }) => tell("remark", code, args, words));
  if (source && sources.some(({ state }) => state === "found")) // the other sensor goes on alone
    return [...(source.name === "camera" ? remarks : []),
      t(source.name === "camera" ? "health.alone.camera" : "health.alone.board")].join(" ");
  if (source?.name === "camera" && remarks.length) return [...remarks, t("health.camera.waits")].join(" ");
  if (source) return sourceWords(source);
  const stuck = (health.stuck ?? []).map(({ drive, sense, bed }) => bed ?? `${drive}/${sense}`);
  if (stuck.length) remarks.push(t("health.stuck", { beds: stuck.join(", ") }));
  const asked = (health.computers ?? []).map(({ words }) => words); // stands beside the buttons that cure it
  const { calibrate } = health;
  const told = (health.warnings ?? []).map((words) => words === calibrate?.words ? calibrateWords(calibrate) : words);
  return [...remarks, ...told.filter((words) => !asked.includes(words))].join(" ");
}

// People corrected the cameras too often: which of them to calibrate, and where.
export function calibrateWords({ camera, corrected, darts }) {
  return t(camera ? "health.calibrate" : "health.calibrate.all", { camera, corrected, darts });
}

// Cameras have words of their own, with what to do; which of them it is stands in the detail.
/** @param {Record<string, any>} source */
function sourceWords({ name, state, detail }) {
  if (!known(`health.${name}.${state}`)) return tell("health", state, {}, detail);
  const which = /^camera (\d+)/.exec(detail ?? "");
  return t(`health.${name}.${state}`, { number: which ? which[1] : "" }).replace("  ", " ");
}
