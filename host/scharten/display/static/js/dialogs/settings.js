// The dialog for this device's settings.

import { h, openDialog } from "../dom.js";
import { navigation } from "../nav.js";
import { LANGUAGES, change, settings } from "../settings.js";
import { t } from "../words.js";

/** @typedef {"theme" | "language" | "letters" | "talk"} Chosen the settings that are chosen from a list */

/** @type {Record<Chosen, string[]>} */
const CHOICES = {
  theme: ["auto", "light", "dark", "contrast"],
  language: ["auto", ...Object.keys(LANGUAGES)],
  letters: ["auto", ...Object.keys(LANGUAGES), "figurine"],
  talk: ["auto", "all", "important", "off"],
};

export function openSettings() {
  const select = (/** @type {Chosen} */ name, reload = false) => {
    const input = h("select", { id: `set-${name}` },
      CHOICES[name].map((value) => h("option", { value }, label(name, value))));
    input.value = settings[name];
    input.addEventListener("change", () => {
      change(name, input.value);
      if (reload) location.reload();
    });
    return h("label", { class: "field-row", for: `set-${name}` }, h("span", {}, t(`set.${name}`)), input);
  };
  const tick = (/** @type {"sounds" | "names" | "turn" | "odds" | "called"} */ name, reload = false) => {
    const input = h("input", { type: "checkbox", id: `set-${name}` });
    input.checked = settings[name];
    input.addEventListener("change", () => {
      change(name, input.checked);
      if (reload) location.reload();
    });
    return h("label", { class: "field-row", for: `set-${name}` }, h("span", {}, t(`set.${name}`)), input);
  };
  const volume = h("input", { type: "range", id: "set-volume", min: "0", max: "100", step: "10" });
  volume.value = String(settings.volume);
  volume.addEventListener("change", () => change("volume", Number(volume.value)));
  const loudness = h("label", { class: "field-row", for: "set-volume" }, h("span", {}, t("set.volume")), volume);
  const links = h("nav", { class: "action-row other-pages", "aria-label": t("app.title") },
    pages().map(([href, key]) => h("a", { href }, t(key))));
  openDialog(t("settings"), [navigation(), select("theme"), select("language", true), select("letters", true),
    tick("sounds"), select("talk"), loudness, tick("names"), tick("turn"), tick("odds", true),
    tick("called", true), links],
    { closeText: t("close") });
}

// A choice in words; a language by its own name, its letters too where they are chosen.
/** @param {Chosen} name @param {string} value */
function label(name, value) {
  const language = ["language", "letters"].includes(name) ? LANGUAGES[value] : undefined;
  if (!language) return t(`set.${name}.${value}`);
  const pieces = [..."KQRBN"].map((letter) => language[letter] ?? letter).join(" ");
  return name === "letters" ? `${language.name} (${pieces})` : language.name;
}

// Other views of this board; the status page where the arbiter sits.
function pages() {
  const role = new URLSearchParams(location.search).get("role") ?? "table";
  const arbiter = role === "arbiter";
  return [
    ["./?role=display&view=projector", "pages.projector"],
    ...(arbiter || role === "table" ? [[`./?role=${role}&view=light`, "pages.light"]] : []),
    ...(arbiter ? [["status?role=arbiter", "pages.status"]] : []),
  ];
}
