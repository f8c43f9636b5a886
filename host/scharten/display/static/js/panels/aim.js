// The dart that an entered move waits for, in a loud game on squares: the beds to hit, in words. The dartboard with
// the beds that hit, over the board, is `throwing.js`'s.

import { h } from "../dom.js";
import { aimWords } from "../turns.js";
import { t } from "../words.js";

/** @param {App} app @param {HTMLElement} host */
export function createAim(app, host) {
  const title = h("h2", { id: "aim-title", tabindex: "-1" });
  const hint = h("p", { class: "aim-hint" });
  const fouls = h("p", { class: "help" });
  host.setAttribute("aria-labelledby", "aim-title");
  host.append(title, hint, fouls);
  let drawn = "null";

  return {
    update() {
      const { snapshot } = app.store;
      const aim = snapshot?.phase === "throwing" ? snapshot.shown.aim ?? null : null;
      const key = JSON.stringify([aim, snapshot?.shown.fouls]);
      if (key === drawn) return;
      drawn = key;
      host.hidden = !aim;
      if (!aim || !snapshot) return;
      const { side } = snapshot;
      title.textContent = aimWords(aim, snapshot);
      hint.textContent = hintWords(aim);
      fouls.textContent = t("aim.fouls", { count: snapshot.shown.fouls?.[side] ?? 0,
        limit: snapshot.game.options.foul_limit[side] });
    },
  };
}

/** @param {AimModel} aim */
function hintWords({ colour, beds }) {
  if (colour === "any") return t("aim.hint.any");
  const numbers = new Set(beds.map((bed) => Number(bed.slice(1))).filter((number) => number > 0 && number <= 20));
  return t("aim.hint", { colour: t(`aim.${colour}`), numbers: [...numbers].sort((a, b) => a - b).join(" ") });
}
