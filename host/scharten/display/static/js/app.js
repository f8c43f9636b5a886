// The play page: wires the connection, the store, the board and the panels, and redraws what a change touches.

import { Board } from "./board.js";
import { Connection, credentials, socketAddress } from "./connection.js";
import { Controller } from "./controller.js";
import { afterPaint, h } from "./dom.js";
import { listenForKeys } from "./keys.js";
import { fieldsOf, readPosition } from "./position.js";
import { apply } from "./settings.js";
import { play } from "./sound.js";
import { Store } from "./store.js";
import { speak } from "./voice.js";
import { keepAwake } from "./wake.js";
import { Throwing } from "./throwing.js";
import { createTyped } from "./typed.js";
import { bedName, known, notation, pieceName, t, tell, wordArgs } from "./words.js";
import { later } from "./dialogs/later.js";
import { createActions } from "./panels/actions.js";
import { createAim } from "./panels/aim.js";
import { createCentre } from "./panels/centre.js";
import { createDartPanel } from "./panels/dart.js";
import { createDrawer } from "./panels/drawer.js";
import { createEnd } from "./panels/end.js";
import { createDoubt } from "./panels/doubt.js";
import { createDrawing } from "./panels/drawing.js";
import { createHeader } from "./panels/header.js";
import { createLook } from "./panels/look.js";
import { createNotices } from "./panels/notices.js";
import { createPlayers } from "./panels/players.js";
import { createQuestion } from "./panels/question.js";
import { createSheet } from "./panels/sheet.js";

apply();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);

const BOARD_ORDERS = new Set(["move", "explain"]);
const { role, secret } = credentials();
const store = new Store(role);
const connection = new Connection(socketAddress(), role, secret);
const find = (id) => document.getElementById(id);
document.title = t("app.title");
document.body.dataset.role = role;

const board = new Board(find("board"), {
  interactive: role !== "display", label: fieldLabel,
});
board.svg.setAttribute("aria-label", t("board.label"));
find("board").classList.toggle("interactive", role !== "display");

/** @type {App} */
const app = { store, connection, board, role, command, ask, say, throwDart, look, fetchAsArbiter, play };
app.controller = new Controller(app);
app.throwing = new Throwing(app);
const notices = createNotices(app, find("notices"), find("live"));
const drawer = createDrawer(app, find("drawer"));
const panels = [
  createHeader(app, find("header"), find("trouble"), drawer.handle),
  createPlayers(app, find("player-white"), find("player-black")),
  createCentre(app, board.centreElement), createActions(app, find("actions")), createDartPanel(app, find("dart")),
  createQuestion(app, find("question")), createLook(app, find("look"), find("look-offer")),
  createDoubt(app, find("doubt")), createEnd(app, find("end")),
  createAim(app, find("aim")), createDrawing(app, find("drawing")), createSheet(app, find("sheet")), drawer,
];

// A command that carries the state this page saw; a refusal is told in words.
async function command(type, fields = {}) {
  const answer = await ask(type, fields);
  if (!answer.accepted) say(refusalWords(answer), "refused");
  else if (answer.pending) say(t("request.waits"));
  return answer;
}

function ask(type, fields = {}) {
  // The board is ahead of the panels by a frame: a button speaks of the state that it was drawn for.
  const seen = (BOARD_ORDERS.has(type) ? store.snapshot : drawnState) ?? {};
  return connection.command({ type, match: seen.match || null, seq: seen.seq ?? 0, ...fields });
}

function refusalWords(answer) {
  const why = answer.args?.why;
  if (why && known(`because.${why}`)) return tell("because", why, answer.args);
  // What the page has no words for, such as what is wrong with a position, the answer says itself.
  if (why) return tell("why", why, { field: fieldsOf(answer.args.move).at(-1), ...answer.args }, answer.words);
  if (answer.code === "malformed" && answer.words) return answer.words;
  return tell("refusal", answer.code, answer.args, answer.words);
}

function say(text, kind = "") {
  notices.say(text, kind);
}

function throwDart(payload) {
  if (!connection.send("simulator/throw", { v: 1, ...payload })) say(t("refusal.connection_lost"), "refused");
}

// A throw that every page of this board shows again, by its time; null is enough of it.
function look(at_ms) {
  if (!connection.send("look", { at_ms })) say(t("refusal.connection_lost"), "refused");
}

function fetchAsArbiter(path) {
  return fetch(path, { headers: { Authorization: `Bearer ${secret ?? ""}` } });
}

function fieldLabel(name, letter, classes) {
  const parts = [name, letter ? pieceName(letter) : t("field.empty")];
  for (const mark of ["destination", "capture", "chosen", "zone", "checker", "unsupported", "shielded"]) {
    if (classes?.contains(mark) || markedFields[mark]?.includes(name)) parts.push(t(`mark.${mark}`));
  }
  return parts.join(", ");
}

let markedFields = {};

function drawMarks() {
  const snapshot = store.snapshot;
  if (!snapshot) return;
  const live = store.reviewing === null;
  const throwing = live && snapshot.phase === "throwing";
  const marks = {
    last: lastFields(),
    check: live ? snapshot.check : [],
    checker: live ? (snapshot.shown.checkers ?? []).map((checker) => checker.field) : [],
    supporter: live ? (snapshot.shown.checkers ?? []).flatMap((checker) => checker.supporters) : [],
    zone: throwing ? snapshot.shown.zone ?? [] : [],
    drop: throwing ? snapshot.drops : [],
    ...(live ? app.controller.marks() : {}),
  };
  markedFields = Object.fromEntries(Object.entries(marks).map(([name, fields]) => [name, [...fields]]));
  board.mark(marks, live ? [...app.controller.support(), ...checkLines(snapshot)] : []);
}

// From each checking piece, and from those that support it, to the king: in view at mate too.
/** @param {Snapshot} snapshot */
function checkLines(snapshot) {
  return (snapshot.shown.checkers ?? []).flatMap(({ field, supporters }) => snapshot.check.flatMap((king) => [
    { field: king, from: supporters, kind: "helping" }, { field: king, from: [field], kind: "checking" }]));
}

function lastFields() {
  const last = store.reviewing === null ? store.snapshot?.last : store.entries()[store.reviewing];
  return last?.fields ?? [];
}

function drawBoard(animate) {
  const snapshot = store.snapshot;
  if (!snapshot) return;
  board.show({ layout: snapshot.game.layout, whiteSitsAt: store.whiteSitsAt(), turned: store.turned() });
  document.body.classList.toggle("turned", store.turned());
  const showUnmoved = Boolean(snapshot.shown.protected?.length);
  const { pieces, gone } = readPosition(store.position(), snapshot.game.layout);
  board.setPieces(pieces, { animate, showUnmoved });
  board.setGone(gone);
  drawDart();
}

function drawDart() {
  const last = store.reviewing === null ? store.snapshot.last : null;
  if (!last?.bed || !board.form.dartboard) return board.showDarts([]);
  const lost = Boolean(last.foul);
  const { x_mm, y_mm } = last;
  if (Number.isFinite(x_mm) && Number.isFinite(y_mm)) return board.showDarts([{ x_mm, y_mm, lost }]);
  board.showDarts(lost ? last.fields.map((field) => ({ field, lost })) : []);
}

function announce() {
  const { previous, snapshot } = store;
  if (!previous || previous.match !== snapshot.match || previous.seq === snapshot.seq) return;
  const { last } = snapshot;
  const happened = JSON.stringify(last) !== JSON.stringify(previous.last);
  playSound(happened);
  if (!happened) return;
  if (last) notices.tellAloud(lastWords(last));
  if (snapshot.check.length) notices.tellAloud(t("check.now", wordArgs({ side: snapshot.side })));
}

function playSound(happened) {
  const { previous, snapshot } = store;
  const { last } = snapshot;
  if (snapshot.result && !previous.result) play(snapshot.reason === "fogling" ? "fogling" : "end");
  else if (snapshot.question && !previous.question) play("question");
  else if (happened && last?.foul) play("lost");
  else if (snapshot.check.length && happened) play("check");
  else if (happened) play(last?.bed ? "placed" : "move");
}

function lastWords(last) {
  const side = { side: last.by };
  if (last.foul) {
    const fouls = store.snapshot.shown.fouls?.[last.by] ?? 0;
    const limit = store.snapshot.game.options.foul_limit[last.by];
    return t("spoken.lost", { ...wordArgs({ ...side, foul: last.foul }), bed: bedName(last.bed), fouls, limit });
  }
  const placed = last.move.startsWith("@");
  return t(placed ? "spoken.placed" : last.bed ? "spoken.hit" : "spoken.moved",
    { ...wordArgs(side), text: notation(last.text, last.by), bed: bedName(last.bed) });
}

// The board is drawn at once; the panels follow when that is on the screen, once for all that came meanwhile.
const news = new Set();
let drawnState = null;

function tellPanels(detail) {
  if (detail === "state") notices.hear();
  if (!news.size) afterPaint(drawPanels);
  news.add(detail);
}

function drawPanels() {
  const told = new Set(news);
  news.clear();
  drawnState = store.snapshot;
  for (const panel of panels) panel.update(told);
}

// Whether somebody's card opened this page, or somebody sat here with this device before.
function mayBeKnown() {
  return new URLSearchParams(location.search).has("card") || Boolean(localStorage.getItem("scharten.player"));
}

let drawn = false;

store.addEventListener("change", ({ detail }) => {
  if (detail === "seated" && mayBeKnown()) later(app, "kept-players", "knowWhose");
  if (detail === "state" || detail === "review" || detail === "sheet") {
    if (detail === "state") app.controller.refresh();
    if (detail === "state") app.throwing.refresh();
    drawBoard(drawn && detail !== "sheet");
    drawn = Boolean(store.snapshot);
    document.body.classList.toggle("waiting", !drawn); // nothing can be begun or thrown before there is a board
    drawMarks();
  }
  if (detail === "state") announce();
  tellPanels(detail);
});
app.controller.addEventListener("change", drawMarks);
connection.addEventListener("topic", ({ detail }) => store.take(detail.topic, detail.payload));
connection.addEventListener("topic", ({ detail }) => {
  // Nobody has set this machine up yet: its front door leads there; a link with a role comes to play.
  const asked = new URLSearchParams(location.search).has("role");
  if (detail.topic === "welcome" && detail.payload.setup?.first && !asked) location.replace(`setup${location.search}`);
});
connection.addEventListener("topic", ({ detail }) => detail.topic === "said" && speak(detail.payload));
connection.addEventListener("status", () => tellPanels("status"));

for (const panel of panels) panel.update(new Set(["start"]));
if (location.protocol === "https:") document.head.append(h("link", { rel: "manifest", href: "manifest.webmanifest" }));
const view = new URLSearchParams(location.search).get("view");
if (view === "projector") (await import("./projector.js")).project(board);
if (view === "light") (await import("./light.js")).shine(app);
if (role !== "display") createTyped(app, find("typing"));
keepAwake(() => say(t("wake.refused"), "wake"));
listenForKeys(find("actions"), store);
connection.open();
