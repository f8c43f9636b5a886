// Problems: the day's one and others by difficulty, solved by pressing, typing, keys, or darts at the real board.

import { Connection, credentials, socketAddress } from "./connection.js";
import { button, byId, h, select } from "./dom.js";
import { linkWords } from "./link-words.js";
import { ProblemBoard } from "./problem-board.js";
import { kindWords, taskWords } from "./problem-words.js";
import { setUpPage } from "./side-page.js";
import { Store } from "./store.js";
import { addWords, bedName, t } from "./words.js";

const GAMES = ["scharten", "chess", "fischer_random", "shatranj", "shakti"];
const NO_GAME = ["not_started", "game_over"]; // a dart outside every game, and outside a practice
const AGAIN_MS = 900; // so long a wrong turn stays on the board

await addWords("puzzles");
const state = setUpPage("puzzle.title");
const { role, secret } = credentials("table");
const store = new Store(role);
const connection = new Connection(socketAddress(), role, secret);
/** @type {ProblemModel | null} */
let problem = null;
/** @type {string[]} */
let played = []; // the turns of both sides so far
let busy = false; // whether the server judges a turn
let over = false; // solved, or the key was shown

const task = h("h2", { class: "task" });
const kind = h("p", { class: "soft" });
const words = h("p", { class: "headline", role: "status" });
const after = h("p", { role: "status" });
const aims = h("p", { class: "soft", id: "problem-darts-go" });
const own = h("p", { class: "soft" });
const who = h("select", { id: "problem-player" }, h("option", { value: "" }, t("puzzle.guest")));
/** @param {string} value @param {string} shown @returns {[string, string]} */
const option = (value, shown) => [value, shown];
const level = select({ id: "problem-difficulty" }, [option("0", t("puzzle.any")),
  ...["1", "2", "3", "4", "5"].map((value) => option(value, value))], "0");
const game = select({ id: "problem-game" }, [option("", t("puzzle.any")),
  ...GAMES.map((key) => option(key, t(`game.${key}`)))], "");
const darts = h("input", { type: "checkbox", id: "problem-darts" });
const typed = h("input", { type: "text", id: "problem-typed", autocomplete: "off", autocapitalize: "off",
  spellcheck: "false", maxlength: "6", placeholder: t("puzzle.example") });
const show = button(t("puzzle.show"), () => judge("", "press", ""), { id: "problem-show" });
const next = button(t("puzzle.next"), () => following(), { id: "problem-next", class: "primary" });
const today = button(t("puzzle.today"), () => load("day.json"), { id: "problem-today" });
const place = h("div", { class: "problem-board", id: "problem-board" });
const solvers = h("p", { class: "soft", id: "problem-solvers" });
const form = h("form", { class: "option" }, h("label", { for: typed.id }, t("puzzle.typed")), typed);

byId("problems").append(
  h("section", { class: "card board-card" }, place),
  h("section", { class: "card" }, task, kind, words, after, aims, form,
    h("label", { class: "switch-row" }, darts, h("span", {}, t("puzzle.darts"))),
    h("div", { class: "action-row" }, next, today, show)),
  h("section", { class: "card" }, h("h2", {}, t("puzzle.choose")),
    h("div", { class: "option" }, h("label", { for: who.id }, t("puzzle.who")), who),
    h("div", { class: "option" }, h("label", { for: level.id }, t("puzzle.difficulty")), level),
    h("div", { class: "option" }, h("label", { for: game.id }, t("puzzle.game")), game),
    own, solvers));

const board = new ProblemBoard(place, judge, say);

/** @param {string} text */
function say(text) {
  words.textContent = text;
}

/** @param {string} file @param {Record<string, string>} [query] */
async function load(file, query = {}) {
  const asked = new URLSearchParams({ player: who.value, ...query });
  const answer = await fetch(`problems/${file}?${asked}`).catch(() => null);
  if (!answer?.ok) return say(t("puzzle.none"));
  const found = await answer.json();
  open(found.problem ?? found);
}

function following() {
  return load("next.json", { difficulty: level.value, game: game.value, after: problem?.id ?? "" });
}

/** @param {ProblemModel} found */
function open(found) {
  problem = found;
  played = [];
  over = false;
  task.textContent = taskWords(found);
  kind.textContent = kindWords(found);
  after.textContent = "";
  say(start(found));
  board.show({ ...found, turned: found.side === "black", last: "" }, true);
  draw();
}

// What the solver has to do first.
/** @param {ProblemModel} found */
function start({ drops, next: piece, state: known }) {
  if (known === "solved") return t("puzzle.known");
  return drops.length && piece ? t("puzzle.piece", { piece: t(`piece.${piece}`) }) : t("puzzle.find");
}

function draw() {
  show.hidden = over;
  darts.closest("label")?.toggleAttribute("hidden", problem?.kind !== "loud");
  board.withDarts = darts.checked && problem?.kind === "loud";
  aims.textContent = aimWords();
}

// Where a dart at the board counts now; "" while that is not known, and where no dart is needed.
function aimWords() {
  const { snapshot } = store;
  if (over || problem?.kind !== "loud" || connection.status !== "open" || !snapshot) return "";
  const elsewhere = store.gameIsOn() || (snapshot.practice && !snapshot.practice.over);
  return t(elsewhere ? "puzzle.darts_elsewhere" : "puzzle.darts_here");
}

// A dart at the real board. While the turn before is judged or shown, it does not count, and must be thrown again.
/** @param {string} bed */
function dart(bed) {
  if (board.open && !busy) board.dart(bed);
  else if (problem && !over) after.textContent = t("puzzle.early", { bed: bedName(bed) });
}

// Has a turn judged; false where it was not right, so that the piece goes back.
/** @param {string} turn @param {"press" | "type" | "dart"} by @param {string} bed */
async function judge(turn, by, bed) {
  if (!problem || busy || over) return false;
  busy = true;
  after.textContent = "";
  const reply = await connection.ask("problems", { problem: problem.id, played, turn, bed, by, player: who.value });
  busy = false;
  if (!reply.accepted) {
    say(t("puzzle.refused"));
    return false;
  }
  take(reply.tried);
  return reply.tried.right;
}

/** @param {TriedModel} tried */
function take(tried) {
  const current = /** @type {ProblemModel} */ (problem);
  if (tried.missed) return say(t("puzzle.missed", { bed: bedName(tried.bed) }));
  over = tried.solved || Boolean(tried.key);
  if (tried.key) say(t("puzzle.key", { key: tried.key.replace("@", "") }));
  else if (!tried.right) wrong(tried.turn);
  else {
    played = tried.played ?? [];
    board.show({ ...current, ...tried, turned: current.side === "black", last: tried.answer || tried.turn }, !over);
    say(t(tried.solved ? "puzzle.solved" : "puzzle.right", { answer: tried.answer }));
  }
  if (over) {
    board.open = false;
    after.textContent = oddsWords(tried.odds);
    figures();
  }
  draw();
}

/** @param {string} turn */
function wrong(turn) {
  say(t("puzzle.wrong", { turn: turn.replace("@", "") }));
  board.open = false;
  setTimeout(() => {
    board.open = !over;
    board.controller.choose(null);
  }, AGAIN_MS);
}

/** @param {TriedModel["odds"]} odds */
function oddsWords(odds) {
  if (!odds) return "";
  const percent = Math.round(100 * odds.hit);
  const beds = odds.beds.length === 1 ? bedName(odds.beds[0]) : t("puzzle.beds", { count: odds.beds.length });
  return t(odds.guest ? "puzzle.odds_guest" : "puzzle.odds", { beds, percent, mm: odds.scatter_mm });
}

// The figures of the chosen player.
async function figures() {
  own.textContent = "";
  if (!who.value) return;
  const answer = await fetch(`problems/record/${encodeURIComponent(who.value)}.json`).catch(() => null);
  if (!answer?.ok) return;
  const { rating, deviation, solved, tried, streak, best_streak: best, darts: thrown } = await answer.json();
  own.textContent = t("puzzle.record", { rating, deviation, solved, tried, streak, best, darts: thrown });
}

async function people() {
  const answer = await fetch("players/names.json").catch(() => null);
  if (!answer?.ok) return;
  /** @type {{players: Person[]}} */
  const { players } = await answer.json();
  const chosen = new URLSearchParams(location.search).get("player") ?? "";
  who.append(...players.map(({ id, name }) => h("option", { value: id }, name)));
  if (players.some(({ id }) => id === chosen)) who.value = chosen;
  figures();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = typed.value.trim().replace(/[-x]/g, "");
  typed.value = "";
  if (over || busy) return;
  if (/^([DFTL]([1-9]|1\d|20))$/i.test(text) && problem?.drops.length) judge("", "dart", text.toUpperCase());
  else if (!board.typed(text.toLowerCase())) say(t("puzzle.unknown"));
});
darts.addEventListener("change", draw);
who.addEventListener("change", figures);
for (const choice of [level, game]) choice.addEventListener("change", () => following());

connection.on("topic", ({ topic, payload }) => {
  store.take(topic, payload);
  if (topic === "welcome" && payload.players && who.options.length === 1) people();
  if (topic === "hits" && NO_GAME.includes(payload.why)) {
    const bed = payload.bed ?? payload.beds?.[0];
    if (bed) dart(bed);
  }
  if (topic === "problem") {
    const names = payload.solved.join(", ");
    solvers.textContent = names ? t("puzzle.solved_by", { names }) : t("puzzle.nobody");
  }
  if (topic === "state") draw();
});
connection.on("status", ({ status, code }) => {
  state.textContent = linkWords({ status, code });
  state.hidden = status === "open" || status === "connecting";
  draw();
});
connection.open();
await load("day.json");
