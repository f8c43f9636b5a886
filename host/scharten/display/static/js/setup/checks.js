// The checks of this machine, with a button for each cure that it can do itself.

import { button, h } from "../dom.js";
import { language } from "../settings.js";
import { t } from "../words.js";

/** @typedef {{weight: string, code: string, words: string, todo?: string, cure?: string}} Finding */

/** @type {Record<string, string>} */
const MARKS = { good: "✓", warns: "!", bad: "✗" };

/** @param {SetupApp} app */
export function createChecks({ ask }) {
  const list = h("ul", { class: "findings" });
  const words = h("p", { class: "said", role: "status" });
  const repeat = button(t("setup.check_again"), run, { id: "check-again" });
  const element = h("div", { class: "part" }, words, list, h("div", { class: "action-row" }, repeat));

  async function run() {
    repeat.disabled = true;
    words.textContent = t("setup.checking");
    const found = await ask("check", { language: language() });
    repeat.disabled = false;
    if (!found.accepted) return void (words.textContent = found.reason);
    /** @type {Finding[]} */
    const findings = found.findings;
    const bad = findings.filter(({ weight }) => weight === "bad").length;
    words.textContent = bad ? t("setup.checks.bad", { count: bad }) : t("setup.checks.good");
    list.replaceChildren(...findings.map(row));
  }

  /** @param {Finding} finding */
  function row({ weight, code, words: text, todo, cure }) {
    return h("li", { class: weight, "data-code": code },
      h("span", { class: "mark", role: "img", "aria-label": t(`setup.weight.${weight}`) }, MARKS[weight]),
      h("span", {}, text), todo ? h("span", { class: "todo" }, todo) : null,
      cure ? button(t(`setup.cure.${cure}`), () => doIt(cure), { "data-cure": cure }) : null);
  }

  /** @param {string} cure */
  async function doIt(cure) {
    if (cure === "drop_pictures" && !confirm(t("setup.cure.drop_pictures.sure"))) return;
    words.textContent = t("setup.checking");
    const answer = await ask("cure", { cure });
    if (!answer.accepted) return void (words.textContent = answer.reason);
    if (answer.again) words.textContent = t("setup.again");
    else run();
  }

  return { element, run };
}
