// The texts of a page in the reader's language, which the program writes into the page's `data-texts`.

/** @type {Record<string, string>} */
const texts = JSON.parse(document.body.dataset.texts ?? "{}");

// The text of a key with its places `{name}` filled.
/** @param {string} key @param {Record<string, string | number>} [args] */
export function text(key, args = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (place, name) => String(args[name] ?? place));
}
