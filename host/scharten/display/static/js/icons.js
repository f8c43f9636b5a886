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
  play: "M9 21h7M10 18h5M12.5 3a3.5 3.5 0 0 1 2 6.4L16 18H9l1.5-8.6a3.5 3.5 0 0 1 2-6.4z",
  practice: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 12h.01",
  problems: "M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .9-1 1.7v.5M12 18h.01M4 4h16v16H4z",
  learn: "M12 6C9 4 6 4 3 5v14c3-1 6-1 9 1 3-2 6-2 9-1V5c-3-1-6-1-9 1zM12 6v14",
  endgames: "M12 3v6M9.5 5.5h5M12 13c0-2 1-3.5 3.5-3.5 4 0 4 4.5.5 7.5H8"
    + "c-3.5-3-3.5-7.5.5-7.5 2.5 0 3.5 1.5 3.5 3.5zM7.5 20.5h9",
  players: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14a6.5 6.5"
    + " 0 0 1 3.5 6",
  games: "M5 4h14v16H5zM9 4v16M12.5 9h3.5M12.5 13h3.5",
  club: "M8 4h8v6a4 4 0 0 1-8 0zM8 6H4c0 3 1.5 5 4 5M16 6h4c0 3-1.5 5-4 5M12 14v4M8.5 20h7",
  home: "M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6",
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
