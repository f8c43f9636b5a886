// The drawer over the players' slabs: the figures and the rules of this game; where a screen is too small to have the
// moves in view, they are in the drawer too.

import { h, iconButton } from "../dom.js";
import { known, t } from "../words.js";

const ROOM = matchMedia("(min-aspect-ratio: 105/100) and (min-height: 500px)");

/**
 * @param {App} app
 * @param {HTMLElement} host
 * @param {HTMLElement} sheet the moves
 * @param {HTMLElement} inView their place beside the board
 */
export function createDrawer(app, host, sheet, inView) {
  const { store } = app;
  const figures = h("section", { "aria-label": t("figures") });
  const rules = h("section", { "aria-label": t("drawer.rules") });
  const close = iconButton("close", t("close"), () => show(false), { class: "plain drawer-close" });
  host.prepend(h("div", { class: "dialog-head" }, h("h2", {}, t("drawer.title")), close));
  const files = h("section", {});
  host.append(files, figures, rules);
  const place = () => (ROOM.matches ? inView.append(sheet) : files.before(sheet));
  ROOM.addEventListener("change", place);
  place();
  host.setAttribute("aria-label", t("drawer.title"));
  const handle = iconButton("menu", t("drawer.title"), () => show(host.hidden),
    { id: "drawer-handle", "aria-expanded": "false", "aria-controls": "drawer" });
  host.addEventListener("keydown", (event) => event.key === "Escape" && show(false));
  let drawn = "";

  /** @param {boolean} open */
  function show(open) {
    host.hidden = !open;
    handle.setAttribute("aria-expanded", String(open));
    if (open) close.focus();
    else {
      if (!ROOM.matches) store.look(null);
      handle.focus();
    }
    draw();
  }

  async function draw() {
    const { snapshot } = store;
    if (!snapshot || host.hidden) return;
    const key = JSON.stringify([snapshot.match, snapshot.seq, store.entries().length]);
    if (key === drawn) return;
    drawn = key;
    rules.replaceChildren(h("h2", {}, t("drawer.rules")), h("div", { class: "facts rules" }, ruleRows(snapshot)));
    const { figureRows } = await import("./figures.js");
    figures.replaceChildren(h("h2", {}, t("figures")), figureRows(store.present, store.entries()));
  }

  return { handle, files, update: draw };
}

// Each option that has words, with its choice in words.
/** @param {Snapshot} snapshot */
function ruleRows(snapshot) {
  return Object.entries(snapshot.game.options).flatMap(([name, value]) => {
    const sides = value && typeof value === "object" && "white" in value ? Object.entries(value) : null;
    if (sides && known(`new.${name}.white`)) {
      return sides.flatMap(([side, one]) => pair(t(`new.${name}.${side}`), Array.isArray(one) ? one.join(" ") : one));
    }
    if (!known(`new.${name}`) || name === "clock" || value === null || typeof value === "object") return [];
    const word = typeof value === "boolean" ? (value ? "yes" : "no") : value;
    if (name.endsWith("_ms")) return pair(t(`new.${name}`), Number(value) / 1000); // in seconds, as its words have it
    return pair(t(`new.${name}`), known(`new.${name}.${word}`) ? t(`new.${name}.${word}`) : value);
  });
}

/** @param {string} name @param {unknown} value */
function pair(name, value) {
  return [h("span", {}, name), h("span", { class: "figure" }, String(value))];
}
