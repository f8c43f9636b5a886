// Keys for a throw: a USB keypad beside the board is a keyboard. `+` announces a dart and says that the board is free
// again, `-` says that the dart is lost; each presses the button that the page shows for it, so nothing else can
// happen.

const KEYS = { "+": ["announce_throw", "ready"], "-": ["miss"] };

export function listenForKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    if (document.querySelector("dialog[open]")) return;
    const shown = [...actions.querySelectorAll("button[data-command]")];
    const wanted = shown.find((button) => KEYS[event.key].includes(button.dataset.command));
    if (!wanted) return;
    event.preventDefault();
    wanted.click();
  });
}
