// Who plays next on this board: registered players who sat down, and the pair of a club's evening.

import { remember } from "../store.js";

export const seated = remember(/** @type {Topics["seated"]} */ ({ seat1: null, seat2: null }), {
  seated: (newest) => newest,
});

export const nextPair = remember(/** @type {NextPair["pair"]} */ (null), { next: ({ pair }) => pair });
