// The play page: wires the connection, the store, the board and the panels, and redraws what a change touches.

import { Board } from "./board.js";
import { Connection, credentials, socketAddress } from "./connection.js";
import { Controller } from "./controller.js";
import { afterPaint, byId, h } from "./dom.js";
import "./features/advice.js"; // their topics come before the dialogs that show them
import "./features/links.js";
import "./features/players.js";
import "./features/problem.js";
import "./features/results.js";
import { throws } from "./features/throws.js";
import { pointOf } from "./geometry.js";
import { listenForKeys } from "./keys.js";
import { learnLevels } from "./level.js";
import { fieldsOf, readPosition } from "./position.js";
import { apply, language, settings } from "./settings.js";
import { play } from "./sound.js";
import { Store } from "./store.js";
import { speak } from "./voice.js";
import { keepAwake } from "./wake.js";
import { Throwing } from "./throwing.js";
import { awaitsBed } from "./turns.js";
import { createTyped } from "./typed.js";
import { addWords, bedName, known, notation, pieceName, reasonWords, refusalText, t, tell, winnerWords,
  wordArgs } from "./words.js";
import { later } from "./dialogs/later.js";
import { createActions } from "./panels/actions.js";
import { createAim } from "./panels/aim.js";
import { createCentre } from "./panels/centre.js";
import { createDartPanel } from "./panels/dart.js";
import { createDrawer } from "./panels/drawer.js";
import { createEnd } from "./panels/end.js";
import { createHeader } from "./panels/header.js";
import { lazy } from "./panels/lazy.js";
import { createNotices } from "./panels/notices.js";
import { createPlayers } from "./panels/players.js";
import { createRemote } from "./panels/remote.js";
import { createSheet } from "./panels/sheet.js";

apply();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);

const BOARD_ORDERS = new Set(["move", "explain"]);
const query = new URLSearchParams(location.search);
const { role, secret } = credentials();
const store = new Store(role);
const connection = new Connection(socketAddress(), role, secret, query.has("follow") ? { follow: true } : {});
document.title = t("app.title");
document.body.dataset.role = role;
if (role === "display") await styled("css/wall.css"); // only a wall needs it

const board = new Board(byId("board"), {
  interactive: role !== "display", label: fieldLabel, shield: t("mark.unmoved"),
});
board.svg.setAttribute("aria-label", t("board.label"));
byId("board").classList.toggle("interactive", role !== "display");

const app = /** @type {App} */ ({ store, connection, board, role, command, ask, say, throwDart, look, fetchAsArbiter });
app.controller = new Controller(app);
app.throwing = new Throwing(app, byId("second"));
const notices = createNotices(app, byId("notices"), byId("live"));
const drawer = createDrawer(app, byId("drawer"), byId("sheet"), byId("moves-place"));
/** @type {Panel[]} */
const panels = [
  createHeader(app, byId("header"), byId("trouble"), drawer.handle),
  createPlayers(app, byId("player-white"), byId("player-black")),
  createCentre(app, board.centreElement), createActions(app, byId("actions")), createDartPanel(app, byId("dart")),
  createRemote(app, byId("remote")),
  lazy(() => Boolean(store.snapshot?.question),
    async () => (await import("./panels/question.js")).createQuestion(app, byId("question"))),
  lazy(() => Boolean(store.welcome?.throws || store.snapshot?.away),
    async () => {
      const [{ createLook }] = await Promise.all([import("./panels/look.js"), styled("css/look.css")]);
      return createLook(app, byId("look"), byId("look-offer"));
    }),
  lazy(() => mayDoubt(),
    async () => (await import("./panels/doubt.js")).createDoubt(app, byId("doubt"))),
  createEnd(app, byId("end")),
  lazy(() => role === "display" && store.snapshot?.phase === "setup",
    async () => (await import("./panels/idle.js")).createIdle(app, byId("idle"))),
  lazy(() => role === "display" && Boolean(store.snapshot?.away),
    async () => (await import("./panels/two-boards.js")).createTwoBoards(app, byId("two-boards"))),
  createAim(app, byId("aim")),
  lazy(() => Boolean(store.snapshot?.shown.draw),
    async () => (await import("./panels/drawing.js")).createDrawing(app, byId("drawing"))),
  createSheet(app, byId("sheet"), drawer.files), drawer,
];

// Whether a dart did not count, or was lost: the page may have to ask about it.
function mayDoubt() {
  return !store.welcome?.simulated && Boolean(throws(store).readings.length || store.snapshot?.last?.foul);
}

/** @param {string} href */
function styled(href) {
  const link = h("link", { rel: "stylesheet", href });
  return new Promise((done) => {
    link.onload = link.onerror = done;
    document.head.append(link);
  });
}

// Sends a command with the state this page saw; shows a refusal in words.
/** @param {string} type @param {Record<string, unknown>} [fields] */
async function command(type, fields = {}) {
  const answer = await ask(type, fields);
  if (!answer.accepted) say(await refusalWords(answer), "refused");
  else if (answer.pending) say(t("request.waits"));
  return answer;
}

/** @param {string} type @param {Record<string, unknown>} [fields] */
function ask(type, fields = {}) {
  // The board is ahead of the panels by a frame: a button speaks of the state that it was drawn for.
  const seen = BOARD_ORDERS.has(type) ? store.snapshot : drawnState;
  return connection.command({ type, match: seen?.match || null, seq: seen?.seq ?? 0, ...fields });
}

/** @param {Reply} answer */
async function refusalWords(answer) {
  const why = answer.args?.why;
  const names = store.snapshot?.names;
  if (why && known(`because.${why}`)) return tell("because", why, answer.args, "", names);
  if (why && known(`why.${why}`)) {
    return tell("why", why, { field: fieldsOf(answer.args?.move).at(-1), ...answer.args }, answer.words);
  }
  if (language() === "en" && (why || answer.code === "malformed") && answer.words) return answer.words;
  if (why) await addWords("problems"); // rare: a wrong position or clock
  if (why) return refusalText({ ...answer, code: why });
  return tell("refusal", answer.code ?? "", answer.args, answer.words, names);
}

/** @param {string} text @param {string} [kind] */
function say(text, kind = "") {
  notices.say(text, kind);
}

/** @param {Throw} payload */
function throwDart(payload) {
  if (!connection.send("simulator/throw", { v: 1, ...payload })) say(t("refusal.connection_lost"), "refused");
}

// A throw that every page of this board shows again, by its time; null is enough of it.
/** @param {number | null} at_ms */
function look(at_ms) {
  if (!connection.send("look", { at_ms })) say(t("refusal.connection_lost"), "refused");
}

/** @param {string} path */
function fetchAsArbiter(path) {
  return fetch(path, { headers: { Authorization: `Bearer ${secret ?? ""}` } });
}

/** @param {string} name @param {string | undefined} letter @param {DOMTokenList} classes */
function fieldLabel(name, letter, classes) {
  const parts = [name, letter ? pieceName(letter) : t("field.empty")];
  for (const mark of ["destination", "capture", "chosen", "zone", "checker", "unsupported", "shielded"]) {
    if (classes?.contains(mark) || markedFields[mark]?.includes(name)) parts.push(t(`mark.${mark}`));
  }
  return parts.join(", ");
}

/** @type {Record<string, string[]>} */
let markedFields = {};

function drawMarks() {
  const snapshot = store.snapshot;
  if (!snapshot) return;
  const live = store.reviewing === null;
  const throwing = live && snapshot.phase === "throwing";
  const zone = live ? throwingZone(snapshot) : null;
  board.host.classList.toggle("softly", snapshot.phase !== "throwing");
  const [from, to] = throwing ? fieldsOf(snapshot.shown.aim?.move) : []; // the move that a dart is thrown for
  /** @type {Marks} */
  const marks = {
    last: lastFields(),
    check: live ? snapshot.check : [],
    checker: live ? (snapshot.shown.checkers ?? []).map((checker) => checker.field) : [],
    supporter: live ? (snapshot.shown.checkers ?? []).flatMap((checker) => checker.supporters) : [],
    zone: zone ?? [],
    drop: zone ? snapshot.drops : [],
    ...(to ? { chosen: [from], capture: [to] } : {}),
    ...(live ? app.controller.marks() : {}),
  };
  markedFields = Object.fromEntries(Object.entries(marks).map(([name, fields]) => [name, [...fields]]));
  board.mark(marks, live ? [...app.controller.support(), ...checkLines(snapshot)] : []);
}

// The zone of the side that throws or may throw; null where no dart is due, the last one is in doubt, or a piece is
// being moved.
/** @param {Snapshot} snapshot */
function throwingZone(snapshot) {
  const { phase, can, shown } = snapshot;
  if (awaitsBed(snapshot)) return null;
  if (phase === "throwing") return shown.zone ?? [];
  const open = ["turn", "settling"].includes(phase) && can?.throw && board.form.dartboard;
  return open && !app.controller.chosen ? shown.zone ?? [] : null;
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

/** @param {boolean} animate */
function drawBoard(animate) {
  const snapshot = store.snapshot;
  if (!snapshot) return;
  store.turnsToMover = settings.turn;
  board.show({ layout: snapshot.game.layout, whiteSitsAt: store.whiteSitsAt(), turned: store.turned() });
  document.body.classList.toggle("turned", store.turned());
  const showUnmoved = Boolean(snapshot.shown.protected?.length);
  const { pieces, gone } = readPosition(store.position(), snapshot.game.layout);
  board.setPieces(pieces, { animate, showUnmoved });
  board.setGone(gone);
  drawDart();
}

function drawDart() {
  const last = store.reviewing === null ? store.present.last : null;
  if (!last?.bed || !board.form.dartboard) return board.showDarts([]);
  const lost = Boolean(last.foul);
  const at = pointOf(last);
  if (at) return board.showDarts([{ x_mm: at.x, y_mm: at.y, lost }]);
  board.showDarts(lost ? last.fields.map((field) => ({ field, lost })) : []);
}

function announce() {
  const { previous, snapshot } = store;
  if (!previous || !snapshot || previous.match !== snapshot.match || previous.seq === snapshot.seq) return;
  const { last } = snapshot;
  const happened = JSON.stringify(last) !== JSON.stringify(previous.last);
  playSound(previous, snapshot, happened);
  if (happened && last) notices.announce(lastWords(last));
  if (snapshot.result && !previous.result) {
    notices.announce(`${winnerWords(snapshot)}: ${reasonWords(snapshot)}. ${snapshot.result}.`);
  } else if (happened && snapshot.check.length) {
    notices.announce(t("check.now", wordArgs({ side: snapshot.side }, snapshot.names)));
  }
}

/** @param {Snapshot} previous @param {Snapshot} snapshot @param {boolean} happened */
function playSound(previous, snapshot, happened) {
  const { last } = snapshot;
  if (snapshot.result && !previous.result) play(snapshot.reason === "fogling" ? "fogling" : "end");
  else if (snapshot.question && !previous.question) play("question");
  else if (happened && last?.foul) play("lost");
  else if (snapshot.check.length && happened) play("check");
  else if (happened) play(last?.bed ? "placed" : "move");
}

/** @param {Last} last */
function lastWords(last) {
  const side = { side: last.by };
  if (last.foul) {
    const fouls = store.present.shown.fouls?.[last.by] ?? 0;
    const limit = store.present.game.options.foul_limit[last.by];
    return t("spoken.lost",
      { ...wordArgs({ ...side, foul: last.foul }, store.present.names), bed: bedName(last.bed), fouls, limit });
  }
  const placed = last.move.startsWith("@");
  return t(placed ? "spoken.placed" : last.bed ? "spoken.hit" : "spoken.moved",
    { ...wordArgs(side, store.present.names), text: notation(last.text, last.by), bed: bedName(last.bed) });
}

// The board is drawn at once; the panels follow when that is on the screen, once for all that came meanwhile.
const news = /** @type {Set<string>} */ (new Set());
/** @type {Snapshot | null} */
let drawnState = null;

/** @param {string} topic */
function updatePanels(topic) {
  if (topic === "state") notices.showMessage();
  if (!news.size) afterPaint(drawPanels);
  news.add(topic);
}

function drawPanels() {
  const changed = new Set(news);
  news.clear();
  drawnState = store.snapshot;
  const held = document.activeElement;
  for (const panel of panels) panel.update(changed);
  if (held && held !== document.body) holdFocus();
}

// A redrawn panel may have lost the keyboard's focus: the next thing to press or to read gets it then.
function holdFocus() {
  const { activeElement } = document;
  if (document.querySelector("dialog[open]")) return;
  if (activeElement && activeElement !== document.body && activeElement.checkVisibility()) return;
  const places = ["#end-title", "#question h2", "#actions button", '#board [tabindex="0"]'];
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll(places.join());
  [...found].sort((a, b) => rank(places, a) - rank(places, b)).find((place) => place.checkVisibility())?.focus();
}

/** @param {string[]} places @param {Element} element */
function rank(places, element) {
  return places.findIndex((selector) => element.matches(selector));
}

// Whether a player's card opened this page, or a player used this device before.
function mayBeKnown() {
  return query.has("card") || Boolean(localStorage.getItem("scharten.player"));
}

// Who pressed "Play now" on the set-up page is asked for the names, once.
function beginAtOnce() {
  query.delete("new");
  history.replaceState(null, "", `${query}` ? `?${query}` : location.pathname);
  if (store.snapshot?.phase === "setup") later(app, "new-game", "openNewGame");
}

let drawn = false;

store.on("change", (topic) => {
  if (topic === "seated" && mayBeKnown()) later(app, "registered", "knowWhose");
  if (topic === "state" || topic === "review" || topic === "sheet") {
    if (topic === "state") app.controller.refresh();
    if (topic === "state") app.throwing.refresh();
    drawBoard(drawn && topic !== "sheet");
    drawn = Boolean(store.snapshot);
    document.body.classList.toggle("waiting", !drawn); // nothing can be begun or thrown before there is a board
    drawMarks();
  }
  if (topic === "state") announce();
  if (topic === "state" && query.has("new")) beginAtOnce();
  if (topic === "state") learnLevels(store.snapshot).then((learned) => learned && updatePanels("levels"), () => {});
  updatePanels(topic);
});
app.controller.on("change", drawMarks);
const odders = settings.called ? import("./features/called-odds.js").then(({ calledOdds }) => calledOdds(app)) : null;
if (settings.odds) import("./features/odds.js").then(({ lightOdds }) => lightOdds(app));
connection.on("topic", ({ topic, payload }) => {
  store.take(topic, payload);
  if (topic === "said") announceCall(payload);
  // A machine that is not set up yet opens its set-up page, unless the link names a role.
  if (topic === "welcome" && payload.setup?.first && !query.has("role")) {
    location.replace(`setup?${new URLSearchParams([...query, ["first", ""]])}`);
  }
});

// Speaks a call; where this screen is set to, with the odds of the dart.
/** @param {any} payload the topic `said` */
async function announceCall(payload) {
  const odds = settings.called ? (await odders)?.(payload) : "";
  const own = language();
  speak({ ...payload, words: { ...payload.words, ...(odds ? { [own]: `${payload.words[own]} ${odds}` } : {}) } });
}

connection.on("status", () => {
  if (cameWithoutLink()) location.replace(`?${new URLSearchParams([...query, ["role", "display"], ["guest", ""]])}`);
  updatePanels("status");
});

// Whether this is the bare address on another device: its reader looks on, and sits down with a code.
function cameWithoutLink() {
  return connection.code === "wrong_secret" && !query.has("role") && !secret;
}

for (const panel of panels) panel.update(new Set(["start"]));
if (location.protocol === "https:") document.head.append(h("link", { rel: "manifest", href: "manifest.webmanifest" }));
const view = query.get("view");
if (view === "projector" || view === "light") await addWords("projector");
if (view === "projector") (await import("./projector.js")).project(board);
if (view === "light") (await import("./light.js")).shine(app);
if (role !== "display") createTyped(app, byId("typing"));
else if (query.has("guest")) byId("trouble").before(h("p", { class: "guest" }, t("guest")));
keepAwake(() => say(t("wake.refused"), "wake"));
listenForKeys(byId("actions"), store);
connection.open();
