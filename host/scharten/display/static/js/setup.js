// The set-up: the hardware, its calibration, the club, access, and the checks of this machine. The page asks and
// shows; the daemon decides what may be written and whether it is right.

import { Connection, credentials, keepSecret, socketAddress } from "./connection.js";
import { button, byId, h } from "./dom.js";
import { linkCard } from "./dialogs/phones.js";
import { LANGUAGES, change, language } from "./settings.js";
import { NOT_SERIAL, createBoardStep } from "./setup/board.js";
import { createCameras } from "./setup/cameras.js";
import { createChecks } from "./setup/checks.js";
import { linkWords } from "./link-words.js";
import { setUpPage } from "./side-page.js";
import { addWords, ofLanguage, refusalText, t } from "./words.js";

const PATIENCE_MS = 40000;

await addWords("pages", "setup", "problems");
const state = setUpPage("setup.title");
const room = byId("setup");
const { role, secret } = credentials("table");
const home = role === "table" ? "./" : `./?role=${role}`;
const connection = new Connection(socketAddress(), role, secret);
const said = h("p", { class: "said", role: "status" });
const links = h("div", { class: "phones" });
/** @type {MachineSeen} */
let seen;
/** @type {Record<string, any>} */
let wanted = {};
let waiting = false;
let mine = true;

// --- asking ---

// Sends a request of the set-up; resolves to its answer, with the reason of a refusal in `reason`.
/** @param {string} type @param {object} [fields] */
async function ask(type, fields = {}) {
  const answer = await connection.ask("setup", { type, ...fields }, PATIENCE_MS);
  answer.reason = answer.accepted ? "" : refusalText(answer, "setup.refused");
  return answer;
}

/** @param {string} key @param {unknown} value */
function want(key, value) {
  wanted[key] = value;
}

/** @param {string} key */
const value = (key) => (key in wanted ? wanted[key] : seen.now[key]);
const app = { ask, want, value, seen: () => seen, look, connection };

async function look() {
  const first = !seen;
  if (first) {
    room.replaceChildren(...new URLSearchParams(location.search).has("first") ? [startCard()] : [], said);
    said.textContent = t("setup.looks");
  }
  const found = await ask("look");
  if (!found.accepted) return void (said.textContent = found.reason);
  if (first) said.textContent = "";
  seen = /** @type {MachineSeen} */ (/** @type {unknown} */ (found));
  draw();
}

// --- drawing ---

/** @param {string} name @param {Child[]} content */
const step = (name, ...content) => h("section", { class: `card step-${name}`, "data-step": name },
  h("h2", {}, t(`setup.${name}`)), ...content);

// Cards to choose from; `small` explains a choice.
/**
 * @param {string} name
 * @param {string} legend
 * @param {Choice[]} options
 * @param {string} chosen
 * @param {(id: string) => void} pick
 */
function choices(name, legend, options, chosen, pick) {
  return h("fieldset", { class: "choices" }, h("legend", { class: "visually-hidden" }, legend),
    options.map(({ id, words, small }) => {
      const input = h("input", { type: "radio", name, value: id });
      input.checked = id === chosen;
      input.addEventListener("change", () => pick(id));
      return h("label", { class: "choice" }, input, h("span", {}, words), small ? h("small", {}, small) : null);
    }));
}

/**
 * @param {string} key
 * @param {string} words
 * @param {string} help
 * @param {Attributes<"input">} [attributes]
 */
function textField(key, words, help, attributes = {}) {
  const input = h("input", { type: "text", id: `field-${key}`, value: value(key), autocomplete: "off", ...attributes });
  input.addEventListener("change", () => want(key, input.value.trim()));
  return h("label", { class: "field-row", for: input.id }, h("span", {}, words), input,
    help ? h("small", { class: "help" }, help) : null);
}

const board = createBoardStep(app, choices);
const cameras = createCameras(app);
const checks = createChecks(app);

// In view while the machine is still looked at: it may take seconds.
function startCard() {
  return h("section", { class: "card start lit-card wide" }, h("h2", {}, t("setup.start")),
    h("p", {}, t("setup.start.words")),
    h("div", { class: "action-row" },
      button(t("setup.play_now"), () => leaveFor(`${home}${home.includes("?") ? "&" : "?"}new`),
        { class: "primary big", id: "play-now" })));
}

/** @param {string} address */
async function leaveFor(address) {
  const answer = await ask("skip");
  if (answer.accepted) location.assign(address);
  else said.textContent = answer.reason;
}

// Until something is saved or skipped, the play page leads here: its link in the navigation skips, as the button does.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest('nav [data-page="play"]');
  if (!link || event.ctrlKey || event.metaKey || (seen && !seen.first)) return;
  event.preventDefault();
  leaveFor(home);
});

// The name of a source; "both" where it joins a board and cameras.
/** @param {string | string[]} kind */
const kindName = (kind) => Array.isArray(kind) ? (kind.length > 1 ? "both" : kind[0]) : kind;

function drawSource() {
  const kind = kindName(value("source.kind"));
  const options = seen.kinds.map(kindName)
    .map((id) => ({ id, words: t(`setup.kind.${id}`), small: t(`setup.kind.${id}.help`) }));
  /** @type {Record<string, () => HTMLElement[]>} */
  const more = { serial: () => [board.draw()], camera: () => [cameras.draw()], granboard: () => [drawGranboard()],
    both: () => [board.draw(), cameras.draw()],
    simulated: () => [h("p", { class: "help" }, t("setup.simulated.words"))] };
  return step("source", choices("kind", t("setup.source"), options, kind, (id) => {
    want("source.kind", seen.kinds.find((other) => kindName(other) === id));
    delete wanted["board.profile"];
    if (NOT_SERIAL.includes(id)) want("board.profile", id);
    draw();
    focus(`input[value="${id}"]`);
  }), ...more[kind]());
}

function drawGranboard() {
  return textField("source.granboard", t("setup.granboard"), t("setup.granboard.help"),
    { placeholder: "AA:BB:CC:DD:EE:FF" });
}

function drawClub() {
  const select = h("select", { id: "field-language" }, Object.entries(LANGUAGES).map(([id, { name }]) =>
    h("option", { value: id }, name)));
  select.value = value("web.language") || language();
  select.addEventListener("change", () => {
    want("web.language", select.value);
    change("language", select.value);
    sessionStorage.setItem("scharten.setup", JSON.stringify(wanted));
    location.reload();
  });
  return step("club", textField("board.club", t("setup.club.name"), t("setup.club.name.help"), { maxlength: 40 }),
    h("label", { class: "field-row", for: "field-language" }, h("span", {}, t("setup.language")), select,
      h("small", { class: "help" }, t("setup.language.help"))),
    h("details", {}, h("summary", {}, t("setup.topics")),
      textField("broker.club", t("setup.topics.club"), t("setup.topics.help"), { maxlength: 32 }),
      textField("board.id", t("setup.topics.board"), "", { maxlength: 32 })));
}

function drawJoin() {
  const open = value("web.host") === "127.0.0.1" ? "here" : "network";
  const options = [{ id: "here", words: t("setup.join.here"), small: t("setup.join.here.help") },
    { id: "network", words: t("setup.join.network"), small: t("setup.join.network.help",
      { address: seen.address ?? "?" }) }];
  return step("join", choices("join", t("setup.join"), options, open, (id) => {
    want("web.host", id === "here" ? "127.0.0.1" : "0.0.0.0");
  }), links);
}

/** @param {Links} links */
function drawLinks({ links: given, local }) {
  links.replaceChildren(...(local || !given.length ? [h("p", { class: "help" }, t("setup.join.later"))]
    : given.map(linkCard)));
}

function drawSave() {
  return h("section", { class: "card save", "data-step": "save" },
    ...[seen.file.refusal && h("p", { class: "bad" }, t("setup.refused.file", { file: seen.file.name })),
      seen.failed && h("p", { class: "bad" }, t("setup.failed", { words: ofLanguage(seen.failed) }))].filter(Boolean),
    said, h("div", { class: "action-row" },
      button(t("setup.save"), save, { class: "primary big", id: "save", disabled: Boolean(seen.file.refusal) }),
      seen.first ? null : h("a", { class: "button", href: home, id: "to-game" }, t("status.to_play"))));
}

/** @param {string} selector */
function focus(selector) {
  const found = room.querySelector(selector);
  if (found instanceof HTMLElement) found.focus();
}

function draw() {
  room.replaceChildren(...seen.first ? [startCard()] : [], drawSource(), drawClub(), drawJoin(), drawSave(),
    step("checks", checks.element));
}

// --- saving ---

async function save() {
  const chosen = Object.fromEntries(Object.entries(wanted).filter(([key, given]) =>
    JSON.stringify(given) !== JSON.stringify(seen.now[key])));
  if (["camera", "both"].includes(kindName(value("source.kind")))) chosen["source.camera.devices"] = cameras.chosen();
  if (!seen.now["web.language"] && !chosen["web.language"]) chosen["web.language"] = language();
  said.textContent = t("setup.saving");
  const answer = await ask("save", { changes: chosen, digest: seen.file.digest });
  if (!answer.accepted) return void (said.textContent = answer.reason);
  waiting = true;
  if (answer.secret) connection.secret = keepSecret(role, answer.secret);
}

// The daemon has restarted: with the saved configuration, or with the one before.
async function startedAgain() {
  waiting = false;
  const saved = wanted;
  wanted = {};
  await look();
  if (seen?.failed) wanted = saved;
  if (seen?.failed) return draw();
  room.prepend(h("section", { class: "card start lit-card", id: "done" }, h("h2", { tabindex: "-1" }, t("setup.done")),
    h("p", {}, t("setup.done.words")),
    h("div", { class: "action-row" }, h("a", { class: "button big primary", href: home }, t("status.to_play")))));
  focus("#done h2");
  scrollTo(0, 0);
  said.textContent = "";
}

// --- from the server ---

function trouble() {
  if (connection.status === "refused" || !mine) return t("setup.not_yours");
  if (waiting) return t("setup.again");
  return linkWords(connection);
}

function drawState() {
  state.textContent = trouble();
  state.hidden = !state.textContent;
  room.hidden = connection.status === "refused" || !mine;
}

connection.on("status", async () => {
  drawState();
  if (connection.status !== "open") return;
  if (!seen) {
    wanted = JSON.parse(sessionStorage.getItem("scharten.setup") ?? "{}");
    sessionStorage.removeItem("scharten.setup");
    await look();
    // A page named this camera.
    const camera = new URLSearchParams(location.search).get("camera");
    if (camera) document.getElementById(`camera-${camera}`)?.scrollIntoView({ block: "center" });
    checks.run();
  } else if (waiting) {
    await startedAgain();
    drawState();
    checks.run();
  }
});
connection.on("topic", ({ topic, payload }) => {
  if (topic === "welcome") mine = Boolean(payload.setup);
  if (topic === "welcome") drawState();
  if (topic === "links") drawLinks(payload);
  if (topic === "mapping") board.onMapping(payload);
});
drawState();
connection.open();
