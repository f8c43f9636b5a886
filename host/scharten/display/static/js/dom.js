// Building elements: text goes in as text, never as markup, so a player's name can do no harm.

import { closeOnBack } from "./back.js";
import { icon } from "./icons.js";

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes<Tag>} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "class") element.className = String(value);
    else if (name === "value") /** @type {HTMLInputElement} */ (/** @type {unknown} */ (element)).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...shown(children.flat()));
  return element;
}

/**
 * The children that are to be shown: what an absent condition left is dropped.
 * @param {readonly Leaf[]} children
 */
function shown(children) {
  return children.filter((child) => child !== null && child !== undefined && typeof child !== "boolean")
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * The first element below that a selector finds.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function find(parent, selector) {
  return parent.querySelector(selector);
}

/**
 * Puts children into an element, in place of those it had.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...shown(children.flat()));
}

/**
 * The element of the page with this id, which the page's HTML or the script itself has made.
 * @param {string} id
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {Child} text
 * @param {(event: MouseEvent & { target: HTMLButtonElement }) => unknown} onclick
 * @param {Attributes<"button">} attributes
 */
export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

/**
 * Writes a text only where it differs: setting the same text makes the browser lay the page out again.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A text as children to append; where it names the set-up page, that name is a link with this query.
 * @param {string} text
 * @param {Record<string, AttributeValue>} query
 */
export function withLinks(text, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const search = given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
  return text.split(/(\/setup)\b/).map((part, at) => (at % 2 ? h("a", { href: `setup${search}` }, part) : part));
}

/**
 * Calls when what was drawn so far is on the screen; soon, where nobody looks and nothing is painted.
 * @param {() => void} call
 */
export function afterPaint(call) {
  if (document.hidden) setTimeout(call);
  else requestAnimationFrame(() => setTimeout(call));
}

/**
 * A button with a drawing for its face; the words are its name and its title.
 * @param {import("./icons.js").IconName} name
 * @param {string} words
 * @param {() => unknown} onclick
 * @param {Attributes<"button">} attributes
 */
export function iconButton(name, words, onclick, attributes = {}) {
  return button(icon(name), onclick, { class: "icon", "aria-label": words, title: words, ...attributes });
}

/**
 * A drop-down list of values, each with its words.
 * @param {Attributes<"select">} attributes
 * @param {readonly (readonly [value: string, words: string])[]} options
 * @param {string | null} [chosen]
 */
export function select(attributes, options, chosen) {
  const element = h("select", attributes, options.map(([value, words]) => h("option", { value }, words)));
  if (chosen !== undefined && chosen !== null) element.value = chosen;
  return element;
}

/**
 * Opens a modal dialog that removes itself when it closes; returns the element. A click beside it closes it, unless
 * it holds what somebody typed (`keepsInput`).
 * @param {string} title
 * @param {Child} content
 * @param {{className?: string, closeText: string, keepsInput?: boolean, onclose?: () => void}} options
 */
export function openDialog(title, content, { className = "", closeText, keepsInput = false, onclose }) {
  const heading = h("h2", { id: `title-${Math.random().toString(36).slice(2)}` }, title);
  /** @type {HTMLDialogElement} */
  const dialog = h("dialog", { class: `sheet-dialog ${className}`, "aria-labelledby": heading.id },
    h("header", { class: "dialog-head" }, heading,
      iconButton("close", closeText, () => dialog.close(), { class: "plain" })),
    h("div", { class: "dialog-body" }, content));
  dialog.addEventListener("close", () => {
    dialog.remove();
    onclose?.();
  });
  if (!keepsInput) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  closeOnBack(dialog);
  return dialog;
}
