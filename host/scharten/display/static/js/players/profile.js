// A player's own sign, and the form in which somebody says who they are.

import { button, h, openDialog } from "../dom.js";
import { LANGUAGES } from "../settings.js";
import { t } from "../words.js";

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "black", "white"];
const SIDE = 96;
const LONGEST = 11_000;

// A round sign with picture or initials, its edge in the colour of their darts.
export function token({ initials, picture, colour }, size = "") {
  return h("span", { class: `token ${size} ${colour ? `flight-${colour}` : ""}`, "aria-hidden": "true" },
    picture ? h("img", { src: picture, alt: "" }) : initials || "?");
}

function field(key, input) {
  return h("div", { class: "option" }, h("label", { for: input.id }, t(key)), input);
}

function choice(id, key, values, present) {
  const input = h("select", { id }, h("option", { value: "" }, "–"),
    values.map((value) => h("option", { value }, t(`${key}.${value}`))));
  input.value = present ?? "";
  return input;
}

// Resolves to the profile that was said, or null.
export function openProfile(one) {
  return new Promise((resolve) => {
    const text = (id, value, most) => h("input", { id, type: "text", maxlength: String(most), autocomplete: "off",
      value: value ?? "" });
    const name = text("profile-name", one?.name, 40);
    name.required = true;
    const initials = text("profile-initials", one?.initials, 3);
    const colour = choice("profile-colour", "players.colour", COLOURS, one?.colour);
    const spoken = choice("profile-language", "set.language", LANGUAGES, one?.language);
    const file = h("input", { id: "profile-picture", type: "file", accept: "image/*" });
    let said = null;
    const form = h("form", { method: "dialog", class: "new-game" }, field("players.name", name),
      field("players.initials", initials), field("players.colour", colour), field("players.language", spoken),
      field("players.picture", file),
      h("div", { class: "action-row" }, button(t("players.keep"), keep, { class: "primary", id: "keep-player" })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      keep();
    });

    async function keep() {
      if (!form.reportValidity()) return;
      said = { name: name.value, initials: initials.value, colour: colour.value || null, language: spoken.value || null,
        picture: file.files.length ? await small(file.files[0]) : one?.picture ?? "" };
      dialog.close();
    }

    const dialog = openDialog(t(one ? "players.edit" : "players.add"), form, { closeText: t("close"),
      className: "small", keepsInput: true, onclose: () => resolve(said) });
  });
}

// A picture cut to a small square, as a data URL that the server takes.
async function small(file) {
  try {
    const picture = await createImageBitmap(file);
    const side = Math.min(picture.width, picture.height);
    const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: String(SIDE), height: String(SIDE) }));
    canvas.getContext("2d").drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side,
      0, 0, SIDE, SIDE);
    for (const quality of [0.85, 0.6, 0.3]) {
      const url = canvas.toDataURL("image/jpeg", quality);
      if (url.length <= LONGEST) return url;
    }
  } catch {
    // What is no picture is left out.
  }
  return "";
}
