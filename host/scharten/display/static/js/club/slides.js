// What the TV of a club's evening shows one after the other: pairings by board and by name, each board that plays,
// the ranking, and when the next round starts. Every slide can be turned to by hand.

import { h } from "../dom.js";
import { language } from "../settings.js";
import { t } from "../words.js";

const ROWS = 17;
const EACH_MS = 12_000;

export class Slides {
  constructor(place, showBoard) {
    this.place = place;
    this.showBoard = showBoard;
    this.view = null;
    this.playing = [];
    this.at = 0;
    this.turning = true;
    setInterval(() => this.turning && this.view && this.turn(1), EACH_MS);
  }

  // Takes the newest evening, and the boards on which a game is on.
  take(view, playing) {
    this.view = view;
    this.playing = playing;
    this.#draw();
  }

  turn(step) {
    const slides = this.#slides();
    this.at = (this.at + step + slides.length) % slides.length;
    this.#draw();
  }

  hold(turning) {
    this.turning = turning;
  }

  #draw() {
    const slides = this.#slides();
    this.at = Math.min(this.at, slides.length - 1);
    const { title, rows, board, foot } = slides[this.at];
    this.showBoard(board ?? null);
    this.place.hidden = Boolean(board);
    this.place.replaceChildren(h("h2", {}, title ?? ""), h("ol", {}, (rows ?? []).map(({ cells, called }) =>
      h("li", { class: called ? "called" : "" }, cells.map((text) => h("span", {}, text))))),
    foot ? h("p", { class: "next-start" }, foot) : "");
  }

  /** @returns {{title?: string, rows?: {cells: string[], called?: boolean}[], board?: string, foot?: string}[]} */
  #slides() {
    const { rounds, table, season } = this.view;
    const round = rounds.at(-1);
    const slides = [];
    if (round?.tonight) {
      const title = t("evening.round", { number: round.number });
      slides.push(...paged(`${title} · ${t("evening.by_board")}`, round.pairings.map(byBoard)));
      slides.push(...paged(`${title} · ${t("evening.by_name")}`, byName(round)));
    }
    slides.push(...this.playing.map((board) => ({ board })));
    slides.push(...paged(`${season.name} · ${t("evening.ranking")}`, table.map((row) => ({
      cells: [String(row.place), row.name, String(row.points)] }))));
    if (this.view.next_start_ms) {
      const time = new Date(this.view.next_start_ms)
        .toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit" });
      slides.push({ title: season.name, foot: t("evening.starts_at", { time }) });
    }
    return slides.length ? slides : [{ title: season.name }];
  }
}

function byBoard(one) {
  const moved = one.left && one.left !== one.board && !one.result;
  const board = moved ? t("evening.instead", { board: one.board ?? "–", left: one.left }) : one.board;
  return { cells: [board ?? String(one.table), `${one.names.white} – ${one.names.black}`, one.result ?? ""],
    called: Boolean(one.board && !one.result) };
}

function byName(round) {
  const rows = round.pairings.flatMap((one) => [["white", "black"], ["black", "white"]].map(([mine, other]) => ({
    name: one.names[mine], cells: [one.board ?? "–", `${one.names[mine]} – ${one.names[other]}`, t(`side.${mine}`)],
    called: Boolean(one.board && !one.result) })));
  rows.push(...round.unpaired.filter(({ why }) => why === "bye").map(({ name, why }) => ({ name,
    cells: ["", name, t(`evening.said.${why}`)], called: false })));
  return rows.sort((one, other) => one.name.localeCompare(other.name, language()));
}

function paged(title, rows) {
  const pages = Math.ceil(rows.length / ROWS);
  return Array.from({ length: pages }, (_, page) => ({ rows: rows.slice(page * ROWS, (page + 1) * ROWS),
    title: pages > 1 ? `${title} (${page + 1}/${pages})` : title }));
}

// What is to be called aloud: pairings that have got a board since the last look.
export function newCalls(before, view) {
  const known = new Set(calls(before).map(({ key }) => key));
  return before ? calls(view).filter(({ key }) => !known.has(key)) : [];
}

function calls(view) {
  const round = view?.rounds.at(-1);
  if (!round?.tonight) return [];
  return round.pairings.filter(({ board, result }) => board && !result).map((one) => ({
    key: `${round.number} ${one.table} ${one.board}`,
    words: `${one.left && one.left !== one.board ? `${t("evening.away", { board: one.left })} ` : ""}`
      + t("evening.call", { white: one.names.white, black: one.names.black, board: one.board }) }));
}
