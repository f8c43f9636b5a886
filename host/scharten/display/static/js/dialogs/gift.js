// A throw for the project: its pictures of the board, the true bed and the licence in one file, which nobody else gets.

import { button, h, openDialog } from "../dom.js";
import { bedPicker } from "../picker.js";
import { addWords, bedName, t } from "../words.js";

const LICENCE = "CC0-1.0";

/**
 * @param {number} at_ms
 * @param {ThrowPictures} seen
 * @param {(path: string, name: string) => Promise<boolean>} save
 */
export async function openGift(at_ms, { truth, segment }, save) {
  await addWords("gift");
  let bed = truth ?? segment ?? "MISS";
  const named = h("p", { class: "gift-bed", role: "status" });
  const name = () => (named.textContent = t("gift.bed", { bed: bedName(bed) }));
  const agreed = h("input", { type: "checkbox", id: "gift-licence" });
  const give = button(t("gift.save"), async () => {
    const query = new URLSearchParams({ bed, licence: LICENCE });
    if (await save(`throw/${at_ms}/gift.zip?${query}`, "scharten-gift.zip")) dialog.close();
  }, { class: "primary", disabled: true });
  agreed.addEventListener("change", () => (give.disabled = !agreed.checked));
  const lost = button(t("bed.long.MISS"), () => choose("MISS"));
  /** @param {string} chosen */
  function choose(chosen) {
    bed = chosen;
    name();
  }
  name();
  const dialog = openDialog(t("gift.title"), [
    h("p", {}, t("gift.words")), named,
    h("details", {}, h("summary", {}, t("gift.other")), bedPicker(choose), h("div", { class: "action-row" }, lost)),
    h("label", { class: "choice", for: agreed.id }, agreed, h("span", {}, t("gift.licence"))),
    h("div", { class: "action-row" }, give),
  ], { closeText: t("close"), keepsInput: true, className: "correction" });
}
