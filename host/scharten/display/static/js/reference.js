// What a page knows besides the snapshot: each game's board and options, and the beds beside each bed; asked for once.

let asked = null;

/** @returns {Promise<Reference>} */
export function reference() {
  asked ??= fetch("reference.json").then((answer) => answer.json());
  asked.catch(() => (asked = null)); // another try may succeed
  return asked;
}
