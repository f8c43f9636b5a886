// Choosing the piece that a pawn becomes, at the field where it becomes it.

import { closeOnBack } from "./back.js";
import { h } from "./dom.js";
import { drawPiece } from "./pieces.js";
import { pieceName, t } from "./words.js";

/**
 * @param {Board} board
 * @param {string} field
 * @param {string[]} moves
 * @param {Side} side
 * @returns {Promise<string | null>}
 */
export function choosePromotion(board, field, moves, side) {
  return new Promise((resolve) => {
    /** @type {string | null} */
    let picked = null;
    const choices = moves.map((move) => {
      const letter = side === "white" ? move[4].toUpperCase() : move[4];
      const choice = h("button", { type: "button", class: "promotion-choice", "aria-label": pieceName(letter) });
      choice.append(drawPiece(letter));
      choice.addEventListener("click", () => {
        picked = move;
        dialog.close();
      });
      return choice;
    });
    const dialog = h("dialog", { class: "promotion", "aria-label": t("promotion.title") }, choices);
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(picked);
    });
    document.body.append(dialog);
    dialog.showModal();
    closeOnBack(dialog);
    place(dialog, board, field);
  });
}

// Over the field, but whole on the screen.
/** @param {HTMLDialogElement} dialog @param {Board} board @param {string} field */
function place(dialog, board, field) {
  const box = /** @type {SVGElement} */ (board.fields.get(field)).getBoundingClientRect();
  /** @param {number} value @param {number} size @param {number} room */
  const within = (value, size, room) => Math.max(4, Math.min(value - size / 2, room - size - 4));
  dialog.style.left = `${within(box.x + box.width / 2, dialog.offsetWidth, innerWidth)}px`;
  dialog.style.top = `${within(box.y + box.height / 2, dialog.offsetHeight, innerHeight)}px`;
}
