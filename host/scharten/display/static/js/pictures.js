// Pictures of a finished game to share: its end, and the game position by position. The server draws them.

import { h } from "./dom.js";
import { language } from "./settings.js";
import { t } from "./words.js";

/** @param {string} match */
export function pictureLinks(match) {
  return ["png", "gif"].map((ending) => h("a", { class: "button", download: `scharten-${match}.${ending}`,
    href: `archive/${match}.${ending}?lang=${language()}`, "data-picture": ending }, t(`picture.${ending}`)));
}
