// A browser's globals, as far as the pure parts of the page's scripts need them; import it before them.
import { readdirSync, readFileSync } from "node:fs";

const WORDS = new URL("../../host/scharten/words/", import.meta.url);

const languages = { en: { name: "English" }, nl: { name: "Nederlands", Q: "D", R: "T", B: "L", N: "P" } };
const element = { dataset: { languages: JSON.stringify(languages) }, classList: { toggle() {} }, lang: "" };

Object.assign(globalThis, {
  document: { documentElement: element, visibilityState: "visible" },
  location: new URL("http://localhost/"),
  localStorage: { getItem: () => null, setItem() {}, removeItem() {} },
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  /** @param {URL} address */
  fetch: async (address) => ({ ok: true, json: async () => texts(address.pathname) }),
});
// Newer versions of Node have a navigator of their own.
Object.defineProperty(globalThis, "navigator", { value: { language: "en-GB" }, configurable: true });

// The texts of an area, or of all areas, which may be more than a page has at first.
/** @param {string} path */
function texts(path) {
  const [, language, area] = /texts\/(\w+)(?:\/(\w+))?\.json$/.exec(path) ?? [];
  const folder = new URL(`${language}/`, WORDS);
  const files = area ? [`${area}.json`] : readdirSync(folder);
  return Object.assign({}, ...files.map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"))));
}

/** @param {string} name */
export function script(name) {
  return import(`../../host/scharten/display/static/js/${name}.js`);
}
