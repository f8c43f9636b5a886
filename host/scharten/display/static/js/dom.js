// Building elements: text goes in as text, never as markup, so a player's name can do no harm.

import { icon } from "./icons.js";

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

// Writes a text only where it is another: setting the same one makes the browser lay the page out again.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A text as what to append, with the page that cures what is said as a link where the words name it.
export function withLinks(told, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const asked = given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
  return told.split(/(\/setup)\b/).map((words, at) => (at % 2 ? h("a", { href: `setup${asked}` }, words) : words));
}

// Calls when what was drawn so far is on the screen; soon, where nobody looks and nothing is painted.
export function afterPaint(call) {
  if (document.hidden) setTimeout(call);
  else requestAnimationFrame(() => setTimeout(call));
}

// A button with a drawing for its face; the words are its name and its title.
export function iconButton(name, words, onclick, attributes = {}) {
  return button(icon(name), onclick, { class: "icon", "aria-label": words, title: words, ...attributes });
}

/**
 * Opens a modal dialog that removes itself when it closes; returns the element. A click beside it closes it, unless
 * it holds what somebody typed (`keepsInput`).
 * @param {string} title
 * @param {any} content
 * @param {{className?: string, closeText?: string, keepsInput?: boolean, onclose?: () => void}} options
 */
export function openDialog(title, content, { className = "", closeText, keepsInput = false, onclose } = {}) {
  const heading = h("h2", { id: `title-${Math.random().toString(36).slice(2)}` }, title);
  const dialog = h("dialog", { class: `sheet-dialog ${className}`, "aria-labelledby": heading.id },
    h("header", { class: "dialog-head" }, heading,
      iconButton("close", closeText, () => dialog.close(), { class: "plain" })),
    h("div", { class: "dialog-body" }, [content].flat()));
  dialog.addEventListener("close", () => {
    dialog.remove();
    onclose?.();
  });
  if (!keepsInput) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
