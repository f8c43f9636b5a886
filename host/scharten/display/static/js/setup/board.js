// An electronic board: at which port it is, what it says of itself, and which contact is which bed.

import { Dartboard } from "../dartboard.js";
import { button, h } from "../dom.js";
import { t } from "../words.js";

const OWN = "board";
const WORDS = ["back", "skip", "again", "take", "quit"];

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
    const options = boards.map((one) => ({ id: one.port, words: one.name || one.title || one.port,
      small: one.name ? one.title : one.port }));
    if (port && !boards.some((one) => one.port === port)) options.push({ id: port, words: port, small: "" });
    return h("div", { class: "part" },
      options.length ? choices("port", t("setup.port"), options, port, pick) : h("p", { class: "help" },
        t("setup.port.none")),
      mayType ? typed(port) : null, words,
      h("div", { class: "action-row" }, button(t("setup.look_again"), look, { id: "look-boards" }),
        button(t("setup.port.ask"), () => hello(value("source.serial.port")), { id: "ask-board" })),
      profiles(), h("p", { class: "help" }, t("setup.map.help")),
      h("div", { class: "action-row" }, button(t("setup.map"), map, { id: "map" })), place);
  }

  function typed(port) {
    const input = h("input", { type: "text", id: "field-port", value: port, placeholder: "/dev/ttyUSB0" });
    input.addEventListener("change", () => pick(input.value.trim()));
    return h("details", {}, h("summary", {}, t("setup.port.other")),
      h("label", { class: "field-row", for: input.id }, h("span", {}, t("setup.port")), input));
  }

  function profiles() {
    const known = seen().profiles.filter((one) => !one.words && !["simulated", "granboard"].includes(one.name));
    const select = h("select", { id: "field-profile" }, known.map((one) => h("option", { value: one.name },
      t("setup.profile.option", one))));
    const now = value("board.profile");
    select.value = known.some((one) => one.name === now) ? now : known[0]?.name ?? "";
    if (select.value !== now) want("board.profile", select.value);
    select.addEventListener("change", () => want("board.profile", select.value));
    return h("label", { class: "field-row", for: select.id }, h("span", {}, t("setup.profile")), select,
      h("small", { class: "help" }, t("setup.profile.help")));
  }

  function pick(port) {
    want("source.serial.port", port);
    hello(port);
  }

  async function hello(port) {
    if (!port) return void (words.textContent = t("setup.port.choose"));
    if (port === seen().in_use) return void (words.textContent = t("setup.port.in_use"));
    words.textContent = t("setup.port.waits");
    const told = await ask("hello", { port, baud: value("source.serial.baud") });
    words.textContent = told.accepted ? t("setup.port.says", told) : told.told;
    if (!told.accepted) return;
    const fits = seen().profiles.filter((one) => one.drives === told.drives && one.senses === told.senses
      && !["simulated", "granboard"].includes(one.name));
    if (fits.length) want("board.profile", fits[0].name);
    const select = document.getElementById("field-profile");
    if (fits.length && select instanceof HTMLSelectElement) select.value = fits[0].name;
  }

  async function map() {
    const port = value("source.serial.port");
    if (!port) return void (words.textContent = t("setup.port.choose"));
    const told = await ask("map", { port, name: OWN, baud: value("source.serial.baud") });
    words.textContent = told.accepted ? t("setup.map.waits") : told.told;
    if (!told.accepted) return;
    board ??= new Dartboard(drawing, { label: t("setup.map.progress") });
    answer.textContent = "";
  }

  // A state of the wizard, what it says at a terminal, or its end.
  async function hear(told) {
    if (told.said) return void (words.textContent = told.said);
    place.hidden = told.ended;
    if (!told.ended) return show(told);
    words.textContent = told.done ? t("setup.map.done", { profile: told.profile })
      : told.words || t("setup.map.stopped");
    if (!told.done) return;
    want("board.profile", told.profile);
    await look();
  }

  function show({ bed, done, answer: said, taken, over, of }) {
    words.textContent = "";
    asked.textContent = bed ? t("setup.map.press", { bed }) : t("setup.map.all");
    where.textContent = bed ? t(`setup.ring.${/^\d/.test(bed) || bed === "BULL" ? bed : bed[0]}`,
      { number: bed.slice(1) }) : "";
    // The wizard speaks English: what it took is said here, why it refused something in its own words too.
    answer.textContent = !said ? "" : taken ? t("setup.map.taken") : `${t("setup.map.refused")} (${said})`;
    answer.classList.toggle("bad", !taken);
    bar.max = of;
    bar.value = over;
    board?.light({ asked: bedsOf(bed), free: done.flatMap(bedsOf) });
  }

  return { draw, hear };
}

// A single that stands for both is two beds of the drawing.
function bedsOf(bed) {
  if (!bed) return [];
  return bed[0] === "S" ? [`F${bed.slice(1)}`, `L${bed.slice(1)}`] : [bed];
}
