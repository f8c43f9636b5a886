// Where to aim, as the host's adviser computed it.

import { remember } from "../store.js";

export const advice = remember(/** @type {Advice | null} */ (null), { advice: (newest) => newest });

/**
 * The advice for the present turn, if anybody asked for it.
 * @param {Store} store
 */
export function advised(store) {
  const newest = advice(store);
  const { match, seq } = store.snapshot ?? {};
  return newest && newest.match === match && newest.seq === seq ? newest.advice : null;
}
