// Facts that no snapshot holds: each game's board and options, and the neighbours of each bed; fetched once.

let asked = null;

/** @returns {Promise<Reference>} */
export function reference() {
  asked ??= fetch("reference.json").then((answer) => answer.json());
  asked.catch(() => (asked = null)); // another try may succeed
  return asked;
}
