// A player's token, and the form for a player's profile.

import { button, h, openDialog } from "../dom.js";
import { LANGUAGES } from "../settings.js";
import { t } from "../words.js";

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "black", "white"];
const SIDE = 96;
const LONGEST = 11_000;

// A round sign with picture or initials, its edge in the colour of their darts.
/** @param {Pick<Profile, "initials" | "picture" | "colour">} profile @param {string} [size] */
export function token({ initials, picture, colour }, size = "") {
  return h("span", { class: `token ${size} ${colour ? `flight-${colour}` : ""}`, "aria-hidden": "true" },
    picture ? h("img", { src: picture, alt: "" }) : initials || "?");
}

/** @param {string} key @param {HTMLElement} input */
function field(key, input) {
  return h("div", { class: "option" }, h("label", { for: input.id }, t(key)), input);
}

/** @param {string} id @param {Record<string, string>} values @param {string | null | undefined} present */
function choice(id, values, present) {
  const input = h("select", { id }, h("option", { value: "" }, "–"),
    Object.entries(values).map(([value, label]) => h("option", { value }, label)));
  input.value = present ?? "";
  return input;
}

/**
 * Resolves to the profile that was entered; null where the dialog was closed.
 * @param {Profile | null} [known]
 * @returns {Promise<Profile | null>}
 */
export function openProfile(known) {
  return new Promise((resolve) => {
    /** @param {string} id @param {string | undefined} value @param {number} most */
    const text = (id, value, most) => h("input", { id, type: "text", maxlength: String(most), autocomplete: "off",
      value: value ?? "" });
    const name = text("profile-name", known?.name, 40);
    name.required = true;
    const initials = text("profile-initials", known?.initials, 3);
    const colour = choice("profile-colour", Object.fromEntries(COLOURS.map((id) => [id, t(`players.colour.${id}`)])),
      known?.colour);
    const spoken = choice("profile-language",
      Object.fromEntries(Object.entries(LANGUAGES).map(([id, { name: own }]) => [id, own])), known?.language);
    const standIn = h("input", { id: "profile-stand-in", type: "checkbox", checked: Boolean(known?.stand_in) });
    const file = h("input", { id: "profile-picture", type: "file", accept: "image/*" });
    /** @type {Profile | null} */
    let entered = null;
    const form = h("form", { method: "dialog", class: "new-game" }, field("players.name", name),
      field("players.initials", initials), field("players.colour", colour), field("players.language", spoken),
      field("players.picture", file),
      h("label", {}, standIn, ` ${t("players.stand_in")}`),
      h("div", { class: "action-row" }, button(t("players.keep"), keep, { class: "primary", id: "keep-player" })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      keep();
    });

    async function keep() {
      if (!form.reportValidity()) return;
      entered = { name: name.value, initials: initials.value, colour: colour.value || null,
        language: spoken.value || null, stand_in: standIn.checked,
        picture: file.files?.length ? await small(file.files[0]) : known?.picture ?? "" };
      dialog.close();
    }

    const dialog = openDialog(t(known ? "players.edit" : "players.add"), form, { closeText: t("close"),
      className: "small", keepsInput: true, onclose: () => resolve(entered) });
  });
}

// A picture cut to a small square, as a data URL that the server takes.
/** @param {File} file */
async function small(file) {
  try {
    const picture = await createImageBitmap(file);
    const side = Math.min(picture.width, picture.height);
    const canvas = h("canvas", { width: SIDE, height: SIDE });
    canvas.getContext("2d")?.drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side,
      0, 0, SIDE, SIDE);
    for (const quality of [0.85, 0.6, 0.3]) {
      const url = canvas.toDataURL("image/jpeg", quality);
      if (url.length <= LONGEST) return url;
    }
  } catch {
    // A file that is not a picture is left out.
  }
  return "";
}
