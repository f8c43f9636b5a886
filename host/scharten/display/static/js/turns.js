// Turns in words: the last one, and the one that a move waits for.

import { fieldsOf, readPosition } from "./position.js";
import { nameOf, notation, t } from "./words.js";

// The outcome of the last turn: "rook on b7", "queen from e2 takes on e5", "outside the zone".
/** @param {Snapshot} snapshot */
export function lastOutcome({ last, position, game }) {
  if (!last) return "";
  if (last.foul) return t(`foul.${last.foul}`);
  const [from, to = from] = fieldsOf(last.move);
  if (!to) return notation(last.text, last.by);
  // Where the piece is gone from its field, the notation names it.
  const letter = readPosition(position, game.layout).pieces.get(to)?.letter ?? last.text.match(/^[KQRBNE]/)?.[0] ?? "P";
  const piece = t(`piece.${letter.toUpperCase()}`);
  const way = from === to ? "placed" : last.text.includes("x") ? "took" : "moved";
  return t(`last.${way}`, { piece, from, field: to });
}

// Whether a person must say first where the last dart is: until then nobody throws or moves.
/** @param {Snapshot} snapshot */
export const awaitsBed = ({ question }) => question?.code === "which_bed";

// The player whose turn it was, by name.
/** @param {Snapshot} snapshot */
export function lastPlayer({ last, names }) {
  return last ? nameOf({ names }, last.by) : "";
}

// "Anna throws for e4–d5: hit a light bed".
/** @param {AimModel} aim @param {Snapshot} snapshot */
export function aimWords({ colour, move }, snapshot) {
  return t(colour === "any" ? "aim.words.any" : "aim.words",
    { side: nameOf(snapshot, snapshot.side), move: fieldsOf(move).join("–"), colour: t(`aim.${colour}`) });
}

// The current or possible action of the side to move, in one sentence; the same on every page.
/** @param {Snapshot} snapshot */
export function turnSentence(snapshot) {
  const name = nameOf(snapshot, snapshot.side);
  const kind = snapshot.shown.next?.[snapshot.side];
  const piece = kind ? t(`piece.${kind.toUpperCase()}`) : "";
  if (snapshot.phase === "throwing") return t(piece ? "hub.throws" : "hub.throws_on", { name, piece });
  if (snapshot.shown.must_throw) return t("hub.must_throw", { name, piece });
  if (snapshot.check.length) return t("hub.check", { name });
  if (!snapshot.can?.throw || !piece) return t("hub.move", { name });
  return t(snapshot.moves.length ? "hub.turn" : "hub.throw", { name, piece });
}

// A seat's player by name, or the colour, or the seat.
/** @param {Snapshot} snapshot @param {Seat} seat */
export function seatName(snapshot, seat) {
  const side = snapshot.seats?.[seat];
  return (side && snapshot.names?.[side]) || (side ? t(`side.${side}`) : t(`seat.${seat}`));
}
