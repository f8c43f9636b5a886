// The news of a newer version of the program.

import { remember } from "../store.js";
import { addWords, t } from "../words.js";

const newer = remember(/** @type {NewerVersion | null} */ (null), { newer: (found) => found });

// Shows in the element which version is newer; it stays hidden until there is one.
/** @param {Store} store @param {HTMLElement} place */
export async function showNewer(store, place) {
  const found = newer(store);
  if (!found) return;
  await addWords("pages");
  place.textContent = t(`newer.${found.source}`, { version: found.version, running: found.running });
  place.hidden = false;
}
