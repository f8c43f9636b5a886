// The way back closes an open dialog before it leaves the page. One entry of the history stands for all open dialogs.

const open = /** @type {HTMLDialogElement[]} */ ([]);
let returning = false; // whether this page itself takes a step back

/** @param {HTMLDialogElement} dialog which has just opened */
export function closeOnBack(dialog) {
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

// A window calls its listeners in the order in which they came: this one comes before the page's own. A page that was
// loaded again with a dialog open has an entry too many. Tests without a browser have no history.
if (typeof history !== "undefined") {
  addEventListener("popstate", onStep, true);
  if (guarded()) {
    returning = true;
    history.back();
  }
}
