// A level of the computer in words: "3 · a beginner, 42 mm", or "like Anna, 34 mm".

import { reference } from "./reference.js";
import { t } from "./words.js";

/** @type {Record<string, number>} */
let scatters = {}; // in mm, by level
/** @type {Map<string, string> | null} */
let names = null; // of registered players, by id

/**
 * The engine and level of a computer of this game; in a loud game with the scatter of its darts, once that is known.
 * @param {Snapshot} snapshot
 * @param {Seat} seat
 */
export function levelWords({ computers, engines, stand_ins: standIns, kind }, seat) {
  const [level, engine, standIn] = [computers?.[seat], engines?.[seat], standIns?.[seat]];
  if (!level) return "";
  if (standIn) {
    return t("computer.stand_in_for", { name: names?.get(standIn.player) ?? t("players.gone"),
      mm: Math.round(standIn.mm) });
  }
  const player = t("computer.level", { level, name: t(`level.${level}`) });
  const words = engine ? `${engine.name} ${engine.strength ?? ""} · ${player}`.replace("  ", " ") : player;
  const mm = kind === "loud" && scatters[level];
  return mm ? `${words}, ${t("scatter.mm", { mm })}` : words;
}

/**
 * Fetches the scatters where a computer plays, and the names it plays as; resolves to whether they are new.
 * @param {Snapshot | null} snapshot
 */
export async function learnLevels(snapshot) {
  const playing = Object.values(snapshot?.computers ?? {}).some(Boolean);
  if (!playing) return false;
  const named = names === null && Object.values(snapshot?.stand_ins ?? {}).some(Boolean);
  if (named) {
    const { players } = await (await fetch("players/names.json")).json();
    names = new Map(players.map((/** @type {Person} */ { id, name }) => [id, name]));
  }
  if (Object.keys(scatters).length) return named;
  ({ levels: scatters } = await reference());
  return true;
}
