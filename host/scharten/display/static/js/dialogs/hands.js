// Hidden pawns (rules 8): a player hides a pawn of each colour; the other chooses a hand and has its colour.

import { button, h, openDialog } from "../dom.js";
import { t } from "../words.js";

const HANDS = ["left", "right"];

// The options as the host knows them, with another way to White where pawns are to be hidden.
/** @param {ChosenOptions} options @param {string} otherwise @returns {ChosenOptions} */
export function withoutHands(options, otherwise = "agreed") {
  return options.white_by === "hands" ? { ...options, white_by: otherwise } : options;
}

// Whether the chooser has White; null if the dialog was closed. The pawns are hidden before the dialog opens.
/** @param {string} hider @param {string} chooser @returns {Promise<boolean | null>} */
export function chooseHand(hider, chooser) {
  const white = HANDS[crypto.getRandomValues(new Uint8Array(1))[0] & 1];
  return new Promise((resolve) => {
    /** @type {boolean | null} */
    let chosen = null;
    const hands = h("div", { class: "action-row" }, HANDS.map((hand) =>
      button(t(`new.hands.${hand}`), () => open(hand), { class: "big", "data-hand": hand })));
    const words = h("p", { role: "status" }, t("new.hands.words", { hider, chooser }));
    const body = h("div", {}, words, hands);
    /** @param {string} hand */
    function open(hand) {
      const mine = hand === white;
      words.textContent = t("new.hands.found", { name: mine ? chooser : hider });
      const start = button(t("new.start"), () => {
        chosen = mine;
        dialog.close();
      }, { class: "big primary", id: "start-hands" });
      hands.replaceChildren(start);
      start.focus();
    }
    const dialog = openDialog(t("new.hands"), body,
      { closeText: t("close"), className: "small", keepsInput: true, onclose: () => resolve(chosen) });
  });
}
