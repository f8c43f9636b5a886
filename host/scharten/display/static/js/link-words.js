// The state of a page's connection in words, the same on every page.

import { t } from "./words.js";

/**
 * Empty while the connection is open.
 * @param {Pick<import("./connection.js").Connection, "status" | "code">} connection
 */
export function linkWords({ status, code }) {
  if (status === "open") return "";
  if (status === "connecting") return t("link.connecting");
  return code || status === "refused" ? t(`refused.${code}`) : t("link.lost");
}
