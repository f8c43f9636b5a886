// The way back closes an open dialog before it leaves the page. One entry of the history stands for all open dialogs.

const open = /** @type {HTMLDialogElement[]} */ ([]);
let listening = false;
let returning = false; // whether this page itself takes a step back

/** @param {HTMLDialogElement} dialog which has just opened */
export function closeOnBack(dialog) {
  if (!listening) addEventListener("popstate", onStep, true);
  listening = true;
  open.push(dialog);
  guard();
  dialog.addEventListener("close", () => {
    open.splice(open.indexOf(dialog), 1);
    setTimeout(release); // another dialog may take its place
  });
}

const guarded = () => Boolean(history.state?.dialog);

function guard() {
  if (!guarded() && !returning) history.pushState({ dialog: true }, "");
}

function release() {
  if (open.length || !guarded() || returning) return;
  returning = true;
  history.back();
}

// These steps mean nothing to the page itself, which may have entries of its own.
/** @param {PopStateEvent} event */
function onStep(event) {
  const own = returning;
  returning = false;
  const closing = own || guarded() ? undefined : open.at(-1);
  if (own || closing) event.stopImmediatePropagation();
  closing?.close();
  if (open.length) guard();
}
