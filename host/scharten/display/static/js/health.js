// What keeps the machine from hearing darts, or anyone from playing, in words; empty when all is well.

import { known, t, tell } from "./words.js";

/** @param {Partial<Health>} health */
export function healthTrouble(health) {
  if (health.playable === false) return t("health.stopped", { reason: health.reason ?? "" });
  const sources = health.sources ?? [];
  const source = sources.find(({ state }) => state && state !== "found");
  if (source && sources.some(({ state }) => state === "found")) // the other sensor goes on alone
    return t(source.name === "camera" ? "health.alone.camera" : "health.alone.board");
  if (source) return sourceWords(source);
  const stuck = (health.stuck ?? []).map(({ drive, sense, bed }) => bed ?? `${drive}/${sense}`);
  if (stuck.length) return t("health.stuck", { beds: stuck.join(", ") });
  const asked = (health.computers ?? []).map(({ words }) => words); // stands beside the buttons that cure it
  return (health.warnings ?? []).filter((words) => !asked.includes(words)).join(" ");
}

// Cameras have words of their own, with what to do; which of them it is stands in the detail.
/** @param {Record<string, any>} source */
function sourceWords({ name, state, detail }) {
  if (!known(`health.${name}.${state}`)) return tell("health", state, {}, detail);
  const which = /^camera (\d+)/.exec(detail ?? "");
  return t(`health.${name}.${state}`, { number: which ? Number(which[1]) + 1 : "" }).replace("  ", " ");
}
