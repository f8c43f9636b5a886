// The line of navigation: the pages of this server, each with its sign and its name.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./words.js";

/** @type {[name: string, path: string, sign: import("./icons.js").IconName][]} */
const PAGES = [["play", "./", "play"], ["practice", "practice", "practice"], ["problems", "problems", "problems"],
  ["learn", "learn", "learn"], ["endgames", "endgames", "endgames"],
  ["players", "players", "players"], ["games", "archive", "games"],
  ["club", "club", "club"], ["setup", "setup", "settings"]];
const SETTERS = ["table", "arbiter"]; // the roles that may set the machine up

/** The names of the pages that this server has. */
export const served = (document.documentElement.dataset.pages ?? "").split(" ").filter(Boolean);

/**
 * The address of another page for the same person: the role goes along, and a language that the address chose.
 * @param {string} path
 */
export function addressOf(path) {
  const here = new URLSearchParams(location.search);
  const along = new URLSearchParams();
  for (const name of ["role", "lang", "theme"]) {
    const value = here.get(name);
    if (value) along.set(name, value);
  }
  return along.size ? `${path}?${along}` : path;
}

/** The links to the pages of this server; the page that is open is marked. */
export function navigation() {
  const role = new URLSearchParams(location.search).get("role") ?? "table";
  const here = location.pathname.split("/").at(-1);
  const shown = PAGES.filter(([name]) => served.includes(name) && (name !== "setup" || SETTERS.includes(role)));
  return h("nav", { class: "pages", "aria-label": t("nav") }, shown.length < 2 ? [] : shown.map(([name, path, sign]) =>
    h("a", { href: addressOf(path), "data-page": name,
      "aria-current": path.replace("./", "") === here ? "page" : null }, icon(sign), h("span", {}, t(`nav.${name}`)))));
}
