// What keeps the machine from hearing darts, or anyone from playing, in words; empty when all is well.

import { t, tell } from "./words.js";

export function machineTrouble(health) {
  if (health.playable === false) return t("health.stopped", { reason: health.reason ?? "" });
  const source = (health.sources ?? []).find(({ state }) => state && state !== "found");
  if (source) return tell("health", source.state, {}, source.detail);
  const stuck = (health.stuck ?? []).map(({ drive, sense, bed }) => bed ?? `${drive}/${sense}`);
  if (stuck.length) return t("health.stuck", { beds: stuck.join(", ") });
  return health.warnings?.length ? t("health.open") : "";
}
