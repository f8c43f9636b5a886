// The signs on buttons, drawn here: no font has all of them. Each is one path in a box of 24 by 24.

import { svg } from "./svg.js";

const PATHS = {
  close: "M6 6L18 18M18 6L6 18",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  first: "M6 5v14M18 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  on: "M8 5l9 7-9 7z",
  now: "M18 5v14M6 5l9 7-9 7z",
  pause: "M8.5 5v14M15.5 5v14",
  undo: "M9 7L4 12l5 5M4 12h11a5 5 0 0 1 0 10h-3",
  redo: "M15 7l5 5-5 5M20 12H9a5 5 0 0 0 0 10h3",
  menu: "M4 7h16M4 12h16M4 17h16",
  flip: "M8 4v15M4 15l4 4 4-4M16 20V5M12 9l4-4 4 4",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 21a7.5 7.5 0 0 1 15 0",
  phone: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",
  full_screen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  lost: "M5 5L19 19M19 5L5 19",
};

// A drawing for a button that has an `aria-label`; with a title it names itself.
/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name @param {string} [title] */
export function icon(name, title = "") {
  const drawing = svg("svg", { viewBox: "0 0 24 24", class: "icon-drawing" });
  drawing.setAttribute(title ? "role" : "aria-hidden", title ? "img" : "true");
  if (title) svg("title", {}, drawing).append(title);
  svg("path", { d: PATHS[name] }, drawing);
  return drawing;
}
