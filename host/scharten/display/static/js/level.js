// A level of the computer in words: "3 · a beginner, 42 mm".

import { reference } from "./reference.js";
import { t } from "./words.js";

/** @type {Record<string, number>} */
let scatters = {}; // in mm, by level

/**
 * The engine and level of a computer of this game; in a loud game with the scatter of its darts, once that is known.
 * @param {Snapshot} snapshot
 * @param {Seat} seat
 */
export function levelWords({ computers, engines, kind }, seat) {
  const [level, engine] = [computers?.[seat], engines?.[seat]];
  if (!level) return "";
  const player = t("computer.level", { level, name: t(`level.${level}`) });
  const words = engine ? `${engine.name} ${engine.strength ?? ""} · ${player}`.replace("  ", " ") : player;
  const mm = kind === "loud" && scatters[level];
  return mm ? `${words}, ${t("scatter.mm", { mm })}` : words;
}

/**
 * Fetches the scatters where a computer plays; resolves to whether they are new.
 * @param {Snapshot | null} snapshot
 */
export async function learnLevels(snapshot) {
  const playing = Object.values(snapshot?.computers ?? {}).some(Boolean);
  if (!playing || Object.keys(scatters).length) return false;
  ({ levels: scatters } = await reference());
  return true;
}
