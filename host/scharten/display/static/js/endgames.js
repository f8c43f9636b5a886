// Endgames: what the tables know of each ending, and a trainer against the perfect defender.

import { button, byId, fill, h } from "./dom.js";
import { ProblemBoard } from "./problem-board.js";
import { setUpPage } from "./side-page.js";
import { addWords, t } from "./words.js";

const REFRESH_MS = 10_000; // while tables are being built
const TRAINED = 0.9; // an ending is won if this share of its positions is

await addWords("endgames");
setUpPage("endgame.title");
/** @type {EndingModel | null} */
let ending = null;
/** @type {EndgameShown | null} */
let current = null;
/** @type {EndgameShown[]} */
let before = []; // the positions before each turn, for taking one back
let best = 0; // moves of the mate from the start
let played = 0;
let busy = false;

const task = h("h2", { class: "task" });
const words = h("p", { class: "headline", role: "status" });
const detail = h("p", {});
const show = button(t("endgame.show"), () => judge(""), { id: "endgame-show" });
const back = button(t("endgame.back"), takeBack, { id: "endgame-back" });
const other = button(t("endgame.next"), () => start(), { id: "endgame-next", class: "primary" });
const place = h("div", { class: "problem-board", id: "endgame-board" });
const list = h("div", { class: "endings" });
const facts = h("div", { class: "fields", id: "endgame-facts" });

byId("endgames").append(
  h("section", { class: "card board-card" }, place),
  h("section", { class: "card" }, task, words, detail, h("div", { class: "action-row" }, other, back, show)),
  h("section", { class: "card" }, h("h2", {}, t("endgame.known")), facts, list));

const board = new ProblemBoard(place, judge, say);

/** @param {string} text */
function say(text) {
  words.textContent = text;
}

/** @param {string} men */
function named(men) {
  const [first, second] = [...men].map((letter) => t(`piece.${letter}`));
  if (!second) return first;
  return first === second ? t(`endgame.two.${men[0]}`) : t("endgame.and", { first, second });
}

/** @param {EndingModel} row */
function share({ won, positions }) {
  const percent = 100 * won / positions;
  const digits = percent > 99 || percent < 1 ? 2 : 1;
  return `${percent.toLocaleString(t("language.locale"), { maximumFractionDigits: digits })} %`;
}

// --- what is known ---

async function overview() {
  const answer = await fetch("endgames/known.json").catch(() => null);
  if (!answer?.ok) return say(t("endgame.unavailable"));
  /** @type {{endings: EndingModel[], builds: boolean}} */
  const { endings, builds } = await answer.json();
  draw(endings);
  const built = endings.filter(({ ready }) => ready).length;
  if (builds && built < endings.length) {
    if (!current) say(t("endgame.building", { built, count: endings.length }));
    setTimeout(overview, REFRESH_MS);
  }
  if (!current) {
    const first = endings.find((row) => row.ready && row.men.length === 2 && row.won / row.positions > TRAINED);
    if (first) await choose(first);
  }
}

/** @param {EndingModel[]} endings */
function draw(endings) {
  const head = ["ending", "won", "longest", "train"].map((name) =>
    h("th", { scope: "col", class: ["won", "longest"].includes(name) ? "figure" : null }, t(`endgame.${name}`)));
  const rows = endings.map((row) => h("tr", {}, h("th", { scope: "row" }, named(row.men)),
    h("td", { class: "figure" }, share(row)), h("td", { class: "figure" }, row.won ? String(row.longest) : t("none")),
    h("td", {}, row.won ? button(t("endgame.start"), () => choose(row), { disabled: !row.ready,
      "data-men": row.men, "aria-label": t("endgame.start_with", { men: named(row.men) }) }) : "")));
  fill(list, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
  const officers = endings.filter(({ men }) => !men.includes("P"));
  const single = officers.filter(({ men }) => men.length === 1);
  const pairs = officers.filter(({ men, won, positions }) => men.length === 2 && won / positions > TRAINED);
  const rest = officers.filter((row) => row.men.length === 2 && !pairs.includes(row));
  const drawn = rest.map(({ men }) => named(men)).join(t("endgame.or"));
  fill(facts, h("p", {}, t("endgame.one_piece", { moves: most(single) })),
    h("p", {}, t("endgame.two_pieces", { moves: most(pairs), drawn })));
}

/** @param {EndingModel[]} endings */
function most(endings) {
  return Math.max(0, ...endings.map(({ longest }) => longest));
}

// --- the trainer ---

/** @param {EndingModel} chosen */
async function choose(chosen) {
  ending = chosen;
  await start();
}

async function start() {
  if (!ending) return;
  const answer = await fetch(`endgames/${ending.men}.json`).catch(() => null);
  if (!answer?.ok) return say(t("endgame.unavailable"));
  take(await answer.json());
  before = [];
  played = 0;
  best = moves(current?.left ?? 0);
  task.textContent = t("endgame.task", { men: named(ending.men), moves: best });
  say(t("endgame.your_turn"));
  detail.textContent = "";
  mark();
}

/** @param {number} turns */
function moves(turns) {
  return Math.ceil(turns / 2);
}

/** @param {EndgameShown} found @param {string} [last] */
function take(found, last = "") {
  current = found;
  board.show({ ...found, kind: "silent", last }, found.moves.length > 0 && found.left !== null);
}

function mark() {
  back.disabled = !before.length;
  show.disabled = !board.open;
}

// Has a turn judged and answered; false where it was refused, so that the piece goes back. No turn: the best is played.
/** @param {string} turn */
async function judge(turn) {
  if (!current || busy) return false;
  busy = true;
  const query = new URLSearchParams({ position: current.position, turn });
  const answer = await fetch(`endgames/turn.json?${query}`).catch(() => null);
  busy = false;
  if (!answer?.ok) {
    say(t("endgame.unavailable"));
    return false;
  }
  /** @type {JudgedModel} */
  const judged = await answer.json();
  before.push(current);
  played += 1;
  take(judged, judged.answer || judged.turn);
  tellResult(judged);
  mark();
  return true;
}

/** @param {JudgedModel} judged */
function tellResult({ turn, answer, left_before: left, left_after: now, mated }) {
  if (mated) say(t("endgame.mated", { moves: played, best }));
  else if (now === null) say(t("endgame.drawn", { turn }));
  else if (now === left - 1) say(t("endgame.best", { turn, answer, moves: moves(now) }));
  else say(t("endgame.slower", { turn, answer, moves: moves(now), lost: (now - left + 1) / 2 }));
  detail.textContent = now === null ? t("endgame.take_back") : "";
}

function takeBack() {
  const found = before.pop();
  if (!found || busy) return;
  played -= 1;
  take(found);
  say(t("endgame.your_turn"));
  detail.textContent = "";
  mark();
}

mark();
await overview();
