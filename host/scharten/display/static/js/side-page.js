// The parts that the pages beside the play page share: the colours of this device and the line at the top.

import { byId, find, h, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { addressOf, navigation, served } from "./nav.js";
import { apply } from "./settings.js";
import { t } from "./words.js";
import { openSettings } from "./dialogs/settings.js";

// Where a page has nothing for this visitor: the way to the board, below the top line.
/** @param {boolean} wanted */
export function offerWayHome(wanted) {
  find(document, ".way-home")?.remove();
  if (wanted) byId("header").after(h("p", { class: "way-home" }, h("a", { class: "button big", href: "./" },
    t("status.to_play"))));
}

// Draws the top line; returns the element for the state of the connection.
/** @param {string} titleKey @param {...Leaf} tools */
export function setUpPage(titleKey, ...tools) {
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  document.title = `${t(titleKey)} – ${t("app.title")}`;
  const state = h("p", { class: "link-state", role: "status", hidden: true });
  const settings = iconButton("settings", t("settings"), openSettings, { id: "settings" });
  byId("header").append(
    brand(), h("h1", {}, t(titleKey)), navigation(), state,
    h("div", { class: "tools", role: "group", "aria-label": t("tools") }, tools, settings));
  byId("header").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  return state;
}

// The name of the program, which leads home where there is such a page.
function brand() {
  return served.includes("home") ? h("a", { class: "brand", href: addressOf("home") }, icon("home"), t("app.title"))
    : h("span", { class: "brand" }, t("app.title"));
}
