// Loads the firmware onto an Arduino at the browser's own machine; a Pico takes it as a file.

import { button, h } from "../dom.js";
import { t } from "../words.js";
import { SerialLine } from "./serial-line.js";
import { CHIPS, FlashError, flash, parseHex } from "./stk500.js";

export function drawFlashing() {
  const words = h("p", { class: "said", role: "status" });
  const bar = h("progress", { max: "1", value: "0", hidden: true, "aria-label": t("setup.flash") });
  const serial = /** @type {SerialLike | undefined} */ (Reflect.get(navigator, "serial"));
  const row = h("div", { class: "action-row" }, Object.keys(CHIPS).map((kind) =>
    button(t(`setup.flash.${kind}`), () => load(kind), { id: `flash-${kind}` })));

  /** @param {string} kind */
  async function load(kind) {
    const port = await serial?.requestPort().catch(() => null);
    if (!port) return;
    const line = new SerialLine(port);
    for (const control of row.querySelectorAll("button")) control.disabled = true;
    bar.hidden = false;
    words.textContent = t("setup.flash.waits");
    try {
      const answer = await fetch(`firmware/${CHIPS[kind].image}`);
      await flash(line, kind, parseHex(await answer.text()), (share) => { bar.value = share; });
      words.textContent = t("setup.flash.done");
    } catch (error) {
      words.textContent = t(`setup.flash.${error instanceof FlashError ? error.code : "busy"}`);
    } finally {
      await line.close().catch(() => {});
      bar.hidden = true;
      for (const control of row.querySelectorAll("button")) control.disabled = false;
    }
  }

  return h("details", { id: "flashing" }, h("summary", {}, t("setup.flash")),
    h("p", { class: "help" }, t(serial ? "setup.flash.help" : "setup.flash.unable")), serial ? row : null, bar, words,
    h("p", { class: "help" }, h("a", { href: "firmware/pico.uf2", download: "pico.uf2" }, t("setup.flash.pico")), " ",
      t("setup.flash.pico.help")));
}
