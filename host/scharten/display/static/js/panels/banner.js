// What nobody in the room may miss: the third foul, the end of the game. Drawn from the snapshot, so a late page
// shows it too.

import { button, h } from "../dom.js";
import { openCorrection } from "../dialogs/correct.js";
import { rematch } from "../dialogs/new-game.js";
import { reasonWords, t } from "../words.js";

const SEEN_MS = 20000;

/** @param {App} app */
export function createBanner(app, host) {
  let dismissed = null;
  let calming = null;

  /** @param {Snapshot} snapshot */
  function words(snapshot) {
    const winner = { "1-0": "white", "0-1": "black" }[snapshot.result];
    const name = (side) => snapshot.names?.[side] || t(`side.${side}`);
    const title = winner ? t("banner.wins", { name: name(winner) }) : t("banner.draw");
    return [title, reasonWords(snapshot)];
  }

  return {
    update() {
      const { snapshot, reviewing } = app.store;
      const key = snapshot?.result ? `${snapshot.match}/${snapshot.seq}` : null;
      const shown = key !== null && key !== dismissed && reviewing === null;
      if (!shown) {
        host.hidden = true;
        return;
      }
      if (host.dataset.key === key && !host.hidden) return;
      host.dataset.key = key;
      const [title, reason] = words(snapshot);
      const fogling = snapshot.reason === "fogling" || snapshot.reason === "missed_in_check";
      host.className = `banner ${fogling ? "fogling" : ""}`;
      const lastWasDart = Boolean(snapshot.last?.dart);
      const pips = snapshot.game.options.foul_limit[snapshot.last?.by] ?? 3;
      const hide = () => {
        dismissed = key;
        host.hidden = true;
      };
      const buttons = app.role === "display" ? [] : [
        button(t("rematch"), () => rematch(app), { class: "big primary" }),
        lastWasDart ? button(t("banner.correct"), () => (hide(), openCorrection(app)),
          { class: "big", id: "banner-correct" }) : null,
        button(t("banner.look"), hide, { class: "big" }),
      ];
      host.replaceChildren(h("div", { class: "banner-card" },
        fogling ? h("div", { class: "banner-pips", "aria-hidden": "true" },
          Array.from({ length: Math.min(pips, 9) }, () => h("span", { class: "pip on" }))) : null,
        h("p", { class: "banner-result" }, snapshot.result), h("h2", { id: "banner-title" }, title),
          h("p", { class: "banner-reason" }, reason),
        h("div", { class: "action-row" }, buttons)));
      host.hidden = false;
      clearTimeout(calming);
      if (app.role === "display") calming = setTimeout(hide, SEEN_MS); // then the final position again
    },
  };
}
