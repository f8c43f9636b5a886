// The last page: how to go on, and what one needs to play on a table.

import { button, h } from "../dom.js";
import { language } from "../settings.js";
import { t } from "../words.js";

/** @param {() => void} again @param {string | null} [game] */
export function theEnd(again, game = null) {
  const buttons = h("div", { class: "action-row lesson-buttons" }, button(t("learn.restart"), again),
    h("a", { class: "button primary", href: "./" }, t("learn.to_play")));
  if (game) return [h("div", { class: "lesson-words" }, h("p", {}, t("learn.set.words"))), buttons];
  /** @param {string} name @param {string} suffix @param {string} key */
  const sheet = (name, suffix, key) => {
    const file = `schartbord-${name}-${language()}.${suffix}`;
    return h("li", {}, h("a", { href: `schartbord/${file}`, download: file }, t(key)));
  };
  return [
    h("div", { class: "lesson-words" }, h("p", {}, t("learn.set.words"))),
    h("h3", {}, t("learn.set.board")),
    h("div", { class: "lesson-words" }, h("p", {}, t("learn.set.print")),
      h("ul", {}, sheet("50cm-a4", "pdf", "learn.set.a4"), sheet("50cm", "svg", "learn.set.svg"),
        sheet("40cm-a4", "pdf", "learn.set.a4_small")),
      h("p", { class: "help" }, t("learn.set.command"), " ", h("code", {}, "scharten print-board"))),
    h("h3", {}, t("learn.set.pieces")),
    h("div", { class: "lesson-words" }, h("p", {}, t("learn.set.ninth")), h("p", {}, t("learn.set.darts"))),
    buttons,
  ];
}
