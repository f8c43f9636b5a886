// The arrow keys step through the game. Keys for a throw: a USB keypad beside the board is a keyboard. `+` announces
// a dart and says that the board is free again, `-` says that the dart is lost; each presses the button that the page
// shows for it, so nothing else can happen.

/** @type {Record<string, string[]>} */
const KEYS = { "+": ["announce_throw", "ready"], "-": ["miss"] };

/** @type {Record<string, (here: number) => number | null>} */
const STEPS = { ArrowLeft: (here) => here - 1, ArrowRight: (here) => here + 1, Home: () => -1, End: () => null };

/**
 * @param {HTMLElement} actions
 * @param {import("./store.js").Store} store
 */
export function listenForKeys(actions, store) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !STEPS[event.key] || elsewhere(event)) return;
    // On the board, in a dartboard and among sliders the arrows have a meaning of their own.
    if (event.target instanceof Element && event.target.closest("[data-field], [role=application], .corner")) return;
    event.preventDefault();
    store.look(STEPS[event.key](store.reviewing ?? store.entries().length - 1));
  });
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    if (elsewhere(event)) return;
    const shown = /** @type {HTMLElement[]} */ ([...actions.querySelectorAll("button[data-command]")]);
    const wanted = shown.find((button) => KEYS[event.key].includes(button.dataset.command ?? ""));
    if (!wanted) return;
    event.preventDefault();
    wanted.click();
  });
}

// Whether a person types, or a dialog is open.
/** @param {Event} event */
function elsewhere(event) {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
  return Boolean(typing || document.querySelector("dialog[open]"));
}
