// The last turn in words, as the hub, the line beside the board and the last dart say it.

import { fieldsOf, readPosition } from "../position.js";
import { notation, t } from "../words.js";

// What came of it: "rook on b7", "queen from e2 takes on e5", "outside the zone".
/** @param {Snapshot} snapshot */
export function lastOutcome({ last, position, game }) {
  if (!last) return "";
  if (last.foul) return t(`foul.${last.foul}`);
  const [from, to = from] = fieldsOf(last.move);
  const letter = readPosition(position, game.layout).pieces.get(to)?.letter;
  if (!letter) return notation(last.text, last.by);
  const piece = t(`piece.${letter.toUpperCase()}`);
  const way = from === to ? "placed" : last.text.includes("x") ? "took" : "moved";
  return t(`last.${way}`, { piece, from, field: to });
}

// The player whose turn it was, by name.
/** @param {Snapshot} snapshot */
export function lastPlayer({ last, names }) {
  return names?.[last.by] || t(`side.${last.by}`);
}
