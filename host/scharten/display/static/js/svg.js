// Building SVG elements.

const SVG = "http://www.w3.org/2000/svg";

/** @returns {SVGElement} */
export function svg(tag, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}
