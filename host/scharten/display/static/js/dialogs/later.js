// Scripts that the first page does not need: a dialog's script is fetched when the dialog opens.

import { t } from "../words.js";

let opening = false; // a second press meanwhile opens nothing twice

// Calls a function of the script of that name in this folder.
/** @param {App} app @param {string} script @param {string} name */
export async function later(app, script, name) {
  if (opening) return;
  opening = true;
  try {
    const found = await import(`./${script}.js`).catch(() => null);
    if (found) await found[name](app);
    else app.say(t("refusal.connection_lost"), "refused");
  } finally {
    opening = false;
  }
}
