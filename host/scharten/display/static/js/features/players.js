// The registered players who sat down for the next game.

import { remember } from "../store.js";

export const seated = remember(/** @type {Topics["seated"]} */ ({ seat1: null, seat2: null }), {
  seated: (newest) => newest,
});
