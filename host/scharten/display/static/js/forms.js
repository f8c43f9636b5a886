// Which form of board a layout of the contract is.

import { Grid } from "./grid.js";
import { Schartbord } from "./schartbord.js";

/**
 * @param {{layout?: LayoutModel, whiteSitsAt?: number, turned?: boolean}} wanted
 * @returns {BoardForm}
 */
export function formOf({ layout = { form: "schartbord" }, whiteSitsAt = 3, turned = false } = {}) {
  if (layout.form !== "grid") return new Schartbord({ whiteSitsAt, turned });
  const { files = "", rows = 0, chequered = false } = layout;
  return new Grid({ files, rows, chequered }, { turned });
}
