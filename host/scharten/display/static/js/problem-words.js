// The words of a problem, for its page and for the wall.

import { t } from "./words.js";

// Who is to move, and what is to be done: "White to move: mate in 2".
/** @param {ProblemModel} problem */
export function taskWords({ side, task, turns }) {
  return t(`puzzle.task.${task}`, { side: t(`side.${side}`), turns });
}

// "Chess, loud. Difficulty 3 of 5."
/** @param {ProblemModel} problem */
export function kindWords({ game, kind, difficulty }) {
  const name = t("game.of_kind", { game: t(`game.${game}`), kind: t(`kind.${kind}`) });
  return t("puzzle.kind", { game: name, difficulty });
}
