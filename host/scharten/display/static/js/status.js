// The status page, for the arbiter: what the host says of itself in `health`, the cameras' pictures, the diagnostics.

import { Connection, credentials, socketAddress } from "./connection.js";
import { button, h, withLinks } from "./dom.js";
import { calibrateWords } from "./health.js";
import { setUpPage } from "./side-page.js";
import { Store } from "./store.js";
import { svg } from "./svg.js";
import { addWords, bedName, known, t, tell } from "./words.js";

const PICTURES_MS = 2000;

await addWords("pages-");
const { secret } = credentials("arbiter");
const state = setUpPage("status.title", h("a", { class: "button", href: "setup?role=arbiter" },
  t("pages.setup")), h("a", { class: "button", href: "./?role=arbiter" }, t("status.to_play")));
const room = document.getElementById("status");
const store = new Store("arbiter");
const connection = new Connection(socketAddress(), "arbiter", secret);
const pictures = h("div", { class: "pictures-row" });
const parts = {};
for (const [name, wide] of [["play", true], ["readings"], ["sources"], ["board"], ["broker"], ["journal"],
  ["cameras", true], ["diagnostics", true]]) {
  parts[name] = h("div", { class: "part" });
  const title = name === "diagnostics" ? null : h("h2", {}, t(`status.${name}`));
  room.append(h("section", { class: `card${wide ? " wide" : ""}`, "data-part": name },
    ...[title, parts[name]].filter(Boolean)));
}
parts.diagnostics.append(h("div", { class: "action-row" },
  button(t("status.diagnostics"), download, { class: "primary", id: "diagnostics" })),
  h("p", { class: "help" }, t("status.diagnostics.help")));
parts.cameras.append(h("p", { class: "cameras-words" }, t("status.no_cameras")), pictures);

// --- from the server ---

function headers() {
  return secret ? { Authorization: `Bearer ${secret}` } : {};
}

async function download() {
  const answer = await fetch("status/diagnostics", { headers: headers() });
  if (!answer.ok) return void (parts.diagnostics.querySelector(".help").textContent = t("status.failed"));
  const address = URL.createObjectURL(await answer.blob());
  h("a", { href: address, download: "scharten-diagnostics.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function refreshPictures() {
  if (connection.status !== "open" || document.hidden) return;
  const answer = await fetch("status/pictures", { headers: headers() });
  if (!answer.ok) return;
  const { names } = await answer.json();
  const present = new Map([...pictures.children].map((figure) => [figure.dataset.name, figure]));
  for (const [name, figure] of present) if (!names.includes(name)) figure.remove();
  for (const name of names) {
    const figure = present.get(name)
      ?? h("figure", { "data-name": name }, h("img", { alt: t("status.picture", { name }) }),
      h("figcaption", {}, name));
    if (!present.has(name)) pictures.append(figure);
    const fetched = await fetch(`status/picture/${encodeURIComponent(name)}`, { headers: headers() });
    if (!fetched.ok) continue;
    const image = figure.querySelector("img");
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(await fetched.blob());
  }
  drawCameras(store.health ?? {});
}

// --- drawing ---

function words(key, fallback) {
  return known(key) ? t(key) : fallback ?? "";
}

function time(ms) {
  return ms ? new Date(ms).toLocaleString(document.documentElement.lang,
    { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }) : "";
}

function clockTime(ms) {
  return ms ? new Date(ms).toLocaleTimeString(document.documentElement.lang, { hourCycle: "h23" }) : "";
}

function list(pairs) {
  return h("dl", {}, pairs.filter(([, value]) => value !== undefined && value !== null
    && value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))]));
}

function verdict(good, text) {
  return h("p", { class: `headline ${good ? "good" : "bad"}` }, text);
}

function drawPlay(health) {
  const online = store.availability === "online";
  const lines = [];
  if (!online) lines.push(verdict(false, t("status.offline")));
  else if (health.playable === false) lines.push(verdict(false,
    t("status.not_playable", { reason: health.reason ?? "" })),
    h("p", {}, t("status.cure", { cure: health.cure ?? "" })));
  else lines.push(verdict(true, t("status.playable")));
  lines.push(...(health.warnings ?? []).map((warning) => h("p", { class: "bad" },
    withLinks(warning === health.calibrate?.words ? calibrateWords(health.calibrate) : warning,
      { role: "arbiter", camera: health.calibrate?.camera }))));
  parts.play.replaceChildren(...lines);
}

function drawSources(health) {
  parts.sources.replaceChildren(...(health.sources ?? []).flatMap((source) => [
    verdict(source.state === "found",
      `${words(`status.source.${source.name}`, source.name)}: ${words(`status.state.${source.state}`, source.state)}`),
    h("p", {}, [source.detail, t("status.since", { time: time(source.since_ms) })].filter(Boolean).join(" · ")),
  ]));
}

function drawReadings(health) {
  const readings = [...(health.readings ?? [])].reverse();
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
function meter(share) {
  const holder = h("span", { class: "meter", "aria-hidden": "true" });
  const whole = svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none" }, holder);
  svg("rect", { width: Math.max(0, Math.min(100, 100 * share)), height: 10 }, whole);
  return holder;
}

function drawBoard(health) {
  const stuck = (health.stuck ?? []).map(({ drive, sense, bed }) =>
    `${bed ? bedName(bed) : "?"} (${t("status.stuck_at", { drive, sense })})`);
  parts.board.replaceChildren(
    verdict(!stuck.length, `${t("status.stuck")}: ${stuck.join(", ") || t("none")}`),
    verdict(!health.dropped, `${t("status.dropped")}: ${health.dropped ?? 0}`),
    ...(health.line ? [h("h3", {}, t("status.line")),
      list(Object.entries(health.line).map(([name, count]) => [name.replaceAll("_", " "), count]))] : []));
}

function drawBroker(health) {
  const upDown = (up) => t(up ? "status.broker.up" : "status.broker.down");
  parts.broker.replaceChildren(
    verdict(store.brokerUp, `${t("status.display")}: ${upDown(store.brokerUp)}`),
    verdict(health.broker?.connected !== false,
      `${t("status.host")}: ${health.broker?.words ?? upDown(health.broker?.connected !== false)}`));
}

function drawJournal(health) {
  const { journal } = health;
  parts.journal.replaceChildren(list([
    [t("status.file"), journal && [`${journal.path}, ${Math.ceil(journal.bytes / 1024)} kB`, journal.found]
      .filter(Boolean).join("; ")],
    [t("status.version"), health.version ?? store.welcome?.version], [t("status.running"), time(health.started_ms)],
  ]));
}

function drawCameras(health) {
  const cameras = health.cameras ?? [];
  parts.cameras.querySelectorAll("dl, .headline").forEach((element) => element.remove());
  for (const camera of Array.isArray(cameras) ? cameras : Object.values(cameras)) {
    const { name, state: condition, ...rest } = camera;
    const figures = Object.entries(rest).filter(([, value]) => typeof value !== "object").map(([key, value]) =>
      [key.replaceAll("_", " "), value]);
    parts.cameras.prepend(verdict(!condition || condition === "found",
      [name, words(`status.state.${condition}`, condition)].filter(Boolean).join(": ")), list(figures));
  }
  parts.cameras.querySelector(".cameras-words").hidden = pictures.children.length > 0 || cameras.length > 0;
}

function trouble() {
  if (connection.status === "refused") return connection.code === "needs_tls" ? t("refused.needs_tls")
    : t("status.arbiter");
  if (connection.status === "lost") return t("link.lost");
  if (connection.status === "connecting") return t("link.connecting");
  return store.brokerUp ? "" : t("link.no_broker");
}

function draw() {
  state.textContent = trouble();
  state.hidden = !state.textContent;
  room.hidden = connection.status === "refused";
  const health = store.health ?? {};
  for (const part of [drawPlay, drawSources, drawReadings, drawBoard, drawBroker, drawJournal,
    drawCameras]) part(health);
}

connection.addEventListener("status", draw);
connection.addEventListener("topic", ({ detail }) => store.take(detail.topic, detail.payload));
store.addEventListener("change", ({ detail }) => ["health", "availability", "welcome", "link"].includes(detail)
  && draw());
setInterval(refreshPictures, PICTURES_MS);
connection.addEventListener("status", () => connection.status === "open" && refreshPictures());
draw();
connection.open();
