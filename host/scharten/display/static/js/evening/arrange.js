// What the organiser settles before a draw: pairs by hand, forbidden pairs, byes asked for, the start list.

import { button, h, openDialog } from "../dom.js";
import { t } from "../words.js";

/** @typedef {import("./round.js").Desk} Desk */
/** @typedef {[string, string][]} Choices values with their words */

/** @param {HTMLElement} part @param {Evening} view @param {Desk} desk */
export function drawArrangements(part, view, desk) {
  part.replaceChildren();
  if (!view.season) return;
  const { order } = desk;
  const lines = [
    ...view.fixed.map(({ names: [white, black], ...pair }) => line(t("evening.fixed", { number: pair.number, white,
      black }), () => order("fix", { ...pair, fixed: false }))),
    ...view.asked.map(({ number, key, name }) => line(t("evening.asked", { number, name }),
      () => order("bye", { key, number, asked: false }))),
    ...view.forbidden.map(({ names, ...pair }) => line(t("evening.forbidden", { first: names[0], second: names[1] }),
      () => order("forbid", { ...pair, forbidden: false })))];
  part.append(h("h2", {}, t("evening.arrange")),
    lines.length ? h("ul", { class: "arranged" }, lines) : h("p", { class: "soft" }, t("evening.arrange.none")),
    h("div", { class: "actions" },
      button(t("evening.fix"), () => askFix(view, desk), { id: "fix-pair" }),
      button(t("evening.ask_bye"), () => askBye(view, desk), { id: "ask-bye" }),
      button(t("evening.forbid"), () => askForbid(view, desk), { id: "forbid-pair" }),
      view.rounds.length ? "" : button(t("evening.start_list"), () => askStartList(view, desk), { id: "start-list" })));
}

/** @param {string} words @param {() => unknown} remove */
function line(words, remove) {
  return h("li", {}, h("span", {}, words),
    button(t("evening.remove"), remove, { "aria-label": `${t("evening.remove")}: ${words}` }));
}

/** @param {Evening} view @param {Desk} desk */
function askFix(view, { order }) {
  const next = view.rounds.length + 1;
  const numbers = view.rounds.at(-1)?.tonight ? [next - 1, next] : [next];
  const members = membersOf(view, true);
  const white = pick("fix-white", members);
  const black = pick("fix-black", members);
  const number = pick("fix-round", numbers.map((round) => [String(round), String(round)]));
  form("evening.fix", [["evening.white", white], ["evening.black", black], ["evening.fix.in", number]],
    () => order("fix", { number: Number(number.value), white: white.value, black: black.value }));
}

/** @param {Evening} view @param {Desk} desk */
function askForbid(view, { order }) {
  const first = pick("forbid-first", membersOf(view));
  const second = pick("forbid-second", membersOf(view));
  form("evening.forbid", [["evening.first", first], ["evening.second", second]],
    () => order("forbid", { first: first.value, second: second.value }));
}

/** @param {Evening} view @param {Desk} desk */
function askBye(view, { order }) {
  const next = view.rounds.length + 1;
  const key = pick("bye-member", membersOf(view));
  const number = h("input", { type: "number", min: next, max: 500, value: next, id: "bye-round" });
  form("evening.ask_bye", [["evening.first", key], ["evening.fix.in", number]],
    () => order("bye", { key: key.value, number: Number(number.value) }));
}

/** @param {Evening} view @param {Desk} desk */
function askStartList(view, { order }) {
  const known = new Set(view.start_list.map(({ key }) => key));
  const ticks = view.members.map(({ key, name }) => ({ name, box: h("input", { type: "checkbox", value: key,
    checked: known.has(key) || !known.size }) }));
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const keys = ticks.filter(({ box }) => box.checked).map(({ box }) => box.value);
    order("start_list", { keys }).then(() => dialog.close());
  };
  const dialog = openDialog(t("evening.start_list"), h("form", { class: "fields", onsubmit: submit },
    h("p", { class: "help" }, t("evening.start_list.words")),
    h("ul", { class: "present" }, ticks.map(({ name, box }) => h("li", {}, h("label", {}, box, name)))),
    h("button", { class: "primary" }, t("evening.keep"))), { closeText: t("close"), keepsInput: true });
}

// A dialog with fields; it closes with the answer, because a refusal is shown on the page below it.
/** @param {string} title @param {[string, HTMLElement][]} rows @param {() => Promise<unknown>} send */
function form(title, rows, send) {
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    send().then(() => dialog.close());
  };
  const dialog = openDialog(t(title), h("form", { class: "fields", onsubmit: submit },
    rows.map(([key, input]) => h("label", {}, t(key), input)),
    h("button", { class: "primary" }, t(`${title}.do`))), { closeText: t("close"), keepsInput: true });
}

/** @param {Evening} view @param {boolean} [presentFirst] @returns {Choices} */
function membersOf(view, presentFirst = false) {
  const order = presentFirst
    ? [...view.members].sort((one, other) => Number(other.said === "here") - Number(one.said === "here"))
    : view.members;
  return order.map(({ key, name }) => [key, name]);
}

/** @param {string} id @param {Choices} choices */
function pick(id, choices) {
  return h("select", { id, required: true }, h("option", { value: "" }, "–"),
    choices.map(([value, words]) => h("option", { value }, words)));
}
