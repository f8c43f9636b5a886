// Throws as the sensors read them, and the throw that every page of this board shows again.

import { remember } from "../store.js";

const RECENT = 40;

/** @typedef {Hit & {arrived: number, turns: number | undefined}} Reading a hit, with when and in which turn it came */

// The newest reading is the first; `again` is the time of the throw that is shown again.
/** @type {{readings: Reading[], again: number | null}} */
const NOTHING = { readings: [], again: null };

export const throws = remember(NOTHING, {
  hits: (hit, { readings }, { snapshot }) => ({
    readings: [{ ...hit, arrived: Date.now(), turns: snapshot?.turns }, ...readings].slice(0, RECENT),
    again: null,
  }),
  look: ({ at_ms }, value) => ({ ...value, again: at_ms }),
  state: ({ match }, value, { previous }) => (previous && previous.match !== match ? NOTHING : value),
});
