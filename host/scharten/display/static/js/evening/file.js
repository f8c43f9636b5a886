// The message about the club's file from when the service opened it, on each of its pages.

import { tell } from "../words.js";

/** @param {Evening | null} view */
export function fileWords(view) {
  return view?.file ? tell("evening.file", view.file.code, view.file.args, view.file.words) : "";
}
