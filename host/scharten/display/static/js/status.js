// The status page, for the arbiter: the host's `health`, the cameras' pictures, the diagnostics.

import { Connection, credentials, socketAddress } from "./connection.js";
import { button, byId, h, withLinks } from "./dom.js";
import { showNewer } from "./features/newer.js";
import { calibrateWords, health, partWords, stopWords, warningWords } from "./health.js";
import { linkWords } from "./link-words.js";
import { language } from "./settings.js";
import { offerWayHome, setUpPage } from "./side-page.js";
import { Store } from "./store.js";
import { svg } from "./svg.js";
import { addWords, bedName, known, t, tell, timeWords } from "./words.js";

const PICTURES_MS = 2000;

await addWords("pages");
const { secret } = credentials("arbiter");
const state = setUpPage("status.title");
const room = byId("status");
const store = new Store("arbiter");
const connection = new Connection(socketAddress(), "arbiter", secret);
const pictures = h("div", { class: "pictures-row" });
const images = /** @type {Map<string, HTMLImageElement>} */ (new Map()); // by the camera's name
const WIDE = ["play", "cameras", "diagnostics"];
const parts = { play: part("play"), readings: part("readings"), sources: part("sources"), board: part("board"),
  broker: part("broker"), journal: part("journal"), cameras: part("cameras"), diagnostics: part("diagnostics") };

/** @param {string} name */
function part(name) {
  const element = h("div", { class: "part" });
  const title = name === "diagnostics" ? null : h("h2", {}, t(`status.${name}`));
  room.append(h("section", { class: `card${WIDE.includes(name) ? " wide" : ""}`, "data-part": name }, title, element));
  return element;
}

const failure = h("p", { class: "help" }, t("status.diagnostics.help"));
parts.diagnostics.append(h("div", { class: "action-row" },
  button(t("status.diagnostics"), download, { class: "primary", id: "diagnostics" })),
  failure);
const newer = h("p", { class: "newer", role: "status", hidden: true });
parts.journal.after(newer);
const noCameras = h("p", { class: "cameras-words" }, t("status.no_cameras"));
parts.cameras.append(noCameras, pictures);

// --- from the server ---

/** @returns {Record<string, string>} */
function headers() {
  return secret ? { Authorization: `Bearer ${secret}` } : {};
}

async function download() {
  const answer = await fetch("status/diagnostics", { headers: headers() });
  if (!answer.ok) return void (failure.textContent = t("status.failed"));
  const address = URL.createObjectURL(await answer.blob());
  h("a", { href: address, download: "scharten-diagnostics.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function refreshPictures() {
  if (connection.status !== "open" || document.hidden) return;
  const answer = await fetch("status/pictures", { headers: headers() });
  if (!answer.ok) return;
  /** @type {{names: string[]}} */
  const { names } = await answer.json();
  for (const [name, image] of images) if (!names.includes(name)) image.parentElement?.remove();
  for (const name of names) {
    const image = images.get(name) ?? h("img", { alt: t("status.picture", { name }) });
    if (!image.isConnected) pictures.append(h("figure", { "data-name": name }, image, h("figcaption", {}, name)));
    images.set(name, image);
    const fetched = await fetch(`status/picture/${encodeURIComponent(name)}`, { headers: headers() });
    if (!fetched.ok) continue;
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(await fetched.blob());
  }
  drawCameras(health(store));
}

// --- drawing ---

/** @param {string} key @param {string | null | undefined} fallback */
function words(key, fallback) {
  return known(key) ? t(key) : fallback ?? "";
}

/** @param {number | null | undefined} ms */
function time(ms) {
  return ms ? timeWords(ms, { day: true }) : "";
}

/** @param {number | null | undefined} ms */
function clockTime(ms) {
  return ms ? timeWords(ms, { seconds: true }) : "";
}

/** @param {[string, unknown][]} pairs */
function list(pairs) {
  return h("dl", {}, pairs.filter(([, value]) => value !== undefined && value !== null
    && value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))]));
}

/** @param {[string, unknown]} pair @returns {[string, unknown]} */
function spaced([name, value]) {
  return [name.replaceAll("_", " "), value];
}

/** @param {boolean} good @param {string} text */
function verdict(good, text) {
  return h("p", { class: `headline ${good ? "good" : "bad"}` }, text);
}

/** @param {Partial<Health>} newest */
function drawPlay(newest) {
  const online = store.availability === "online";
  const lines = [];
  if (!online) lines.push(verdict(false, t("status.offline")));
  else if (newest.playable === false) lines.push(verdict(false,
    t("status.not_playable", { reason: stopWords(newest).reason })),
    h("p", {}, t("status.cure", { cure: stopWords(newest).cure })));
  else lines.push(verdict(true, t("status.playable")));
  lines.push(...(newest.warnings ?? []).map((warning) => h("p", { class: "bad" },
    withLinks(warning === newest.calibrate?.words ? calibrateWords(newest.calibrate) : warningWords(newest, warning),
      { role: "arbiter", camera: newest.calibrate?.camera }))));
  lines.push(...(newest.parts ?? []).map((fault) => h("p", { class: fault.recent ? "bad" : "" },
    [partWords(fault), `${clockTime(fault.since_ms)} (${fault.count})`, fault.words].join(" · "))));
  parts.play.replaceChildren(...lines);
}

/** @param {Partial<Health>} newest */
function drawSources(newest) {
  parts.sources.replaceChildren(...(newest.sources ?? []).flatMap((source) => [
    verdict(source.state === "found",
      `${words(`status.source.${source.name}`, source.name)}: ${words(`status.state.${source.state}`, source.state)}`),
    h("p", {}, [sourceDetail(source, newest.remarks ?? []), t("status.since", { time: time(source.since_ms) })]
      .filter(Boolean).join(" · ")),
  ]));
}

// The detail of a source, in English as the host has it: it names ports and versions. Other languages have the text of
// the reason; the cameras' reasons are remarks.
/** @param {Record<string, any>} source @param {NonNullable<Health["remarks"]>} remarks */
function sourceDetail(source, remarks) {
  if (language() === "en") return source.detail;
  if (source.reason) return words(`source.${source.reason}`, "");
  if (source.name !== "camera") return "";
  return remarks.map((remark) => tell("remark", remark.code, remark.args, remark.words)).join(" ")
    || (source.state === "found" ? "" : t("health.camera.lost"));
}

/** @param {Partial<Health>} newest */
function drawReadings(newest) {
  const readings = [...(newest.readings ?? [])].reverse();
  if (!readings.length) return parts.readings.replaceChildren(h("p", {}, t("status.no_readings")));
  const head = h("tr", {}, ["time", "bed", "confidence", "outcome"].map((name) =>
    h("th", { scope: "col" }, t(`status.${name}`))));
  const rows = readings.map((reading) => h("tr", {},
    h("td", {}, clockTime(reading.at_ms)),
    h("td", {}, h("strong", {}, reading.bed ? bedName(reading.bed) : (reading.beds ?? []).map(bedName).join(" / ")
      || "?")),
    h("td", { class: "sure" }, meter(reading.confidence), `${Math.round(100 * reading.confidence)} %`),
    h("td", {}, reading.counted ? t("status.counted") : tell("why_not", reading.why))));
  parts.readings.replaceChildren(h("table", { class: "readings" }, h("thead", {}, head), h("tbody", {}, rows)));
}

// An SVG, since the page's policy allows no style attribute.
/** @param {number} share */
function meter(share) {
  const holder = h("span", { class: "meter", "aria-hidden": "true" });
  const whole = svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none" }, holder);
  svg("rect", { width: Math.max(0, Math.min(100, 100 * share)), height: 10 }, whole);
  return holder;
}

/** @param {Partial<Health>} newest */
function drawBoard(newest) {
  const stuck = (newest.stuck ?? []).map(({ drive, sense, bed }) =>
    `${bed ? bedName(bed) : "?"} (${t("status.stuck_at", { drive, sense })})`);
  parts.board.replaceChildren(
    verdict(!stuck.length, `${t("status.stuck")}: ${stuck.join(", ") || t("none")}`),
    verdict(!newest.dropped, `${t("status.dropped")}: ${newest.dropped ?? 0}`),
    ...(newest.line ? [h("h3", {}, t("status.line")),
      list(Object.entries(newest.line).map(spaced))] : []));
}

/** @param {Partial<Health>} newest */
function drawBroker(newest) {
  /** @param {boolean} up */
  const upDown = (up) => t(up ? "status.broker.up" : "status.broker.down");
  parts.broker.replaceChildren(
    verdict(store.brokerUp, `${t("status.display")}: ${upDown(store.brokerUp)}`),
    verdict(newest.broker?.connected !== false, `${t("status.host")}: ${
      (language() === "en" && newest.broker?.words) || upDown(newest.broker?.connected !== false)}`));
}

/** @param {Partial<Health>} newest */
function drawJournal(newest) {
  const { journal } = newest;
  parts.journal.replaceChildren(list([
    [t("status.file"), journal && [`${journal.path}, ${Math.ceil(journal.bytes / 1024)} kB`, journal.found]
      .filter(Boolean).join("; ")],
    [t("status.version"), newest.version ?? store.welcome?.version], [t("status.running"), time(newest.started_ms)],
  ]));
}

/** @param {Partial<Health>} newest */
function drawCameras(newest) {
  const cameras = newest.cameras ?? [];
  for (const element of parts.cameras.querySelectorAll("dl, .headline")) element.remove();
  for (const camera of Array.isArray(cameras) ? cameras : Object.values(cameras)) {
    const { name, state: condition, ...rest } = camera;
    const figures = Object.entries(rest).filter(([, value]) => typeof value !== "object");
    parts.cameras.prepend(verdict(!condition || condition === "found",
      [name, words(`status.state.${condition}`, condition)].filter(Boolean).join(": ")), list(figures.map(spaced)));
  }
  noCameras.hidden = pictures.children.length > 0 || cameras.length > 0;
}

function trouble() {
  if (connection.status === "refused" && connection.code !== "needs_tls") return t("status.arbiter");
  return linkWords(connection) || (store.brokerUp ? "" : t("link.no_broker"));
}

function draw() {
  state.textContent = trouble();
  state.hidden = !state.textContent;
  offerWayHome(connection.status === "refused");
  room.hidden = connection.status === "refused";
  const newest = health(store);
  for (const show of [drawPlay, drawSources, drawReadings, drawBoard, drawBroker, drawJournal,
    drawCameras]) show(newest);
}

connection.on("status", draw);
connection.on("topic", ({ topic, payload }) => store.take(topic, payload));
store.on("change", (topic) => ["health", "availability", "welcome", "link"].includes(topic)
  && draw());
store.on("change", (topic) => topic === "newer" && showNewer(store, newer));
setInterval(refreshPictures, PICTURES_MS);
connection.on("status", () => connection.status === "open" && refreshPictures());
draw();
connection.open();
