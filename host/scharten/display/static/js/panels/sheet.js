// The score sheet: read it, step back through it, take it home.

import { button, h, iconButton, setText } from "../dom.js";
import { addressOf } from "../nav.js";
import { letters } from "../settings.js";
import { gameName, notation, reasonWords, t } from "../words.js";
import { createCaptured } from "./captured.js";

/** @typedef {Pick<SheetEntry, "text"> & {n: number | "", side: Side | "", bed?: string | null}} ShownEntry */

/** @param {App} app @param {HTMLElement} host @param {HTMLElement} files for the buttons that take it home */
export function createSheet(app, host, files) {
  const { store } = app;
  const list = h("ol", { class: "moves", tabindex: "0", "aria-label": t("sheet") });
  /**
   * @param {import("../icons.js").IconName} sign
   * @param {string} key
   * @param {() => number | null} to
   */
  const step = (sign, key, to) => iconButton(sign, t(key), () => store.look(to()));
  const here = () => store.reviewing ?? store.entries().length - 1;
  const steps = h("div", { class: "steps" },
    step("first", "sheet.first", () => -1), step("back", "sheet.back", () => here() - 1),
    step("on", "sheet.on", () => here() + 1), step("now", "sheet.now", () => null));
  const keep = h("div", { class: "action-row small-buttons" },
    button(t("sheet.download"), () => download(app)), button(t("sheet.print"), () => printed(app)));
  const title = h("h2", {}, t("sheet"));
  const { element: captured, show: showCaptured } = createCaptured(store);
  host.append(h("div", { class: "sheet-head" }, title, steps), captured, list);
  files.append(keep);
  let drawn = "";
  /** @type {string[]} */
  let drawnRows = [];

  /** @param {ShownEntry} entry @param {number} index @param {boolean} chosen */
  function row(entry, index, chosen) {
    const attributes = { class: `move ${entry.side} ${chosen ? "here" : ""}`, "aria-current": chosen ? "step" : null };
    const number = entry.n && (entry.side === "white" || index === 0)
      ? h("span", { class: "move-number" }, `${entry.n}.`) : null;
    const bed = entry.bed && entry.text?.startsWith("@-") && !entry.text.includes("{") ? ` {${entry.bed}}` : "";
    return h("li", { class: entry.side }, number,
      button(notation(entry.text, entry.side) + bed, () => store.look(index), attributes));
  }

  // Draws only rows that are new or changed: a long game costs no more than a short one.
  /** @param {ShownEntry[]} entries @param {string} end */
  function drawRows(entries, end) {
    const wanted = entries.map((entry, index) => {
      const chosen = store.reviewing === index || (store.reviewing === null && index === entries.length - 1);
      return { key: JSON.stringify([entry.n, entry.side, entry.text, entry.bed, chosen]), make: () =>
        row(entry, index, chosen) };
    });
    if (end) wanted.push({ key: end, make: () => h("li", { class: "result" }, end) });
    while (list.children.length > wanted.length) list.lastChild?.remove();
    wanted.forEach(({ key, make }, index) => {
      const present = list.children[index];
      if (present && drawnRows[index] === key) return;
      if (present) present.replaceWith(make());
      else list.append(make());
    });
    drawnRows = wanted.map(({ key }) => key);
  }

  // The turn that is shown is in view, also after the list got another size: a list that was hidden stands at its top.
  function scroll() {
    if (store.reviewing === null) list.scrollTop = list.scrollHeight;
    else list.querySelector(".here")?.scrollIntoView({ block: "nearest" });
  }
  new ResizeObserver(scroll).observe(list);

  return {
    /** @param {Set<string>} news */
    update(news) {
      if (!["sheet", "state", "review", "start"].some((topic) => news.has(topic))) return;
      const { snapshot } = store;
      const entries = store.entries();
      const shown = entries.length ? entries : shortSheet(snapshot);
      const key = JSON.stringify([shown.length, shown.at(-1)?.text, store.reviewing, snapshot?.match,
        snapshot?.result]);
      if (key === drawn) return;
      drawn = key;
      setText(title, snapshot?.match ? gameName(snapshot) : t("sheet"));
      showCaptured();
      drawRows(shown, snapshot?.result ? `${snapshot.result} (${reasonWords(snapshot)})` : "");
      scroll();
    },
  };
}

// Before the whole sheet has come: the last entries of the snapshot, as texts.
/** @param {Snapshot | null} snapshot @returns {ShownEntry[]} */
function shortSheet(snapshot) {
  return (snapshot?.sheet ?? []).map((text) => ({ n: "", side: "", text }));
}

// The server writes the sheet, the same one everywhere.
/** @param {App} app */
function address(app) {
  const match = app.store.snapshot?.match;
  return app.store.welcome?.archive ? `archive/${match}.txt?lang=${letters()}` : `sheet?lang=${letters()}`;
}

/** @param {App} app */
function printed(app) {
  window.open(app.store.welcome?.archive ? `${addressOf("print")}#${app.store.snapshot?.match}` : address(app));
}

/** @param {App} app */
function download(app) {
  h("a", { href: `${address(app)}&keep`, download: "" }).click();
}
