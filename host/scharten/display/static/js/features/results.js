// The games that ended this evening.

import { remember } from "../store.js";

export const results = remember(/** @type {FinishedGame[]} */ ([]), { results: ({ games }) => games });
