// The day's problem on the wall: its position, its task, and who solved it.

import { Board } from "../board.js";
import { h } from "../dom.js";
import { dayProblem } from "../features/problem.js";
import { readPosition } from "../position.js";
import { taskWords } from "../problem-words.js";
import { addWords, t } from "../words.js";

const MOST_NAMES = 6;

// Returns what gives the text and the position, both empty until they are here.
/** @param {Store} store @param {() => void} changed called once the words of problems are here */
export function createDayProblem(store, changed) {
  let worded = false;
  addWords("puzzles").then(() => {
    worded = true;
    changed();
  }).catch(() => {}); // the wall goes without

  /** @param {ProblemModel} problem */
  function position({ layout, white_sits_at: whiteSitsAt = 3, position: text, side, kind, check }) {
    const place = h("div", { class: "idle-position" });
    const board = new Board(place, { rim: false, form: { layout, whiteSitsAt, turned: side === "black" } });
    const { pieces, gone } = readPosition(text, layout);
    board.setPieces(pieces, { showUnmoved: kind === "loud" });
    board.setGone(gone);
    board.mark({ check });
    return place;
  }

  return () => {
    const day = dayProblem(store);
    if (!day || !worded) return { task: [], board: [] };
    const { problem, solved } = day;
    const names = [...solved.slice(0, MOST_NAMES), ...(solved.length > MOST_NAMES ? ["…"] : [])].join(", ");
    const piece = problem.drops.length ? problem.next : null;
    return {
      task: [h("p", { class: "idle-problem" },
        h("small", {}, `${t("puzzle.today")}: ${t(`game.${problem.game}`)}`), taskWords(problem),
        piece && h("small", {}, t("puzzle.to_throw", { piece: t(`piece.${piece}`) })),
        names && h("small", { class: "solved" }, t("puzzle.solved_by", { names })))],
      board: [position(problem)],
    };
  };
}
