// Pictures of a finished game to share: its end, and the game position by position. The server draws them.

import { h } from "./dom.js";
import { language } from "./settings.js";
import { t } from "./words.js";

/** @param {string} match */
export function pictureLinks(match) {
  return ["png", "gif"].map((ending) => h("a", { class: "button", download: `scharten-${match}.${ending}`,
    href: `archive/${match}.${ending}?lang=${language()}`, "data-picture": ending }, t(`picture.${ending}`)));
}

/** A link to the review of a finished game: head, hand and luck. @param {string} match */
export function reviewLink(match) {
  return h("a", { class: "button", id: "review-link", href: `review/${match}?lang=${language()}` },
    t("picture.review"));
}
