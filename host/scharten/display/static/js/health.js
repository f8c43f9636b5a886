// The words for faults that keep the machine from noticing darts, or people from playing; empty without a fault.

import { remember } from "./store.js";
import { known, t, tell } from "./words.js";

export const health = remember(/** @type {Partial<Health>} */ ({}), { health: (newest) => newest });

/** @param {Partial<Health>} newest */
export function healthTrouble(newest) {
  if (newest.playable === false) return t("health.stopped", { reason: stopWords(newest).reason });
  const sources = newest.sources ?? [];
  const faults = (newest.parts ?? []).filter(({ recent }) => recent).map(partWords);
  const source = sources.find(({ state }) => state && state !== "found");
  const remarks = (newest.remarks ?? []).map(({ code, args, words }) => tell("remark", code, args, words));
  if (source && sources.some(({ state }) => state === "found")) // the other sensor goes on alone
    return [...(source.name === "camera" ? remarks : []),
      t(source.name === "camera" ? "health.alone.camera" : "health.alone.board")].join(" ");
  if (source?.name === "camera" && remarks.length) return [...remarks, t("health.camera.waits")].join(" ");
  if (source) return sourceWords(source);
  const stuck = (newest.stuck ?? []).map(({ drive, sense, bed }) => bed ?? `${drive}/${sense}`);
  if (stuck.length) remarks.push(t("health.stuck", { beds: stuck.join(", ") }));
  const asked = (newest.computers ?? []).map(({ words }) => words); // shown beside the buttons that cure it
  const { calibrate } = newest;
  const warnings = (newest.warnings ?? []).map((words) =>
    words === calibrate?.words ? calibrateWords(calibrate) : warningWords(newest, words));
  return [...remarks, ...warnings.filter((words) => !asked.includes(words)), ...faults].join(" ");
}

// A warning in the reader's language, by its code; as the host wrote it where no language has the code.
/** @param {Partial<Health>} newest @param {string} words */
export function warningWords(newest, words) {
  const notice = newest.notices?.find((found) => found.words === words);
  return notice ? tell("notice", notice.code, {}, words) : words;
}

// Why nobody can play, and the cure.
/** @param {Partial<Health>} newest */
export function stopWords({ reason_code: code, reason, cure }) {
  return code && known(`notice.${code}`) ? { reason: t(`notice.${code}`), cure: t(`notice.${code}.todo`) }
    : { reason: reason ?? "", cure: cure ?? "" };
}

// The sentence about a part of the program that failed; its name is that of the log.
/** @param {PartFault} part */
export function partWords({ name, state }) {
  return t(`health.part.${state}`, { name });
}

// People corrected the cameras too often: which of them to calibrate, and where.
/** @param {CalibrateModel} calibrate */
export function calibrateWords({ camera, corrected, darts }) {
  return t(camera ? "health.calibrate" : "health.calibrate.all", { camera, corrected, darts });
}

// Cameras have words of their own, with the cure; the detail names the camera.
/** @param {Record<string, any>} source */
function sourceWords({ name, state, detail }) {
  if (!known(`health.${name}.${state}`)) return tell("health", state, {}, detail);
  const which = /^camera (\d+)/.exec(detail ?? "");
  return t(`health.${name}.${state}`, { number: which ? which[1] : "" }).replace("  ", " ");
}
