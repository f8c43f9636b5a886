// What this device likes: theme, language, sounds, letters. Kept in the browser, nowhere else.

const KEY = "scharten.settings";
export const LANGUAGES = ["en", "nl", "de"];
const DEFAULTS = { theme: "auto", language: "auto", sounds: true, letters: "auto",
  talk: "auto", volume: 80, names: true, scatter: 0 };

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = read();

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
  if (LANGUAGES.includes(asked)) return asked;
  const club = document.documentElement.dataset.language;
  if (LANGUAGES.includes(club)) return club;
  const spoken = navigator.language?.slice(0, 2).toLowerCase();
  return LANGUAGES.includes(spoken) ? spoken : "en";
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
