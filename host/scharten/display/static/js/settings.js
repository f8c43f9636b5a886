// The settings of this device: theme, language, sounds, letters. Only the browser keeps them.

const KEY = "scharten.settings";
// Each language by its tag: its own `name`, and the letters of pieces that differ from English.
/** @type {Record<string, Record<string, string>>} */
export const LANGUAGES = JSON.parse(document.documentElement.dataset.languages ?? '{"en":{"name":"English"}}');
/**
 * @typedef {{theme: string, language: string, sounds: boolean, letters: string, talk: string, volume: number,
 *   names: boolean, turn: boolean, odds: boolean, called: boolean, scatter: number}} Settings
 */
/** @type {Settings} */
const DEFAULTS = { theme: "auto", language: "auto", sounds: true, letters: "auto",
  talk: "auto", volume: 80, names: true, turn: false, odds: false, called: false, scatter: 0 };

/** @returns {Settings} */
function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = read();

/**
 * @template {keyof Settings} Name
 * @param {Name} name
 * @param {Settings[Name]} value
 */
export function change(name, value) {
  settings[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser without storage keeps the choice until the page closes.
  }
  apply();
}

export function language() {
  const asked = new URLSearchParams(location.search).get("lang") ?? settings.language;
  const club = document.documentElement.dataset.language;
  const spoken = navigator.language?.toLowerCase();
  return [asked, club, spoken, spoken?.split("-")[0]].find((tag) => Object.hasOwn(LANGUAGES, tag ?? "")) ?? "en";
}

export function letters() {
  return settings.letters === "auto" ? language() : settings.letters;
}

export function apply() {
  const asked = new URLSearchParams(location.search).get("theme") ?? settings.theme;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = asked === "auto" ? (dark ? "dark" : "light") : asked;
  document.documentElement.dataset.theme = theme;
  document.documentElement.lang = language();
  document.documentElement.classList.toggle("no-names", !settings.names);
}
