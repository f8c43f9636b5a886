// What the service found when it opened the club's file, on each of its pages.

import { tell } from "../words.js";

/** @param {Evening | null} view */
export function fileWords(view) {
  return view?.file ? tell("evening.file", view.file.code, view.file.args, view.file.words) : "";
}
