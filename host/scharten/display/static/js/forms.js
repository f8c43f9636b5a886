// Which form of board a layout of the contract is. Every form has the same members: names, size, start, centre,
// pieceSize, outline, classes, neighbour, way, border, namePlace, drawBelow, drawAbove; and, where it is a dartboard,
// millimetres, bedAt, bedOf and point.

import { Schartbord } from "./schartbord.js";

/** @param {{layout?: LayoutModel, whiteSitsAt?: number, turned?: boolean}} wish */
export function formOf({ whiteSitsAt = 3, turned = false }) {
  return new Schartbord({ whiteSitsAt, turned });
}
