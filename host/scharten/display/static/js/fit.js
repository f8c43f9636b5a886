// Names of any length on at most two lines, and no word broken: the style sheet makes a text with `--line` as large as
// its room allows. Widths come from a canvas, because reading them from the page would lay it out again.

const pen = document.createElement("canvas").getContext("2d");
const SPARE = 1.04; // a font that hints its letters is a little wider than its outlines

/**
 * Tells the style sheet how wide a text is, in em, when it stands on its two most even lines.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function fitTwoLines(element, text) {
  const breaks = [...text.matchAll(/\s+|(?<=-)(?=\S)/g)];
  const widths = breaks.map(({ index, 0: gap }) =>
    Math.max(emWidth(text.slice(0, index)), emWidth(text.slice(index + gap.length))));
  set(element, Math.min(emWidth(text), ...widths));
}

/**
 * The same for a text on one line.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function fitLine(element, text) {
  set(element, emWidth(text));
}

/**
 * The same for a text on any number of lines: as wide as its longest word.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function fitWords(element, text) {
  set(element, Math.max(...text.split(/\s+|(?<=-)/).map(emWidth)));
}

/** @param {string} text */
function emWidth(text) {
  if (!pen) return text.length * 0.6;
  pen.font = `650 100px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width / 100;
}

/** @param {HTMLElement} element @param {number} width */
function set(element, width) {
  element.style.setProperty("--line", Math.max(1, SPARE * width).toFixed(2));
}
