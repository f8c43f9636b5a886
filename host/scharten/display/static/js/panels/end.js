// The end of the game, beside the board: the winner and why, the figures of the darts, the next game, a link to the
// archive. Drawn from the snapshot, so that a late page shows it too; the board stays in view.

import { button, h } from "../dom.js";
import { later } from "../dialogs/later.js";
import { links } from "../features/links.js";
import { nextPair } from "../features/players.js";
import { reasonWords, t, winnerWords } from "../words.js";

/** @param {App} app @param {HTMLElement} host */
export function createEnd(app, host) {
  const { store } = app;
  let drawn = "";

  // A wall has links from the first movement of a mouse until the next game: without a mouse nobody can press them.
  document.addEventListener("pointermove", ({ movementX, movementY }) => {
    if ((movementX || movementY) && !host.hidden) document.body.classList.add("pointed");
  });

  /** @param {Snapshot} snapshot */
  function buttons(snapshot) {
    if (!store.mayAct()) return [];
    return [
      button(t("rematch"), () => later(app, "new-game", "rematch"), { class: "big primary", id: "rematch" }),
      snapshot.last?.dart ? button(t("end.correct"), () => later(app, "correct", "openCorrection"),
        { class: "big", id: "end-correct" }) : null,
    ];
  }

  return {
    update() {
      const { snapshot } = store;
      host.hidden = !snapshot?.result || store.reviewing !== null;
      document.body.classList.toggle("ended", !host.hidden);
      if (!snapshot || host.hidden) return document.body.classList.remove("pointed");
      const entries = store.entries();
      const key = JSON.stringify([snapshot.match, snapshot.seq, entries.length, store.welcome?.archive,
        links(store).local, nextPair(store)]);
      if (key === drawn) return;
      drawn = key;
      host.classList.toggle("fogling", snapshot.reason === "fogling" || snapshot.reason === "missed_in_check");
      const facts = h("div", { class: "end-below" });
      host.replaceChildren(h("h2", { id: "end-title", tabindex: "-1" },
        h("span", { class: "end-result" }, snapshot.result), winnerWords(snapshot)),
      h("p", { class: "end-reason" }, reasonWords(snapshot)),
      h("div", { class: "action-row" }, buttons(snapshot)), facts);
      import("./facts.js").then(({ endFacts }) => facts.replaceChildren(...endFacts(store)))
        .catch(() => (drawn = "")); // the line broke: the next change tries again
    },
  };
}
