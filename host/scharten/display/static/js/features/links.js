// Links to this server for other devices.

import { remember } from "../store.js";

export const links = remember(/** @type {Links} */ ({ local: true, links: [] }), { links: (newest) => newest });
