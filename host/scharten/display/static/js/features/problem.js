// The day's problem, and who solved it.

import { remember } from "../store.js";

export const dayProblem = remember(/** @type {DayModel | null} */ (null), { problem: (newest) => newest });
