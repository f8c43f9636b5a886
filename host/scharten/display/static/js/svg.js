// Building SVG elements.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {Element | null} parent
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  parent?.append(element);
  return element;
}

/**
 * The point of a drawing, in its own units, under a pointer.
 * @param {SVGElement} drawing
 * @param {MouseEvent} event
 */
export function pointUnder(drawing, { clientX, clientY }) {
  const matrix = /** @type {SVGGraphicsElement} */ (drawing).getScreenCTM();
  return new DOMPoint(clientX, clientY).matrixTransform(matrix?.inverse());
}
