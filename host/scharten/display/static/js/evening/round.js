// The pairings of a round: its boards and results, and what keeps a pair from playing.

import { button, h } from "../dom.js";
import { t } from "../words.js";

export const RESULTS = ["1-0", "½-½", "0-1", "0-0", "½-0", "0-½", "+/-", "-/+", "-/-"];
const FREE = ["setup", "finished"];

/**
 * @typedef {object} Desk what the parts of the organiser's page share
 * @property {(type: string, fields?: object) => Promise<boolean>} order
 * @property {(label: string, options: [string | null, string][], chosen: string | null,
 *   onchange: (value: string | null) => Promise<unknown>, disabled?: boolean) => HTMLElement} choice
 * @property {() => void} redraw
 */

/** @type {number | null} */
let shown = null; // the number of an earlier round, null for the last one

/** @param {HTMLElement} part @param {Evening} view @param {Desk} desk */
export function drawRound(part, view, desk) {
  const last = view.rounds.at(-1);
  const round = view.rounds.find(({ number }) => number === shown) ?? last;
  part.replaceChildren(h("h2", {}, round ? t("evening.round", { number: round.number }) : t("evening.no_round")));
  if (!round) return;
  if (view.rounds.length > 1) part.append(roundChoice(view, round, desk));
  const heads = ["evening.table", "evening.white", "evening.black", "evening.board", "evening.result"];
  part.append(
    round === last && view.changes.length ? h("ul", { class: "changes" },
      view.changes.map((change) => h("li", {}, changeWords(change)))) : "",
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", {}, round.pairings.map((pairing) => h("tr", { "data-table": pairing.table },
        h("td", {}, pairing.table), h("td", { class: "who" }, pairing.names.white),
        h("td", { class: "who" }, pairing.names.black),
        h("td", {}, boardChoice(view, round, pairing, desk), notes(view, pairing, desk)),
        h("td", {}, resultChoice(round, pairing, desk))))))),
    h("p", {}, round.unpaired.map(({ name, why }) => `${name}: ${t(`evening.said.${why}`)}`).join(" · ")),
    ...heldBoards(view, desk));
}

/** @param {Evening} view @param {Round} round @param {Desk} desk */
function roundChoice(view, round, desk) {
  const options = view.rounds.map(({ number, date }) => /** @type {[string, string]} */ ([String(number),
    `${t("evening.round", { number })} · ${date}`]));
  return desk.choice(t("evening.shown_round"), options.reverse(), String(round.number), async (value) => {
    shown = Number(value) === view.rounds.length ? null : Number(value);
  });
}

/** @param {PairingChange} change */
function changeWords({ name, before, after }) {
  /** @param {Meeting | null} meeting */
  const words = (meeting) => (meeting ? t(`evening.as.${meeting.colour}`, { name: meeting.name })
    : t("evening.nobody"));
  return t("evening.changed", { name, before: words(before), after: words(after) });
}

/** @param {Evening} view @param {Round} round @param {Pairing} pairing @param {Desk} desk */
function boardChoice(view, round, pairing, desk) {
  /** @type {[string | null, string][]} */
  const options = [[null, "–"]];
  const boards = new Set(view.boards.map(({ name }) => name));
  if (pairing.board) boards.add(pairing.board);
  for (const name of [...boards].sort()) options.push([name, name]);
  return desk.choice(`${t("evening.board")} ${pairing.table}`, options, pairing.board,
    (board) => desk.order("call", { number: round.number, table: pairing.table, board }), Boolean(pairing.result));
}

// Why a pair does not play: an absent member, a board that went offline, or an evening that ended before.
/** @param {Evening} view @param {Pairing} pairing @param {Desk} desk */
function notes(view, pairing, desk) {
  if (pairing.result) return "";
  const found = [];
  const board = view.boards.find(({ name }) => name === pairing.board);
  const gone = board && !board.online ? board.name : pairing.left !== pairing.board ? pairing.left : null;
  if (gone) found.push(h("p", { class: "away" }, t("evening.away", { board: gone })));
  if (board && !board.online && pairing.match) found.push(endButton(board.name, pairing.match, desk));
  if (pairing.adjourned) found.push(h("p", { class: "away" }, t("evening.adjourned")));
  const missing = view.open && !pairing.board ? view.members.filter(({ key, said }) => said !== "here"
    && [pairing.white, pairing.black].includes(key)) : [];
  for (const { name } of missing) found.push(h("p", { class: "away" }, t("evening.missing", { name })));
  return found;
}

// Boards on which a game goes on that is of no pair: no pair is called to them.
/** @param {Evening} view @param {Desk} desk */
function heldBoards(view, desk) {
  if (!view.open) return [];
  const ours = view.rounds.flatMap(({ pairings }) => pairings).filter(({ result }) => !result);
  return view.boards.filter(({ name, online, match, phase, released, held }) => online && match && phase && !released
    && !held && !FREE.includes(phase) && !ours.some((pairing) => pairing.board === name))
    .map(({ name, match, names }) => h("p", { class: "away held" },
      t("evening.held",
        { board: name, white: names?.white || t("side.white"), black: names?.black || t("side.black") }), " ",
      endButton(name, match ?? "", desk)));
}

/** @param {string} board @param {string} match @param {Desk} desk */
function endButton(board, match, desk) {
  return button(t("evening.end_game"), () => desk.order("release", { board, match }), { class: "end-game" });
}

/** @param {Round} round @param {Pairing} pairing @param {Desk} desk */
function resultChoice(round, pairing, desk) {
  /** @type {[string | null, string][]} */
  const options = [[null, "–"], ...RESULTS.map((text) => /** @type {[string, string]} */ ([text, text]))];
  return desk.choice(`${t("evening.result")} ${pairing.table}`, options, pairing.result,
    (result) => desk.order("result", { number: round.number, table: pairing.table, result }));
}
