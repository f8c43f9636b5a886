// The components of the pages, one card for each; served in development only.

import { button, byId, h, openDialog } from "./dom.js";
import { heatBoard, heatScale } from "./heat.js";
import { icon } from "./icons.js";
import { setUpPage } from "./side-page.js";
import { addWords, t } from "./words.js";

const NAMES = ["Anna", "Bert", "Wilhelmina de Vries"];

await addWords("pages", "players", "setup", "evening", "problems");
const state = setUpPage("app.title");
state.textContent = t("link.lost");
state.hidden = false;

/** @param {string} name @param {Child[]} content */
const sample = (name, ...content) => byId("components").append(h("section", { class: "card", "data-part": name },
  h("h2", {}, name), ...content));

/** @param {string} id @param {Attributes<"input">} attributes */
const field = (id, attributes) => h("label", { class: "field-row", for: id }, h("span", {}, t("players.name")),
  h("input", { id, ...attributes }), h("small", { class: "help" }, t("setup.club.name.help")));

sample("h2, p, .headline, .help", h("p", { class: "headline" }, t("practice.choose")), h("p", {}, t("players.none")),
  h("p", { class: "help" }, t("players.heat.words")), h("p", { class: "good" }, t("status.playable")),
  h("p", { class: "warning" }, t("link.lost")));
sample("button, .button, .primary, .warn", h("div", { class: "action-row" },
  button(t("players.add"), () => openDialog(t("players.add"), field("name-again", { type: "text" }),
    { closeText: t("close") }), { class: "primary" }),
  button(t("players.edit"), () => {}), h("a", { class: "button", href: "#" }, t("status.to_play")),
  button(t("players.delete"), () => {}, { class: "warn" }), button(t("players.keep"), () => {}, { disabled: true })),
h("div", { class: "action-row" }, ["table", "ratings"].map((name, at) =>
  button(t(`evening.of.${name}`), () => {}, { "aria-pressed": String(at === 0) }))));
sample(".field-row", field("name", { type: "text" }), h("select", { "aria-label": t("players.name") },
  NAMES.map((name) => h("option", {}, name))), h("label", { class: "action-row" },
  h("input", { type: "checkbox", checked: true }), NAMES[0]));
sample(".choices > .choice", h("fieldset", { class: "choices" }, h("legend", { class: "visually-hidden" },
  t("setup.source")), ["simulated", "serial", "camera"].map((kind, at) => h("label", { class: "choice" },
  h("input", { type: "radio", name: "kind", checked: at === 0 }), h("span", {}, t(`setup.kind.${kind}`)),
  h("small", {}, t(`setup.kind.${kind}.help`))))));
sample("table", h("div", { class: "table-room" }, h("table", {}, h("thead", {}, h("tr", {},
  ["players.name", "players.games", "players.darts"].map((key) => h("th", { scope: "col" }, t(key))))),
h("tbody", {}, NAMES.map((name, at) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, 12 - at),
  h("td", {}, 310 - 40 * at)))))));
sample("dl", h("dl", {}, ["placed", "clean", "won"].flatMap((key, at) => [h("dt", {}, t(`players.best.${key}`)),
  h("dd", {}, 7 + at)])));
sample(".figures > .figure-large", h("div", { class: "figures" }, ["games", "darts"].map((key, at) =>
  h("p", { class: "figure-large" }, h("strong", {}, at ? 1284 : 36), h("span", {}, t(`players.${key}`))))));
sample(".pill", h("div", { class: "action-row" }, h("span", { class: "pill" }, t("club.free")),
  h("span", { class: "pill on" }, t("status.playable")), h("span", { class: "pill off" }, t("club.offline"))));
sample(".empty", h("div", { class: "empty" }, icon("players"), h("p", {}, t("players.none")),
  button(t("players.add"), () => {}, { class: "primary" })));
const heat = h("div", { class: "heat" });
heatBoard(heat, [["T20", 9], ["F5", 4], ["F1", 2], ["D3", 1]], 9, t("players.heat"));
sample(".heat", heat, heatScale(9));
const card = h("section", { class: "card lit-card" }, h("h2", {}, t("setup.start")), h("p", {}, t("setup.start.words")),
  h("div", { class: "action-row" }, button(t("setup.play_now"), () => {}, { class: "primary big" })));
byId("components").append(card);
