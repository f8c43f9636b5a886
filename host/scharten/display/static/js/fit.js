// Names of any length on at most two lines, and no word broken: the style sheet makes a text with `--line` as large as
// its room allows. Widths come from a canvas, because reading them from the page would lay it out again.

const pen = document.createElement("canvas").getContext("2d");
const SPARE = 1.04; // a font that hints its letters is a little wider than its outlines
const MOST_LINES = 7;
const LONG_WORD = 14; // letters

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
 * Texts below each other within a circle, as large as they go: the size, and the lines of each. Null if no size fits.
 * @param {string[]} texts
 * @param {number} radius
 * @param {number[]} sizes the largest first
 * @param {(line: number, count: number, size: number) => number} edge how far the edge of a line is from the middle
 */
export function fitCircle(texts, radius, sizes, edge) {
  for (const size of sizes) {
    for (let count = texts.length; count <= MOST_LINES; count++) {
      const widths = Array.from({ length: count }, (_, line) => {
        const away = edge(line, count, size);
        return away < radius ? 2 * Math.sqrt(radius ** 2 - away ** 2) / size : 0;
      });
      // the narrowest that will do makes lines of one length
      for (const share of [0.6, 0.7, 0.8, 0.9, 1]) {
        const lines = linesWithin(texts, widths.map((room) => share * room));
        if (lines) return { size, lines };
      }
    }
  }
  return null;
}

/**
 * @param {string[]} texts @param {number[]} widths in em
 * @returns {string[][] | null}
 */
function linesWithin([text, ...rest], widths) {
  if (!rest.length) {
    const lines = brokenInto(text, widths);
    return lines && [lines];
  }
  for (let count = 1; count < widths.length; count++) {
    const lines = brokenInto(text, widths.slice(0, count));
    const below = lines && linesWithin(rest, widths.slice(count));
    if (below) return [lines, ...below];
  }
  return null;
}

/**
 * A text on exactly as many lines as there are widths, broken at spaces, and after the hyphens of a long word; null if
 * it does not fit.
 * @param {string} text @param {number[]} widths in em
 */
function brokenInto(text, widths) {
  /** @type {string[]} */
  const lines = [];
  const words = text.match(/\s*\S+/g) ?? [];
  for (const part of words.flatMap((word) => word.length > LONG_WORD ? word.split(/(?<=-)/) : [word])) {
    const last = lines.length - 1;
    if (last >= 0 && lineWidth(lines[last] + part) <= widths[last]) lines[last] += part;
    else if (lineWidth(part) <= (widths[last + 1] ?? 0)) lines.push(part);
    else return null;
  }
  return lines.length === widths.length ? lines : null;
}

/** @param {string} line */
const lineWidth = (line) => SPARE * emWidth(line.trim());

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
