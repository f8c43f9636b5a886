// Choosing the piece that a pawn becomes, at the field where it becomes it.

import { h } from "./dom.js";
import { drawPiece } from "./pieces.js";
import { pieceName, t } from "./words.js";

/** Resolves to one of the moves, or null where nothing was chosen. */
export function choosePromotion(board, field, moves, side) {
  return new Promise((resolve) => {
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
    place(dialog, board, field);
  });
}

// Over the field, but whole on the screen.
function place(dialog, board, field) {
  const box = board.fields.get(field).getBoundingClientRect();
  const within = (value, size, room) => Math.max(4, Math.min(value - size / 2, room - size - 4));
  dialog.style.left = `${within(box.x + box.width / 2, dialog.offsetWidth, innerWidth)}px`;
  dialog.style.top = `${within(box.y + box.height / 2, dialog.offsetHeight, innerHeight)}px`;
}
