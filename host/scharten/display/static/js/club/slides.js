// The slides of a club's evening on a TV: pairings by board and by name, each board that plays,
// the ranking, and when the next round starts. Every slide can be turned to by hand.

import { h } from "../dom.js";
import { matchTitle, tableWords } from "../match-words.js";
import { language } from "../settings.js";
import { SIDES } from "../position.js";
import { t, timeWords } from "../words.js";

const ROWS = 15; // lines that fit below each other; more stand in two columns
const EACH_MS = 12_000;

/** @typedef {{cells: string[], called?: boolean, skilled?: boolean}} Row */
/** @typedef {{title?: string, rows?: Row[], board?: string, foot?: string}} Slide */

export class Slides {
  /** @param {HTMLElement} place @param {(board: string | null) => void} showBoard */
  constructor(place, showBoard) {
    this.place = place;
    this.showBoard = showBoard;
    /** @type {Evening | null} */
    this.view = null;
    /** @type {string[]} */
    this.playing = []; // the boards on which a game is on
    this.at = 0;
    this.turning = true;
    setInterval(() => this.turning && this.view && this.turn(1), EACH_MS);
  }

  // Takes the newest evening, and the boards on which a game is on.
  /** @param {Evening} view @param {string[]} playing */
  take(view, playing) {
    this.view = view;
    this.playing = playing;
    this.#draw();
  }

  /** @param {number} step */
  turn(step) {
    const slides = this.#slides();
    this.at = (this.at + step + slides.length) % slides.length;
    this.#draw();
  }

  /** @param {boolean} turning */
  hold(turning) {
    this.turning = turning;
  }

  #draw() {
    const slides = this.#slides();
    this.at = Math.min(this.at, slides.length - 1);
    const { title, rows, board, foot } = slides[this.at];
    this.showBoard(board ?? null);
    this.place.hidden = Boolean(board);
    const wide = (rows?.length ?? 0) > ROWS;
    const list = (rows ?? []).map(({ cells, called, skilled }) =>
      h("li", { class: called ? "called" : skilled ? "skilled" : "" }, cells.map((text) => h("span", {}, text))));
    this.place.replaceChildren(h("h2", {}, title ?? ""), h("ol", { class: wide ? "in-columns" : "" }, list),
      foot ? h("p", { class: "next-start" }, foot) : "");
  }

  /** @returns {Slide[]} */
  #slides() {
    if (!this.view) return [{}];
    const match = matchSlides(this.view.match);
    if (!this.view.season) return match.length ? [...match, ...this.playing.map((board) => ({ board }))] : [{}];
    const { rounds, table, season, start_list: entrants } = this.view;
    const round = rounds.at(-1);
    /** @type {Slide[]} */
    const slides = [...match];
    if (round?.tonight) {
      const title = t("evening.round", { number: round.number });
      slides.push(...paged(`${title} · ${t("evening.by_board")}`, [...round.pairings].sort(boardOrder).map(byBoard)));
      slides.push(...paged(`${title} · ${t("evening.by_name")}`, byName(round)));
    }
    if (!round) {
      slides.push(...paged(`${season.name} · ${t("evening.start_list")}`, entrants.map(({ number, name, rating }) => ({
        cells: [String(number), name, rating ? String(rating) : ""] }))));
    }
    slides.push(...this.playing.map((board) => ({ board })));
    const skilled = table.some(({ hand }) => hand !== undefined);
    slides.push(...paged(`${season.name} · ${t("evening.ranking")}${skilled ? ` · ${t("evening.skills")}` : ""}`,
      table.map(({ place, name, points, hand, head }) => ({ skilled, cells: [String(place), name,
        ...(skilled ? [hand ? `${Math.round(hand.mm)} mm` : "–", head ? head.points.toFixed(1) : "–"] : []),
        String(points)] }))));
    if (this.view.next_start_ms) {
      const time = timeWords(this.view.next_start_ms);
      slides.push({ title: season.name, foot: t("evening.starts_at", { time }) });
    }
    return slides.length ? slides : [{ title: season.name }];
  }
}

/** @param {ClubMatch | null} match @returns {Slide[]} */
function matchSlides(match) {
  if (!match || match.over) return [];
  return paged(matchTitle(match), match.tables.map((table) => ({
    cells: [table.board ?? "–", `${table.home || "–"} – ${table.visitors || "–"}`, tableWords(table)],
    called: table.state === "playing" })));
}

// Pairs at a board come first, by its name; then those that wait for one.
/** @param {Pairing} first @param {Pairing} second */
function boardOrder(first, second) {
  if (!first.board || !second.board) return Number(!first.board) - Number(!second.board) || first.table - second.table;
  return first.board.localeCompare(second.board, language(), { numeric: true }) || first.table - second.table;
}

/** @param {Pairing} pairing */
function byBoard({ names, board, left, result }) {
  const moved = left && left !== board && !result;
  const where = moved ? t("evening.instead", { board: board ?? "–", left }) : board;
  return { cells: [where ?? "–", `${names.white} – ${names.black}`, result ?? ""],
    called: Boolean(board && !result) };
}

/** @param {Round} round */
function byName(round) {
  const rows = round.pairings.flatMap((pairing) => SIDES.map((side, index) => {
    const { names, board, result } = pairing;
    const cells = [board ?? "–", `${names[side]} – ${names[SIDES[1 - index]]}`, t(`side.${side}`)];
    return { name: names[side], cells, called: Boolean(board && !result) };
  }));
  for (const { name, why } of round.unpaired) {
    if (why === "bye") rows.push({ name, cells: ["", name, t(`evening.said.${why}`)], called: false });
  }
  return rows.sort((first, second) => first.name.localeCompare(second.name, language()));
}

/** @param {string} title @param {Row[]} rows */
function paged(title, rows) {
  const most = 2 * ROWS;
  const pages = Math.ceil(rows.length / most);
  return Array.from({ length: pages }, (_, page) => ({ rows: rows.slice(page * most, (page + 1) * most),
    title: pages > 1 ? `${title} (${page + 1}/${pages})` : title }));
}

// Pairings to call aloud: those that got a board since the view before.
/** @param {Evening | null} before @param {Evening} view */
export function newCalls(before, view) {
  const known = new Set(calls(before).map(({ key }) => key));
  return before ? calls(view).filter(({ key }) => !known.has(key)) : [];
}

/** @param {Evening | null} view */
function calls(view) {
  return [...matchCalls(view?.match), ...pairCalls(view)];
}

/** @param {ClubMatch | null | undefined} match */
function matchCalls(match) {
  if (!match || match.over) return [];
  const club = match.role === "home" ? "visitors" : "home";
  return match.tables.filter(({ state }) => state === "playing").map((table) => ({
    key: `match ${table.number} ${table.board}`,
    words: t("evening.match.call", { name: table[match.role], other: table[club], club: match[club],
      board: table.board ?? "" }) }));
}

/** @param {Evening | null} view */
function pairCalls(view) {
  const round = view?.rounds.at(-1);
  if (!round?.tonight) return [];
  return round.pairings.filter(({ board, result }) => board && !result).map(({ table, board, left, names }) => ({
    key: `${round.number} ${table} ${board}`,
    words: `${left && left !== board ? `${t("evening.away", { board: left })} ` : ""}`
      + t("evening.call", { white: names.white, black: names.black, board }) }));
}
