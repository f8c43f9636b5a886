// The form of a member: name, strength and own foul limit.

import { h } from "../dom.js";
import { t } from "../words.js";

/**
 * @param {Member | null} member null for a new one
 * @param {(fields: object) => unknown} save
 */
export function memberForm(member, save) {
  const prefix = member ? "changed" : "member";
  const name = h("input", { type: "text", maxlength: 40, required: true, id: `${prefix}-name`, autocomplete: "off",
    value: member?.name ?? "" });
  const rating = h("input", { type: "number", min: 0, max: 4000, id: `${prefix}-rating`, value: member?.rating ?? 0 });
  const limit = h("input", { type: "number", min: 1, max: 99, id: `${prefix}-limit`, value: member?.foul_limit ?? "" });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    save({ name: name.value.trim(), rating: Number(rating.value) || 0, foul_limit: Number(limit.value) || null });
  };
  return h("form", { class: "fields", onsubmit: submit },
    h("label", {}, t("evening.head.name"), name), h("label", {}, t("evening.rating"), rating),
    h("label", {}, t("evening.foul_limit"), limit), h("button", { class: "primary" }, t("evening.keep")));
}
