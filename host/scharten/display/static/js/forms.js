// Which form of board a layout of the contract is. Every form has the same members: names, size, start, centre,
// pieceSize, outline, classes, neighbour, way, border, namePlace, drawBelow, drawAbove, read and write (the first part
// of a position's text), and, for where it is a dartboard, millimetres, bedAt and point.

import { Grid } from "./grid.js";
import { Schartbord } from "./schartbord.js";

/** @param {{layout?: LayoutModel, whiteSitsAt?: number, turned?: boolean}} wish */
export function formOf({ layout = { form: "schartbord" }, whiteSitsAt = 3, turned = false } = {}) {
  if (layout.form !== "grid") return new Schartbord({ whiteSitsAt, turned });
  const { files = "", rows = 0, chequered = false } = layout;
  return new Grid({ files, rows, chequered }, { turned });
}
