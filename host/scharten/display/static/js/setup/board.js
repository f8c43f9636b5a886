// An electronic board: at which port it is, what it says of itself, and which contact is which bed.

import { Dartboard } from "../dartboard.js";
import { button, byId, h } from "../dom.js";
import { language } from "../settings.js";
import { t } from "../words.js";
import { drawFlashing } from "./flashing.js";

const OWN = "board";
export const NOT_SERIAL = ["simulated", "granboard"]; // boards without a serial port, each with a profile of its name
const WORDS = ["back", "skip", "again", "take", "quit"];

/**
 * @param {SetupApp} app
 * @param {(name: string, legend: string, all: Choice[], chosen: string, pick: (id: string) => void) => Node} choices
 */
export function createBoardStep({ ask, want, value, seen, look }, choices) {
  const words = h("p", { class: "said", role: "status" });
  const place = h("div", { class: "mapping", hidden: true });
  const asked = h("p", { class: "press", "aria-live": "polite" });
  const where = h("p", {});
  const answer = h("p", { class: "said", role: "status" });
  const bar = h("progress", { max: "1", value: "0", "aria-label": t("setup.map.progress") });
  const drawing = h("div", {});
  /** @type {Dartboard | null} */
  let board = null;
  place.append(drawing, h("div", { class: "mapping-words" }, asked, where, answer, bar,
    h("div", { class: "action-row" }, WORDS.map((word) => button(t(`setup.map.${word}`),
      () => ask("map_word", { word }), { "data-word": word })))));

  function draw() {
    const port = value("source.serial.port");
    const { boards, may_type: mayType } = seen();
    const options = boards.map(({ port: id, name, title }) =>
      ({ id, words: name || title || id, small: name ? title : id }));
    if (port && !boards.some((found) => found.port === port)) options.push({ id: port, words: port, small: "" });
    return h("div", { class: "part" },
      options.length ? choices("port", t("setup.port"), options, port, pick) : h("p", { class: "help" },
        t("setup.port.none")),
      mayType ? typed(port) : null, words,
      h("div", { class: "action-row" }, button(t("setup.look_again"), look, { id: "look-boards" }),
        button(t("setup.port.ask"), () => hello(value("source.serial.port")), { id: "ask-board" })),
      drawFlashing(), profiles(), h("p", { class: "help" }, t("setup.map.help")),
      h("div", { class: "action-row" }, button(t("setup.map"), map, { id: "map" })), place);
  }

  /** @param {string} port */
  function typed(port) {
    const input = h("input", { type: "text", id: "field-port", value: port, placeholder: "/dev/ttyUSB0" });
    input.addEventListener("change", () => pick(input.value.trim()));
    return h("details", {}, h("summary", {}, t("setup.port.other")),
      h("label", { class: "field-row", for: input.id }, h("span", {}, t("setup.port")), input));
  }

  function profiles() {
    const known = seen().profiles.filter(({ words: fault, name }) => !fault && !NOT_SERIAL.includes(name));
    const select = h("select", { id: "field-profile" }, known.map((profile) => h("option", { value: profile.name },
      t("setup.profile.option", profile))));
    const now = value("board.profile");
    select.value = known.some((profile) => profile.name === now) ? now : known[0]?.name ?? "";
    if (select.value !== now) want("board.profile", select.value);
    select.addEventListener("change", () => want("board.profile", select.value));
    return h("label", { class: "field-row", for: select.id }, h("span", {}, t("setup.profile")), select,
      h("small", { class: "help" }, t("setup.profile.help")));
  }

  /** @param {string} port */
  function pick(port) {
    want("source.serial.port", port);
    hello(port);
  }

  /** @param {string} port */
  async function hello(port) {
    if (!port) return void (words.textContent = t("setup.port.choose"));
    if (port === seen().in_use) return void (words.textContent = t("setup.port.in_use"));
    words.textContent = t("setup.port.waits");
    const reply = await ask("hello", { port, baud: value("source.serial.baud") });
    words.textContent = reply.accepted ? t("setup.port.says", reply) : reply.reason;
    if (!reply.accepted) return;
    const fits = seen().profiles.filter((profile) => profile.drives === reply.drives && profile.senses === reply.senses
      && !NOT_SERIAL.includes(profile.name));
    if (fits.length) want("board.profile", fits[0].name);
    const select = byId("field-profile");
    if (fits.length && select instanceof HTMLSelectElement) select.value = fits[0].name;
  }

  async function map() {
    const port = value("source.serial.port");
    if (!port) return void (words.textContent = t("setup.port.choose"));
    const reply = await ask("map", { port, name: OWN, baud: value("source.serial.baud"), language: language() });
    words.textContent = reply.accepted ? t("setup.map.waits") : reply.reason;
    if (!reply.accepted) return;
    board ??= new Dartboard(drawing, { label: t("setup.map.progress") });
    answer.textContent = "";
  }

  // A state of the wizard, what it says at a terminal, or its end.
  /** @param {MappingState} state */
  async function onMapping(state) {
    if (state.said) return void (words.textContent = state.said);
    place.hidden = state.ended;
    if (!state.ended) return show(state);
    words.textContent = state.done ? t("setup.map.done", { profile: state.profile })
      : [t("setup.map.stopped"), state.words].filter(Boolean).join(" ");
    if (!state.done) return;
    want("board.profile", state.profile);
    await look();
  }

  /** @param {MappingState} state */
  function show({ bed, done, answer: said, taken, over, of }) {
    words.textContent = "";
    asked.textContent = bed ? t("setup.map.press", { bed }) : t("setup.map.all");
    where.textContent = bed ? t(`setup.ring.${/^\d/.test(bed) || bed === "BULL" ? bed : bed[0]}`,
      { number: bed.slice(1) }) : "";
    // The page has its own words for both outcomes, and adds the wizard's reason of a refusal.
    answer.textContent = !said ? "" : taken ? t("setup.map.taken") : `${t("setup.map.refused")} (${said})`;
    answer.classList.toggle("bad", !taken);
    bar.max = of;
    bar.value = over;
    board?.light({ asked: bedsOf(bed), free: done.flatMap(bedsOf) });
  }

  return { draw, onMapping };
}

// A single that stands for both is two beds of the drawing.
/** @param {string | null} bed */
function bedsOf(bed) {
  if (!bed) return [];
  return bed[0] === "S" ? [`F${bed.slice(1)}`, `L${bed.slice(1)}`] : [bed];
}
